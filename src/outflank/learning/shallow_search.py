"""A shallow search that recognises the end of a game.

A search's own short look-ahead (`search/looking.py`) orders moves, and estimates finished games like others. Learning
must not: nothing is ever fitted to a finished game, so that its estimate means nothing.
"""

import numpy as np

from outflank.games.evaluation import Evaluation, State, after, value
from outflank.games.rules import Game, Position, Value, fill, is_pass, over, play, score
from outflank.kernels.compiler import inner, kernel
from outflank.search.looking import SORTED_FROM, WORST
from outflank.search.ordering import bring_best, weigh
from outflank.search.table import NO_MOVE
from outflank.search.worker import Worker


@inner
def final_value(game: Game, position: Position, points: int, won: int) -> Value:
    """Return the value of a finished game, at `points` for one of its unit, or `won` for the winner if not 0."""
    result = np.int64(score(game, position))
    if won == 0:
        return result * points
    return won if result > 0 else -won if result < 0 else np.int64(0)


@kernel
def shallow_search(
    game: Game,
    evaluation: Evaluation,
    position: Position,
    state: State,
    alpha: Value,
    beta: Value,
    plies: int,
    start: int,
    points: int,
    won: int,
    worker: Worker,
) -> Value:
    """Return the value of `position`, `plies` deep, with alpha-beta's promise for (alpha, beta); passes are free."""
    worker.nodes += 1
    if plies <= 0 and not over(game, position):
        return np.int64(value(evaluation, game, position, state))
    end = fill(game, position, worker.moves, start)
    if end == start:
        return final_value(game, position, points, won)
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
        child_state = after(evaluation, game, state, position, move, child)
        low = max(alpha, best)
        child_value = -shallow_search(game, evaluation, child, child_state, -beta, -low, left, end, points, won, worker)
        best = max(best, child_value)
        index += 1
    return best
