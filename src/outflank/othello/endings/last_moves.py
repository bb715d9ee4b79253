"""The endgame solver for one to six empty squares: no table, and separate code for each number of squares.

The solver spends about three quarters of its time here. Each function searches a null window: it returns a bound r on
the value v of its position with

    r <= alpha  =>  v <= r
    r >  alpha  =>  v >= r

Squares in a quarter of the board with an odd number of empty squares are tried first: after a move there, the opponent
has to start in a quarter in which it does not get the last move. With three or four empty squares, a loop rotates the
variables of the squares; with the loop unrolled, the solver took 1.5 % longer.
"""

import numpy as np

from outflank.games.rules import Game, Position, Value
from outflank.kernels.bits import U64, Word, lowest, popcount
from outflank.kernels.compiler import Samples, inlined, inner, kernel
from outflank.othello.endings.flipping import ONE, count_of_last, turned
from outflank.othello.endings.line_tables import NEIGHBOURS, QUADRANT
from outflank.othello.endings.stability import score_ceiling
from outflank.othello.endings.workspace import Workspace, new_spaces
from outflank.othello.rules import Othello, legal

ZERO, FOUR = U64(0), U64(4)
NONE = np.int64(-1 << 20)
"""Best value before any move has been searched; less than any score."""


@inner
def final(space: Workspace, own: Word, opp: Word) -> Value:
    """Return the score of `own` in a position in which neither side can move."""
    difference = popcount(own) - popcount(opp)
    if space.scoring != 0:
        empties = space.area - popcount(own | opp)
        if difference > 0:
            difference += empties
        elif difference < 0:
            difference -= empties
    return difference


@inlined
def last_one(space: Workspace, own: Word, alpha: Value, square: Word) -> Value:
    """Solve a position with one empty square, `square`; the opponent has all discs that are not `own`."""
    space.nodes += 1
    base_score = 2 * popcount(own) + 2 - space.area  # the score without flips
    flip_count = count_of_last(space, own, square)
    if flip_count != 0:
        return base_score + 2 * flip_count
    # `own` passes. If the opponent cannot move either, the square stays empty; otherwise the score is lower.
    empty_score = base_score - 1
    if space.scoring != 0:
        empty_score = base_score if base_score > 0 else base_score - 2
    if empty_score > alpha:
        opp = (space.mask ^ own) ^ (ONE << square)
        flip_count = count_of_last(space, opp, square)
        if flip_count != 0:
            return base_score - 2 - 2 * flip_count
    return empty_score


@inlined
def _best_of_two(space: Workspace, own: Word, opp: Word, alpha: Value, first: Word, second: Word) -> Value:
    """Return the value of the better of two moves of `own`, on `first` or on `second`; `NONE` if neither is legal."""
    best = NONE
    if opp & space.square[first, NEIGHBOURS] != ZERO:
        flipped = turned(space, own, opp, first)
        if flipped != ZERO:
            best = -last_one(space, opp ^ flipped, -alpha - 1, second)
            if best > alpha:
                return best
    if opp & space.square[second, NEIGHBOURS] != ZERO:
        flipped = turned(space, own, opp, second)
        if flipped != ZERO:
            best = max(best, -last_one(space, opp ^ flipped, -alpha - 1, first))
    return best


@inner
def last_two(space: Workspace, own: Word, opp: Word, alpha: Value, first: Word, second: Word) -> Value:
    """Solve a position with the two empty squares `first` and `second`."""
    space.nodes += 1
    best = _best_of_two(space, own, opp, alpha, first, second)
    if best != NONE:
        return best
    best = _best_of_two(space, opp, own, -alpha - 1, first, second)
    if best != NONE:
        return -best
    return final(space, own, opp)


