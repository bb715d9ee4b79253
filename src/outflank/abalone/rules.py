"""Abalone's rules on bitboards of 61 cells, one for each side; vector lanes handle all six directions at once."""

from enum import IntEnum
from typing import NamedTuple

import numpy as np

from outflank.abalone.geometry import (
    BIT,
    BIT_IMAGE,
    BOARD,
    CELL_IMAGE,
    CELL_OF_BIT,
    DIRECTION_IMAGE,
    FORWARD,
    INSIDE,
    RING,
    ROTATION,
    SYMMETRIES,
)
from outflank.games.rules import (
    MOVE,
    MoveCode,
    count,
    fill,
    is_noisy,
    is_pass,
    mirror,
    mirror_move,
    most_moves,
    over,
    pack,
    play,
    score,
    symmetries,
    unpack,
)
from outflank.kernels.bits import U64, Int, lowest, popcount
from outflank.kernels.compiler import inner
from outflank.kernels.lanes import Vector, bit_counts, lane, lanes, merged, spread, total


class Kind(IntEnum):
    """The kinds of moves, in the order in which report 003's program tries them.

    Directions are a sixth of a turn apart. A side step to the left goes in the direction before the direction of the
    line, and a side step to the right goes in the direction after it. Left and right are seen from the rear marble,
    looking along the line, if row A is on top as in the program's position files.
    """

    OUT2 = 0  # three marbles push two, one of them off the board
    OUT1_WITH3 = 1
    OUT1_WITH2 = 2
    PUSH2 = 3
    PUSH1_WITH3 = 4
    PUSH1_WITH2 = 5
    MOVE3 = 6
    LEFT3 = 7
    RIGHT3 = 8
    LEFT2 = 9
    RIGHT2 = 10
    MOVE2 = 11
    MOVE1 = 12


MARBLES = np.array([3, 3, 2, 3, 3, 2, 3, 3, 3, 2, 2, 2, 1], np.int64)  # own marbles that move, by kind
PUSHED = np.array([2, 1, 1, 2, 1, 1, 0, 0, 0, 0, 0, 0, 0], np.int64)  # pushed marbles, by kind
SIDEWAYS = np.array([0, 0, 0, 0, 0, 0, 0, 5, 1, 5, 1, 0, 0], np.int64)  # from the line's direction to the step's
MIRRORED = np.array([0, 1, 2, 3, 4, 5, 6, 8, 7, 10, 9, 11, 12], np.uint16)  # mirror image of each kind
LAST_OUT = int(Kind.OUT1_WITH2)  # kinds up to this one cost the opponent a marble


class Abalone(NamedTuple):
    """The rules of a game of Abalone."""

    marbles: int
    """Number of marbles of each side at the start."""
    goal: int
    """Number of lost marbles with which a side loses the game."""


class AbalonePosition(NamedTuple):
    """The marbles of the side to move and of the opponent, as bits."""

    own: np.uint64
    opp: np.uint64


# A move code consists of the kind, the number of the rear marble's cell, and the direction of the line. Report 003's
# program searches moves in ascending order of this code.


@inner
def encoded(kind: int, cell: int, direction: int) -> MoveCode:
    """Return the code of a move, given the rear marble's cell and the direction of its line."""
    return MOVE((kind << 9) | (cell << 3) | direction)


@inner
def kind_of(move: MoveCode) -> Int:
    """Return the kind of a move, as the number of a `Kind`."""
    return np.int64(move) >> 9


@inner
def cell_of(move: MoveCode) -> Int:
    """Return the number of the cell of a move's rear marble."""
    return (np.int64(move) >> 3) & 63


@inner
def direction_of(move: MoveCode) -> Int:
    """Return the direction of a move's line; a side step goes in another direction."""
    return np.int64(move) & 7


ZERO, ONE = U64(0), U64(1)
K0, K1, K2, K3, K4, K5 = (U64(places) for places in FORWARD)
N0, N1, N2, N3, N4, N5 = (U64(RING - places) for places in FORWARD)
I0, I1, I2, I3, I4, I5 = INSIDE


