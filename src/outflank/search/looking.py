"""Short look-ahead searches with an evaluation, which order the moves of searches to the end of the game."""

import numpy as np

from outflank.games.evaluation import after, value
from outflank.games.rules import fill, is_pass, play
from outflank.kernels.compiler import kernel
from outflank.search.ordering import bring_best, weigh
from outflank.search.table import NO_MOVE

WORST = -(1 << 40)

SORTED_FROM = 3
"""Minimum remaining plies at which a look-ahead orders its own moves."""


@kernel
def look(game, estimate, position, state, alpha, beta, plies, start, worker):
    """Return the value of `position` by a search `plies` deep with the evaluation `estimate`: exact inside (alpha,
    beta), otherwise a bound on that side. Passes cost no ply.

    The look-ahead uses no table: it takes less time than a table access, and visits far more positions than a table has
    room for. Finished games are estimated by the evaluation too. The value of a won game exceeds every estimate, and
    would not show by how much the game is won.
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
