"""The experiment `growth`: what longer searches gain, what limits a cluster, real nodes beside simulated ones."""

import math

import pytest

from outflank import lab
from outflank.errors import OutflankError
from outflank.lab.simulation.growth_report import LOSSES, conclude
from outflank.lab.simulation.networks import NETWORKS, network_costs
from outflank.lab.studies.growth import GrowthParameters

NODES, LOSS, SLOPE = 64, 3.0, -0.5
BOARDS = {9: 10**6, 11: 10**7, 13: 10**8}


def alone(depth, value=4):
    boards = BOARDS[depth]
    return {"what": "alone", "position": "start", "depth": depth, "value": value, "boards": boards, "seconds": 1.0}


def simulated(depth, threshold=4, *, slower=1.0, value=4):
    serial = BOARDS[depth] / 1e6
    seconds = slower * serial / NODES * (1 + LOSS * serial**SLOPE)
    idle = seconds - serial / NODES
    return {
        "what": "simulated",
        "position": "start",
        "depth": depth,
        "network": "ethernet",
        "count": NODES,
        "threshold": threshold,
        "tables": "private",
        "replicated": 0,
        "round": 1,
        "value": value,
        "boards": BOARDS[depth],
        "seconds": seconds,
        "useful": serial / NODES,
        "sending": 0.0,
        "receiving": 0.0,
        "looking up": 0.0,
        "idle": idle,
        "tried": 9,
        "won": 5,
        "aborted": 0,
        "entries": 0,
    }


def real(depth, boards):
    common = {"what": "real", "position": "start", "depth": depth, "value": 4, "round": 1}
    return {**common, "count": NODES, "threshold": 4, "boards": boards, "won": 7}


def test_a_longer_search_is_extrapolated_by_a_power_of_its_time():
    samples = [*map(alone, BOARDS), *map(simulated, BOARDS), *(simulated(depth, 6, slower=2.0) for depth in BOARDS)]
    grown, best, *_ = conclude(samples, board=1.0, seconds=3600.0).tables
    (efficiency,) = grown.column("efficiency")
    assert efficiency == pytest.approx(1 / (1 + LOSS * 3600.0**SLOPE))
    assert grown.column("error at the greatest depth") == [pytest.approx(0.0)]
    assert grown.column("what limits it") == ["idle"]
    assert best.column("threshold") == [4, 4, 4]
    for row_efficiency, idle in zip(best.column("efficiency"), best.column("idle"), strict=True):
        assert row_efficiency + idle == pytest.approx(1.0)


def test_two_depths_do_not_show_what_a_longer_search_gains():
    samples = [*map(alone, (9, 11)), *map(simulated, (9, 11))]
    best, everything = conclude(samples, board=1.0, seconds=3600.0).tables
    assert (best.title, everything.title) == ("best settings", "all settings")


def test_real_nodes_stand_beside_simulated_ones():
    samples = [alone(9), simulated(9), real(9, 800_000)]
    tables = {table.title: table for table in conclude(samples, board=1.0, seconds=1.0).tables}
    table = tables["tree nodes entered, simulated and by real nodes"]
    assert table.column("error") == ["+25.0%"]


def test_each_network_is_compared_with_real_nodes():
    slow = {**simulated(9), "network": "ray", "boards": 1_200_000}
    tables = conclude([alone(9), simulated(9), slow, real(9, 800_000)], board=1.0, seconds=1.0).tables
    (table,) = [table for table in tables if table.title == "tree nodes entered, simulated and by real nodes"]
    assert [*zip(table.column("network"), table.column("error"), strict=True)] == [
        ("ethernet", "+25.0%"),
        ("ray", "+50.0%"),
    ]


def test_searches_without_lost_time_do_not_turn_the_line():
    samples = [*map(alone, BOARDS), *map(simulated, BOARDS)]
    before = conclude(samples, board=1.0, seconds=3600.0).tables[0].column("efficiency")
    serial = {7: 10**5}
    first = {**simulated(9), "depth": 7, "seconds": serial[7] / 1e6 / NODES / 1.1}
    samples += [{**alone(9), "depth": 7, "boards": serial[7]}, first]
    assert conclude(samples, board=1.0, seconds=3600.0).tables[0].column("efficiency") == pytest.approx(before)


def test_more_tables_than_memory_holds_are_refused():
    with pytest.raises(OutflankError, match=r"tables of 34 bits need .* bytes"):
        lab.run("growth", all_bits=34)


def test_the_tables_of_many_nodes_are_smaller():
    parameters = GrowthParameters(table_bits=20, all_bits=25)
    assert [parameters.node_bits(count) for count in (2, 16, 32, 33, 1024)] == [20, 20, 20, 19, 15]


def test_a_wrong_value_is_told():
    assert not conclude([alone(9), simulated(9, value=5)], board=1.0, seconds=1.0).passed


def test_a_faster_network_has_lower_costs():
    costs = {name: network_costs(name, 0.25) for name in NETWORKS}
    assert costs["infiniband"].latency < costs["ethernet"].latency < costs["ray"].latency
    assert {cost.board for cost in costs.values()} == {0.25}
    with pytest.raises(OutflankError, match="network"):
        network_costs("pigeons", 0.25)


@pytest.mark.interpreted_only
@pytest.mark.parametrize("options", [{"tables": ("private",), "replicated": (2,)}, {"tables": ("distributed",)}])
def test_shares_add_up_in_a_run(options):
    report = lab.run(
        "growth",
        positions=("start",),
        depths=(4,),
        nodes=(4,),
        thresholds=(1,),
        table_bits=8,
        real=(1,),
        **options,
    )
    (row,) = [
        dict(zip(table.columns, cells, strict=True))
        for table in report.tables
        for cells in table.rows
        if table.title == "best settings"
    ]
    lost = sum(row[name] for name in LOSSES)
    # The rest is the time of moves that are offered to others.
    assert 0.9 < row["efficiency"] + lost <= 1.0 + 1e-9
    assert math.isclose(row["speed-up"], 4 * row["efficiency"])
