"""Assignment 3: reducers, ties and races. The handout is docs/course/assignment-3.md."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from outflank import forkjoin
from outflank.games.rules import MOVE, Game, play
from outflank.kernels.bits import U64, lowest, popcount
from outflank.othello.rules import PASS, OthelloPosition, legal
from outflank.othello.squares import START, othello

ASSIGNMENT = 3


class Data(NamedTuple):
    """What all tasks share."""

    game: Game
    leaves: npt.NDArray[np.int64]
    best: npt.NDArray[np.int64]


@forkjoin.task
def value(worker, own: np.uint64, opp: np.uint64, depth: int) -> int:
    """Return the minimax value of a position, and count its leaves where all workers count: a race."""
    game = worker.data.game
    todo = legal(own, opp) & game.mask
    passes = todo == U64(0) and legal(opp, own) & game.mask != U64(0)
    if depth == 0 or (todo == U64(0) and not passes):
        worker.data.leaves[0] += 1
        return popcount(own) - popcount(opp)
    if passes:
        child = play(game, OthelloPosition(own, opp), MOVE(PASS))
        return -value(worker, child.own, child.opp, depth - 1)
    best = -100
    while todo != U64(0):
        child = play(game, OthelloPosition(own, opp), MOVE(lowest(todo)))
        best = max(best, -value(worker, child.own, child.opp, depth - 1))
        todo &= todo - U64(1)
    return best


@forkjoin.task
def try_move(worker, index: int, own: np.uint64, opp: np.uint64, depth: int) -> None:
    """Try a move of the root, and remember it if it is the best so far: which of equal moves that is, is luck."""
    todo = legal(own, opp) & worker.data.game.mask
    for _ in range(index):
        todo &= todo - U64(1)
    move = PASS if todo == U64(0) else lowest(todo)
    child = play(worker.data.game, OthelloPosition(own, opp), MOVE(move))
    result = -value(worker, child.own, child.opp, depth - 1)
    if result >= worker.data.best[0]:
        worker.data.best[0] = result
        worker.data.best[1] = move


@forkjoin.task
def answer(worker, own: np.uint64, opp: np.uint64, depth: int) -> tuple[int, int, int]:
    """Return the value of the root, its best move and the number of leaves."""
    count = max(1, popcount(legal(own, opp) & worker.data.game.mask))
    forkjoin.loop(worker, try_move, 0, count, 1, own, opp, depth)
    return worker.data.best[0], worker.data.best[1], worker.data.leaves[0]


def program(game, position, depth):
    """Return the program that finds value, best move and leaves of a position."""
    data = Data(game, np.zeros(1, np.int64), np.array([-100, PASS]))
    return forkjoin.Program(answer, position.own, position.opp, depth, data=data)


def from_start(depth: int = 5):
    """Return the program for the start of a game, as `outflank lab tasks` runs it."""
    return program(othello(8), START, depth)
