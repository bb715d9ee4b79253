"""In which order Othello's moves are tried where the game is played out."""

from typing import Any

import numpy as np

from outflank.games.endings import exact_promise, look_ahead
from outflank.games.evaluation import evaluation_named
from outflank.kernels.bits import popcount
from outflank.othello.evaluation import corners, neighbours
from outflank.othello.patterns import LEARNT, blank, is_learnt
from outflank.othello.rules import Othello, legal

LOOKED_FROM, SQUARES_PER_PLY, MOST_PLIES = 13, 3, 3
"""Squares that must be empty for a look ahead to save more than it costs, how many more each further ply needs, and how
many it has at most."""


def guide(game: Othello) -> Any:
    """The evaluation to look ahead with. A board without weights is so small that nobody looks (`LOOKED_FROM`): what it
    has is of the same type, or each kernel of exact play would be compiled for it a second time."""
    return evaluation_named(game, LEARNT.name) if is_learnt(game) else blank()


@look_ahead.register(Othello)
def _(game, left):
    if left < LOOKED_FROM:
        return -1
    return min((left - LOOKED_FROM) // SQUARES_PER_PLY, MOST_PLIES)


@exact_promise.register(Othello)
def _(game, position, move, child, estimate):
    answers = legal(child.own, child.opp) & game.mask
    in_corners = popcount(answers & corners(game))
    open_squares = neighbours(child.opp) & game.mask & ~(child.own | child.opp)
    return estimate - np.int64(48 * popcount(answers) + 8 * in_corners + 2 * popcount(open_squares))
