"""A small table of the worker's own for positions of endings: what is proved of them, and the move that proved it.

Nobody else reads it, so that an entry is whole. Pairs: the first of one keeps what has more empty squares, the second
what came last. What it knows is exact and does not age.
"""

from typing import Any

import numpy as np

from outflank.kernels.bits import U64, byte_swap, multiply
from outflank.kernels.compiler import inlined, inner
from outflank.kernels.memory import prefetch
from outflank.othello.endings.workspace import TABLE_BITS, WORDS

OWN, OPP, KNOWN = U64(0), U64(1), U64(2)
BYTE = U64(255)
OFFSET = np.int64(64)
"""Scores are kept as bytes that are not negative."""

NO_SQUARE = U64(64)
NOTHING = U64(0)

_FACTOR, _OTHER_FACTOR = U64(0x9E3779B97F4A7C15), U64(0xC2B2AE3D27D4EB4F)


@inlined
def pair_of(own: Any, opp: Any) -> Any:
    """Where the pair of entries begins in which a position may be."""
    mixed = multiply(own, _FACTOR) ^ byte_swap(multiply(opp, _OTHER_FACTOR))
    return (multiply(mixed, _FACTOR) >> U64(64 - TABLE_BITS)) << U64(1)


@inlined
def announce(space: Any, own: Any, opp: Any) -> Any:
    """Say that a position may be asked for soon."""
    prefetch(space.table_at + np.int64(pair_of(own, opp)) * (8 * WORDS))


@inlined
def recall(space: Any, own: Any, opp: Any, pair: Any) -> Any:
    """What is known of a position, or `NOTHING`."""
    if space.table[pair, OWN] == own and space.table[pair, OPP] == opp:
        return space.table[pair, KNOWN]
    second = pair + U64(1)
    if space.table[second, OWN] == own and space.table[second, OPP] == opp:
        return space.table[second, KNOWN]
    return NOTHING


@inlined
def at_least(known: Any) -> Any:
    """A lower bound on the value."""
    return np.int64(known & BYTE) - OFFSET


@inlined
def at_most(known: Any) -> Any:
    """An upper bound."""
    return np.int64((known >> U64(8)) & BYTE) - OFFSET


@inlined
def best_square(known: Any) -> Any:
    """The move that gave the bound, or `NO_SQUARE`."""
    return (known >> U64(16)) & BYTE


@inner
def keep(space: Any, own: Any, opp: Any, pair: Any, empties: Any, low: Any, high: Any, square: Any) -> Any:
    """Remember that low <= v <= high, and the move."""
    entry = pair
    same = space.table[entry, OWN] == own and space.table[entry, OPP] == opp
    if not same and (space.table[entry, KNOWN] >> U64(24)) & BYTE > U64(empties):
        entry = pair + U64(1)
        same = space.table[entry, OWN] == own and space.table[entry, OPP] == opp
    if same:
        low = max(low, at_least(space.table[entry, KNOWN]))
        high = min(high, at_most(space.table[entry, KNOWN]))
    space.table[entry, OWN] = own
    space.table[entry, OPP] = opp
    space.table[entry, KNOWN] = (
        U64(low + OFFSET) | (U64(high + OFFSET) << U64(8)) | (square << U64(16)) | (U64(empties) << U64(24))
    )
