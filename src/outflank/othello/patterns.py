"""Othello's pattern sets and learnt evaluation: lines of the board, blocks at its corners, and counts of moves."""

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
"""Number of possible move counts of a side (33 moves is the maximum). The weights for own moves differ for odd and even
numbers of empty squares."""
CORNERS = 5
"""Number of possible counts of a side's moves to corners: 0 to 4. The counts of both sides form one index."""
COUNTED = (2 * MOVES, MOVES, CORNERS * CORNERS)

STAGES = {
    8: (*range(9, 52, 2), 54, 57, 60),
    6: (9, 11, 13, 15, 18, 21, 25, 32),
    4: (6, 9, 12),
}
"""Stages of a game, which have separate weights: the largest number of empty squares in each, by board size."""


def _shapes(size: int) -> list[Cells]:
    """Return the cells of one copy of each pattern; the other copies are its symmetric images."""
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

    Six boards encode the numbers of the squares: board k has the squares whose number has bit k set. After a symmetry
    is applied to all six boards, the six bits at a square are the number of the square that was mapped to it. Mapping
    square by square would take a third of the time that loading an evaluation may take.
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
    """Return the patterns of a board of `size`."""
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
"""The board sizes with learnt weights."""


WEIGHTS = OwnWeights(__package__)


def learnt(game: Othello) -> Patterns:
    """Return the learnt evaluation for a board; its weights are loaded at first use."""
    return WEIGHTS.of(patterns_of(size_of(game))).evaluation


@cache
def _blank() -> LoadedPatterns:
    patterns = PatternSet(name="othello", patterns=(Pattern.of((0,), [range(64)]),))
    return keep_loaded(LoadedPatterns(patterns, np.zeros((1, patterns.weights), np.int16)))


def blank() -> Patterns:
    """Return a pattern evaluation with zero weights, for any board. It has the type of the learnt evaluation, so that
    no further kernels are compiled."""
    return _blank().evaluation


def is_learnt(game: Othello) -> bool:
    """Return whether there are learnt weights for a board."""
    return any(game.mask == othello(size).mask for size in LEARNT_SIZES)


def default_evaluation(game: Othello) -> str:
    """Return the name of the learnt evaluation if there is one for the board, else `mobility`.

    `Phased` is no default: it was fitted to 8×8 games, and its corners are the corners of the 8×8 board. On 6×6 it lost
    to random moves.
    """
    return LEARNT.name if is_learnt(game) else "mobility"


LEARNING = Learning(
    patterns=lambda game: patterns_of(size_of(game)),
    suits=lambda game: any(game.mask == othello(size).mask for size in STAGES),
    rival="mobility",
)
"""Settings for learning weights on a board of any size. The first weights play against `mobility`, the only evaluation
that suits every size."""


LEARNT = NamedEvaluation(
    name="patterns",
    evaluation=learnt,
    unit="discs",
    points=128,
    suits=is_learnt,
    errors=lambda game: WEIGHTS.errors(patterns_of(size_of(game))) if is_learnt(game) else None,
)