@inner
def _behind(boards: Vector) -> Vector:
    """Return, in the lane of each direction, the cells whose neighbour in that direction is on the lane's board."""
    back = (boards << lanes(N0, N1, N2, N3, N4, N5, ONE, ONE)) | (boards >> lanes(K0, K1, K2, K3, K4, K5, ONE, ONE))
    return back & lanes(I0, I1, I2, I3, I4, I5, ZERO, ZERO)


@inner
def _behind_right(boards: Vector) -> Vector:
    """Like `_behind`, but with the neighbour in the next direction."""
    back = (boards << lanes(N1, N2, N3, N4, N5, N0, ONE, ONE)) | (boards >> lanes(K1, K2, K3, K4, K5, K0, ONE, ONE))
    return back & lanes(I1, I2, I3, I4, I5, I0, ZERO, ZERO)


@inner
def _behind_left(boards: Vector) -> Vector:
    """Like `_behind`, but with the neighbour in the previous direction."""
    back = (boards << lanes(N5, N0, N1, N2, N3, N4, ONE, ONE)) | (boards >> lanes(K5, K0, K1, K2, K3, K4, ONE, ONE))
    return back & lanes(I5, I0, I1, I2, I3, I4, ZERO, ZERO)


@inner
def _edge() -> Vector:
    """Return, in the lane of each direction, the cells without a neighbour on the board in that direction."""
    return spread(BOARD, lanes(I0, I1, I2, I3, I4, I5, ZERO, ZERO)) & ~lanes(I0, I1, I2, I3, I4, I5, BOARD, BOARD)


@inner
def _decided(game: Abalone, position: AbalonePosition) -> bool:
    """Return whether a side has lost enough marbles to lose the game."""
    least = game.marbles - game.goal
    return popcount(position.own) <= least or popcount(position.opp) <= least


@most_moves.register(Abalone)
def _(game):
    # Count the moves that step in one direction d. Each marble is the rear of at most one move along its line. In a
    # side step, a line of marbles across d moves, and each of them could step in d alone: call these marbles free. Let
    # x be free. Its neighbours x + (d+1) and x - (d-1) cannot both be free, because the first is the cell ahead of the
    # second, and the cell ahead of a free marble is empty. The same holds behind x. So free marbles form chains, which
    # have fewer pairs than marbles and even fewer triples.
    return 6 * (game.marbles + (game.marbles - 1) + (game.marbles - 2))


@count.register(Abalone)
def _(game, position):
    if _decided(game, position):
        return 0
    edge = _edge()
    own = spread(position.own, edge)
    opp = spread(position.opp, edge)
    empty_ahead = _behind(spread(BOARD & ~(position.own | position.opp), edge))
    yields1 = opp & (empty_ahead | edge)
    yields1_ahead = _behind(yields1)
    yields2_ahead = _behind(opp & yields1_ahead)
    steps = own & empty_ahead
    # The rear marbles of lines that can advance; a line of two can push one marble, a line of three two.
    pairs = own & _behind(own & (empty_ahead | yields1_ahead))
    triples = own & _behind(own & _behind(own & (empty_ahead | yields1_ahead | yields2_ahead)))
    # No cell is the rear of two of these lines: the first cell ahead without an own marble distinguishes them.
    moves = bit_counts(steps | pairs | triples)
    # Side steps: lines of marbles that can all step in this direction.
    across = steps & _behind_right(steps)
    moves = moves + bit_counts(across) + bit_counts(across & _behind_right(across))
    across = steps & _behind_left(steps)
    moves = moves + bit_counts(across) + bit_counts(across & _behind_left(across))
    return total(moves)


@inner
def _write(moves, end, kind, rears):
    """Append the moves of one kind to `moves`, and return the new end; `rears` has the rear marbles by direction."""
    if merged(rears) != ZERO:
        for direction in range(6):
            todo = lane(rears, direction)
            while todo != ZERO:
                moves[end] = encoded(kind, np.int64(CELL_OF_BIT[lowest(todo)]), direction)
                end += 1
                todo &= todo - ONE
    return end


