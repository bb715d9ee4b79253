"""Abalone's rules on two words of 61 cells: a lane for each direction, whole boards at a time."""

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
    """The kinds of moves, best first: the order in which report 003's program tries them.

    A side step is named by its direction as seen along its line from the rear marble: left is a sixth of a turn before
    the line's direction, right a sixth after it.
    """

    OUT2 = 0  # three push two, one of them off the board
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


MARBLES = np.array([3, 3, 2, 3, 3, 2, 3, 3, 3, 2, 2, 2, 1], np.int64)  # own marbles moved, by kind
PUSHED = np.array([2, 1, 1, 2, 1, 1, 0, 0, 0, 0, 0, 0, 0], np.int64)  # opponent's marbles pushed, by kind
SIDEWAYS = np.array([0, 0, 0, 0, 0, 0, 0, 5, 1, 5, 1, 0, 0], np.int64)  # turn from the line to the step
MIRRORED = np.array([0, 1, 2, 3, 4, 5, 6, 8, 7, 10, 9, 11, 12], np.uint16)  # the mirror image of each kind
LAST_OUT = int(Kind.OUT1_WITH2)  # kinds up to this one cost the opponent a marble


class Abalone(NamedTuple):
    """The rules in force."""

    marbles: int
    """Marbles of each side at the start."""
    goal: int
    """Marbles off the board that lose the game."""


class AbalonePosition(NamedTuple):
    """Marbles of the side to move and of the opponent."""

    own: np.uint64
    opp: np.uint64


# A move's code: kind, number of the rear marble's cell, direction of the line. In ascending
# order this is the order in which report 003's program searches.


@inner
def encoded(kind: int, cell: int, direction: int) -> MoveCode:
    """Return the move's code."""
    return MOVE((kind << 9) | (cell << 3) | direction)


@inner
def kind_of(move: MoveCode) -> Int:
    """Return the kind, as a number of `Kind`."""
    return np.int64(move) >> 9


@inner
def cell_of(move: MoveCode) -> Int:
    """Return the number of the rear marble's cell."""
    return (np.int64(move) >> 3) & 63


@inner
def direction_of(move: MoveCode) -> Int:
    """Return the direction of the line that moves."""
    return np.int64(move) & 7


ZERO, ONE = U64(0), U64(1)
K0, K1, K2, K3, K4, K5 = (U64(places) for places in FORWARD)
N0, N1, N2, N3, N4, N5 = (U64(RING - places) for places in FORWARD)
I0, I1, I2, I3, I4, I5 = INSIDE


@inner
def _behind(boards: Vector) -> Vector:
    """Return in each direction's lane the cells whose neighbour in that direction is set in it."""
    back = (boards << lanes(N0, N1, N2, N3, N4, N5, ONE, ONE)) | (boards >> lanes(K0, K1, K2, K3, K4, K5, ONE, ONE))
    return back & lanes(I0, I1, I2, I3, I4, I5, ZERO, ZERO)


@inner
def _behind_right(boards: Vector) -> Vector:
    """Return the same as `_behind` with the neighbour one direction further round."""
    back = (boards << lanes(N1, N2, N3, N4, N5, N0, ONE, ONE)) | (boards >> lanes(K1, K2, K3, K4, K5, K0, ONE, ONE))
    return back & lanes(I1, I2, I3, I4, I5, I0, ZERO, ZERO)


@inner
def _behind_left(boards: Vector) -> Vector:
    """Return the same as `_behind` with the neighbour one direction back."""
    back = (boards << lanes(N5, N0, N1, N2, N3, N4, ONE, ONE)) | (boards >> lanes(K5, K0, K1, K2, K3, K4, ONE, ONE))
    return back & lanes(I5, I0, I1, I2, I3, I4, ZERO, ZERO)


@inner
def _edge() -> Vector:
    """Return in each direction's lane the cells whose neighbour is off the board."""
    return spread(BOARD, lanes(I0, I1, I2, I3, I4, I5, ZERO, ZERO)) & ~lanes(I0, I1, I2, I3, I4, I5, BOARD, BOARD)


@inner
def _decided(game: Abalone, position: AbalonePosition) -> bool:
    """Return whether a side has lost enough marbles to lose the game."""
    least = game.marbles - game.goal
    return popcount(position.own) <= least or popcount(position.opp) <= least


@most_moves.register(Abalone)
def _(game):
    # Count the moves in one direction d. Along its line each marble is the rear of one move at
    # most. A side step moves a line of marbles that could each step in d alone, across d. Let x
    # be such a marble: its neighbours x + (d+1) and x - (d-1) cannot both be such marbles, for
    # the first is the cell ahead of the second, which would have to be empty. The same holds
    # behind it. So these marbles form chains, with fewer pairs than marbles and fewer triples
    # still.
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
    # The marbles behind a front that may advance; a front of two may push one, of three two.
    pairs = own & _behind(own & (empty_ahead | yields1_ahead))
    triples = own & _behind(own & _behind(own & (empty_ahead | yields1_ahead | yields2_ahead)))
    # No cell is the rear of two of these: the first cell that is not ours distinguishes them.
    moves = bit_counts(steps | pairs | triples)
    # Lines across: the neighbours one and two directions further round.
    across = steps & _behind_right(steps)
    moves = moves + bit_counts(across) + bit_counts(across & _behind_right(across))
    across = steps & _behind_left(steps)
    moves = moves + bit_counts(across) + bit_counts(across & _behind_left(across))
    return total(moves)


@inner
def _write(moves, end, kind, rears):
    """Append the moves of one kind, given the rear marbles in each direction's lane."""
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
    # 1 for a win: a side with too few marbles has lost, and so has one that cannot move.
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
