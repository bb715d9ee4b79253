"""Report 000's cluster, simulated: right values, bounds on times, runs that a seed makes, steals that are messages."""

from dataclasses import asdict, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outflank import Limits, OthelloBoard, OutflankError, Stop, lab
from outflank.errors import InvalidOption
from outflank.lab.report_programs.published_numbers import rows
from outflank.lab.simulation.report_costs import (
    PROGRAMS,
    REPORT_COSTS,
    broadcast_line,
    program_named,
    steal_bytes,
    traffic_line,
)
from outflank.lab.simulation.stealing_search import Costs, Replication, StealingCluster
from outflank.lab.simulation.stealing_state import new_state, next_event, schedule
from outflank.search.whole_search import search
from tests.conftest import examples

BOARD = OthelloBoard.start(6)
for move in ("c2", "b2", "b3", "d2", "e3", "f2"):
    BOARD.push(move)
DEPTH = 4
pytestmark = pytest.mark.interpreted_only

OPTIONS = {"algorithm": "mtdf", "evaluation": "mobility", "step": 2, "table_bits": 12}
COSTS = Costs(board=10.0, latency=50.0, spawn=1.0, send=5.0, send_entry=1.0, receive=3.0, receive_entry=1.0)
SENT = {
    "nothing": None,
    "each entry": Replication(depth=2),
    "deep entries": Replication(depth=4),
    "threes, waiting": Replication(depth=2, batch=3, waits=True),
}


def run(nodes, sent="nothing", *, threshold=2, seed=1, costs=COSTS, **more):
    cluster = StealingCluster(
        BOARD, nodes=nodes, threshold=threshold, costs=costs, replication=SENT[sent], seed=seed, **OPTIONS | more
    )
    return cluster.search(DEPTH)


@pytest.fixture(scope="session")
def alone():
    return search(BOARD, Limits(depth=DEPTH), workers=1, **OPTIONS)


@pytest.mark.parametrize(
    ("nodes", "threshold", "seed", "sent"),
    [(1, 2, 1, "nothing"), (16, 1, 3, "nothing"), (2, 1, 1, "each entry"), (5, 2, 2, "threes, waiting")],
)
def test_every_cluster_finds_the_value_of_one_worker(alone, nodes, threshold, seed, sent):
    totals = run(nodes, sent, threshold=threshold, seed=seed)
    assert totals.value == alone.value
    spent = totals.useful_seconds + totals.sending_seconds
    assert totals.seconds >= spent
    assert totals.useful_seconds == pytest.approx((10e-6 * totals.boards + 1e-6 * totals.spawns) / nodes)


def test_one_node_visits_its_moves_in_order_and_asks_nobody(alone):
    one = run(1)
    assert one.seconds == pytest.approx(one.useful_seconds)
    assert one.steals_tried == one.aborted == one.updates == 0
    larger = run(1, threshold=DEPTH - 1)  # hardly divided
    assert one.boards == larger.boards
    assert run(1, order="forward").boards != one.boards


def test_a_steal_is_a_message_that_takes_its_time():
    totals = run(8)
    assert 0 < totals.steals_won < totals.steals_tried
    round_trips = totals.steals_tried * 2 * 50e-6
    assert round_trips <= 8 * totals.idle_seconds * 1.001 + 8 * 2 * 50e-6
    assert totals.aborted > 0
    slow = run(8, costs=replace(COSTS, latency=5000.0))
    assert slow.seconds > totals.seconds
    assert slow.steals_won < totals.steals_won


def test_a_seed_makes_a_run():
    first, again, other = (run(7, "each entry", seed=seed) for seed in (1, 1, 2))
    assert asdict(first) == asdict(again)
    assert asdict(first) != asdict(other)


def test_entries_are_paid_for_and_used():
    silent, told, batches = (run(4, sent) for sent in ("nothing", "each entry", "threes, waiting"))
    assert silent.foreign_hits == silent.updates == 0 == silent.sending_seconds
    assert told.foreign_hits > 0
    assert told.entries_sent == told.updates > batches.updates
    assert batches.entries_sent == 3 * batches.updates
    assert told.sending_seconds == pytest.approx(told.updates * 3 * (5 + 1) * 1e-6 / 4)
    assert batches.sending_seconds == pytest.approx(batches.updates * 3 * (5 + 3 + 100) * 1e-6 / 4)
    assert told.receiving_seconds <= told.updates * 3 * 4e-6 / 4 * 1.001
    assert run(4, "deep entries").updates < told.updates


SHARED = {"distributed_table": True, "order": "in order", "serial_moves": (1, 2, 0), "algorithm": "pvs"}