@fill.register(Abalone)
def _(game, position, moves, start):
    end = start
    if _decided(game, position):
        return end
    edge = _edge()
    own = spread(position.own, edge)
    opp = spread(position.opp, edge)
    empty_ahead = _behind(spread(BOARD & ~(position.own | position.opp), edge))
    leaves1_ahead = _behind(opp & edge)
    yields1_ahead = _behind(opp & empty_ahead)
    leaves2_ahead = _behind(opp & leaves1_ahead)
    yields2_ahead = _behind(opp & yields1_ahead)
    if merged(own & (leaves1_ahead | yields1_ahead | leaves2_ahead | yields2_ahead)) != ZERO:
        end = _write(moves, end, 0, own & _behind(own & _behind(own & leaves2_ahead)))
        end = _write(moves, end, 1, own & _behind(own & _behind(own & leaves1_ahead)))
        end = _write(moves, end, 2, own & _behind(own & leaves1_ahead))
        end = _write(moves, end, 3, own & _behind(own & _behind(own & yields2_ahead)))
        end = _write(moves, end, 4, own & _behind(own & _behind(own & yields1_ahead)))
        end = _write(moves, end, 5, own & _behind(own & yields1_ahead))
    steps = own & empty_ahead
    left = own & _behind_left(spread(BOARD & ~(position.own | position.opp), edge))
    right = own & _behind_right(spread(BOARD & ~(position.own | position.opp), edge))
    pairs = own & _behind(steps)
    left_pairs = left & _behind(left)
    right_pairs = right & _behind(right)
    end = _write(moves, end, 6, own & _behind(pairs))
    end = _write(moves, end, 7, left & _behind(left_pairs))
    end = _write(moves, end, 8, right & _behind(right_pairs))
    end = _write(moves, end, 9, left_pairs)
    end = _write(moves, end, 10, right_pairs)
    end = _write(moves, end, 11, pairs)
    return _write(moves, end, 12, steps)


@inner
def _rotated(board, places):
    return ((board << places) | (board >> (U64(RING) - places))) & BOARD


@play.register(Abalone)
def _(game, position, move):
    kind = kind_of(move)
    direction = direction_of(move)
    marbles = MARBLES[kind]
    rear = ONE << BIT[cell_of(move)]
    own, opp = position.own, position.opp
    if SIDEWAYS[kind] == 0:
        front = _rotated(rear, ROTATION[direction, marbles])
        own ^= rear | front
        if PUSHED[kind] > 0:
            opp ^= front
            if kind > LAST_OUT:
                opp ^= _rotated(rear, ROTATION[direction, marbles + PUSHED[kind]])
    else:
        line = rear | _rotated(rear, ROTATION[direction, 1])
        if marbles == 3:
            line |= _rotated(rear, ROTATION[direction, 2])
        own ^= line | _rotated(line, ROTATION[(direction + SIDEWAYS[kind]) % 6, 1])
    return AbalonePosition(opp, own)


@is_pass.register(Abalone)
def _(game, move):
    return False


@is_noisy.register(Abalone)
def _(game, move):
    return kind_of(move) <= LAST_OUT


@over.register(Abalone)
def _(game, position):
    return count(game, position) == 0


@score.register(Abalone)
def _(game, position):
    # A win scores 1. A side with too few marbles has lost, and so has a side that cannot move.
    least = game.marbles - game.goal
    if popcount(position.opp) <= least and popcount(position.own) > least:
        return 1
    return -1


@pack.register(Abalone)
def _(game, position):
    return position.own, position.opp


@unpack.register(Abalone)
def _(game, first, second):
    return AbalonePosition(first, second)


@symmetries.register(Abalone)
def _(game):
    return SYMMETRIES


@inner
def _transformed(board, symmetry):
    image = ZERO
    while board != ZERO:
        image |= ONE << BIT_IMAGE[symmetry, lowest(board)]
        board &= board - ONE
    return image


@mirror.register(Abalone)
def _(game, position, symmetry):
    return AbalonePosition(_transformed(position.own, symmetry), _transformed(position.opp, symmetry))


@mirror_move.register(Abalone)
def _(game, move, symmetry):
    kind = kind_of(move)
    if symmetry >= 6:
        kind = np.int64(MIRRORED[kind])
    cell = np.int64(CELL_IMAGE[symmetry, cell_of(move)])
    direction = np.int64(DIRECTION_IMAGE[symmetry, direction_of(move)])
    return encoded(kind, cell, direction)
