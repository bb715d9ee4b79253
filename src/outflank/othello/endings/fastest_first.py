"""The endgame solver for seven or more empty squares. It tries moves with the fewest replies first, and uses a
table."""

import numpy as np

from outflank.games.rules import Game, Position, Value
from outflank.kernels.bits import U64, Int, Word, lowest, popcount
from outflank.kernels.compiler import Samples, inner, kernel
from outflank.othello.endings.flipping import ONE, turned
from outflank.othello.endings.last_moves import NONE, SHALLOW, ZERO, final, shallow
from outflank.othello.endings.line_tables import QUADRANT
from outflank.othello.endings.stability import score_ceiling
from outflank.othello.endings.workspace import (
    NO_SQUARE,
    NOTHING,
    Workspace,
    at_least,
    at_most,
    best_square,
    lookup,
    new_spaces,
    pair_of,
    prefetch_pair,
    store,
)
from outflank.othello.rules import Othello, legal

ANSWER, CORNER_ANSWER, ODD_QUARTER = 32, 32, 3
"""Weights of move ordering: a penalty for each reply that a move leaves, another penalty for each reply in a corner,
and a bonus for a quarter of the board with an odd number of empty squares. With 13 empty squares, a penalty of 8
instead of 32 for corners made the solver 1 % slower. Terms for potential mobility and newly stable discs cost more time
than they saved. With fewer than 12 empty squares, the same was true of looking up all children in the table before
searching any of them."""

REMEMBERED = U64(SHALLOW + 1)
"""Number of empty squares above which the children of a position can be in the table."""

KNOWN_BEST = 1 << 20
SQUARE_BITS = 63


@inner
def _promise(space: Workspace, answers: Word) -> int:
    """Return the ordering value of a move that leaves the opponent the replies `answers`: high if they are few."""
    return -ANSWER * popcount(answers) - CORNER_ANSWER * popcount(answers & space.corners)


@inner
def _fill(space: Workspace, own: Word, opp: Word, moves: Word, row: Int, parity: Word, known_best: Word) -> Int:
    """Write each move's flipped discs, replies and ordering value to row `row` of the workspace; return the number of
    moves. The low six bits of an ordering value are the move's square.

    Two short loops are faster than one long loop. The instructions for one move depend on each other. If they are few,
    a processor that looks some hundred instructions ahead works on several moves at once. Two loops save 2 % of the
    solver's time on a Neoverse-N1.
    """
    todo = moves
    while todo != ZERO:
        square = U64(lowest(todo))
        todo &= todo - ONE
        flipped = turned(space, own, opp, square)
        space.turned[row, square] = flipped
        if row > REMEMBERED:
            prefetch_pair(space, opp ^ flipped, own ^ flipped ^ (ONE << square))
    odd = space.quarters[parity]
    end = U64(0)
    while moves != ZERO:
        square = U64(lowest(moves))
        moves &= moves - ONE
        flipped = space.turned[row, square]
        child_own, child_opp = opp ^ flipped, own ^ flipped ^ (ONE << square)
        answers = legal(child_own, child_opp) & space.mask
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
def _take_best(space: Workspace, row: Int, index: Int, end: Int) -> Word:
    """Return the square of the best of the moves `index` to `end` - 1, and put the move at `index` in its place."""
    best_index = index
    most_promising = space.promise[row, index]
    candidate = index + ONE
    while candidate < end:
        if space.promise[row, candidate] > most_promising:
            most_promising = space.promise[row, candidate]
            best_index = candidate
        candidate += ONE
    space.promise[row, best_index] = space.promise[row, index]
    return U64(most_promising & SQUARE_BITS)


@kernel
def fastest_first(
    space: Workspace, own: Word, opp: Word, alpha: Value, empties: int, parity: Word, moves: Word
) -> Value:
    """Return a bound r on the value v of a position with `empties` empty squares, with

        r <= alpha  =>  v <= r
        r >  alpha  =>  v >= r

    `parity` has a bit for each quarter with an odd number of empty squares; `moves` are the legal moves of `own`."""
    space.nodes += 1
    if alpha >= space.stable_from[U64(empties)]:
        bound = score_ceiling(space, own, opp)
        if bound <= alpha:
            return bound
    pair = pair_of(own, opp)
    known = lookup(space, own, opp, pair)
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
    best_move = NO_SQUARE
    index = U64(0)
    while index < end:
        square = _take_best(space, row, index, end)
        index += ONE
        flipped, answers = space.turned[row, square], space.answers[row, square]
        child_own, child_opp = opp ^ flipped, own ^ flipped ^ (ONE << square)
        child_parity = parity ^ space.square[square, QUADRANT]
        if empties - 1 <= SHALLOW:
            child_value = -shallow(space, child_own, child_opp, -alpha - 1, empties - 1, child_parity, answers)
        else:
            child_value = -fastest_first(space, child_own, child_opp, -alpha - 1, empties - 1, child_parity, answers)
        if child_value > best:
            best = child_value
            best_move = square
            if child_value > alpha:
                break
    if best > alpha:
        store(space, own, opp, pair, empties, best, space.area, best_move)
    else:
        store(space, own, opp, pair, empties, -space.area, best, best_move)
    return best


@fastest_first.sample
def _sample(game: Game, position: Position, every: bool) -> Samples:
    if isinstance(game, Othello):
        yield new_spaces(game, 1)[0], U64(0x1), U64(0x7E), 0, 8, U64(0), U64(0)
