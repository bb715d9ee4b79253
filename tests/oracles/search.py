"""What value a tree has, by the definition: no cut-off, no table, no order, no iterations."""

import numpy as np

from outflank.games.evaluation import begin, final, value
from outflank.games.rules import MOVE, fill, is_noisy, is_pass, most_moves, play
from outflank.kernels.compiler import kernel


@kernel
def settle(game, evaluation, position, plies, moves, ply):
    """The better of stopping here and any noisy move, `plies` deep."""
    best = np.int64(value(evaluation, game, position, begin(evaluation, game, position)))
    if plies == 0:
        return best
    count = fill(game, position, moves[ply], 0)
    if count == 0:
        return np.int64(final(evaluation, game, position))
    for index in range(count):
        if is_noisy(game, moves[ply, index]):
            child = play(game, position, moves[ply, index])
            best = max(best, -settle(game, evaluation, child, plies - 1, moves, ply + 1))
    return best


@kernel
def minimax(game, evaluation, position, depth, passes, quiet, moves, ply):
    """The value at `depth`; a pass is free (0), costs a ply (1) or has the node evaluated (2);
    lines go on for `quiet` plies of noisy moves.

    `moves` has a row of room per ply.
    """
    if depth == 0:
        return settle(game, evaluation, position, quiet, moves, ply)
    count = fill(game, position, moves[ply], 0)
    if count == 0:
        return np.int64(final(evaluation, game, position))
    if count == 1 and is_pass(game, moves[ply, 0]):
        if passes == 2:
            return np.int64(value(evaluation, game, position, begin(evaluation, game, position)))
        left = depth if passes == 0 else depth - 1
        return -minimax(game, evaluation, play(game, position, moves[ply, 0]), left, passes, quiet, moves, ply + 1)
    best = np.int64(-(10**9))
    for index in range(count):
        child = play(game, position, moves[ply, index])
        best = max(best, -minimax(game, evaluation, child, depth - 1, passes, quiet, moves, ply + 1))
    return best


def by_hand(game, position, plies, at_the_end):
    """The value `plies` deep of what `at_the_end` says of positions; passes cost nothing."""
    buffer = np.zeros(int(most_moves(game)), MOVE)
    count = fill(game, position, buffer, 0)
    if count == 0 or plies == 0:
        return at_the_end(position)
    left = plies if is_pass(game, buffer[0]) else plies - 1
    return max(-by_hand(game, play(game, position, move), left, at_the_end) for move in buffer[:count])
