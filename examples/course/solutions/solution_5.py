"""Model solution of assignment 5: a table without locks, whose torn entries read as misses."""

import numpy as np

from outflank.games.rules import fill, pack, play
from outflank.kernels.atomics import load
from outflank.kernels.atomics import store as atomic_store
from outflank.kernels.bits import U64, popcount
from outflank.kernels.compiler import inner, kernel

ASSIGNMENT = 5

EXACT, LOWER, UPPER = 0, 1, 2
WORDS = 3
MIX = U64(0x9E3779B97F4A7C15)
DEPTH_SHIFT, VALUE_SHIFT, USED = U64(8), U64(16), U64(1) << U64(4)
OFFSET = 1 << 15  # makes values positive


def new_table(slots):
    return np.zeros(slots * WORDS, np.uint64)


@inner
def place(table, first, second):
    """Return the index of the first word of a position's slot."""
    mixed = (first * MIX) ^ (second * (MIX << U64(1) | U64(1)))
    mixed ^= mixed >> U64(29)
    return WORDS * np.int64(mixed % U64(len(table) // WORDS))


@inner
def store(table, first, second, depth, value, bound):
    """Write an entry, unless the slot has a deeper one.

    The position's words are stored combined with the data. If two workers write at the same time, the words of the
    slot do not belong together, so that no position fits them.
    """
    index = place(table, first, second)
    old = load(table, index + 2, "relaxed")
    if old != U64(0) and np.int64(old >> DEPTH_SHIFT & U64(255)) > depth:
        return
    data = U64(bound) | USED | U64(depth) << DEPTH_SHIFT | U64(value + OFFSET) << VALUE_SHIFT
    atomic_store(table, index, first ^ data, "relaxed")
    atomic_store(table, index + 1, second ^ data, "relaxed")
    atomic_store(table, index + 2, data, "relaxed")


@inner
def probe(table, first, second):
    """Return whether the table has the position, and its depth, value and bound."""
    index = place(table, first, second)
    data = load(table, index + 2, "relaxed")
    same_first = load(table, index, "relaxed") ^ data == first
    same_second = load(table, index + 1, "relaxed") ^ data == second
    if data == U64(0) or not same_first or not same_second:
        return False, np.int64(0), np.int64(0), np.int64(0)
    value = np.int64(data >> VALUE_SHIFT & U64(65535)) - OFFSET
    return True, np.int64(data >> DEPTH_SHIFT & U64(255)), value, np.int64(data & U64(3))


@kernel
def search(game, position, depth, alpha, beta, table, moves, start):
    """Return alpha-beta's value, with the table's help: exact inside (alpha, beta), otherwise a bound."""
    first, second = pack(game, position)
    hit, entry_depth, entry_value, bound = probe(table, first, second)
    if hit and entry_depth == depth:
        is_lower, is_upper = bound != UPPER, bound != LOWER
        if (is_lower and is_upper) or (is_lower and entry_value >= beta) or (is_upper and entry_value <= alpha):
            return entry_value
    end = fill(game, position, moves, start) if depth > 0 else start
    if end == start:
        return np.int64(popcount(position.own)) - np.int64(popcount(position.opp))
    best = np.int64(-(1 << 20))
    for index in range(start, end):
        child = play(game, position, moves[index])
        value = -search(game, child, depth - 1, -beta, -max(alpha, best), table, moves, end)
        best = max(best, value)
        if best >= beta:
            break
    store(table, first, second, depth, best, LOWER if best >= beta else UPPER if best <= alpha else EXACT)
    return best
