"""Whole games as what is measured, and several positions in a run."""

from itertools import pairwise

import numpy as np
import pytest

from outflank import lab
from outflank.errors import OutflankError
from outflank.lab import experiment as registry
from outflank.lab.measuring.search_samples import Contender, measure_search, processor_times
from outflank.lab.measuring.traces import intervals, line_steps
from outflank.lab.measuring.whole_games import MOST_TURNS, play
from outflank.lab.report_programs.classroom import new_board, self_play
from outflank.othello.board import OthelloBoard
from outflank.othello.programs import PROGRAMS
from outflank.parallel.events import STARTED
from outflank.search.request import Stop


@pytest.mark.slow(2)
@pytest.mark.interpreted_only
def test_a_whole_game_of_a_report_is_timed_on_any_number_of_workers():
    report = lab.run("scaling", whole_game="004", depth=1, workers=(2,), rounds=1)
    table = report["scaling, othello, whole games (004)"]
    assert table.column("scheme") == ["serial minimax", "fork-join"]
    assert table.column("position") == ["start"] * 2
    for column in ("wall (s)", "user (s)", "system (s)"):
        assert all(seconds >= 0 for seconds in table.column(column))
    board = new_board()
    nodes = sum(turn.nodes for turn in self_play(1, PROGRAMS["004"], board))
    assert table.column("nodes") == [nodes] * 2
    assert {sample["moves"] for sample in report.samples} == {" ".join(map(str, board.moves))}
    assert any("every side played the same moves" in note for note in report.notes)
    (told,) = report.searched
    assert (told.name, told.moves) == ("start", " ".join(map(str, board.moves)))


@pytest.mark.interpreted_only
def test_one_worker_plays_report_002s_game_turn_by_turn():
    board = new_board()
    found, sample = measure_search(
        Contender(labels={}, board=board, depth=1, options=dict(PROGRAMS["002"].search), plays="002"), Stop()
    )
    assert not board.moves  # the game is played on a copy
    turns = list(self_play(1, PROGRAMS["002"], board))
    assert (found.nodes, found.leaves) == (sum(turn.nodes for turn in turns), sum(turn.leaves for turn in turns))
    assert (sample["turns"], sample["moves"]) == (len(turns), " ".join(map(str, board.moves)))
    assert sample["seconds"] >= sum(turn.seconds for turn in turns) / 100


@pytest.mark.interpreted_only
def test_any_search_can_play_against_itself_from_any_position():
    report = lab.run(
        "scaling",
        whole_game="self",
        positions=("start4", "start6@1"),
        depth=2,
        schemes=("ybw",),
        workers=(1,),
        rounds=1,
    )
    table = report["scaling"]
    assert table.column("position") == ["start4", "start4", "start6@1", "start6@1"]
    assert [sample["depth"] for sample in report.samples] == [2, 2, 1, 1]
    assert report["scaling: medians"].column("positions") == [2, 2]
    board = OthelloBoard.start(4)
    list(play("self", board, 2, Stop(), workers=1))
    assert board.is_game_over


@pytest.mark.interpreted_only
def test_a_game_that_does_not_end_is_broken_off(monkeypatch):
    from outflank.lab.measuring import whole_games

    monkeypatch.setattr(whole_games, "MOST_TURNS", 3)
    board = OthelloBoard.start(4)
    assert len(list(play("self", board, 1, Stop(), workers=1))) == 3
    assert MOST_TURNS > 60


@pytest.mark.interpreted_only
@pytest.mark.parametrize("name", ["scaling", "profile"])
@pytest.mark.parametrize(
    ("parameters", "says"),
    [
        ({"whole_game": "005"}, "unknown game '005'"),
        ({"whole_game": "004", "game": "abalone"}, "report 004 plays Othello"),
        ({"whole_game": "002", "positions": ("midgame",)}, "report 002 plays from the start"),
    ],
)
def test_what_cannot_be_played_is_one_line(name, parameters, says):
    with pytest.raises(OutflankError, match=says):
        registry.experiment_named(name).parameters(**parameters)


@pytest.mark.interpreted_only
def test_a_reports_game_is_its_own_algorithms():
    choice = registry.experiment_named("scaling").parameters
    with pytest.raises(OutflankError, match="report 004 searches by minimax"):
        choice(whole_game="004", algorithm="pvs")
    with pytest.raises(OutflankError, match="ybw does not support minimax"):
        choice(whole_game="004", schemes=("ybw",))


