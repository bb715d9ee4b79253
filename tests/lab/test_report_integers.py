"""The integers that the reports published, by the rules that give them."""

import pytest

from outflank import AbaloneBoard, OthelloBoard
from outflank.games.evaluation import evaluation_named, value
from outflank.lab.report_programs.classroom import (
    RULES_002,
    calls_and_turns_004,
    final_discs,
    lab_search_003,
    spawns_002,
)
from outflank.search.whole_search import search

pytestmark = pytest.mark.compiled

CALLS_004 = [62, 447, 4_222, 35_223, 449_328, 1_805_665]
TURNS_004 = [62, 64, 64, 64, 64, 62]


@pytest.mark.parametrize("depth", range(1, 7))
def test_report_004_counts_its_spawns_and_turns(depth):
    assert calls_and_turns_004(depth) == (CALLS_004[depth - 1], TURNS_004[depth - 1])


SPAWNS_002 = {3: 391, 4: 2_442, 5: 24_995, 6: 83_736}


@pytest.mark.parametrize("depth", SPAWNS_002)
def test_report_002_counts_its_spawns(depth):
    assert spawns_002(depth) == SPAWNS_002[depth]


@pytest.mark.parametrize(("schedule", "workers"), [("one", 1), ("rows", 2), ("one", 3), ("rows", 4), ("one", 8)])
def test_both_reports_count_the_same_on_any_number_of_workers(workers, schedule):
    shared = {"parallel": "fork-join", "workers": workers, "schedule": schedule, "threshold": 3}
    assert calls_and_turns_004(5, **shared) == (CALLS_004[4], TURNS_004[4])
    assert spawns_002(5, **shared) == SPAWNS_002[5]


@pytest.mark.parametrize(("depth", "discs"), [(1, (19, 45)), (2, (4, 60)), (3, (46, 18))])
def test_the_classroom_program_ends_with_these_discs(depth, discs):
    assert final_discs(depth, RULES_002) == discs


@pytest.mark.parametrize(
    ("evaluation", "share_alpha", "value", "leaves"),
    [
        ("rings-lab", True, 66, 4_242),
        ("rings-lab", False, 66, 15_317),
        ("rings", True, 91, 4_270),
        ("rings", False, 91, 11_793),
    ],
)
def test_report_003_counts_its_leaves_at_depth_3(evaluation, share_alpha, value, leaves):
    found = lab_search_003(AbaloneBoard.start(), 3, evaluation, share_alpha=share_alpha)
    assert (found.value, found.leaves) == (value, leaves)


@pytest.mark.parametrize(("schedule", "workers"), [("one", 1), ("one", 5), ("static", 2), (4, 5)])
def test_report_003_counts_its_leaves_at_depth_5(workers, schedule):
    shared = {"parallel": "root-split", "workers": workers, "schedule": schedule}
    assert lab_search_003(AbaloneBoard.start(), 5, "rings", share_alpha=False, **shared).leaves == 1_605_372


def test_small_othello_is_solved():
    found = search(OthelloBoard.start(4, scoring="discs"), exact=True)
    assert (found.value, found.exact) == (-8, True)
    found = search(OthelloBoard.start(4), exact=True)
    assert (found.value, found.exact) == (-10, True)


def test_the_start_of_the_lab_is_worth_what_it_says():
    board = AbaloneBoard.start()
    assert -int(value(evaluation_named(board.game, "rings-lab"), board.game, board.position, ())) == -7
