"""Discs that can never be turned again, and the bound that they are on what is still to be won."""

from typing import Any

from outflank.kernels.bits import U64, multiply, popcount
from outflank.kernels.compiler import inner
from outflank.othello.endings.flipping import BYTE, FIRST_COLUMN, GATHER, SEVEN, TOP_BYTE

ZERO = U64(0)
SEVEN_SQUARES = U64(127)
SCATTER = U64(0x0002040810204081)
"""Times this, seven squares of a row lie in the first column, among others."""
ACROSS, DOWN, RISING, FALLING = U64(1), U64(8), U64(7), U64(9)


def _off_board(across: int, down: int) -> U64:
    """The squares from which a step of so many columns and rows leaves the board."""
    return U64(
        sum(1 << square for square in range(64) if not (0 <= square % 8 + across < 8 and 0 <= square // 8 + down < 8))
    )


FALLING_ENDS_1, FALLING_ENDS_2, FALLING_ENDS_4 = (_off_board(step, step) for step in (1, 2, 4))
FALLING_STARTS_1, FALLING_STARTS_2, FALLING_STARTS_4 = (_off_board(-step, -step) for step in (1, 2, 4))
RISING_ENDS_1, RISING_ENDS_2, RISING_ENDS_4 = (_off_board(-step, step) for step in (1, 2, 4))
RISING_STARTS_1, RISING_STARTS_2, RISING_STARTS_4 = (_off_board(step, -step) for step in (1, 2, 4))


@inner
def _full_rows(taken: Any) -> Any:
    full = taken & (taken >> U64(4))
    full &= full >> U64(2)
    full &= full >> U64(1)
    return multiply(full & FIRST_COLUMN, BYTE)


@inner
def _full_columns(taken: Any) -> Any:
    full = taken & ((taken >> U64(32)) | (taken << U64(32)))
    full &= (full >> U64(16)) | (full << U64(48))
    return full & ((full >> U64(8)) | (full << U64(56)))


@inner
def _full_falling(taken: Any) -> Any:
    """The squares with nothing empty on the diagonal through them that goes down to the right."""
    on = taken & ((taken >> U64(9)) | FALLING_ENDS_1)
    on &= (on >> U64(18)) | FALLING_ENDS_2
    on &= (on >> U64(36)) | FALLING_ENDS_4
    back = taken & ((taken << U64(9)) | FALLING_STARTS_1)
    back &= (back << U64(18)) | FALLING_STARTS_2
    back &= (back << U64(36)) | FALLING_STARTS_4
    return on & back


@inner
def _full_rising(taken: Any) -> Any:
    """The same for the diagonals that go down to the left."""
    on = taken & ((taken >> U64(7)) | RISING_ENDS_1)
    on &= (on >> U64(14)) | RISING_ENDS_2
    on &= (on >> U64(28)) | RISING_ENDS_4
    back = taken & ((taken << U64(7)) | RISING_STARTS_1)
    back &= (back << U64(14)) | RISING_STARTS_2
    back &= (back << U64(28)) | RISING_STARTS_4
    return on & back


@inner
def _column(board: Any, column: Any) -> Any:
    """The squares of a column, side by side."""
    return multiply((board >> column) & FIRST_COLUMN, GATHER) >> TOP_BYTE


@inner
def _as_column(line: Any, column: Any) -> Any:
    """The squares of a line, in a column."""
    # Seven squares by one product: with the eighth its copies would overlap, and carry into each other.
    return ((multiply(line & SEVEN_SQUARES, SCATTER) & FIRST_COLUMN) | ((line >> SEVEN) << TOP_BYTE)) << column


@inner
def _stable_on_edges(space: Any, own: Any, opp: Any) -> Any:
    top, bottom, left, right = space.top, space.bottom, space.left, space.right
    found = U64(space.edges[(own >> top) & BYTE, (opp >> top) & BYTE]) << top
    found |= U64(space.edges[(own >> bottom) & BYTE, (opp >> bottom) & BYTE]) << bottom
    found |= _as_column(U64(space.edges[_column(own, left), _column(opp, left)]), left)
    return found | _as_column(U64(space.edges[_column(own, right), _column(opp, right)]), right)


@inner
def stable(space: Any, own: Any, opp: Any) -> Any:
    """Discs of `own` that no continuation turns: all of these are, but there may be more.

    A disc is safe along a line if the line is full, if it lies at the line's end, or beside a stable disc of its own
    side; one that is safe along all four is stable. It begins with the edges, of which a table knows all.
    """
    taken = own | opp | ~space.mask
    rows = _full_rows(taken) | space.side_columns
    columns = _full_columns(taken) | space.end_rows
    falling = _full_falling(taken) | space.border
    rising = _full_rising(taken) | space.border
    found = _stable_on_edges(space, own, opp) | (rows & columns & falling & rising & own)
    inside = own & ~space.border
    spreads = found != ZERO
    while spreads:
        before = found
        found |= (
            (rows | (found << ACROSS) | (found >> ACROSS))
            & (columns | (found << DOWN) | (found >> DOWN))
            & (falling | (found << FALLING) | (found >> FALLING))
            & (rising | (found << RISING) | (found >> RISING))
            & inside
        )
        spreads = found != before
    return found


@inner
def most(space: Any, own: Any, opp: Any) -> Any:
    """A score that `own` cannot exceed: the opponent keeps the discs that are stable, under both ways of scoring.

    With s of them own has area - s discs at most. Who leaves squares empty gets no more: discs alone, it is
    (area - s - empties) - s at most; and if the winner takes them, they are counted above, or it is the opponent.
    """
    return space.area - 2 * popcount(stable(space, opp, own))
