"""Completion of principal variations that a search returned only in part."""

import numpy as np

from outflank.games.evaluation import Evaluation, begin
from outflank.games.rules import MOVE, Game, MoveCode, Moves, Position, fill, is_pass, mirror_move, pack, play, unpack
from outflank.kernels.bits import U64, Word
from outflank.kernels.compiler import inner, kernel
from outflank.search.alphabeta import alphabeta
from outflank.search.endgame_steps import may_lack_line
from outflank.search.nodes import depth_after
from outflank.search.probes import Probe
from outflank.search.table import EXACT, NO_MOVE, bound_of, depth_of, looked_up, move_of, table_key, value_of
from outflank.search.worker import PASS_EVALUATES, Worker


def complete(
    game: Game,
    evaluation: Evaluation,
    position: Position,
    value: int,
    depth: int,
    line: Moves,
    length: int,
    worker: Worker,
    probe: Probe,
) -> int:
    """Complete a principal variation of `length` moves from `position`, which is worth `value` at `depth`. Return the
    new length of the line.

    A line is complete if the depth or the game ends with it; the evaluation at its end is then `value`. A search
    returns shorter lines after table cut-offs, and minimax returns no lines. The missing moves are taken from exact
    table entries, or found by a search in a window around `value`. If entries of greater depth are used
    (`worker.at_least`), or the search was selective, the value belongs to no single depth. Then only forced moves and
    moves from the table are added.
    """
    done = 0
    while True:
        place = follow_line(game, position, value, depth, line, done, length, worker)
        done, unknown, value, depth, first, second = (int(number) for number in place)
        if not unknown:
            return done
        position = unpack(game, U64(first), U64(second))
        state = begin(evaluation, game, position)
        repeated_value = alphabeta(game, evaluation, position, state, value - 1, value + 1, depth, 0, 0, worker, probe)
        if worker.aborted or repeated_value != value:
            return done
        continuation = worker.line[0][: int(worker.line_length[0])]
        if not len(continuation) and may_lack_line(evaluation):
            continuation = holding_move(game, evaluation, position, value, depth, worker, probe)
        # There is no line if the table has the value without a move, as after a replayed search.
        if not len(continuation):
            return done
        length = min(done + len(continuation), len(line))
        line[done:length] = continuation[: length - done]


@kernel
def follow_line(game, position, value, depth, line, start, length, worker):
    """Play `line[start:length]`, then extend the line by forced moves and exact table entries.

    Return the new length of the line, whether the rest of the line must be found by a search, the value and the depth
    left at its end, and the two words of the position at its end.

    This is a kernel because a search completes its line after every iteration, which took more than 1 % of a search's
    time in the interpreter. The kernel contains no search: a search would be compiled again for each evaluation.
    """
    step, unknown = np.int64(start), False
    while True:
        while step < length:
            depth = depth_after(game, line[step], depth, worker)
            position = play(game, position, line[step])
            value = -value
            step += 1
        if depth <= 0 or length >= len(line):
            break
        end = fill(game, position, worker.moves, np.int64(0))
        if end == 0 or (worker.pass_rule == PASS_EVALUATES and end == 1 and is_pass(game, worker.moves[0])):
            break
        move = np.int64(worker.moves[0])
        if end > 1:
            data, move = table_data_and_move(game, position, end, worker)
            exact = bound_of(data) == EXACT and depth_of(data) == depth + worker.realm and value_of(data) == value
            unknown = worker.at_least == 0 and worker.selectivity_index == 0 and (move == NO_MOVE or not exact)
            if unknown or move == NO_MOVE:
                break
        line[length] = MOVE(move)
        length += 1
    first, second = pack(game, position)
    return length, unknown, value, depth, first, second


def holding_move(
    game: Game, evaluation: Evaluation, position: Position, value: int, depth: int, worker: Worker, probe: Probe
) -> list[int]:
    """Return a list with the first move that keeps the position's `value`. The list is empty if no move keeps the
    value, or if the search is stopped."""
    end = int(fill(game, position, worker.moves, 0))
    for move in worker.moves[:end].copy():
        child = play(game, position, move)
        arguments = (game, evaluation, child, begin(evaluation, game, child))
        left = int(depth_after(game, move, depth, worker))
        if -alphabeta(*arguments, -value, 1 - value, left, 1, end, worker, probe) >= value:
            return [] if worker.aborted else [move]
    return []


@inner
def table_data_and_move(game: Game, position: Position, end: int, worker: Worker) -> tuple[Word, MoveCode]:
    """Return the data of a position's table entry, and its move if it is in `worker.moves[:end]`, else `NO_MOVE`."""
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
    """Return the table's move for a position; `NO_MOVE` if there is none."""
    return table_data_and_move(game, position, fill(game, position, worker.moves, np.int64(0)), worker)[1]
