"""Searches on paper: what a recording says, and what follows from it for machines that are not there."""

from dataclasses import asdict, replace
from types import SimpleNamespace

import numpy as np
import pytest

from outflank import Limits, OthelloBoard, lab
from outflank.distributed.node_messages import Job, JobResult
from outflank.distributed.replication import POLICIES, replication_named
from outflank.errors import OutflankError
from outflank.kernels.compiler import interpreted
from outflank.kernels.record_types import allocate
from outflank.lab.simulation.job_recording import EVERYTHING, KINDS, MOVE, VALUE, WitnessMemory, calibrated, record
from outflank.lab.simulation.simulated_cluster import JOB_BYTES, OUTCOME_BYTES, Simulated, simulate
from outflank.lab.simulation.simulated_machines import Machines, Traffic, relative_work
from outflank.search.probes import note_lookup
from outflank.search.request import Options
from outflank.search.root import Root
from outflank.search.root_moves import HIGH, LOW
from outflank.search.table import EXACT, LOWER, UPPER, WRITERS, age_of, packed
from outflank.search.whole_search import search
from outflank.search.worker import COUNTERS, WORKER

BOARD = OthelloBoard.start(6)
for move in ("c2", "b2", "b3", "d2", "e3", "f2"):
    BOARD.push(move)
DEPTH, THRESHOLD = (5, 3) if interpreted() else (8, 4)
BITS = 12
# Compiled as the experiment's searches are: with another evaluation all would be compiled again.
CHOSEN = {"table_bits": BITS, "evaluation": "mobility" if interpreted() else "discs"}
IDEAL = Machines(nodes=1, rate=1000.0)


@pytest.fixture(scope="session")  # not the module's, whose tests are not all run in one go: some are begun early
def recording():
    return calibrated(BOARD, DEPTH, THRESHOLD, **CHOSEN)


@pytest.fixture(scope="session")
def replay(recording):
    """Simulates the recorded search."""

    def run(machines, policy="none", seed=1):
        return simulate(
            BOARD,
            recording,
            machines,
            replication_named(policy),
            depth=DEPTH,
            threshold=THRESHOLD,
            seed=seed,
            **CHOSEN,
        )

    return run


# --- recordings ---


def test_hits_are_on_entries_of_jobs_before(recording):
    assert recording.hits.sum() > 0
    for index, done in enumerate(recording.done):
        assert (done.hits[:, 0] < index).all()
        assert (done.hits[:, 0] >= 0).all()


@pytest.mark.slow(5)
def test_what_is_hidden_is_not_hit_and_the_value_stays(recording):
    alone = record(BOARD, DEPTH, THRESHOLD, hidden_below=EVERYTHING, **CHOSEN)
    assert alone.hits.sum() == 0
    assert alone.result.value == recording.result.value
    assert alone.nodes > recording.nodes
    values, moves = (alone_of(kind) for kind in range(KINDS))
    assert values.hits[0].sum() == 0 < values.hits[1].sum()
    assert moves.hits[1].sum() == 0 < moves.hits[0].sum()


def alone_of(kind):
    return record(BOARD, DEPTH, THRESHOLD, hidden_below=EVERYTHING, hides=(kind,), **CHOSEN)


def test_weights_account_for_what_hiding_costs(recording):
    more = sum(max(0, nodes - recording.nodes) for nodes in recording.without)
    assert more > 0
    assert recording.lost_below(EVERYTHING) == pytest.approx(more)
    assert sum(use.nodes for uses in recording.uses for use in uses) == pytest.approx(more)
    rising = [recording.lost_below(depth) for depth in range(DEPTH)]
    assert rising == sorted(rising)
    assert rising[0] == 0