@pytest.mark.parametrize(
    ("algorithm", "nodes", "threshold", "seed"), [("pvs", 2, 1, 1), ("mtdf", 5, 2, 2), ("pvs", 16, 1, 3)]
)
def test_a_distributed_table_changes_no_value(alone, algorithm, nodes, threshold, seed):
    totals = run(nodes, threshold=threshold, seed=seed, **SHARED | {"algorithm": algorithm})
    assert totals.value == alone.value
    assert totals.entries_sent > 0
    round_trip = 2 * 50e-6
    assert totals.lookup_seconds * nodes == pytest.approx(
        round(totals.lookup_seconds * nodes / round_trip) * round_trip
    )
    assert totals.lookup_seconds > 0
    assert totals.sending_seconds * nodes == pytest.approx(totals.entries_sent * 6e-6)
    assert totals.receiving_seconds * nodes <= totals.entries_sent * 4e-6 * 1.001


@pytest.mark.parametrize("order", ["reverse", "in order"])
def test_one_node_enters_the_tree_nodes_of_one_worker(order):
    one = search(BOARD, Limits(depth=DEPTH), workers=1, **OPTIONS | {"algorithm": "pvs"})
    for threshold in (1, 2, 3):
        totals = run(1, threshold=threshold, order=order, algorithm="pvs")
        assert (totals.value, totals.boards) == (one.value, one.nodes)


def test_what_any_node_has_found_is_found_in_a_distributed_table():
    again = {}
    for is_shared in (False, True):
        options = OPTIONS | SHARED | {"distributed_table": is_shared}
        cluster = StealingCluster(BOARD, nodes=16, threshold=1, costs=COSTS, **options)
        first = cluster.search(DEPTH).boards
        again[is_shared] = cluster.search(DEPTH).boards - first
    assert again[True] < 0.8 * again[False]


def test_what_cannot_be_simulated_is_refused():
    with pytest.raises(InvalidOption, match="messages that take time"):
        run(2, costs=replace(COSTS, latency=0.0))
    with pytest.raises(InvalidOption, match="first move"):
        run(2, serial_moves=(0, 1, 1))
    with pytest.raises(InvalidOption, match="MTD"):
        StealingCluster(BOARD, nodes=2, threshold=1, costs=COSTS, **{**OPTIONS, "algorithm": "alphabeta"})
    cluster = StealingCluster(BOARD, nodes=2, threshold=1, costs=COSTS, **OPTIONS)
    stop = Stop()
    stop()
    assert cluster.search(DEPTH, stop=stop) is None


@given(st.lists(st.integers(0, 9), max_size=40))
@examples(50)
def test_events_come_by_time_and_then_in_their_order(times):
    state = new_state(1, 1)
    for number, time in enumerate(times):
        schedule(state, time, 0, number, 0, 0, 0, 0)
    found = [(int(next_event(state)[1]), int(state.machine.now)) for _ in times]
    assert found == sorted(enumerate(times), key=lambda pair: (pair[1], pair[0]))


# --- the report's costs ---


def test_the_costs_are_the_reports():
    line = broadcast_line()
    assert (line.fixed, line.slope) == (pytest.approx(15.5, abs=0.1), pytest.approx(0.85e-3, rel=0.01))
    assert max(abs(error) for error in line.errors) < 1
    assert abs(sum(line.errors)) < 1e-6
    assert REPORT_COSTS.board == pytest.approx(3776 / 55, rel=1e-3)
    assert REPORT_COSTS.send == pytest.approx(0.85e3 / 31, rel=0.01)
    assert max(abs(error / y) for error, (_, y) in zip(traffic_line().errors, traffic_line().points, strict=True)) < 0.2
    row = rows("000", "threshold_par")[2]  # as many requests as fit into its idle time
    tried = round(64 * row["overhead_s"] / 1e-3)
    assert steal_bytes(tried, round(tried * row["steal_success_percent"] / 100), 500.0) == pytest.approx(
        row["bytes"], rel=0.2
    )


def test_programs_by_name():
    assert program_named("par") == ("par", None)
    assert program_named("par_tuple:depth=9") == ("par_tuple", Replication(depth=9))
    assert program_named("par_rmi:batch=5,waits=0") == ("par_rmi", Replication(depth=2, batch=5))
    assert {name: program_named(name)[1] for name in PROGRAMS} == PROGRAMS
    for text in ("seq", "par:depth=3", "gmi:size=3", "par_tuple:depth=x"):
        with pytest.raises(OutflankError):
            program_named(text)


# --- the experiment ---


def test_the_experiment_compares_the_programs():
    report = lab.run("stealing", depth=3, thresholds=(1,), nodes=(1, 4), table_bits=10)
    assert report.passed
    runs = report["simulated runs"]
    assert runs.column("program") == [name for name in PROGRAMS for _ in range(2)]
    assert len(report["costs"].rows) == 4 + 15
    with pytest.raises(OutflankError, match="Othello"):
        lab.run("stealing", positions=("belgian-daisy",))