@pytest.mark.interpreted_only
def test_how_trees_are_divided_is_refused_where_none_is():
    choice = registry.experiment_named("scaling").parameters
    with pytest.raises(OutflankError, match="schedule=rows: abdada has no nodes whose moves are handed out"):
        choice(schemes=("abdada",), schedule="rows")
    with pytest.raises(OutflankError, match="threshold=3: workers of shared-table all search the whole tree"):
        choice(schemes=("shared-table",), threshold=3)
    with pytest.raises(OutflankError, match="schedule"):
        choice(schedule="columns")
    assert choice(schemes=("abdada",), threshold=3).threshold == 3


@pytest.mark.interpreted_only
def test_games_that_differ_are_told():
    experiment = registry.experiment_named("scaling")
    chosen = experiment.parameters(whole_game="self", workers=(1,), rounds=1)
    counted = ("user_seconds", "system_seconds", "nodes", "leaves", "useful_seconds", "idle_seconds", "steals_won")
    sample = dict.fromkeys(counted, 1) | {"workers": 1, "value": 3, "seconds": 1.0, "position": "start", "turns": 60}
    sample["depth"] = 4
    samples = [sample | {"scheme": "serial pvs", "moves": "f5 d6"}, sample | {"scheme": "ybw", "moves": "f5 f6"}]
    concluded = experiment.conclude(chosen, samples)
    assert any("times are of different games" in note for note in concluded.notes)
    assert concluded.passed


@pytest.mark.interpreted_only
def test_profiles_of_several_positions_have_a_row_each_and_medians():
    report = lab.run("profile", positions=("start4", "midgame@1"), scheme="fork-join", depth=2, workers=1, threshold=0)
    assert {sample["position"] for sample in report.samples} == {"start4", "midgame@1"}
    assert report["shares of the time by position"].column("position") == ["start4", "midgame@1", "median"]
    assert len(report.figures) == 6


@pytest.mark.slow(3)
@pytest.mark.interpreted_only
def test_a_profile_of_a_whole_game_goes_on_from_turn_to_turn():
    report = lab.run("profile", whole_game="002", depth=1, workers=1, threshold=0)
    turns = [line_steps(str(sample["line"]))[0] for sample in report.samples if sample.get("line")]
    assert {"turn 1", "turn 2", "turn 60"} <= set(turns)
    begins = [sample["begin_us"] for sample in report.samples if sample["what"] == "interval"]
    assert all(before <= after for before, after in pairwise(begins))


@pytest.mark.interpreted_only
def test_intervals_of_a_turn_count_from_the_games_first_event():
    events = np.array([[1_000_000, 0, STARTED, 1, 3, 0], [1_003_000, 5, 7, 1, 0, 0]], np.int64)
    (found,) = intervals(events, origin=500_000, turn=4)
    assert (found["begin_us"], found["end_us"], found["line"]) == (500.0, 503.0, "turn 4")


@pytest.mark.interpreted_only
def test_processor_times_never_go_back():
    before = processor_times()
    sum(range(100_000))
    assert all(later >= earlier for earlier, later in zip(before, processor_times(), strict=True))


@pytest.mark.parametrize("name", ["threshold", "granularity", "levels", "shape"])
def test_a_sweep_over_several_positions_has_a_row_for_each_and_medians(name):
    experiment = registry.experiment_named(name)
    chosen = experiment.parameters(positions=("start4", "ffo20"), depth=2, workers=1, rounds=1)
    sides = experiment.sides(chosen)
    assert {side.labels["position"] for side in sides} == {"start4", "ffo20"}
    counted = ("user_seconds", "system_seconds", "nodes", "useful_seconds", "idle_seconds", "spawned", "aborts_sent")
    counted = (*counted, "steals_won", "steals_tried")
    samples = [
        dict.fromkeys(counted, 1) | side.labels | {"value": len(str(side.labels["position"])), "seconds": 1.0}
        for side in sides
    ]
    concluded = experiment.conclude(chosen, samples)
    assert concluded.passed
    whole, over = concluded.tables
    assert whole.columns[0] == "position"
    assert len(over.rows) * 2 == len(whole.rows)
    assert {series.name for series in concluded.figures[0].series} >= {"start4", "ffo20"}
