"""Assignment 1: minimax and a fork-join speed-up. The handout is docs/course/assignment-1.md."""

from typing import NamedTuple

import numpy as np

from outflank import forkjoin
from outflank.games.rules import MOVE, Game, play
from outflank.kernels.bits import U64, lowest, popcount
from outflank.othello.rules import OthelloPosition, legal
from outflank.othello.squares import START, othello

ASSIGNMENT = 1


class Data(NamedTuple):
    """What all tasks share."""

    game: Game


@forkjoin.task
def value(worker, own: np.uint64, opp: np.uint64, depth: int) -> int:
    """Return the minimax value of a position. It is sequential, and it does not know passes: change both."""
    game = worker.data.game
    todo = legal(own, opp) & game.mask  # a bit for each legal move
    if depth == 0 or todo == U64(0):
        return popcount(own) - popcount(opp)
    best = -100
    while todo != U64(0):
        child = play(game, OthelloPosition(own, opp), MOVE(lowest(todo)))
        best = max(best, -value(worker, child.own, child.opp, depth - 1))
        todo &= todo - U64(1)  # without its lowest bit
    return best


def program(game, position, depth):
    """Return the program that finds the minimax value of a position."""
    return forkjoin.Program(value, position.own, position.opp, depth, data=Data(game))


def from_start(depth: int = 5):
    """Return the program for the start of a game, as `outflank lab tasks` runs it."""
    return program(othello(8), START, depth)
