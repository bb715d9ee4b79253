"""Solving: `outflank.solve`, win, draw and loss alone, and what is kept of a long one."""

from dataclasses import replace

import pytest

import outflank
from outflank import Limits, OthelloBoard, OutflankError, Result
from outflank.games.units import OUTCOMES
from outflank.othello.squares import START, othello
from tests.drawing import walk


def sign(value: int) -> int:
    return (value > 0) - (value < 0)


def endings(count: int, size: int = 4, plies: int = 5) -> list[OthelloBoard]:
    game = othello(size)
    return [OthelloBoard(game, walk(game, START, seed, plies + seed % 3)) for seed in range(count)]


def test_solving_is_an_exact_search():
    for board in endings(3):
        found = outflank.solve(board, workers=1)
        searched = outflank.search(board, exact=True, workers=1)
        assert (found.value, found.move, found.pv, found.exact) == (searched.value, searched.move, searched.pv, True)
    with pytest.raises(OutflankError, match="solving is exact"):
        outflank.solve(OthelloBoard.start(4), exact=False)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"algorithm": "alphabeta", "ties": "lowest"},
        {"algorithm": "mtdf", "ties": "highest"},
        {"algorithm": "minimax"},
        {"parallel": "ybw", "workers": 2},
        {"parallel": "abdada", "workers": 2, "table_bits": 8},
    ],
)
@pytest.mark.early(3)
def test_who_wins_is_the_sign_of_the_score(options):
    seen = set()
    for board in endings(9, plies=6):
        scores = {each.move: each.value for each in outflank.solve(board, moves=99, workers=1, deepen=False).best}
        found = outflank.solve(board, wld=True, moves=99, deepen=False, **{"workers": 1, **options})
        assert found.exact
        assert {each.move: each.value for each in found.best} == {move: sign(scores[move]) for move in scores}
        assert found.value == sign(max(scores.values()))
        assert found.lower is None or found.lower <= max(scores.values())
        assert found.upper is None or found.upper >= max(scores.values())
        reaching = [move for move, score in scores.items() if sign(score) == found.value]
        assert found.move in reaching
        if "ties" in options:
            choose = min if options["ties"] == "lowest" else max
            assert found.move == choose(reaching, key=lambda move: move.code)
        seen.add(found.said)
    assert seen >= {"won", "lost"}


def test_a_draw_is_a_score_and_has_its_line():
    drawn = next(board for board in endings(200, plies=9) if outflank.solve(board, workers=1).value == 0)
    found = outflank.solve(drawn, wld=True, workers=1)
    assert (found.value, found.lower, found.upper, found.said) == (0, 0, 0, "drawn")
    for move in found.pv:
        drawn.push(move)
    assert drawn.outcome().score == 0


@pytest.mark.compiled
def test_an_unfinished_answer_says_what_it_has():
    board = OthelloBoard.from_line("--XXXXX---OOOX---XOOXXXX-OOOOOOOOOOXXXOOOOOXXOOX--XXOO----XXXXX- X")  # +18
    known = 0
    for nodes in (1, 1000, 20_000, 50_000, 80_000, 10**9):
        found = outflank.solve(board, Limits(nodes=nodes), wld=True, moves=99, workers=1)
        assert found.lower is None or 0 <= found.lower <= 18
        assert found.upper is None or found.upper >= 18
        assert found.exact == (found.scale == OUTCOMES)
        assert found.value == 1 or not found.exact
        known += found.exact and found.stopped
    assert (found.exact, found.stopped, found.said) == (True, False, "won")
    assert known > 0, "the winner is known before all moves are"


@pytest.mark.plain
def test_who_wins_needs_a_proof():
    with pytest.raises(OutflankError, match="only a search with exact proves"):
        outflank.search(OthelloBoard.start(4), wld=True)


@pytest.mark.plain
def test_who_wins_is_said_in_words():
    nothing = Result(value=None, move=None, pv=(), depth=0, nodes=0, leaves=0, seconds=0.0, exact=False, scale=OUTCOMES)
    for lower, upper, said in (
        (12, None, "won"),
        (None, -2, "lost"),
        (0, 0, "drawn"),
        (0, None, "at least drawn"),
        (-4, 0, "at most drawn"),
        (-4, 12, ""),
    ):
        assert replace(nothing, lower=lower, upper=upper).proved == said
