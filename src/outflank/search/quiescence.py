"""Quiescence search: no line is evaluated in the middle of an exchange."""

from outflank.games.evaluation import after, final, value
from outflank.games.rules import fill, is_noisy, play
from outflank.kernels.compiler import kernel


@kernel
def quiescence(game, evaluation, position, state, alpha, beta, plies, start, worker):
    """Return the value v of `position` when the side to move may stop or continue with noisy moves.

    v = max(value, max over noisy moves of -quiescence(child, plies - 1)). If `plies` is 0, v is the evaluation `value`
    alone; otherwise v is the final value if the game is over. The result is exact inside (alpha, beta), otherwise a
    bound on that side.
    """
    worker.nodes += 1
    worker.leaves += 1
    end = start
    if plies > 0:
        end = fill(game, position, worker.moves, start)
        if end == start:
            return final(evaluation, game, position)
    worker.estimates += 1
    best = value(evaluation, game, position, state)
    index = start
    while index < end and best < beta:
        move = worker.moves[index]
        if is_noisy(game, move):
            child = play(game, position, move)
            child_state = after(evaluation, game, state, position, move, child)
            low = max(alpha, best)
            child_value = -quiescence(game, evaluation, child, child_state, -beta, -low, plies - 1, end, worker)
            best = max(best, child_value)
        index += 1
    return best
