"""Hand-written evaluations of Othello positions: the evaluations of the published student reports, and `Phased`."""

from typing import NamedTuple

import numpy as np

from outflank.games.defaults import NamedEvaluation
from outflank.games.evaluation import final, value
from outflank.games.rules import Value, score
from outflank.kernels.bits import U64, Word, multiply, popcount
from outflank.kernels.compiler import inner
from outflank.othello.edge_table import EDGE_VALUES, TERNARY
from outflank.othello.rules import ZERO, Othello, legal

# Kinds of squares of the 8×8 board. On smaller boards these masks cover ordinary squares or none, so that the terms
# for squares mean little there.
CORNERS = U64(0x8100000000000081)
CORNERS_6, CORNERS_4 = U64(0x0042000000004200), U64(0x0000240000240000)  # of the smaller boards
X_SQUARES = U64(0x0042000000004200)  # diagonally beside a corner
C_SQUARES = U64(0x4281000000008142)  # beside a corner on the edge
EDGES = U64(0x3C0081818181003C)  # the rest of the edge

# Weight of the edge table in the sum of `FourPart`. In matches at depth 4 from 100 openings of tournament games, each
# played with both colours, `FourPart` with the first edge table won 153–1–46 (by 18 discs a game) against `FourPart`
# without a table. With weight 1 instead of 2, it won 144–2–54 (by 15 discs a game).
EDGE_WEIGHT = 2


class Discs(NamedTuple):
    """Evaluation by the disc difference, own minus opponent's, as in the published reports 002 and 004."""


class Mobility(NamedTuple):
    """Evaluation by the difference in legal moves, own minus opponent's, as in the published report 001."""


class FourPart(NamedTuple):
    """Evaluation of report 000's program: squares, mobility, potential mobility and discs, weighted by the phase.

    The report names the four parts and the divisor, and the program from which it took them (Marvin by S. Voges, 1999),
    but prints no weights. The weights here come from a formula that is known of the report's program; no public source
    confirms them. They do not reproduce the report's node counts. For the report's six move orderings, from the start
    at depth 13, the correlation between the logarithms of the node counts here and of the report's counts is only 0.04.
    Without potential mobility the correlation is 0.98.
    """

    divisor: int
    """Divisor of the sum: 8 gives the coarse values of report 000's final program, 1 gives fine values."""
    edges: int = 0
    """Number, from 1, of the table in `edge_table` whose values are added; 0 for none, as in report 000's program."""
    potential: int = 1
    """Factor of the weight of potential mobility; 0 leaves it out."""


class Phased(NamedTuple):
    """Evaluation by eight features, weighted by the phase of the game, in tenths of a disc."""


# Weights of `Phased`. Rows are phases of five discs. Columns: moves, opponent's discs that touch an empty square,
# corners, squares beside an empty corner on the edge and on the diagonal, the rest of the edge, squares beside an own
# corner, discs. They come from a least-squares fit to the results of 120,000 tournament games (WTHOR, 1977 to 2019; 7
# million positions, each phase fitted separately), smoothed by hand: much in the first four phases, in which results
# say little about corners, and a little in the fifth and seventh. The raw fit also had a constant. Its error was 24
# discs at the start, no less than the error of a constant guess, 20.6 discs with 29 to 33 discs on the board, 16.8 with
# 44 to 48, and 9.1 at the end.
PHASE_WEIGHTS = np.array(
    [
        [10, 10, 90, -10, -90, 2, 20, -2],
        [11, 13, 90, -10, -90, 5, 30, -2],
        [13, 13, 90, -8, -95, 9, 40, -2],
        [15, 20, 90, -6, -85, 12, 60, -1],
        [14, 22, 100, -9, -60, 13, 51, 0],
        [13, 20, 78, -9, -52, 10, 48, 0],
        [12, 19, 55, -8, -50, 9, 46, 0],
        [12, 17, 45, -8, -44, 8, 36, 0],
        [15, 16, 39, -9, -38, 6, 30, 2],
        [19, 13, 33, -9, -31, 3, 25, 3],
        [26, 12, 18, -7, -22, 0, 24, 5],
        [38, 11, 0, -2, -10, -2, 19, 8],
    ],
    np.int64,
)
PHASES = len(PHASE_WEIGHTS)
DISCS_PER_PHASE = 5


@inner
def corners(game: Othello) -> Word:
    """Return the corner squares of a board of any size, as bits."""
    if game.mask & CORNERS != ZERO:
        return CORNERS
    return CORNERS_6 if game.mask & CORNERS_6 != ZERO else CORNERS_4


@inner
def neighbours(board: Word) -> Word:
    """Return `board` with all squares that are adjacent to one of its squares, also diagonally."""
    row = board | ((board & ~U64(0x8080808080808080)) << U64(1)) | ((board & ~U64(0x0101010101010101)) >> U64(1))
    return row | (row << U64(8)) | (row >> U64(8))


@inner
def _quarters(corners: Word) -> Word:
    """Return the 2×2 squares at each of `corners`: the corner and its three neighbours."""
    left, right = corners & U64(0x0101010101010101), corners & U64(0x8080808080808080)
    sideways = corners | (left << U64(1)) | (right >> U64(1))
    return sideways | (sideways & U64(0xFF)) << U64(8) | (sideways & U64(0xFF << 56)) >> U64(8)


