"""The principal variation, to its end."""

from typing import Any

import numpy as np

from outflank.games.evaluation import begin
from outflank.games.rules import MOVE, fill, is_pass, mirror_move, play
from outflank.kernels.bits import U64
from outflank.kernels.compiler import inner, kernel
from outflank.search.alphabeta import alphabeta
from outflank.search.keys import table_key
from outflank.search.nodes import depth_after
from outflank.search.proving import tells_no_line
from outflank.search.table import EXACT, NO_MOVE, bound_of, depth_of, looked_up, move_of, value_of
from outflank.search.worker import PASS_EVALUATES


@kernel
def complete(game, evaluation, position, value, depth, line, length, worker, probe):
    """Lengthen a line of `length` moves from `position`, which is worth `value` at `depth`, to its end; its new length.

    The end is that of the depth or of the game. Every move keeps the value: played out and evaluated, the line has it.
    A search leaves lines short where the table knew a value, and minimax leaves none. What is missing is what the
    table knows exactly, or else is searched again, for this value alone. With entries of greater depths
    (`worker.at_least`) a value is of no one depth: then the line is what the table has.

    A kernel, for a search tells its line after every iteration: step by step in the interpreter, that took
    more than a hundredth of a search's time.
    """
    for step in range(length):
        depth = depth_after(game, line[step], depth, worker)
        position = play(game, position, line[step])
        value = -value
    while depth > 0 and length < len(line):
        end = fill(game, position, worker.moves, np.int64(0))
        if end == 0 or (worker.pass_rule == PASS_EVALUATES and end == 1 and is_pass(game, worker.moves[0])):
            break
        worker.line[0, 0] = worker.moves[0]
        found = 1
        if end > 1:
            data, move = remembered(game, position, end, worker)
            exact = bound_of(data) == EXACT and depth_of(data) == depth + worker.realm and value_of(data) == value
            if move != NO_MOVE and (exact or worker.at_least != 0):
                worker.line[0, 0] = MOVE(move)
            elif worker.at_least != 0:
                break
            else:
                state = begin(evaluation, game, position)
                ply, start = np.int64(0), np.int64(0)
                again = alphabeta(
                    game, evaluation, position, state, value - 1, value + 1, depth, ply, start, worker, probe
                )
                if worker.aborted != 0 or again != value:
                    break
                found = worker.line_length[0]
                if found == 0 and tells_no_line(evaluation):
                    found = find_holding(game, evaluation, position, value, depth, worker, probe)
                # No line: the table has the value without a move, as a replayed search's may, and that ends it.
                if found == 0:
                    break
        for step in range(min(found, len(line) - length)):
            move = worker.line[0, step]
            line[length] = move
            length += 1
            depth = depth_after(game, move, depth, worker)
            position = play(game, position, move)
            value = -value
    return length


@inner
def find_holding(game: Any, evaluation: Any, position: Any, value: Any, depth: Any, worker: Any, probe: Any) -> Any:
    """Put the first move that holds the position's `value` on the line: 1; 0 if there is none."""
    end = fill(game, position, worker.moves, np.int64(0))
    for index in range(end):
        move = worker.moves[index]
        child = play(game, position, move)
        left = np.int64(depth_after(game, move, depth, worker))
        state, ply = begin(evaluation, game, child), np.int64(1)
        if -alphabeta(game, evaluation, child, state, -value, 1 - value, left, ply, end, worker, probe) >= value:
            worker.line[0, 0] = move
            return np.int64(worker.aborted == 0)
    return np.int64(0)


@inner
def remembered(game: Any, position: Any, end: Any, worker: Any) -> Any:
    """What the table knows of a position whose moves are in `worker.moves[:end]`: its data, and the move."""
    if worker.table == 0:
        return U64(0), np.int64(NO_MOVE)
    symmetry, first, second = table_key(game, position, worker)
    data = looked_up(worker.table, worker.table_shift, first, second)
    if data != U64(0):
        for index in range(end):
            move = worker.moves[index]
            image = mirror_move(game, move, symmetry) if symmetry != 0 else move
            if np.int64(image) == move_of(data):
                return data, np.int64(move)
    return data, np.int64(NO_MOVE)


@kernel
def table_move(game, position, worker):
    """The move that the table has for a position; `NO_MOVE` if it has none."""
    return remembered(game, position, fill(game, position, worker.moves, np.int64(0)), worker)[1]
