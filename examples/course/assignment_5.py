"""Assignment 5: a shared table. The handout is docs/course/assignment-5.md."""

import numpy as np

from outflank.games.rules import fill, play
from outflank.kernels.bits import popcount
from outflank.kernels.compiler import inner, kernel

ASSIGNMENT = 5

EXACT, LOWER, UPPER = 0, 1, 2
WORDS = 5


def new_table(slots):
    """Return an empty table: `WORDS` words for each slot."""
    return np.zeros(slots * WORDS, np.uint64)


@inner
def store(table, first, second, depth, value, bound):
    """Write an entry for the position with the words `first` and `second`."""


@inner
def probe(table, first, second):
    """Return whether the table has the position, and its depth, value and bound."""
    return False, np.int64(0), np.int64(0), np.int64(0)


@kernel
def search(game, position, depth, alpha, beta, table, moves, start):
    """Return alpha-beta's value; `pack(game, position)` returns the two words of a position for the table."""
    end = fill(game, position, moves, start) if depth > 0 else start
    if end == start:
        return np.int64(popcount(position.own)) - np.int64(popcount(position.opp))
    best = np.int64(-(1 << 20))
    for index in range(start, end):
        child = play(game, position, moves[index])
        best = max(best, -search(game, child, depth - 1, -beta, -max(alpha, best), table, moves, end))
        if best >= beta:
            break
    return best
