"""A short look ahead by an estimate, which orders the moves of a search that plays the game out."""

import numpy as np

from outflank.games.evaluation import after, value
from outflank.games.rules import fill, is_pass, play
from outflank.kernels.compiler import kernel
from outflank.search.ordering import bring_best, weigh
from outflank.search.table import NO_MOVE

WORST = -(1 << 40)

SORTED_FROM = 3
"""Plies from which the moves of the look ahead are ordered themselves."""


@kernel
def look(game, estimate, position, state, alpha, beta, plies, start, worker):
    """Return the estimate of `position` by alpha-beta, `plies` deep, with alpha-beta's promise for (alpha, beta);
    passes cost nothing.

    The look ahead uses no table: such short searches are faster than a table access, and there are far more such
    positions than a table has room for. Finished games are estimated like others: the final value of a search (a won
    game is worth more than any estimate) would say nothing about the margin.
    """
    worker.nodes += 1
    if plies <= 0 or start < 0:
        return np.int64(value(estimate, game, position, state))
    end = fill(game, position, worker.moves, start)
    if end == start:
        return np.int64(value(estimate, game, position, state))
    left = plies
    if end > start + 1 or not is_pass(game, worker.moves[start]):
        left = plies - 1
    sorting = plies >= SORTED_FROM
    if sorting:
        weigh(game, position, plies, np.int64(0), np.int64(NO_MOVE), start, end, worker)
    best = np.int64(WORST)
    index = start
    while index < end and best < beta:
        if sorting:
            bring_best(index, end, worker)
        move = worker.moves[index]
        child = play(game, position, move)
        child_state = after(estimate, game, state, position, move, child)
        child_value = -look(game, estimate, child, child_state, -beta, -max(alpha, best), left, end, worker)
        best = max(best, child_value)
        index += 1
    return best
