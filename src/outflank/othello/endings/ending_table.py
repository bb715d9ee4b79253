"""A small private table of each worker for ending positions: their proved bounds, and the move that proved them.

No other worker reads it, so entries are never torn. Entries come in pairs: the first keeps the position with more empty
squares, the second the latest. Bounds are exact and do not age.
"""

import numpy as np

from outflank.games.rules import Value
from outflank.kernels.bits import U64, Word, byte_swap, multiply
from outflank.kernels.compiler import inlined, inner
from outflank.kernels.memory import prefetch
from outflank.othello.endings.workspace import TABLE_BITS, WORDS, Workspace

OWN, OPP, KNOWN = U64(0), U64(1), U64(2)
BYTE = U64(255)
OFFSET = np.int64(64)
"""Scores are stored as non-negative bytes."""

NO_SQUARE = U64(64)
NOTHING = U64(0)

_FACTOR, _OTHER_FACTOR = U64(0x9E3779B97F4A7C15), U64(0xC2B2AE3D27D4EB4F)


@inlined
def pair_of(own: Word, opp: Word) -> Word:
    """Return the index of the pair of entries that may hold a position."""
    mixed = multiply(own, _FACTOR) ^ byte_swap(multiply(opp, _OTHER_FACTOR))
    return (multiply(mixed, _FACTOR) >> U64(64 - TABLE_BITS)) << U64(1)


@inlined
def prefetch_pair(space: Workspace, own: Word, opp: Word) -> None:
    """Prefetch the entries of a position that may be looked up soon."""
    prefetch(space.table_at + np.int64(pair_of(own, opp)) * (8 * WORDS))


@inlined
def lookup(space: Workspace, own: Word, opp: Word, pair: Word) -> Word:
    """Return the data of a position, or `NOTHING`."""
    if space.table[pair, OWN] == own and space.table[pair, OPP] == opp:
        return space.table[pair, KNOWN]
    second = pair + U64(1)
    if space.table[second, OWN] == own and space.table[second, OPP] == opp:
        return space.table[second, KNOWN]
    return NOTHING


@inlined
def at_least(known: Word) -> Value:
    """Return the lower bound on the value."""
    return np.int64(known & BYTE) - OFFSET


@inlined
def at_most(known: Word) -> Value:
    """Return the upper bound on the value."""
    return np.int64((known >> U64(8)) & BYTE) - OFFSET


@inlined
def best_square(known: Word) -> Word:
    """Return the move that gave the bound, or `NO_SQUARE`."""
    return (known >> U64(16)) & BYTE


@inner
def store(
    space: Workspace, own: Word, opp: Word, pair: Word, empties: int, low: Value, high: Value, square: Word
) -> None:
    """Store that low <= v <= high, and the move."""
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
