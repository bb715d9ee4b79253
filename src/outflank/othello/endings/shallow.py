"""Five and six empty squares: moves in odd quarters first, nothing sorted, nothing remembered."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from outflank.kernels.bits import U64, lowest
from outflank.kernels.compiler import inlined, inner, kernel
from outflank.othello.endings.flipping import ONE, turned
from outflank.othello.endings.geometry import QUADRANT
from outflank.othello.endings.last_moves import NONE, ZERO, final, last_four
from outflank.othello.endings.stability import most
from outflank.othello.endings.workspace import new_spaces
from outflank.othello.rules import Othello, legal

SHALLOW = 6
"""So many empty squares at most. With seven here as well there were 15 % more nodes, and endings took 1 % longer."""

FIVE, SIX = U64(5), U64(6)


@inlined
def _seen_by_mover(space: Any, own: Any, opp: Any, alpha: Any, moves: Any) -> Any:
    """The position and what is asked of it, as the side sees it that moves: the other one where `own` has no `moves`;
    and the sign of that side's values."""
    if moves != ZERO:
        return own, opp, alpha, moves, np.int64(1)
    return opp, own, -alpha - 1, legal(opp, own) & space.mask, np.int64(-1)


@inner
def _last_five(space: Any, own: Any, opp: Any, alpha: Any, parity: Any) -> Any:
    """Five empty squares; as below."""
    space.nodes += 1
    if alpha >= space.stable_from[FIVE]:
        bound = most(space, own, opp)
        if bound <= alpha:
            return bound
    moves = legal(own, opp) & space.mask
    own, opp, alpha, moves, sign = _seen_by_mover(space, own, opp, alpha, moves)
    if moves == ZERO:
        return sign * final(space, own, opp)
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
            best = max(best, -last_four(space, child, other, -alpha - 1, left))
            if best > alpha:
                return sign * best
    return sign * best


@kernel
def shallow(space: Any, own: Any, opp: Any, alpha: Any, empties: Any, parity: Any, moves: Any) -> Any:
    """The value v of a position with `empties` empty squares, of which `parity` has the odd quarters' bits, and in
    which `own` has these `moves`: r with

    r <= alpha  =>  v <= r
    r >  alpha  =>  v >= r

    Who comes from above knows the moves already, and five squares have code of their own: together 3 % of the time of
    endings.
    """
    if empties == 5:
        return _last_five(space, own, opp, alpha, parity)
    space.nodes += 1
    if alpha >= space.stable_from[SIX]:
        bound = most(space, own, opp)
        if bound <= alpha:
            return bound
    own, opp, alpha, moves, sign = _seen_by_mover(space, own, opp, alpha, moves)
    if moves == ZERO:
        return sign * final(space, own, opp)
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
            best = max(best, -_last_five(space, child, other, -alpha - 1, left))
            if best > alpha:
                return sign * best
    return sign * best


@shallow.sample
def _sample(game: Any, position: Any, every: bool) -> Iterator[tuple[Any, ...]]:
    if isinstance(game, Othello):
        # One row of two colours, and nothing to turn below it.
        yield new_spaces(game, 1)[0], U64(0x1), U64(0x7E), 0, 6, U64(0), U64(0)
