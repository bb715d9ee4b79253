"""Five and six empty squares: moves in odd quarters first, nothing sorted, nothing remembered."""

from collections.abc import Iterator
from typing import Any

from outflank.kernels.bits import U64, lowest
from outflank.kernels.compiler import kernel
from outflank.othello.endings.flipping import ONE, turned
from outflank.othello.endings.geometry import QUADRANT
from outflank.othello.endings.last_moves import NONE, ZERO, final, last_four
from outflank.othello.endings.stability import most
from outflank.othello.endings.workspace import new_space
from outflank.othello.rules import Othello, legal

SHALLOW = 6
"""So many empty squares at most. With seven here as well there were 15 % more nodes, and endings took 1 % longer."""


@kernel
def shallow(space: Any, own: Any, opp: Any, alpha: Any, empties: Any, parity: Any) -> Any:
    """The value v of a position with `empties` empty squares, of which `parity` has the odd quarters' bits: r with

    r <= alpha  =>  v <= r
    r >  alpha  =>  v >= r
    """
    space.nodes += 1
    if alpha >= space.stable_from[U64(empties)]:
        bound = most(space, own, opp)
        if bound <= alpha:
            return bound
    moves = legal(own, opp) & space.mask
    if moves == ZERO:
        if legal(opp, own) & space.mask == ZERO:
            return final(space, own, opp)
        return -shallow(space, opp, own, -alpha - 1, empties, parity)
    best = NONE
    group = ZERO
    while moves != ZERO:
        todo = moves & space.groups[parity, group]
        moves ^= todo
        group += ONE
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
    return best


@shallow.sample
def _sample(game: Any, position: Any, every: bool) -> Iterator[tuple[Any, ...]]:
    if isinstance(game, Othello):
        # One row of two colours, and nothing to turn below it.
        yield new_space(game)[0], U64(0x1), U64(0x7E), 0, 6, U64(0)
