"""Othello's rules on bitboards: two 64-bit words, one for each side's discs.

A square is bit `8·row + column`: a1 is bit 0, h1 bit 7. Smaller boards lie in the middle of the 8×8 board, so all sizes
share the starting position and the symmetries. Squares outside a small board stay empty; a mask removes them from the
legal moves and from the count of empty squares.
"""

from typing import NamedTuple

import numpy as np

from outflank.games.rules import (
    MOVE,
    count,
    fill,
    is_legal,
    is_pass,
    mirror,
    mirror_move,
    most_moves,
    moves_left,
    nth_move,
    over,
    pack,
    play,
    score,
    symmetries,
    unpack,
)
from outflank.kernels.bits import U64, Word, bit_at, byte_swap, lowest, popcount
from outflank.kernels.compiler import inlined, inner, never_inlined, unlikely
from outflank.kernels.lanes import Vector, lanes, merged, occupied, spread

PASS = 64
"""The move code of a pass; any other move code is the number of a square."""

DISCS, WINNER_TAKES_EMPTIES = 0, 1
"""The two scoring rules, which differ if a finished board has empty squares."""

ZERO, ONE = U64(0), U64(1)
WHOLE = U64(0xFFFFFFFFFFFFFFFF)
INNER = U64(0x7E7E7E7E7E7E7E7E)  # columns b to g: a line along a row or a diagonal ends at the edge
ACROSS, DOWN, DOWN_LEFT, DOWN_RIGHT = U64(1), U64(8), U64(7), U64(9)


class Othello(NamedTuple):
    """The rules of a game of Othello: the board and the scoring."""

    mask: np.uint64
    """The squares of the board, as bits."""
    scoring: int
    """`DISCS` or `WINNER_TAKES_EMPTIES`."""


class OthelloPosition(NamedTuple):
    """The discs of the side to move and of the opponent, as bits."""

    own: np.uint64
    opp: np.uint64


@inner
def _steps() -> Vector:
    """Return the bit distance between neighbours along a row, a column and both diagonals, one in each lane."""
    return lanes(ACROSS, DOWN, DOWN_LEFT, DOWN_RIGHT)


@inner
def _lines(opp: Word) -> Vector:
    """Return the opponent's discs that may be outflanked, for each of the four directions."""
    return spread(opp, _steps()) & lanes(INNER, WHOLE, INNER, INNER)


@inner
def _run_up(line: Vector, origin: Vector) -> Vector:
    """Return the runs of discs of `line` that begin beside `origin`, towards higher squares; up to six discs."""
    step = _steps()
    run = line & (origin << step)
    run = run | (line & (run << step))
    pairs = line & (line << step)
    run = run | (pairs & (run << (step + step)))
    return run | (pairs & (run << (step + step)))


@inner
def _run_down(line: Vector, origin: Vector) -> Vector:
    """Return the runs of discs of `line` that begin beside `origin`, towards lower squares."""
    step = _steps()
    run = line & (origin >> step)
    run = run | (line & (run >> step))
    pairs = line & (line >> step)
    run = run | (pairs & (run >> (step + step)))
    return run | (pairs & (run >> (step + step)))


@inlined
def legal(own: Word, opp: Word) -> Word:
    """Return the squares on which `own` may play on the 8×8 board; callers apply the mask of a smaller board."""
    step, line = _steps(), _lines(opp)
    mine = spread(own, step)
    reached = (_run_up(line, mine) << step) | (_run_down(line, mine) >> step)
    return merged(reached) & ~(own | opp)


@inlined
def flips(own: Word, opp: Word, disc: Word) -> Word:
    """Return the discs that flip when `own` plays on the square of `disc`, a word with one bit set."""
    step, line = _steps(), _lines(opp)
    mine, placed = spread(own, step), spread(disc, step)
    up, down = _run_up(line, placed), _run_down(line, placed)
    # A run flips only if one of our discs is at its other end.
    return merged((up & occupied((up << step) & mine)) | (down & occupied((down >> step) & mine)))


@never_inlined
def _may_move(game: Othello, own: Word, opp: Word) -> bool:
    """Return whether `own` has a legal move."""
    return legal(own, opp) & game.mask != ZERO


@most_moves.register(Othello)
def _(game):
    return 62  # all squares except two: a move needs a disc of ours and one of the opponent's


