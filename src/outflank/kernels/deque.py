"""The work-stealing deque: the owner works at its bottom, thieves steal from its top.

It is part of a worker's record, the hand: the fields `top` and `bottom`, each in a cache line of its own, and the array
`permits`, whose length is a power of two. A permit is a positive number: the right to join a split point, or to run a
spawned task. The algorithm is Chase and Lev's. Lê, Pop, Cohen and Zappa Nardelli (2013) proved its memory orderings
sufficient; here, sequentially consistent accesses replace their fences. A deque's size is fixed: if it is full, no
permit is offered.
"""

from outflank.kernels.atomics import compare_exchange, load, store
from outflank.kernels.bits import Int
from outflank.kernels.compiler import inner
from outflank.kernels.record_types import Record

EMPTY, LOST = 0, -1
"""Results instead of a permit. `EMPTY`: the deque is empty. `LOST`: another thief or the owner took the permit first,
and the deque may hold more."""


@inner
def push(hand: Record, permit: int) -> bool:
    """Put a permit on the deque. Return whether there was room. Only the owner calls this."""
    bottom = load(hand, "bottom", "relaxed")
    if bottom - load(hand, "top", "acquire") >= len(hand.permits):
        return False
    # race: a thief that reads this cell without having seen `bottom` is too late, and its compare-exchange fails
    store(hand.permits, bottom & (len(hand.permits) - 1), permit, "relaxed")
    store(hand, "bottom", bottom + 1, "release")
    return True


@inner
def pop(hand: Record) -> Int:
    """Remove and return the newest permit; return `EMPTY` if there is none. Only the owner calls this."""
    bottom = load(hand, "bottom", "relaxed") - 1
    store(hand, "bottom", bottom, "seq_cst")
    top = load(hand, "top", "seq_cst")
    if top > bottom:
        store(hand, "bottom", bottom + 1, "relaxed")  # race: a thief finds the deque empty with either value
        return EMPTY
    permit = load(hand.permits, bottom & (len(hand.permits) - 1), "relaxed")
    if top == bottom:
        # The last permit: thieves may try to take it too.
        if not compare_exchange(hand, "top", top, top + 1, "seq_cst"):
            permit = EMPTY
        store(hand, "bottom", bottom + 1, "relaxed")  # race: `top` has passed both values that a thief may read
    return permit


@inner
def steal(victim: Record) -> Int:
    """Remove and return the oldest permit of another worker. Return `EMPTY` or `LOST` if that fails.

    The oldest permit is usually the one nearest to the root, with the largest subtree.
    """
    top = load(victim, "top", "seq_cst")
    if top >= load(victim, "bottom", "seq_cst"):  # race: the owner's relaxed stores leave the deque empty
        return EMPTY
    # race: if the owner overwrites the cell, the compare-exchange fails
    permit = load(victim.permits, top & (len(victim.permits) - 1), "relaxed")
    if not compare_exchange(victim, "top", top, top + 1, "seq_cst"):
        return LOST
    return permit
