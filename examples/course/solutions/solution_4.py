"""Model solution of assignment 4: alpha-beta, and young brothers wait by fork-join."""

from typing import NamedTuple

import numpy as np

from outflank import forkjoin
from outflank.games.rules import MOVE, Game, fill, play
from outflank.kernels.bits import U64, lowest, popcount
from outflank.kernels.compiler import kernel
from outflank.othello.rules import PASS, OthelloPosition, legal

ASSIGNMENT = 4

FAR = 1 << 20
ALL = U64(0)


@kernel
def alphabeta(game, position, depth, alpha, beta, moves, start):
    """Return the value of `position`: exact inside (alpha, beta), otherwise a bound on that side."""
    end = fill(game, position, moves, start) if depth > 0 else start
    if end == start:
        return np.int64(popcount(position.own)) - np.int64(popcount(position.opp))
    best = np.int64(-FAR)
    for index in range(start, end):
        child = play(game, position, moves[index])
        value = -alphabeta(game, child, depth - 1, -beta, -max(alpha, best), moves, end)
        best = max(best, value)
        if best >= beta:
            break
    return best


class Data(NamedTuple):
    """What all tasks share."""

    game: Game


@forkjoin.task
def value(worker, own: np.uint64, opp: np.uint64, todo: np.uint64, depth: int, alpha: int, beta: int) -> int:
    """Return the value of a position in which only the moves `todo` are tried, all in one window, or `ALL` legal moves.

    Of all legal moves the first is tried first, and its value narrows the window of the others.
    """
    game = worker.data.game
    if todo == ALL and depth > 0:
        todo = legal(own, opp) & game.mask
        if todo != U64(0):
            others = todo & (todo - U64(1))
            eldest = value(worker, own, opp, todo ^ others, depth, alpha, beta)
            if eldest >= beta or others == U64(0):
                return eldest
            return max(eldest, value(worker, own, opp, others, depth, max(alpha, eldest), beta))
        if legal(opp, own) & game.mask != U64(0):
            child = play(game, OthelloPosition(own, opp), MOVE(PASS))
            return -value(worker, child.own, child.opp, ALL, depth - 1, -beta, -alpha)
    if todo == U64(0):
        return popcount(own) - popcount(opp)
    others = todo & (todo - U64(1))
    if others == U64(0):
        child = play(game, OthelloPosition(own, opp), MOVE(lowest(todo)))
        return -value(worker, child.own, child.opp, ALL, depth - 1, -beta, -alpha)
    spawned = forkjoin.spawn(worker, value, own, opp, others, depth, alpha, beta)
    first = value(worker, own, opp, todo ^ others, depth, alpha, beta)
    return max(first, forkjoin.sync(worker, spawned))


def program(game, position, depth):
    """Return the program that finds the value of a position."""
    return forkjoin.Program(value, position.own, position.opp, ALL, depth, -FAR, FAR, data=Data(game))
