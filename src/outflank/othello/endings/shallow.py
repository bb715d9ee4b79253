"""Five and six empty squares: moves in odd quarters first, without sorting and without a table."""

import numpy as np

from outflank.games.rules import Game, Position, Value
from outflank.kernels.bits import U64, Word, lowest
from outflank.kernels.compiler import Samples, inlined, inner, kernel
from outflank.othello.endings.flipping import ONE, turned
from outflank.othello.endings.last_moves import NONE, ZERO, final, last_four
from outflank.othello.endings.line_tables import QUADRANT
from outflank.othello.endings.stability import score_ceiling
from outflank.othello.endings.workspace import Workspace, new_spaces
from outflank.othello.rules import Othello, legal

SHALLOW = 6
"""The most empty squares for this code. With seven there were 15 % more nodes, and endings took 1 % longer."""

FIVE, SIX = U64(5), U64(6)


@inlined
def _seen_by_mover(space: Workspace, own: Word, opp: Word, alpha: Value, moves: Word) -> tuple[Word, ...]:
    """Return the position, the window and the moves as the side sees them that moves, which is the opponent where `own`
    has no `moves`; and the sign of that side's values."""
    if moves != ZERO:
        return own, opp, alpha, moves, np.int64(1)
    return opp, own, -alpha - 1, legal(opp, own) & space.mask, np.int64(-1)


@inner
def _last_five(space: Workspace, own: Word, opp: Word, alpha: Value, parity: Word) -> Value:
    """Solve five empty squares; promise as in `shallow`."""
    space.nodes += 1
    if alpha >= space.stable_from[FIVE]:
        bound = score_ceiling(space, own, opp)
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
            child_own, child_opp = opp ^ flipped, own ^ flipped ^ (ONE << square)
            child_parity = parity ^ space.square[square, QUADRANT]
            best = max(best, -last_four(space, child_own, child_opp, -alpha - 1, child_parity))
            if best > alpha:
                return sign * best
    return sign * best


@kernel
def shallow(space: Workspace, own: Word, opp: Word, alpha: Value, empties: int, parity: Word, moves: Word) -> Value:
    """Return r for the value v of a position with `empties` empty squares, of which `parity` has the odd quarters'
    bits, and in which `own` has these `moves`, with

        r <= alpha  =>  v <= r
        r >  alpha  =>  v >= r

    The caller passes the moves, which it knows already, and five squares have separate code: together that saves 3 % of
    the time of endings.
    """
    if empties == 5:
        return _last_five(space, own, opp, alpha, parity)
    space.nodes += 1
    if alpha >= space.stable_from[SIX]:
        bound = score_ceiling(space, own, opp)
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
            child_own, child_opp = opp ^ flipped, own ^ flipped ^ (ONE << square)
            child_parity = parity ^ space.square[square, QUADRANT]
            best = max(best, -_last_five(space, child_own, child_opp, -alpha - 1, child_parity))
            if best > alpha:
                return sign * best
    return sign * best


@shallow.sample
def _sample(game: Game, position: Position, every: bool) -> Samples:
    if isinstance(game, Othello):
        # One row of two colours, and nothing to flip below it.
        yield new_spaces(game, 1)[0], U64(0x1), U64(0x7E), 0, 6, U64(0), U64(0)
