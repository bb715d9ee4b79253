"""Othello's patterns: lines of the board and the surroundings of its corners; and its move counts."""

from functools import cache

import numpy as np

from outflank.games.defaults import NamedEvaluation
from outflank.games.pattern_sets import Cells, LoadedPatterns, Pattern, PatternSet
from outflank.games.pattern_weights import Learning, OwnWeights, keep_loaded
from outflank.games.patterns import Patterns, counts
from outflank.games.rules import mirror, symmetries
from outflank.kernels.bits import U64, Word, popcount
from outflank.othello.evaluation import corners
from outflank.othello.rules import ONE, Othello, OthelloPosition, legal
from outflank.othello.squares import edge, othello, size_of

MOVES = 40
"""More moves than a side ever has (33 is the maximum); own moves are counted separately for odd and even numbers of
empty squares."""
CORNERS = 5
"""The number of possible counts of corner moves: none to four. Both sides' counts make one number."""
COUNTED = (2 * MOVES, MOVES, CORNERS * CORNERS)

STAGES = {
    8: (*range(9, 52, 2), 54, 57, 60),
    6: (9, 11, 13, 15, 18, 21, 25, 32),
    4: (6, 9, 12),
}
"""The largest number of empty squares of each stage, by the side of the board."""


def _shapes(size: int) -> list[Cells]:
    """Return one copy of each pattern."""
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
    """Return the image of each square under each symmetry of the board.

    Six boards hold the squares whose numbers have one of the six bits set: after a symmetry they give the number of the
    square that was mapped to each square. Applying the rules to each square takes a third of the time allowed for
    loading.
    """
    squares, digits = np.arange(64, dtype=np.uint64), np.arange(6, dtype=np.uint64)
    boards = (((squares[:, None] >> digits) & ONE) << squares[:, None]).sum(axis=0, dtype=np.uint64)
    images = []
    for symmetry in range(symmetries(game)):
        pairs = [mirror(game, OthelloPosition(*boards[digit : digit + 2]), symmetry) for digit in (0, 2, 4)]
        turned = np.array([board for pair in pairs for board in pair], np.uint64)
        images.append(np.argsort((((turned >> squares[:, None]) & ONE) << digits).sum(axis=1)).tolist())
    return images


@cache
def patterns_of(size: int) -> PatternSet:
    """Return the patterns of a board."""
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
def _(game: Othello, position: OthelloPosition) -> Word:
    own, opp = position.own, position.opp
    mine, yours = legal(own, opp) & game.mask, legal(opp, own) & game.mask
    moves = popcount(mine) + MOVES * (popcount(game.mask & ~(own | opp)) & 1)
    corner_moves = CORNERS * popcount(mine & corners(game)) + popcount(yours & corners(game))
    return U64(moves) | U64(popcount(yours)) << U64(16) | U64(corner_moves) << U64(32)


LEARNT_SIZES = (8, 6)
"""The boards that have weights, by their sides."""


WEIGHTS = OwnWeights(__package__)


def learnt(game: Othello) -> Patterns:
    """Return the learnt evaluation of a board; its weights are loaded at first use."""
    return WEIGHTS.of(patterns_of(size_of(game))).evaluation


@cache
def _blank() -> LoadedPatterns:
    patterns = PatternSet(name="othello", patterns=(Pattern.of((0,), [range(64)]),))
    return keep_loaded(LoadedPatterns(patterns, np.zeros((1, patterns.weights), np.int16)))


def blank() -> Patterns:
    """Return patterns with zero weights, for any board: they have the type of learnt ones, so kernels exist for
    them."""
    return _blank().evaluation


def is_learnt(game: Othello) -> bool:
    """Return whether there are weights for a board."""
    return any(game.mask == othello(size).mask for size in LEARNT_SIZES)


def default_evaluation(game: Othello) -> str:
    """Return the learnt evaluation, where there is one. Phased was fitted to games on 8×8, and its corners are those of
    that board: on 6×6 it lost to random moves."""
    return LEARNT.name if is_learnt(game) else "mobility"


LEARNING = Learning(
    patterns=lambda game: patterns_of(size_of(game)),
    suits=lambda game: any(game.mask == othello(size).mask for size in STAGES),
    rival="mobility",
)
"""Weights for any board can be learnt; the first ones play against the only estimate that suits every size."""


LEARNT = NamedEvaluation(
    name="patterns",
    evaluation=learnt,
    unit="discs",
    points=128,
    suits=is_learnt,
    errors=lambda game: WEIGHTS.errors(patterns_of(size_of(game))) if is_learnt(game) else None,
)