@inner
def last_three(space: Workspace, own: Word, opp: Word, alpha: Value, first: Word, second: Word, third: Word) -> Value:
    """Solve a position with the three empty squares `first`, `second` and `third`."""
    space.nodes += 1
    odd = space.square[first, QUADRANT] ^ space.square[second, QUADRANT] ^ space.square[third, QUADRANT]
    if space.square[first, QUADRANT] & odd == ZERO:
        if space.square[second, QUADRANT] & odd != ZERO:
            first, second = second, first
        else:
            first, third = third, first
    sign = np.int64(1)
    for _ in range(2):
        best = NONE
        for _ in range(3):
            if opp & space.square[first, NEIGHBOURS] != ZERO:
                flipped = turned(space, own, opp, first)
                if flipped != ZERO:
                    child = own ^ flipped ^ (ONE << first)
                    best = max(best, -last_two(space, opp ^ flipped, child, -alpha - 1, second, third))
                    if best > alpha:
                        return sign * best
            first, second, third = second, third, first
        if best != NONE:
            return sign * best
        own, opp = opp, own
        alpha = -alpha - 1
        sign = -sign
    return final(space, own, opp)


@inner
def last_four(space: Workspace, own: Word, opp: Word, alpha: Value, parity: Word) -> Value:
    """Solve a position with four empty squares. `parity` has a bit for each quarter with an odd number of empty
    squares."""
    space.nodes += 1
    if alpha >= space.stable_from[FOUR]:
        bound = score_ceiling(space, own, opp)
        if bound <= alpha:
            return bound
    empty = space.mask & ~(own | opp)
    odd = empty & space.quarters[parity]
    first = U64(lowest(odd if odd != ZERO else empty))
    empty ^= ONE << first
    odd = empty & space.quarters[parity]
    second = U64(lowest(odd if odd != ZERO else empty))
    empty ^= ONE << second
    third = U64(lowest(empty))
    fourth = U64(lowest(empty & (empty - ONE)))
    sign = np.int64(1)
    for _ in range(2):
        best = NONE
        for _ in range(4):
            if opp & space.square[first, NEIGHBOURS] != ZERO:
                flipped = turned(space, own, opp, first)
                if flipped != ZERO:
                    child = own ^ flipped ^ (ONE << first)
                    best = max(best, -last_three(space, opp ^ flipped, child, -alpha - 1, second, third, fourth))
                    if best > alpha:
                        return sign * best
            first, second, third, fourth = second, third, fourth, first
        if best != NONE:
            return sign * best
        own, opp = opp, own
        alpha = -alpha - 1
        sign = -sign
    return final(space, own, opp)


SHALLOW = 6
"""Largest number of empty squares for `shallow`. With seven, the solver visited 15 % more nodes and took 1 % longer."""

FIVE, SIX = U64(5), U64(6)


@inlined
def _seen_by_mover(space: Workspace, own: Word, opp: Word, alpha: Value, moves: Word) -> tuple[Word, ...]:
    """Return (own, opp, alpha, moves, sign) for the side that moves next. This is the opponent if `moves` is empty.
    A value for the side that moves next, times `sign`, is the value for the given `own`."""
    if moves != ZERO:
        return own, opp, alpha, moves, np.int64(1)
    return opp, own, -alpha - 1, legal(opp, own) & space.mask, np.int64(-1)


@inner
def _last_five(space: Workspace, own: Word, opp: Word, alpha: Value, parity: Word) -> Value:
    """Solve a position with five empty squares; return a bound with the inequalities of `shallow`."""
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
    """Return a bound r on the value v of a position with `empties` (5 or 6) empty squares, with

        r <= alpha  =>  v <= r
        r >  alpha  =>  v >= r

    `parity` has a bit for each quarter with an odd number of empty squares; `moves` are the legal moves of `own`. The
    caller already knows the moves. Passing them, and separate code for five squares, save 3 % of the solver's time.
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
        # All discs are on the first row, and neither side has a move on the other rows.
        yield new_spaces(game, 1)[0], U64(0x1), U64(0x7E), 0, 6, U64(0), U64(0)
