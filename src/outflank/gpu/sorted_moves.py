"""Sorted lists of a node's moves, in two words: their cells, and the mobility that each leaves the opponent. The least
is first."""

from outflank.kernels.bits import U64, Int, Word, bit_at, multiply, popcount
from outflank.kernels.compiler import inner

ONE, FIELD, CELL = U64(1), U64(6), U64(63)

LISTED = 10
"""Capacity of a list: the cells that fit into the bits of a word. Any further moves come last."""

LIST = U64((1 << 6 * LISTED) - 1)
GUARDS = U64(sum(32 << 6 * index for index in range(LISTED)))
FIELDS = U64(sum(1 << 6 * index for index in range(LISTED)))

EMPTY = U64(sum(31 << 6 * index for index in range(LISTED)))
"""Mobilities of an empty list: greater than that of any move."""

MOST_LEFT = 30


@inner
def _inserted(fields: Word, place: Int, field: Word) -> Word:
    """Return the list with a field inserted at a place."""
    below = (ONE << (FIELD * place)) - ONE
    return ((fields & below) | ((fields & ~below) << FIELD) | (field << (FIELD * place))) & LIST


@inner
def left_to_opponent(free_to_move: Int, late: bool) -> Word:
    """Return a move's sort key: the opponent's `freedom`; of moves with equal freedom the `soonest` are first."""
    return min(U64(2) * U64(free_to_move) + U64(late), U64(MOST_LEFT))


@inner
def with_move(listed: Word, lefts: Word, count: Int, cell: Int, left: Word) -> tuple[Word, Word, Word]:
    """Return the lists of cells and of mobilities of `count` moves with one more move; and, as a bit, the cell that no
    longer fits."""
    place = U64(popcount(((GUARDS | multiply(left, FIELDS)) - lefts) & GUARDS))
    out = U64(0)
    if count == LISTED:
        out = bit_at(cell)
        if place < LISTED:
            out = bit_at((listed >> (FIELD * U64(LISTED - 1))) & CELL)
    if place < LISTED:
        listed, lefts = _inserted(listed, place, cell), _inserted(lefts, place, left)
    return listed, lefts, out
