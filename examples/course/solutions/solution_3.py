"""Model solution of assignment 3: value, best move and leaves of minimax, by a reducer."""

from typing import NamedTuple

import numpy as np

from outflank import forkjoin
from outflank.games.rules import MOVE, Game, play
from outflank.kernels.bits import U64, lowest, popcount
from outflank.othello.rules import PASS, OthelloPosition, legal
from outflank.othello.squares import START, othello

ASSIGNMENT = 3

NOTHING = (-(1 << 20), PASS, 0)


class Data(NamedTuple):
    """What all tasks share; no task writes to it."""

    game: Game


def better(left, right):
    """Return the better of two answers, the left one if they are equal, with the leaves of both."""
    leaves = left[2] + right[2]
    if left[0] >= right[0]:
        return left[0], left[1], leaves
    return right[0], right[1], leaves


best = forkjoin.Reducer(NOTHING, better)


@forkjoin.task
def try_move(worker, index: int, own: np.uint64, opp: np.uint64, depth: int) -> tuple[int, int, int]:
    """Return the value of a move, given by its number in ascending order, the move, and its leaves."""
    game = worker.data.game
    todo = legal(own, opp) & game.mask
    for _ in range(index):
        todo &= todo - U64(1)
    move = PASS if todo == U64(0) else lowest(todo)
    child = play(game, OthelloPosition(own, opp), MOVE(move))
    below, _, leaves = answer(worker, child.own, child.opp, depth - 1)
    return -below, move, leaves


@forkjoin.task
def answer(worker, own: np.uint64, opp: np.uint64, depth: int) -> tuple[int, int, int]:
    """Return the value of a position, its best move and the number of leaves below it."""
    mask = worker.data.game.mask
    count = popcount(legal(own, opp) & mask)
    if count == 0 and legal(opp, own) & mask != U64(0):
        count = 1  # a pass
    if depth == 0 or count == 0:
        return popcount(own) - popcount(opp), PASS, 1
    return forkjoin.reduce(worker, best, try_move, 0, count, 1, own, opp, depth)


def program(game, position, depth):
    """Return the program that finds value, best move and leaves of a position."""
    return forkjoin.Program(answer, position.own, position.opp, depth, data=Data(game))


def from_start(depth: int = 5):
    """Return the program for the start of a game, as `outflank lab tasks` runs it."""
    return program(othello(8), START, depth)
