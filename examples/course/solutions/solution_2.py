"""Model solution of assignment 2: minimax by fork-join, with a granularity below which a worker searches alone."""

from typing import NamedTuple

import numpy as np

from outflank import forkjoin
from outflank.games.rules import MOVE, Game, play
from outflank.kernels.bits import U64, lowest, popcount
from outflank.othello.rules import PASS, OthelloPosition, legal
from outflank.othello.squares import START, othello

ASSIGNMENT = 2

GRANULARITY = 2

ALL = U64(0)


class Data(NamedTuple):
    """What all tasks share."""

    game: Game
    granularity: int


@forkjoin.task
def value(worker, own: np.uint64, opp: np.uint64, todo: np.uint64, depth: int) -> int:
    """Return the minimax value of a position in which only the moves `todo` are tried, or `ALL` legal moves."""
    game = worker.data.game
    if todo == ALL and depth > 0:
        todo = legal(own, opp) & game.mask
        if todo == U64(0) and legal(opp, own) & game.mask != U64(0):
            child = play(game, OthelloPosition(own, opp), MOVE(PASS))
            return -value(worker, child.own, child.opp, ALL, depth - 1)
    if todo == U64(0):
        return popcount(own) - popcount(opp)
    others = todo & (todo - U64(1))
    if others == U64(0):
        child = play(game, OthelloPosition(own, opp), MOVE(lowest(todo)))
        return -value(worker, child.own, child.opp, ALL, depth - 1)
    if depth <= worker.data.granularity:
        return max(value(worker, own, opp, todo ^ others, depth), value(worker, own, opp, others, depth))
    spawned = forkjoin.spawn(worker, value, own, opp, others, depth)
    first = value(worker, own, opp, todo ^ others, depth)
    return max(first, forkjoin.sync(worker, spawned))


def program(game, position, depth, granularity=GRANULARITY):
    """Return the program that finds the minimax value of a position."""
    return forkjoin.Program(value, position.own, position.opp, ALL, depth, data=Data(game, granularity))


def from_start(depth: int = 5):
    """Return the program for the start of a game, as `outflank lab tasks` runs it."""
    return program(othello(8), START, depth)
