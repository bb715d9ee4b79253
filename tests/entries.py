"""The generic functions of a game as kernels, so that tests run what the compiler made of them.

With `NUMBA_DISABLE_JIT=1` the same tests run the Python twins.
"""

import numpy as np

from outflank.games import rules
from outflank.kernels.compiler import kernel


def words(position):
    """The position with words of the kernels' type: a kernel hands Python plain integers."""
    return type(position)(*map(np.uint64, position))


@kernel
def fill(game, position, moves, start):
    return rules.fill(game, position, moves, start)


@kernel
def count(game, position):
    return rules.count(game, position)


@kernel
def play_kernel(game, position, move):
    return rules.play(game, position, move)


def play(game, position, move):
    return words(play_kernel(game, position, rules.MOVE(move)))


@kernel
def is_pass(game, move):
    return rules.is_pass(game, move)


@kernel
def over(game, position):
    return rules.over(game, position)


@kernel
def score(game, position):
    return rules.score(game, position)


@kernel
def pack(game, position):
    return rules.pack(game, position)


@kernel
def unpack_kernel(game, first, second):
    return rules.unpack(game, first, second)


def unpack(game, first, second):
    return words(unpack_kernel(game, np.uint64(first), np.uint64(second)))


@kernel
def mirror_kernel(game, position, symmetry):
    return rules.mirror(game, position, symmetry)


def mirror(game, position, symmetry):
    return words(mirror_kernel(game, position, symmetry))


@kernel
def mirror_move(game, move, symmetry):
    return rules.mirror_move(game, move, symmetry)


@kernel
def canonical(game, position):
    return rules.canonical(game, position)