@inner
def stone_difference(own: Word, opp: Word) -> Value:
    """Return the disc difference, own minus opponent's."""
    return popcount(own) - popcount(opp)


@inner
def mobility_difference(game: Othello, own: Word, opp: Word) -> Value:
    """Return the number of own legal moves minus the number of the opponent's, as if both sides were to move."""
    return popcount(legal(own, opp) & game.mask) - popcount(legal(opp, own) & game.mask)


@inner
def potential_difference(game: Othello, own: Word, opp: Word) -> Value:
    """Return the potential mobility: the number of the opponent's discs beside empty squares, minus the number of own
    discs beside empty squares."""
    exposed = neighbours(game.mask & ~(own | opp))
    return popcount(opp & exposed) - popcount(own & exposed)


@inner
def square_difference(own: Word, opp: Word) -> Value:
    """Return the value of the occupied squares with the weights of report 000's program, own minus opponent's."""
    total = 90 * (popcount(own & CORNERS) - popcount(opp & CORNERS))
    total -= 60 * (popcount(own & X_SQUARES) - popcount(opp & X_SQUARES))
    total += 5 * (popcount(own & EDGES) - popcount(opp & EDGES))
    # The squares around a corner are no longer dangerous once it is occupied.
    near = _quarters((own | opp) & CORNERS)
    total += 10 * (popcount(own & near) - popcount(opp & near))
    return total


@inner
def _column(board: Word, right: int) -> Word:
    """Return the squares of the board's left column as a byte, or of the right column if `right` is set."""
    shifted = board >> U64(7) if right else board
    return multiply(shifted & U64(0x0101010101010101), U64(0x0102040810204080)) >> U64(56)


@inner
def _edge(own: Word, opp: Word, learnt: int) -> Value:
    return EDGE_VALUES[learnt, TERNARY[own] + 2 * TERNARY[opp]]


@inner
def edge_difference(own: Word, opp: Word, learnt: int) -> Value:
    """Return the sum of the values of the four edges, from edge table number `learnt` (0 or 1)."""
    low, high = U64(0xFF), U64(56)
    total = _edge(own & low, opp & low, learnt) + _edge(own >> high, opp >> high, learnt)
    for right in (False, True):
        total += _edge(_column(own, right), _column(opp, right), learnt)
    return total


@value.register(Discs)
def _(evaluation, game, position, state):
    return popcount(position.own) - popcount(position.opp)


@final.register(Discs)
def _(evaluation, game, position):
    return score(game, position)


@value.register(Mobility)
def _(evaluation, game, position, state):
    return mobility_difference(game, position.own, position.opp)


@value.register(FourPart)
def _(evaluation, game, position, state):
    own, opp = position.own, position.opp
    tenths = (popcount(own | opp) + 5) // 10
    rise, fall = 1 + tenths, 7 - tenths
    total = (
        2 * square_difference(own, opp)
        + mobility_difference(game, own, opp) * (3 + rise)
        + potential_difference(game, own, opp) * fall * evaluation.potential
        + stone_difference(own, opp) * rise
    )
    if evaluation.edges != 0:
        total += EDGE_WEIGHT * edge_difference(own, opp, evaluation.edges - 1)
    # Round towards zero, so that the opponent's value is the negative.
    return total // evaluation.divisor if total >= 0 else -(-total // evaluation.divisor)


@value.register(Phased)
def _(evaluation, game, position, state):
    own, opp = position.own, position.opp
    occupied = own | opp
    weights = PHASE_WEIGHTS[min((popcount(occupied) - 4) // DISCS_PER_PHASE, PHASES - 1)]
    total = weights[0] * mobility_difference(game, own, opp) + weights[1] * potential_difference(game, own, opp)
    total += weights[2] * (popcount(own & CORNERS) - popcount(opp & CORNERS))
    # The 2×2 squares at empty corners, at own corners and at the opponent's.
    free, mine, yours = _quarters(CORNERS & ~occupied), _quarters(own & CORNERS), _quarters(opp & CORNERS)
    beside, diagonal = free & C_SQUARES, free & X_SQUARES
    total += weights[3] * (popcount(own & beside) - popcount(opp & beside))
    total += weights[4] * (popcount(own & diagonal) - popcount(opp & diagonal))
    total += weights[5] * (popcount(own & EDGES) - popcount(opp & EDGES))
    near = C_SQUARES | X_SQUARES
    total += weights[6] * (popcount(own & mine & near) - popcount(opp & yours & near))
    return total + weights[7] * (popcount(own) - popcount(opp))


EVALUATIONS = (
    NamedEvaluation(name="phased", evaluation=Phased(), unit="discs", points=10),
    NamedEvaluation(name="four-part", evaluation=FourPart(8)),
    NamedEvaluation(name="four-part-fine", evaluation=FourPart(1)),
    NamedEvaluation(name="four-part+edges", evaluation=FourPart(8, 1)),
    NamedEvaluation(name="three-part", evaluation=FourPart(8, potential=0)),
    NamedEvaluation(name="discs", evaluation=Discs(), unit="discs", won=0),
    NamedEvaluation(name="mobility", evaluation=Mobility()),
)
