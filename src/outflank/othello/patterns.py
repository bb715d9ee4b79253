"""Othello's patterns: lines of the board and what surrounds its corners, moves and what may become moves."""

from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from typing import Any

from outflank.games.description import NamedEvaluation
from outflank.games.pattern_sets import Cells, LoadedPatterns, Pattern, PatternSet
from outflank.games.pattern_weights import read_weights
from outflank.games.patterns import Patterns, counts
from outflank.games.rules import MOVE, mirror_move, symmetries
from outflank.kernels.bits import U64, popcount
from outflank.othello.evaluation import neighbours
from outflank.othello.rules import Othello, legal
from outflank.othello.squares import edge, othello, size_of

MOVES = 40
"""More moves than a side ever has (33 is the most), twice: with an odd and an even number of empty squares."""
OPEN = 64
"""More empty squares than can lie beside discs."""
COUNTED = (2 * MOVES, MOVES, OPEN, OPEN)

STAGES_8 = (
    *(0,) * 10,
    *(1,) * 2,
    *(2,) * 2,
    *(3,) * 2,
    *(4,) * 2,
    *(5,) * 2,
    *(6,) * 3,
    *(7,) * 3,
    *(8,) * 3,
    *(9,) * 4,
    *(10,) * 5,
    11,
)
"""By empty squares: 0-9, 10-11, …, 18-19, 20-22, 23-25, 26-28, 29-32, 33-37, and all above."""

STAGES_6 = (*(0,) * 11, 1, 1, 2, 2, 3, 3, 4)
"""By empty squares: 0-10, 11-12, 13-14, 15-16, and all above."""


def _square(column: int, row: int) -> int:
    return 8 * row + column


def _line(*squares: tuple[int, int]) -> Cells:
    return tuple(_square(column, row) for column, row in squares)


def _row(row: int, size: int = 8) -> Cells:
    return _line(*((column, row) for column in range(size)))


def _diagonal(length: int) -> Cells:
    return _line(*((step, length - 1 - step) for step in range(length)))


def _block(columns: int, rows: int) -> Cells:
    return _line(*((column, row) for row in range(rows) for column in range(columns)))


_SHAPES_8 = (
    _block(3, 3),
    (*_row(0), _square(1, 1), _square(6, 1)),  # an edge with its X-squares
    _block(5, 2),
    *(_row(row) for row in (1, 2, 3)),
    *(_diagonal(length) for length in (8, 7, 6, 5, 4)),
)


_SHAPES_6 = (
    _block(3, 3),
    (*_row(0, 6), _square(1, 1), _square(4, 1)),
    _block(4, 2),
    *(_row(row, 6) for row in (1, 2)),
    *(_diagonal(length) for length in (6, 5, 4)),
)


def _symmetries(game: Othello) -> list[list[int]]:
    """Where each square goes under each symmetry of the board."""
    return [
        [int(mirror_move(game, MOVE(square), symmetry)) for square in range(64)] for symmetry in range(symmetries(game))
    ]


def _patterns(size: int, shapes: Iterable[Cells], stages: tuple[int, ...]) -> PatternSet:
    """The patterns of a board; shapes begin at its a1."""
    images, first = _symmetries(othello(size)), _square(edge(size), edge(size))
    return PatternSet(
        name=f"othello-{size}x{size}",
        patterns=tuple(Pattern.of(tuple(first + cell for cell in cells), images) for cells in shapes),
        counts=COUNTED,
        stages=stages,
    )


def patterns_8() -> PatternSet:
    """The patterns of the board of 8×8."""
    return _patterns(8, _SHAPES_8, STAGES_8)


def patterns_6() -> PatternSet:
    """The patterns of the board of 6×6."""
    return _patterns(6, _SHAPES_6, STAGES_6)


@counts.register(Othello)
def _(game: Any, position: Any) -> Any:
    own, opp = position.own, position.opp
    empty = game.mask & ~(own | opp)
    mine, yours = popcount(legal(own, opp) & game.mask), popcount(legal(opp, own) & game.mask)
    mine += MOVES * (popcount(empty) & 1)
    near_mine, near_yours = popcount(neighbours(own) & empty), popcount(neighbours(opp) & empty)
    return U64(mine) | U64(yours) << U64(16) | U64(near_mine) << U64(32) | U64(near_yours) << U64(48)


PATTERNS = {8: patterns_8, 6: patterns_6}
"""The patterns of each board that has weights, by its side."""


@cache
def _loaded(size: int) -> LoadedPatterns:
    patterns = PATTERNS[size]()
    path = files(__package__) / "weights" / f"{patterns.name}.weights"
    return LoadedPatterns(patterns, read_weights(patterns, path.read_bytes(), path.name))


def learnt(game: Othello) -> Patterns:
    """The learnt evaluation of a board; its weights are loaded when it is first asked for."""
    return _loaded(size_of(game)).evaluation


def is_learnt(game: Othello) -> bool:
    """Whether there are weights for a board."""
    return any(game.mask == othello(size).mask for size in PATTERNS)


LEARNT = NamedEvaluation(name="patterns", evaluation=learnt, unit="discs", points=128, suits=is_learnt)
