"""What an Othello move promises: report 000's four measures of the board it leads to."""

import numpy as np

from outflank.games.hints import STAGES, promise, register_features, row, stage
from outflank.kernels.bits import popcount
from outflank.othello.evaluation import (
    mobility_difference,
    potential_difference,
    square_difference,
    stone_difference,
)
from outflank.othello.rules import Othello

DISCS_PER_STAGE = 10

register_features(Othello, "stones", "squares", "mobility", "potential")


@promise.register(Othello)
def _(game, position, move, child, weights):
    own, opp = child.opp, child.own  # the mover's
    found = np.int64(0)
    if weights[0] != 0:
        found += weights[0] * stone_difference(own, opp)
    if weights[1] != 0:
        found += weights[1] * square_difference(own, opp)
    if weights[2] != 0:
        found += weights[2] * mobility_difference(game, own, opp)
    if weights[3] != 0:
        found += weights[3] * potential_difference(game, own, opp)
    return found


@stage.register(Othello)
def _(game, position):
    played = max(popcount(position.own | position.opp) - 4, 0)
    return min(played // DISCS_PER_STAGE, STAGES - 1)


@row.register(Othello)
def _(game, move):
    return np.int64(move) >> 3
