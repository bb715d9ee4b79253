"""Othello positions in numbers: the evaluations of the reports, and one of our own."""

from typing import Any, NamedTuple

from outflank.games.evaluation import final, register_evaluation, value
from outflank.games.othello.kernels import Othello, legal
from outflank.games.rules import score
from outflank.kernels.bits import U64, popcount
from outflank.kernels.compiler import inner

# Squares of the 8×8 board, by what they are worth. On smaller boards the corners are elsewhere
# and these name ordinary squares or none: the square terms say little there.
CORNERS = U64(0x8100000000000081)
X_SQUARES = U64(0x0042000000004200)  # diagonally beside a corner
C_SQUARES = U64(0x4281000000008142)  # beside a corner on the edge
EDGES = U64(0x3C0081818181003C)  # the rest of the edge
QUARTER_CORNERS = (U64(1), U64(1 << 7), U64(1 << 56), U64(1 << 63))
QUARTERS = (U64(0x0303), U64(0xC0C0), U64(0x0303 << 48), U64(0xC0C0 << 48))  # the 2×2 of each corner


class Discs(NamedTuple):
    """Discs on the board, mine minus yours (reports 002 and 004)."""


class Mobility(NamedTuple):
    """Moves that each side would have, mine minus yours (report 001)."""


class FourPart(NamedTuple):
    """Squares, mobility, potential mobility and discs, weighted by the phase (report 000)."""

    divisor: int
    """8 is the coarse form that report 000 settled on, 1 the fine one."""


class Positional(NamedTuple):
    """The default: mobility and frontier early, corners always, discs at the end."""


@inner
def neighbours(board: Any) -> Any:
    """The squares beside those of `board`, itself perhaps included."""
    row = board | ((board & ~U64(0x8080808080808080)) << U64(1)) | ((board & ~U64(0x0101010101010101)) >> U64(1))
    return row | (row << U64(8)) | (row >> U64(8))


@inner
def stone_difference(own: Any, opp: Any) -> Any:
    """Discs, mine minus yours."""
    return popcount(own) - popcount(opp)


@inner
def mobility_difference(game: Any, own: Any, opp: Any) -> Any:
    """Legal squares, mine minus yours, each side counted as if to move."""
    return popcount(legal(own, opp) & game.mask) - popcount(legal(opp, own) & game.mask)


@inner
def potential_difference(game: Any, own: Any, opp: Any) -> Any:
    """Discs of the other side that touch an empty square: mine to attack minus yours."""
    exposed = neighbours(game.mask & ~(own | opp))
    return popcount(opp & exposed) - popcount(own & exposed)


@inner
def square_difference(own: Any, opp: Any) -> Any:
    """Report 000's worth of the squares, mine minus yours."""
    found = 90 * (popcount(own & CORNERS) - popcount(opp & CORNERS))
    found -= 60 * (popcount(own & X_SQUARES) - popcount(opp & X_SQUARES))
    found += 5 * (popcount(own & EDGES) - popcount(opp & EDGES))
    # The squares round a corner lose their danger once it is taken.
    taken = (own | opp) & CORNERS
    if taken != U64(0):
        near = U64(0)
        for corner, quarter in zip(QUARTER_CORNERS, QUARTERS):  # noqa: B905  # Numba knows no strict
            if taken & corner != U64(0):
                near |= quarter
        found += 10 * (popcount(own & near) - popcount(opp & near))
    return found


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
        + potential_difference(game, own, opp) * fall
        + stone_difference(own, opp) * rise
    )
    # Towards zero, so that the opponent's view is the negative.
    return total // evaluation.divisor if total >= 0 else -(-total // evaluation.divisor)


register_evaluation(Othello, "four-part", FourPart(8))
register_evaluation(Othello, "four-part-fine", FourPart(1))
register_evaluation(Othello, "discs", Discs())
register_evaluation(Othello, "mobility", Mobility())
