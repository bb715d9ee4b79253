"""Minimax, in its negamax form: one function for both sides.

The published reports 002 and 004 use separate branches for min and max. Both forms visit the same nodes, because a
value is the negative of the opponent's value.
"""

import numpy as np

from outflank.games.evaluation import after, value
from outflank.games.rules import play
from outflank.kernels.compiler import kernel, unlikely
from outflank.search.nodes import fill_moves
from outflank.search.quiescence import quiescence
from outflank.search.stopping import poll_stop

WORST = -(1 << 40)


@kernel
def minimax(game, evaluation, position, state, depth, start, worker, probe):
    """Return the value of `position`, `depth` plies deep: v = max over moves of -minimax(child, depth - 1).

    The value is exact for every order of moves. `depth` must be at least 1.
    """
    worker.nodes += 1
    if poll_stop(worker):
        return 0
    known, result, end, left = fill_moves(game, evaluation, position, state, depth, start, worker, probe)
    if unlikely(known):
        return result
    best = WORST
    for index in range(start, end):
        move = worker.moves[index]
        child = play(game, position, move)
        child_state = after(evaluation, game, state, position, move, child)
        if left == 0 and worker.quiescence > 0:
            # Typed: with literals the recursion would have a second signature, which crashes when loaded again.
            low, high = np.int64(WORST), np.int64(-WORST)
            result = -quiescence(game, evaluation, child, child_state, low, high, worker.quiescence, end, worker)
        elif left == 0:
            worker.nodes += 1
            worker.leaves += 1
            worker.estimates += 1
            result = -value(evaluation, game, child, child_state)
        else:
            result = -minimax(game, evaluation, child, child_state, left, end, worker, probe)
        best = max(best, result)
    return best
