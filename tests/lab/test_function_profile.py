"""Views of a profile by function: what is counted, what a call costs, and where it belongs."""

import pytest

from outflank import lab
from outflank.games.evaluation import evaluation_named
from outflank.lab.experiment_boards import board_named
from outflank.lab.measuring.function_profile import (
    CALLS,
    COST,
    ITSELF,
    OUTSIDE,
    SERIAL,
    STEPS,
    Calls,
    function_tables,
    own_seconds,
    step_costs,
)

COSTS = {"move generation": 40.0, "making a move": 20.0, "evaluation": 10.0}
COUNTED = [Calls(2, 1, 4, 0), Calls(1, 4, 20, 21)]
SAMPLES = [
    *(
        {"what": CALLS, "left": each.left, "nodes": each.nodes, "made": each.made, "valued": each.valued}
        for each in COUNTED
    ),
    *({"what": COST, "step": step, "nanoseconds": cost} for step, cost in COSTS.items()),
    {"what": SERIAL, "seconds": 1.0, "outside_seconds": 0.25},
]
KINDS = {"search": 0.5, "spawn": 0.05, "idle": 0.2}


@pytest.mark.interpreted_only
def test_calls_by_plies_left_come_from_what_the_search_counted():
    # One root with 4 moves; of its 4 children one has no move and is evaluated, the others have 20 in all.
    assert Calls.of([0, 4, 1], [0, 20, 4], [0, 3, 1]) == COUNTED


@pytest.mark.interpreted_only
def test_what_the_calls_leave_of_the_time_is_the_searchs_own():
    found = own_seconds(COUNTED, COSTS, 1e-6)
    explained = 5 * 40e-9 + 24 * 20e-9 + 21 * 10e-9
    assert sum(sum(each.values()) for each in found.values()) == pytest.approx(1e-6)
    assert sum(each[ITSELF] for each in found.values()) == pytest.approx(1e-6 - explained)
    assert found[1][ITSELF] == pytest.approx(24 * found[2][ITSELF])  # by the nodes entered
    assert own_seconds(COUNTED, COSTS, 0.0)[1][ITSELF] == 0.0  # calls that overlap take no time back


def percents(table, name):
    return [float(str(cell).rstrip("%")) for cell in table.column(name)]


@pytest.mark.interpreted_only
def test_both_views_tell_of_the_whole():
    (down, up), (note,) = function_tables(SAMPLES, KINDS, "")
    assert sum(percents(down, "itself")) == pytest.approx(100, abs=0.1)
    names = [str(name) for name in down.column("function")]
    inclusive = dict(zip(names, percents(down, "with all it calls"), strict=True))
    assert inclusive["the program"] == 100
    assert inclusive[f"· {OUTSIDE}"] == inclusive["· idle"] + inclusive["· spawn"]
    assert inclusive["· search"] == 50
    assert inclusive["· · minimax, 2 plies left"] == 50
    assert inclusive["· · · minimax, 1 ply left"] < 50
    functions = [
        share
        for name, share in zip(up.column("function, then its callers"), percents(up, "share"), strict=True)
        if not str(name).startswith("·")
    ]
    assert sum(functions) == pytest.approx(100, abs=0.1)
    assert functions == sorted(functions, reverse=True)
    assert "one worker searches. What they leave" in note


@pytest.mark.interpreted_only
def test_calls_that_overlap_are_told():
    samples = [*SAMPLES[:-1], {"what": SERIAL, "seconds": 0.0, "outside_seconds": 0.0}]
    _, (note,) = function_tables(samples, KINDS, "")
    assert "calls overlap" in note
    assert function_tables(SAMPLES[:-1], KINDS, "") == ([], [])


@pytest.mark.parametrize(("name", "evaluation"), [("midgame", "discs"), ("endgame", "rings")])
def test_a_call_of_every_step_has_a_cost(name, evaluation, monkeypatch):
    monkeypatch.setattr("outflank.lab.measuring.function_profile.AT_LEAST_SECONDS", 0.0002)
    board = board_named(name)
    costs = step_costs([board], evaluation_named(board.game, evaluation), near=4)
    assert list(costs) == list(STEPS[1:])
    assert all(cost >= 0 for cost in costs.values())
    assert costs["move generation"] > 0


def test_a_profile_of_minimax_has_both_views():
    report = lab.run("profile", positions=("start4",), scheme="fork-join", depth=3, workers=1, threshold=0)
    calls = {sample["left"]: sample for sample in report.samples if sample["what"] == CALLS}
    assert calls[3]["nodes"] == 1
    assert calls[2]["nodes"] == calls[3]["made"] == 4
    assert calls[1]["valued"] >= calls[1]["made"] > 0
    assert report["top-down"].column("function")[0] == "the program"
    assert "move generation" in report["bottom-up"].column("function, then its callers")
    assert any("By function: a call costs" in note for note in report.notes)
