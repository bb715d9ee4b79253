"""Othello's patterns: lines of the board and what surrounds its corners; and its counts of moves."""

from functools import cache
from typing import Any

import numpy as np

from outflank.games.description import NamedEvaluation
from outflank.games.learnt import Learning
from outflank.games.own_weights import OwnWeights, keep
from outflank.games.pattern_sets import Cells, LoadedPatterns, Pattern, PatternSet
from outflank.games.patterns import Patterns, counts
from outflank.games.rules import mirror, symmetries
from outflank.kernels.bits import U64, popcount
from outflank.othello.evaluation import corners
from outflank.othello.rules import ONE, Othello, OthelloPosition, legal
from outflank.othello.squares import edge, othello, size_of

MOVES = 40
"""More moves than a side ever has (33 is the most); one's own are counted apart for odd and even numbers of empty
squares."""
CORNERS = 5
"""How many corners a side may have as moves: none to four. Both sides' make one number."""
COUNTED = (2 * MOVES, MOVES, CORNERS * CORNERS)

STAGES = {
    8: (*range(9, 52, 2), 54, 57, 60),
    6: (9, 11, 13, 15, 18, 21, 25, 32),
    4: (6, 9, 12),
}
"""The most empty squares of each stage, by the side of the board."""


def _shapes(size: int) -> list[Cells]:
    """One copy of each pattern."""
    first = edge(size)

    def cells(*squares: tuple[int, int]) -> Cells:
        return tuple(8 * (first + row) + first + column for column, row in squares)

    def block(columns: int, rows: int) -> Cells:
        return cells(*((column, row) for row in range(rows) for column in range(columns)))

    x_squares = cells((1, 1), (size - 2, 1))
    return [
        block(3, 3),
        block(size, 1) + x_squares,
        block(min(size, 5), 2),
        *(cells(*((column, row) for column in range(size))) for row in range(1, size // 2)),
        *(cells(*((step, length - 1 - step) for step in range(length))) for length in range(size, 3, -1)),
    ]


def _symmetries(game: Othello) -> list[list[int]]:
    """Where each square goes under each symmetry of the board.

    Six boards have the squares in whose numbers one of the six digits is set: once they are turned, they say of each
    square which one came there. Asked square by square, the rules take a third of the time that loading may take.
    """
    squares, digits = np.arange(64, dtype=np.uint64), np.arange(6, dtype=np.uint64)
    boards = (((squares[:, None] >> digits) & ONE) << squares[:, None]).sum(axis=0, dtype=np.uint64)
    found = []
    for symmetry in range(symmetries(game)):
        pairs = [mirror(game, OthelloPosition(*boards[digit : digit + 2]), symmetry) for digit in (0, 2, 4)]
        turned = np.array([board for pair in pairs for board in pair], np.uint64)
        found.append(np.argsort((((turned >> squares[:, None]) & ONE) << digits).sum(axis=1)).tolist())
    return found


@cache
def patterns_of(size: int) -> PatternSet:
    """The patterns of a board."""
    images = _symmetries(othello(size))
    lasts = STAGES[size]
    return PatternSet(
        name=f"othello-{size}x{size}",
        patterns=tuple(Pattern.of(cells, images) for cells in _shapes(size)),
        counts=COUNTED,
        stages=tuple(int(np.searchsorted(lasts, empties)) for empties in range(lasts[-1] + 1)),
        most=size * size,
    )


@counts.register(Othello)
def _(game: Any, position: Any) -> Any:
    own, opp = position.own, position.opp
    mine, yours = legal(own, opp) & game.mask, legal(opp, own) & game.mask
    moves = popcount(mine) + MOVES * (popcount(game.mask & ~(own | opp)) & 1)
    corner_moves = CORNERS * popcount(mine & corners(game)) + popcount(yours & corners(game))
    return U64(moves) | U64(popcount(yours)) << U64(16) | U64(corner_moves) << U64(32)


LEARNT_SIZES = (8, 6)
"""The boards that have weights, by their sides."""


WEIGHTS = OwnWeights(__package__)


def learnt(game: Othello) -> Patterns:
    """The learnt evaluation of a board; its weights are loaded when it is first asked for."""
    return WEIGHTS.of(patterns_of(size_of(game))).evaluation


@cache
def _blank() -> LoadedPatterns:
    one = PatternSet(name="othello", patterns=(Pattern.of((0,), [range(64)]),))
    return keep(LoadedPatterns(one, np.zeros((1, one.weights), np.int16)))


def blank() -> Patterns:
    """Patterns that weigh nothing, on any board: of the type of learnt ones, for which kernels are there."""
    return _blank().evaluation


def is_learnt(game: Othello) -> bool:
    """Whether there are weights for a board."""
    return any(game.mask == othello(size).mask for size in LEARNT_SIZES)


def usual_evaluation(game: Othello) -> str:
    """What was learnt, where something was. Phased was fitted to games on 8×8, and its corners are those of that board:
    on 6×6 it lost to random moves."""
    return LEARNT.name if is_learnt(game) else "mobility"


LEARNING = Learning(
    patterns=lambda game: patterns_of(size_of(game)),
    suits=lambda game: any(game.mask == othello(size).mask for size in STAGES),
    rival="mobility",
)
"""Weights for any board can be learnt; the first of them play against the one estimate that no board is too small
for."""


LEARNT = NamedEvaluation(
    name="patterns",
    evaluation=learnt,
    unit="discs",
    points=128,
    suits=is_learnt,
    errors=lambda game: WEIGHTS.errors(patterns_of(size_of(game))) if is_learnt(game) else None,
)
