"""The integers that the reports published, by the rules that give them."""

import numpy as np
import pytest

from outflank import AbaloneBoard, Limits, OthelloBoard, search
from outflank.boards import Board
from outflank.games.othello.kernels import PASS
from outflank.games.sides import Side
from outflank.search.probes import Counts

pytestmark = pytest.mark.compiled


def self_play(depth: int, *, ties: dict[Side, str], passes: str) -> tuple[Counts, int, OthelloBoard]:
    """A game of minimax by discs against itself; what was searched, turns, and the last board."""
    counts = Counts()
    board = OthelloBoard.start(scoring="discs")
    turns = 0
    while not board.is_game_over():
        turns += 1
        if passes == "free" and board.legal_moves[0].is_pass:
            board.push("pass")  # the program of report 002 searches nothing then
            continue
        found = search(
            board,
            Limits(depth=depth),
            algorithm="minimax",
            evaluation="discs",
            passes=passes,
            ties=ties[board.turn],
            deepen=False,
            counts=counts,
        )
        board.push(found.move)
    return counts, turns, board


CALLS_004 = [62, 447, 4_222, 35_223, 449_328, 1_805_665]
TURNS_004 = [62, 64, 64, 64, 64, 62]


@pytest.mark.parametrize("depth", range(1, 7))
def test_report_004_counts_its_spawns_and_turns(depth):
    ties = {Side.BLACK: "highest", Side.WHITE: "lowest"}
    counts, turns, board = self_play(depth, ties=ties, passes="evaluated")
    # Turns go on, X and O in turn, until both have passed in one round: passes at the end count too.
    turns, calls = closing_turns(board, turns, sum(counts.nodes[1:]))
    assert calls == CALLS_004[depth - 1]
    assert turns == TURNS_004[depth - 1]


def closing_turns(board: OthelloBoard, turns: int, calls: int) -> tuple[int, int]:
    """The report's loop ends with a round in which both sides pass; each of those turns is a call."""
    passes = 2 if board.turn is Side.BLACK else 1
    if board.turn is Side.WHITE and board.moves and board.moves[-1].code != PASS:
        passes = 3
    return turns + passes, calls + passes


SPAWNS_002 = {3: 391, 4: 2_442, 5: 24_995, 6: 83_736}


@pytest.mark.parametrize("depth", SPAWNS_002)
def test_report_002_counts_its_spawns(depth):
    ties = dict.fromkeys(Side, "lowest")
    counts, _, _ = self_play(depth, ties=ties, passes="free")
    assert sum(counts.moves[3:]) == SPAWNS_002[depth]


@pytest.mark.parametrize(("depth", "discs"), [(1, (19, 45)), (2, (4, 60)), (3, (46, 18))])
def test_the_classroom_program_ends_with_these_discs(depth, discs):
    _, _, board = self_play(depth, ties=dict.fromkeys(Side, "lowest"), passes="free")
    assert (board.discs(Side.BLACK), board.discs(Side.WHITE)) == discs


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
    found = lab_search(3, evaluation, share_alpha=share_alpha)
    assert (found.value, found.leaves) == (value, leaves)


def test_report_003_counts_its_leaves_at_depth_5():
    assert lab_search(5, "rings", share_alpha=False).leaves == 1_605_372


def lab_search(depth: int, evaluation: str, *, share_alpha: bool):
    from outflank.search.ordering import ordering_named

    board = AbaloneBoard.start()
    kinds = ordering_named(board.game, "kinds", from_depth=1)
    return search(
        board,
        Limits(depth=depth),
        algorithm="alphabeta",
        evaluation=evaluation,
        ordering=kinds,
        table_bits=None,
        deepen=False,
        share_alpha=share_alpha,
    )


def test_small_othello_is_solved():
    found = search(OthelloBoard.start(4, scoring="discs"), exact=True)
    assert (found.value, found.exact) == (-8, True)
    found = search(OthelloBoard.start(4), exact=True)
    assert (found.value, found.exact) == (-10, True)
    replay = Board.from_text(OthelloBoard.start(4).to_text())
    assert np.sign(replay.position.own) == 1


def test_the_start_of_the_lab_is_worth_what_it_says():
    from outflank.games.evaluation import evaluation_named, value

    board = AbaloneBoard.start()
    assert -int(value(evaluation_named(board.game, "rings-lab"), board.game, board.position, ())) == -7
