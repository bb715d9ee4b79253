"""Moves of a node in order, in two words: their cells, and what each leaves the opponent. What leaves the least is
first."""

from typing import Any

from outflank.kernels.bits import U64, bit_at, multiply, popcount
from outflank.kernels.compiler import inner

ONE, FIELD, CELL = U64(1), U64(6), U64(63)

LISTED = 10
"""Moves that a list has room for: so many cells are the bits of a word. Any others come last."""

LIST = U64((1 << 6 * LISTED) - 1)
GUARDS = U64(sum(32 << 6 * index for index in range(LISTED)))
FIELDS = U64(sum(1 << 6 * index for index in range(LISTED)))

EMPTY = U64(sum(31 << 6 * index for index in range(LISTED)))
"""What is left the opponent by the moves of an empty list: more than by any."""

MOST_LEFT = 30


@inner
def _inserted(fields: Any, place: Any, field: Any) -> Any:
    """The list with a field put in at a place."""
    below = (ONE << (FIELD * place)) - ONE
    return ((fields & below) | ((fields & ~below) << FIELD) | (field << (FIELD * place))) & LIST


@inner
def left_to_opponent(free_to_move: Any, late: Any) -> Any:
    """What a move leaves: the opponent's `freedom`; of moves that are alike in that the `soonest` are first."""
    return min(U64(2) * U64(free_to_move) + U64(late), U64(MOST_LEFT))


@inner
def with_move(listed: Any, lefts: Any, count: Any, cell: Any, left: Any) -> Any:
    """The lists of cells and of what they leave, of so many moves, with one more; and the cell that no longer has room
    in it, as a bit."""
    place = U64(popcount(((GUARDS | multiply(left, FIELDS)) - lefts) & GUARDS))
    out = U64(0)
    if count == LISTED:
        out = bit_at(cell)
        if place < LISTED:
            out = bit_at((listed >> (FIELD * U64(LISTED - 1))) & CELL)
    if place < LISTED:
        listed, lefts = _inserted(listed, place, cell), _inserted(lefts, place, left)
    return listed, lefts, out
