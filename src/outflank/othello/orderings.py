"""Othello's move orderings: by four features of the board after a move, as in report 000, and for exact searches."""

import numpy as np

from outflank.games.defaults import DefaultOrdering, OrderingWeights
from outflank.games.endings import exact_promise, look_ahead
from outflank.games.evaluation import Evaluation, evaluation_named
from outflank.games.hints import STAGES, promise, register_features, row, stage
from outflank.games.rules import MoveCode
from outflank.kernels.bits import U64, Word, popcount
from outflank.kernels.compiler import inner
from outflank.othello.endings.line_tables import worth
from outflank.othello.evaluation import (
    CORNERS,
    CORNERS_6,
    corners,
    mobility_difference,
    neighbours,
    potential_difference,
    square_difference,
    stone_difference,
)
from outflank.othello.patterns import LEARNT, blank, is_learnt
from outflank.othello.rules import PASS, Othello, legal

LOOK_AHEAD_FROM, SQUARES_PER_PLY, MOST_PLIES = 13, 3, 3
"""Look-ahead means shallow searches that order moves in exact searches. The numbers are the least number of empty
squares with which there is a look-ahead, the number of further empty squares for each additional ply, and the largest
number of plies."""


def ordering_evaluation(game: Othello) -> Evaluation:
    """Return the evaluation for look-aheads (shallow searches that order moves).

    A board without learnt weights is too small for look-aheads. It still gets an evaluation of the same type as other
    boards, because exact kernels would be compiled again for another type.
    """
    return evaluation_named(game, LEARNT.name) if is_learnt(game) else blank()


@look_ahead.register(Othello)
def _(game, left):
    if left < LOOK_AHEAD_FROM:
        return -1
    return min((left - LOOK_AHEAD_FROM) // SQUARES_PER_PLY, MOST_PLIES)


WORTH = np.stack([worth(4), worth(6), worth(8)])
"""The static ordering value of each square, for the board sizes 4, 6 and 8."""

SQUARE, ODD_QUARTER, CORNER_ANSWER = 3, 10, 40
"""Weights of move ordering without a look-ahead: of `WORTH`, of an odd number of empty squares in the move's quarter of
the board, and of replies in corners (in addition to their usual weight). These terms saved 1.7 % of the nodes and 1.1 %
of the time of 36 positions with 20 to 22 empty squares; the weights 5, 16 and 40 saved 0.7 %. A look-ahead with 12
empty squares would save as many nodes, but cost more."""


@inner
def _static_promise(game: Othello, empty: Word, move: MoveCode) -> int:
    """Return the ordering value of a move from its square and the parity of the empty squares in its quarter."""
    square = U64(move)
    size = 2 if game.mask & CORNERS != U64(0) else 1 if game.mask & CORNERS_6 != U64(0) else 0
    quarter = U64(0x0F0F0F0F) << (square & U64(0b100100))
    return SQUARE * WORTH[size, square] + ODD_QUARTER * (popcount(empty & quarter) & 1)


@exact_promise.register(Othello)
def _(game, position, move, child, estimate):
    replies = legal(child.own, child.opp) & game.mask
    in_corners = popcount(replies & corners(game))
    open_squares = neighbours(child.opp) & game.mask & ~(child.own | child.opp)
    total = estimate - np.int64(48 * popcount(replies) + 8 * in_corners + 2 * popcount(open_squares))
    empty = game.mask & ~(position.own | position.opp)
    if popcount(empty) < LOOK_AHEAD_FROM and move != PASS:
        total += np.int64(_static_promise(game, empty, move)) - CORNER_ANSWER * in_corners
    return total


DISCS_PER_STAGE = 10

register_features(Othello, "stones", "squares", "mobility", "potential")


@promise.register(Othello)
def _(game, position, move, child, weights):
    own, opp = child.opp, child.own  # from the mover's point of view
    total = np.int64(0)
    if weights[0] != 0:
        total += weights[0] * stone_difference(own, opp)
    if weights[1] != 0:
        total += weights[1] * square_difference(own, opp)
    if weights[2] != 0:
        total += weights[2] * mobility_difference(game, own, opp)
    if weights[3] != 0:
        total += weights[3] * potential_difference(game, own, opp)
    return total


@stage.register(Othello)
def _(game, position):
    played = max(popcount(position.own | position.opp) - 4, 0)
    return min(played // DISCS_PER_STAGE, STAGES - 1)


@row.register(Othello)
def _(game, move):
    return np.int64(move) >> 3


_EARLY, _LATE = {"squares": 1, "mobility": 4, "potential": 4}, {"squares": 1, "mobility": 8}

ORDERINGS = {
    # Report 000's six orderings, including `none`.
    "stones": OrderingWeights(weights={"stones": 1}),
    "squares": OrderingWeights(weights={"squares": 1}),
    "mobility": OrderingWeights(weights={"mobility": 1}),
    "potential": OrderingWeights(weights={"potential": 1}),
    "stones+squares": OrderingWeights(weights={"stones": 1, "squares": 1}),
    # Corners come first, then moves that leave the opponent few moves. Seven tournament positions at depth 10 take
    # 3.2 million nodes; with mobility alone they take 4.0 million, and with stones+squares 6.5 million.
    "squares+mobility": OrderingWeights(weights={"squares": 1, "mobility": 8}),
    # Exposed discs are as informative as mobility until about 24 discs are on the board. The weights were chosen on the
    # laboratory's 20 tournament positions. On 30 other positions, at depth 9, they save 7 to 10 % of the nodes of
    # squares+mobility with 12 discs on the board, and hardly any nodes from 20 discs on.
    "by-stage": OrderingWeights(by_stage=(_EARLY, _EARLY, _LATE, _LATE, _LATE, _LATE)),
}

# On the same positions killer moves cost a quarter to a third more nodes, and history counters 5 to 25 % more.
# In exact searches the values of squares do not matter, and a small number of replies matters most.
DEFAULT_ORDERING = DefaultOrdering(name="squares+mobility", killers=False, history=False, exact="mobility")
