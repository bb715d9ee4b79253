"""Seven empty squares and more: the move that leaves the opponent the fewest answers first, and a table."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from outflank.kernels.bits import U64, lowest, popcount
from outflank.kernels.compiler import inner, kernel
from outflank.othello.endings.flipping import ONE, turned
from outflank.othello.endings.geometry import QUADRANT
from outflank.othello.endings.last_moves import NONE, ZERO, final
from outflank.othello.endings.memory import (
    NO_SQUARE,
    NOTHING,
    announce,
    at_least,
    at_most,
    best_square,
    keep,
    pair_of,
    recall,
)
from outflank.othello.endings.shallow import SHALLOW, shallow
from outflank.othello.endings.stability import most
from outflank.othello.endings.workspace import new_spaces
from outflank.othello.rules import Othello, legal

ANSWER, CORNER_ANSWER, ODD_QUARTER = 32, 32, 3
"""What makes a move less promising: each answer that it leaves, and as much again for the corners among them (a quarter
of it is 1 % slower with 13 empty squares); more promising: that it is in an odd quarter. Squares that the opponent may
come to play, and discs that have become stable, gave no better order for their cost; nor did children that the table
knows, looked up before others are tried, cut off enough below 12 empty squares."""

REMEMBERED = U64(SHALLOW + 1)
"""With more empty squares than this the positions after the moves are in the table."""

KNOWN_BEST = 1 << 20
SQUARE_BITS = 63


@inner
def _promise(space: Any, answers: Any) -> Any:
    """How little a side can do that has these moves."""
    return -ANSWER * popcount(answers) - CORNER_ANSWER * popcount(answers & space.corners)


@inner
def _fill(space: Any, own: Any, opp: Any, moves: Any, row: Any, parity: Any, known_best: Any) -> Any:
    """Write the moves, each with its promise above its square, what they turn and what answers they leave; how many
    there are.

    In two loops: each step of one waits for the one before it, and a processor that looks some hundred instructions
    ahead has several moves under way where the way through one is short. That is 2 % of the time of endings, on a
    Neoverse-N1.
    """
    todo = moves
    while todo != ZERO:
        square = U64(lowest(todo))
        todo &= todo - ONE
        flipped = turned(space, own, opp, square)
        space.turned[row, square] = flipped
        if row > REMEMBERED:
            announce(space, opp ^ flipped, own ^ flipped ^ (ONE << square))
    odd = space.quarters[parity]
    end = U64(0)
    while moves != ZERO:
        square = U64(lowest(moves))
        moves &= moves - ONE
        flipped = space.turned[row, square]
        child, other = opp ^ flipped, own ^ flipped ^ (ONE << square)
        answers = legal(child, other) & space.mask
        space.answers[row, square] = answers
        promise = _promise(space, answers) + space.worth[square]
        if (odd >> square) & ONE != ZERO:
            promise += ODD_QUARTER
        if square == known_best:
            promise += KNOWN_BEST
        space.promise[row, end] = (promise << 6) | np.int64(square)
        end += ONE
    return end


@inner
def _take_best(space: Any, row: Any, index: Any, end: Any) -> Any:
    """The square of the most promising move that is left; the one at `index` goes to where it was."""
    chosen = index
    most_promising = space.promise[row, index]
    other = index + ONE
    while other < end:
        if space.promise[row, other] > most_promising:
            most_promising = space.promise[row, other]
            chosen = other
        other += ONE
    space.promise[row, chosen] = space.promise[row, index]
    return U64(most_promising & SQUARE_BITS)


@kernel
def fastest_first(space: Any, own: Any, opp: Any, alpha: Any, empties: Any, parity: Any, moves: Any) -> Any:
    """The value v of a position with `empties` empty squares, of which `parity` has the odd quarters' bits, and in
    which `own` has these `moves`: r with

    r <= alpha  =>  v <= r
    r >  alpha  =>  v >= r
    """
    space.nodes += 1
    if alpha >= space.stable_from[U64(empties)]:
        bound = most(space, own, opp)
        if bound <= alpha:
            return bound
    pair = pair_of(own, opp)
    known = recall(space, own, opp, pair)
    known_best = NO_SQUARE
    if known != NOTHING:
        if at_least(known) > alpha:
            return at_least(known)
        if at_most(known) <= alpha:
            return at_most(known)
        known_best = best_square(known)
    if moves == ZERO:
        moves = legal(opp, own) & space.mask
        if moves == ZERO:
            return final(space, own, opp)
        return -fastest_first(space, opp, own, -alpha - 1, empties, parity, moves)
    row = U64(empties)
    end = _fill(space, own, opp, moves, row, parity, known_best)
    best = NONE
    best_of_all = NO_SQUARE
    index = U64(0)
    while index < end:
        square = _take_best(space, row, index, end)
        index += ONE
        flipped, answers = space.turned[row, square], space.answers[row, square]
        child, other = opp ^ flipped, own ^ flipped ^ (ONE << square)
        left = parity ^ space.square[square, QUADRANT]
        if empties - 1 <= SHALLOW:
            found = -shallow(space, child, other, -alpha - 1, empties - 1, left, answers)
        else:
            found = -fastest_first(space, child, other, -alpha - 1, empties - 1, left, answers)
        if found > best:
            best = found
            best_of_all = square
            if found > alpha:
                break
    if best > alpha:
        keep(space, own, opp, pair, empties, best, space.area, best_of_all)
    else:
        keep(space, own, opp, pair, empties, -space.area, best, best_of_all)
    return best


@fastest_first.sample
def _sample(game: Any, position: Any, every: bool) -> Iterator[tuple[Any, ...]]:
    if isinstance(game, Othello):
        yield new_spaces(game, 1)[0], U64(0x1), U64(0x7E), 0, 8, U64(0), U64(0)