def test_what_was_recorded_agrees_with_what_is_answered(recording):
    kinds = set()
    for done in recording.done[:: max(1, len(recording.done) // 20)]:
        value = recording.answer(replace(done.job, alpha=LOW, beta=HIGH))
        kinds.add(done.bound)
        if done.bound == EXACT:
            assert done.value == value
        elif done.bound == LOWER:
            assert done.value <= value
        else:
            assert done.value >= value
    assert {LOWER, UPPER} <= kinds


def test_a_job_is_answered_by_what_tells_about_its_window_alone(recording):
    for bound in (LOWER, UPPER):
        done = next(each for each in recording.done if each.bound == bound)
        index, value = recording.done.index(done), done.value
        told = (LOW, value) if bound == LOWER else (value, HIGH)
        untold = (LOW, value + 1) if bound == LOWER else (value - 1, HIGH)
        assert index in recording.places(done.job)
        assert index in recording.places(replace(done.job, alpha=told[0], beta=told[1]))
        assert index not in recording.places(replace(done.job, alpha=untold[0], beta=untold[1]))
        assert recording.places(replace(done.job, depth=DEPTH + 1)) == []


def test_entries_tell_the_job_that_made_them():
    notes, worker = WitnessMemory(0, ()), allocate(WORKER, 1)[0]
    for number in (1, 127, 128, 5000, WRITERS - 1):
        notes.begin(number, worker)
        data = packed(0, 3, EXACT, 0, worker.age)
        assert age_of(data) == 0, "the table's own business"
        assert note_lookup(notes.probe, 3, data) == data
        assert len(notes.take()) == 0, "its own"
        notes.begin(0, worker)
        note_lookup(notes.probe, 3, data)
        note_lookup(notes.probe, 3, data)
        note_lookup(notes.probe, 4, data)
        assert notes.take().tolist() == [[number, 3, VALUE, 2], [number, 4, MOVE, 1]]


def test_answers_outside_a_window_are_its_bounds(recording):
    job = replace(recording.done[-1].job, alpha=LOW, beta=HIGH)
    value = recording.answer(job)
    assert recording.answer(replace(job, alpha=value + 3, beta=value + 5)) == value + 3
    assert recording.answer(replace(job, alpha=value - 5, beta=value - 3)) == value - 3
    assert recording.answer(replace(job, alpha=value - 1, beta=value + 1)) == value


def test_a_drawn_job_is_as_deep_and_as_successful(recording):
    job = next(each.job for each in recording.done if each.bound == UPPER and each.job.depth == THRESHOLD)
    strange = replace(job, first=1, second=2)
    for seed in range(5):
        drawn = recording.done[recording.similar_job(strange, strange.alpha, seed)]
        assert (drawn.job.depth, drawn.bound) == (THRESHOLD, UPPER)
        assert recording.similar_job(strange, strange.alpha, seed) == recording.similar_job(
            strange, strange.alpha, seed
        )
    assert recording.done[recording.similar_job(replace(strange, depth=30), 0, 1)].job.depth == max(
        done.job.depth for done in recording.done
    )


def test_more_plies_than_are_counted_are_refused():
    with pytest.raises(OutflankError, match="depth 40"):
        record(BOARD, 40, 4)


# --- one search on paper ---


def test_one_node_takes_the_recorded_costs_and_the_overheads(recording, replay):
    machines = replace(IDEAL, latency=0.5, bandwidth=100.0, head_seconds=2.0)
    tally = replay(machines)
    jobs = recording.done
    unshared = search(BOARD, Limits(depth=2), workers=1, **CHOSEN).nodes - 2  # the roots take nobody's time
    overhead = 2 * 0.5 + (JOB_BYTES + OUTCOME_BYTES) / 100.0 + 2.0
    assert tally.jobs == len(jobs)
    assert tally.unrecorded == tally.stopped == tally.lost_nodes == 0
    assert tally.nodes == sum(done.nodes for done in jobs)
    assert tally.seconds == pytest.approx((tally.nodes + unshared) / 1000.0 + len(jobs) * overhead)
    assert tally.head_seconds == pytest.approx(2.0 * len(jobs))


@pytest.mark.slow(3)
@pytest.mark.parametrize("policy", ["none", "batch", "depth:depth=8", "async:depth=8"])
def test_every_number_of_nodes_finds_the_value(recording, replay, policy):
    expected = search(BOARD, Limits(depth=DEPTH), workers=1, **CHOSEN)
    assert recording.result.value == expected.value
    for nodes, seed in ((2, 1), (7, 1), (7, 2), (64, 1)):
        tally = replay(replace(IDEAL, nodes=nodes, latency=0.01, bandwidth=1e5, head_seconds=0.001), policy, seed)
        assert tally.result.value == expected.value
        assert tally.result.depth == DEPTH


@pytest.mark.parametrize("nodes", [1, 3, 64])
def test_no_search_ends_before_its_work_is_shared_nor_before_what_all_wait_for(recording, replay, nodes):
    tally = replay(replace(IDEAL, nodes=nodes))
    assert tally.seconds >= tally.busy_seconds / nodes
    assert tally.seconds > tally.first_seconds > 0
    one = replay(IDEAL)
    if nodes > 1:
        assert tally.seconds < one.seconds
        assert tally.unrecorded > 0


@pytest.mark.parametrize("nodes", [1, 4, 64])
def test_nothing_is_faster_than_messages_that_take_no_time(replay, nodes):
    ideal = replay(replace(IDEAL, nodes=nodes)).seconds
    assert ideal < replay(replace(IDEAL, nodes=nodes, latency=5.0)).seconds
    assert ideal < replay(replace(IDEAL, nodes=nodes, bandwidth=100.0)).seconds
    assert ideal < replay(replace(IDEAL, nodes=nodes, head_seconds=5.0)).seconds


def test_a_busy_head_bounds_what_nodes_are_good_for(replay):
    tally = replay(replace(IDEAL, nodes=64, head_seconds=5.0))
    assert tally.seconds >= tally.head_seconds == pytest.approx(5.0 * tally.jobs, rel=0.2)


@pytest.mark.slow(2)
def test_a_seed_makes_a_search_and_the_order_of_questions_does_not(recording, replay):
    machines = replace(IDEAL, nodes=8, latency=0.01)
    first = replay(machines, "async:depth=8", 3)
    again = record(BOARD, DEPTH, THRESHOLD, without=recording.without, **CHOSEN)
    policy = replication_named("async:depth=8")
    second = simulate(BOARD, again, machines, policy, depth=DEPTH, threshold=THRESHOLD, seed=3, **CHOSEN)
    assert {**asdict(first), "result": None} == {**asdict(second), "result": None}


def test_entries_that_are_told_are_not_lost(replay):
    machines = replace(IDEAL, nodes=8)
    none, some, all_ = (replay(machines, policy) for policy in ("none", "async:depth=4", "async:depth=2"))
    assert none.lost_nodes > all_.lost_nodes
    assert none.lost_nodes >= some.lost_nodes >= all_.lost_nodes


# --- nodes ---


class Silence:
    """A tree that takes whatever comes."""

    def __init__(self):
        self.unwanted = []

    def deliver(self, outcome):
        self.outcome = outcome


@pytest.fixture
def paper(recording):
    """Two nodes, one of them with a job from second 1 to second 101; a message takes half a second."""
    root = Root(BOARD.game, BOARD.position, Options(**CHOSEN))
    machines = Machines(nodes=2, rate=10.0, latency=0.5)
    found = Simulated(root, recording, machines, POLICIES["none"], THRESHOLD, 1)
    desk = found._nodes[found._idle.pop(0)]
    desk.job = Job(ticket=7, era=0, first=1, second=2, depth=2, ply=1, alpha=0, beta=1)
    counts = tuple(1000 if name == "nodes" else 0 for name in COUNTERS)
    desk.outcome = JobResult(ticket=7, valid=True, value=0, line=(), seconds=100.0, counts=counts)
    desk.begin, desk.end = 1.0, 101.0
    found._schedule_end(0, desk)
    return found, desk


def stopped_at(paper, now):
    found, _ = paper
    tree = Silence()
    tree.unwanted = [3, 7]
    found._now = now
    found._stop_unwanted(tree)
    while 0 not in found._idle:
        found._process_next_event(tree)
    return found, tree


def test_a_stop_frees_a_node_once_it_has_heard_of_it(paper):
    found, tree = stopped_at(paper, 10.5)
    assert found._now == 11.5  # half a second there, half a second back
    assert not tree.outcome.valid
    assert found.tally.busy_seconds == 10.0
    assert found.tally.nodes == 100
    assert found.tally.stopped == 1
    assert found._idle[0] == 0, "the first node is asked first"


def test_a_job_that_is_stopped_on_its_way_costs_nothing(paper):
    found, _ = stopped_at(paper, 0.2)
    assert found._now == 1.5
    assert found.tally.nodes == found.tally.busy_seconds == 0


def test_a_stop_that_comes_too_late_changes_nothing(paper):
    found, tree = stopped_at(paper, 100.8)
    assert found._now == 101.5
    assert tree.outcome.valid
    assert found.tally.nodes == 1000
    assert found.tally.stopped == 0


def test_what_others_tell_takes_time_for_each_that_searches(recording, paper):
    found, _ = paper
    place = next(index for index, done in enumerate(recording.done))
    done = recording.done[place]
    found.traffic = Traffic(sending=1.0, receiving=2.0)
    found._idle.remove(1)
    found._begin(1, done.job)
    desk = found._nodes[1]
    lost = sum(use.nodes for use in recording.uses[place])  # nobody has done what was done before it
    assert desk.begin == 0.5
    assert desk.end - desk.begin == pytest.approx((done.nodes + lost) / 10.0 * (1 + 1 + 2))


def test_what_a_node_has_done_it_knows_and_the_second_time_is_the_second_recorded(recording, paper):
    found, _ = paper
    place = max(range(len(recording.done)), key=lambda index: recording.done[index].nodes)
    done = recording.done[place]
    assert found._job_cost(1, done.job, 0.0)[2] >= done.nodes
    assert found._job_cost(1, done.job, 0.0)[2:] == (1, 0)
    found.recording = SimpleNamespace(done=recording.done, uses=recording.uses, places=lambda job: [place, 1])
    assert found._job_cost(0, done.job, 0.0)[0] == recording.done[1].value
    assert set(found._done_at) == {place, 1}


def test_an_entry_is_there_if_its_node_made_it_or_it_has_arrived(paper):
    found, _ = paper
    found.policy = replace(POLICIES["async"], depth=5)
    found.traffic = Traffic(delay=2.0, arriving=0.75)
    found._done_at = {4: {1: 10.0}}
    assert found._missing_share(1, 4, 3, 10.0) == 0.0, "its own"
    assert found._missing_share(0, 4, 3, 99.0) == 1.0, "not deep enough to be sent"
    assert found._missing_share(0, 4, 5, 11.0) == 1.0, "still on its way"
    assert found._missing_share(0, 4, 5, 12.0) == 0.25, "but for what was dropped"
    assert found._missing_share(1, 5, 9, 99.0) == 1.0, "nobody has done that job"
    found.policy = POLICIES["none"]
    assert found._missing_share(0, 4, 9, 99.0) == 1.0


# --- what entries cost, in cases that are made up ---


def made_up(lost=(0, 0, 100, 200, 300, 400)):
    """A search of 1 000 nodes that writes 100 entries of depth 2, half as many of depth 3, …"""
    entries = [0, 0, 100, 50, 25, 12]
    return SimpleNamespace(
        nodes=1000, entries=entries, lost_below=lambda depth: float(np.sum(lost[: min(depth, len(lost))]))
    )


def sent_from(depth, **more):
    return replace(POLICIES["async"], depth=depth, **more)


def test_what_costs_nothing_is_all_sent():
    machines = Machines(nodes=4, rate=1000.0)
    work = [relative_work(sent_from(depth), made_up(), machines) for depth in (2, 3, 4, 5)]
    assert work == sorted(work)
    assert work[0] == 1.0
    assert work[-1] < relative_work(POLICIES["none"], made_up(), machines) == pytest.approx(1 + 3 / 4 * 1.0)


def test_what_costs_much_is_not_sent():
    machines = Machines(nodes=4, rate=1000.0, message_seconds=1.0)
    assert relative_work(POLICIES["none"], made_up(), machines) < relative_work(sent_from(2), made_up(), machines)


def test_one_node_tells_nobody():
    machines = Machines(nodes=1, rate=1000.0, message_seconds=1.0, latency=1.0)
    for policy in POLICIES.values():
        assert Traffic.of(policy, made_up(), machines) == Traffic()
        assert relative_work(policy, made_up(), machines) == 1.0


def test_more_nodes_send_deeper_entries_alone():
    def best(nodes):
        machines = Machines(nodes=nodes, rate=1000.0, message_seconds=1e-4, entry_seconds=1e-4)
        return min((2, 3, 4, 5), key=lambda depth: relative_work(sent_from(depth), made_up(), machines))

    chosen = [best(nodes) for nodes in (2, 16, 64, 1024)]
    assert chosen == sorted(chosen)
    assert chosen[0] < chosen[-1]


def test_who_waits_pays_for_the_way_and_who_does_not_for_bandwidth_with_entries():
    far = Machines(nodes=4, rate=1000.0, latency=0.01)
    waiting, going_on = (Traffic.of(sent_from(2, waits=waits, batch=1), made_up(), far) for waits in (True, False))
    assert waiting.sending == pytest.approx(187 * 2 * 0.01)
    assert going_on.sending == 0.0
    narrow = Machines(nodes=4, rate=1000.0, bandwidth=187 * 24 * 3 / 2)
    waiting, going_on = (Traffic.of(sent_from(2, waits=waits, batch=1), made_up(), narrow) for waits in (True, False))
    assert waiting.arriving == 1.0
    assert waiting.sending == pytest.approx(2.0)
    assert going_on.arriving == pytest.approx(0.5)
    assert going_on.sending == 0.0


def test_batches_spare_messages():
    machines = Machines(nodes=4, rate=1000.0, message_seconds=0.001)
    single, many = (Traffic.of(sent_from(2, waits=True, batch=batch), made_up(), machines) for batch in (1, 10))
    assert single.sending == pytest.approx(10 * many.sending)
    assert single.receiving == pytest.approx(10 * many.receiving)
    assert single.delay < many.delay


# --- the experiment ---


@pytest.mark.compiled
@pytest.mark.slow(6)
@pytest.mark.usefixtures("plain_evaluation")
def test_the_experiment_checks_itself_and_predicts():
    report = lab.run(
        "simulate",
        depth=8,
        thresholds=(4, 5),
        nodes=(1, 16),
        policies=("none", "async"),
        depths=(3, 4),
        hidden=(3,),
        measured=(1, 2),
        rounds=1,
        table_bits=14,
    )
    assert report.passed
    assert report["recordings"].column("threshold") == [4, 5]
    assert report["check: nodes"].column("nodes") == [1, 1, 2, 2]
    one = report["check: nodes"]
    assert one.column("expected nodes")[0] == pytest.approx(one.column("measured nodes")[0], rel=0.01)
    assert report["speed-up"].column("nodes") == [1, 1, 16, 16]
    assert any("report 000 measured 8.6" in note for note in report.notes)


@pytest.mark.compiled
def test_nodes_that_steal_are_simulated_as_machine_code():
    """On one node the report's programs visit the boards of an undivided search; on 64 each has the value of one."""
    report = lab.run("stealing", depth=9, nodes=(1, 64), thresholds=(3, 5))
    assert report.passed
    runs = report["simulated runs"]
    columns = (runs.column(name) for name in ("nodes", "boards", "steals tried"))
    rows = list(zip(*columns, strict=True))
    assert len({boards for nodes, boards, _ in rows if nodes == 1}) == 1
    assert all((tried > 0) == (nodes == 64) for nodes, _, tried in rows)
