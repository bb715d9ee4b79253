"""Five to seven empty squares: moves in odd quarters first, nothing sorted, nothing remembered.

To sort seven empties by mobility, or to remember them, costs more than it wins.
"""

from collections.abc import Iterator
from typing import Any

from outflank.games.endings import workspace
from outflank.kernels.bits import U64, lowest
from outflank.kernels.compiler import kernel
from outflank.othello.endings.flipping import ONE, turned
from outflank.othello.endings.geometry import QUADRANT
from outflank.othello.endings.last_moves import NONE, ZERO, final, last_four
from outflank.othello.endings.stability import most
from outflank.othello.rules import Othello, legal

SHALLOW = 7
"""So many empty squares at most."""

STABLE_FROM = 2
"""Stability is looked at where the opponent needs so many discs, and twice as many more as there are empty squares: the
lower the score that is asked for, the seldomer it answers."""


@kernel
def shallow(space: Any, own: Any, opp: Any, alpha: Any, empties: Any, parity: Any) -> Any:
    """The value v of a position with `empties` empty squares, of which `parity` has the odd quarters' bits: r with

    r <= alpha  =>  v <= r
    r >  alpha  =>  v >= r
    """
    space.nodes += 1
    if alpha >= 2 * empties - STABLE_FROM:
        bound = most(space, own, opp)
        if bound <= alpha:
            return bound
    moves = legal(own, opp) & space.mask
    if moves == ZERO:
        if legal(opp, own) & space.mask == ZERO:
            return final(space, own, opp)
        return -shallow(space, opp, own, -alpha - 1, empties, parity)
    best = NONE
    todo = moves & space.quarters[parity]
    later = moves ^ todo
    for _ in range(2):
        while todo != ZERO:
            square = U64(lowest(todo))
            todo &= todo - ONE
            flipped = turned(space, own, opp, square)
            child, other = opp ^ flipped, own ^ flipped ^ (ONE << square)
            left = parity ^ space.square[square, QUADRANT]
            if empties == 5:
                found = -last_four(space, child, other, -alpha - 1, left)
            else:
                found = -shallow(space, child, other, -alpha - 1, empties - 1, left)
            if found > best:
                best = found
                if found > alpha:
                    return best
        todo = later
        later = ZERO
    return best


@shallow.sample
def _sample(game: Any, position: Any, every: bool) -> Iterator[tuple[Any, ...]]:
    if isinstance(game, Othello):
        # One row of two colours, and nothing to turn below it.
        yield workspace(game)[0], U64(0x1), U64(0x7E), 0, 7, U64(0)