@fill.register(Othello)
def _(game, position, moves, start):
    todo = legal(position.own, position.opp) & game.mask
    end = start
    while todo != ZERO:
        moves[end] = MOVE(lowest(todo))
        end += 1
        todo &= todo - ONE
    if end == start and _may_move(game, position.opp, position.own):
        moves[end] = MOVE(PASS)
        end += 1
    return end


@count.register(Othello)
def _(game, position):
    todo = legal(position.own, position.opp) & game.mask
    if unlikely(todo == ZERO):
        return 1 if _may_move(game, position.opp, position.own) else 0
    return popcount(todo)


@play.register(Othello)
@inlined
def _(game, position, move):
    if move == PASS:
        return OthelloPosition(position.opp, position.own)
    disc = bit_at(move)
    turned = flips(position.own, position.opp, disc)
    return OthelloPosition(position.opp ^ turned, position.own ^ turned ^ disc)


@is_legal.register(Othello)
def _(game, position, move, moves):
    todo = legal(position.own, position.opp) & game.mask
    if move == PASS:
        return todo == ZERO and _may_move(game, position.opp, position.own)
    return move < PASS and (todo >> U64(move)) & ONE != ZERO


@nth_move.register(Othello)
def _(game, position, number, moves):
    todo = legal(position.own, position.opp) & game.mask
    if todo == ZERO:
        return MOVE(PASS)
    # The number's bit is in one half of the word, then of the half, and so on: without a branch that a processor would
    # often predict wrongly, several positions are worked on at the same time.
    square, left = 0, np.int64(number)
    for width in (32, 16, 8, 4, 2, 1):
        below = np.int64(popcount(todo & ((ONE << U64(width)) - ONE)))
        upper = left >= below
        left -= below if upper else 0
        square += width if upper else 0
        todo >>= U64(width if upper else 0)
    return MOVE(square)


@is_pass.register(Othello)
def _(game, move):
    return move == PASS


@moves_left.register(Othello)
def _(game, position):
    return popcount(game.mask & ~(position.own | position.opp))


@over.register(Othello)
def _(game, position):
    return (legal(position.own, position.opp) | legal(position.opp, position.own)) & game.mask == ZERO


@score.register(Othello)
def _(game, position):
    difference = popcount(position.own) - popcount(position.opp)
    if game.scoring == WINNER_TAKES_EMPTIES:
        empties = popcount(game.mask & ~(position.own | position.opp))
        if difference > 0:
            difference += empties
        elif difference < 0:
            difference -= empties
    return difference


@pack.register(Othello)
def _(game, position):
    return position.own, position.opp


@unpack.register(Othello)
def _(game, first, second):
    return OthelloPosition(first, second)


# --- symmetries: bit 0 of the number reverses the order of the rows, bit 1 that of the columns,
# --- and then bit 2 reflects the board in the main diagonal


@inner
def _columns_reversed(board):
    odd_bits, low_pairs, low_nibbles = U64(0x5555555555555555), U64(0x3333333333333333), U64(0x0F0F0F0F0F0F0F0F)
    board = ((board >> U64(1)) & odd_bits) | ((board & odd_bits) << U64(1))
    board = ((board >> U64(2)) & low_pairs) | ((board & low_pairs) << U64(2))
    return ((board >> U64(4)) & low_nibbles) | ((board & low_nibbles) << U64(4))


@inner
def _transposed(board):
    swap = (board ^ (board >> U64(7))) & U64(0x00AA00AA00AA00AA)
    board ^= swap ^ (swap << U64(7))
    swap = (board ^ (board >> U64(14))) & U64(0x0000CCCC0000CCCC)
    board ^= swap ^ (swap << U64(14))
    swap = (board ^ (board >> U64(28))) & U64(0x00000000F0F0F0F0)
    return board ^ swap ^ (swap << U64(28))


@inner
def _transformed(board, symmetry):
    if symmetry & 1:
        board = byte_swap(board)
    if symmetry & 2:
        board = _columns_reversed(board)
    if symmetry & 4:
        board = _transposed(board)
    return board


@symmetries.register(Othello)
def _(game):
    return 8


@mirror.register(Othello)
def _(game, position, symmetry):
    return OthelloPosition(_transformed(position.own, symmetry), _transformed(position.opp, symmetry))


@mirror_move.register(Othello)
def _(game, move, symmetry):
    if move == PASS:
        return MOVE(PASS)
    return MOVE(lowest(_transformed(ONE << U64(move), symmetry)))
