"""Othello's functions for the GPU solver of many endgame positions at once (`games/endings.py`)."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from outflank.games.endings import (
    BatchTables,
    batch_tables,
    free_cells,
    freedom,
    handed_over,
    last_score,
    open_cells,
    put,
    soonest,
)
from outflank.games.rules import Position, Value, score
from outflank.kernels.bits import U64, Word, bit_at, multiply, popcount
from outflank.kernels.compiler import inner
from outflank.othello.endings.flipping import count_of_last, turned
from outflank.othello.endings.line_tables import edge_fields, last_counts, squares
from outflank.othello.endings.workspace import is_known
from outflank.othello.rules import ZERO, Othello, OthelloPosition, legal
from outflank.othello.squares import size_of

QUARTER, QUARTERS = U64(0x0F0F0F0F), U64(0x0000001100000011)
"""Squares of the first quarter of the board, and the first square of each quarter, as bits."""

MOST_FREEDOM = 15


class Tables(NamedTuple):
    """Tables of the board that the GPU kernels read."""

    square: npt.NDArray[np.uint64]
    last_counts: npt.NDArray[np.uint8]
    corners: np.uint64
    beside_corners: np.uint64
    """The squares diagonally adjacent to corners."""


@batch_tables.register(Othello)
def _(game: Othello) -> BatchTables | None:
    if not is_known(game):
        return None
    size = size_of(game)
    first, last = (8 - size) // 2, (8 + size) // 2 - 1
    beside = sum(1 << 8 * row + column for row in (first + 1, last - 1) for column in (first + 1, last - 1))
    return Tables(squares(), last_counts(), U64(edge_fields(int(game.mask), size)["corners"]), U64(beside))


@free_cells.register(Othello)
def _(game: Othello, tables: BatchTables, position: OthelloPosition) -> Word:
    return game.mask & ~(position.own | position.opp)


@open_cells.register(Othello)
def _(game: Othello, tables: BatchTables, position: OthelloPosition) -> Word:
    return legal(position.own, position.opp) & game.mask


@put.register(Othello)
def _(game: Othello, tables: BatchTables, position: OthelloPosition, cell: int) -> tuple[Position, bool]:
    flipped = turned(tables, position.own, position.opp, U64(cell))
    after = OthelloPosition(position.opp ^ flipped, position.own ^ flipped ^ bit_at(cell))
    return after, flipped != ZERO


@handed_over.register(Othello)
def _(game: Othello, position: OthelloPosition) -> Position:
    return OthelloPosition(position.opp, position.own)


@soonest.register(Othello)
def _(game: Othello, tables: BatchTables, free: Word, cells: Word) -> Word:
    # The order is that of `line_tables.groups`: odd quarters come first; in each part, corners come first and squares
    # beside corners last.
    # The parities of all quarters are computed at once: XOR folds four squares of a row into the first, then four rows.
    folded = free ^ (free >> U64(1))
    folded ^= folded >> U64(2)
    folded ^= folded >> U64(8)
    folded ^= folded >> U64(16)
    odd = multiply(folded & QUARTERS, QUARTER)
    selected = cells & odd
    if selected == ZERO:
        selected = cells
    if selected & tables.corners != ZERO:
        return selected & tables.corners
    if selected & ~tables.beside_corners != ZERO:
        return selected & ~tables.beside_corners
    return selected


@inner
def _last(game: Othello, tables: BatchTables, own: Word, opp: Word, square: Word) -> Value:
    """Return the final score for `own` in a position with one empty square."""
    own_flips = count_of_last(tables, own, square)
    opp_flips = 0 if own_flips != 0 else count_of_last(tables, opp, square)
    if own_flips + opp_flips == 0:
        return score(game, OthelloPosition(own, opp))
    difference = popcount(own) - popcount(opp)
    return difference + 2 * own_flips + 1 if own_flips != 0 else difference - 2 * opp_flips - 1


@last_score.register(Othello)
def _(game: Othello, tables: BatchTables, position: OthelloPosition, cell: int) -> Value:
    return _last(game, tables, position.own, position.opp, U64(cell))


@freedom.register(Othello)
def _(game: Othello, tables: BatchTables, cells: Word) -> int:
    # Corners count twice.
    return min(popcount(cells) + popcount(cells & tables.corners), MOST_FREEDOM)
