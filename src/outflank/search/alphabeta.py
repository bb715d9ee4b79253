"""Fail-soft alpha-beta with the transposition table and move ordering, and principal variation search.

Both are one function. Principal variation search first searches all moves but the first in null windows.
"""

import numpy as np

from outflank.games.evaluation import Evaluation, State, after, value
from outflank.games.rules import Game, MoveCode, Position, Value, play
from outflank.kernels.compiler import inlined, inner, kernel, never_inlined, unlikely
from outflank.search.endgame_steps import try_early_cutoff, try_endgame_solver
from outflank.search.nodes import (
    arrange,
    entry_of,
    extend_line,
    fill_moves,
    hint_for,
    is_table_cutoff,
    prefetch_child,
    query_table,
    store_entry,
)
from outflank.search.ordering import bring_best, record_cutoff
from outflank.search.probes import Probe
from outflank.search.quiescence import quiescence
from outflank.search.selective import (
    ABOVE,
    NO_SIDE,
    guess_by_evaluation,
    is_selective,
    likely_bound,
    probe_window,
    shallower,
    uses_evaluation_guess,
    uses_probcut,
)
from outflank.search.stopping import poll_stop
from outflank.search.table import EXACT, LOWER, NO_MOVE, UPPER, value_of
from outflank.search.worker import SORT_ALL, SORT_NONE, Worker

WORST = -(1 << 40)


@inlined
def try_leaves(
    game: Game,
    evaluation: Evaluation,
    position: Position,
    state: State,
    alpha: Value,
    beta: Value,
    plies: int,
    sort: int,
    start: int,
    end: int,
    worker: Worker,
) -> tuple[Value, MoveCode, int]:
    """Try the moves of a node one ply above the leaves until one is worth `beta`. Return the best value, its move, and
    the index of the first move that was not tried.

    Most nodes are one ply above the leaves. This loop, with only moves and values in it and counters in registers,
    makes the whole search a quarter faster.
    """
    best: Value = WORST
    best_move: MoveCode = NO_MOVE
    index = start
    while index < end and best < beta:
        if sort == SORT_ALL or (sort != SORT_NONE and index == start):
            bring_best(index, end, worker)
        move = worker.moves[index]
        child = play(game, position, move)
        child_state = after(evaluation, game, state, position, move, child)
        if plies == 0:
            child_value = -value(evaluation, game, child, child_state)
        else:
            floor = max(alpha, best)
            child_value = -quiescence(game, evaluation, child, child_state, -beta, -floor, plies, end, worker)
        if child_value > best:
            best = child_value
            best_move = np.int64(move)
        index += 1
    if plies == 0:
        worker.nodes += index - start
        worker.leaves += index - start
        worker.estimates += index - start
    return best, best_move, index


@never_inlined
def _try_leaves_apart(game, evaluation, position, state, alpha, beta, plies, sort, start, end, worker):
    """Call `try_leaves` with quiescence or move ordering. This code is not inlined into `alphabeta`, where it would
    take registers from searches that need neither."""
    return try_leaves(game, evaluation, position, state, alpha, beta, plies, sort, start, end, worker)


@kernel
def alphabeta(game, evaluation, position, state, alpha, beta, depth, ply, start, worker, probe):
    """Search `position` to `depth`, at least 1. Return its value if it is inside (alpha, beta), otherwise a bound.

    If v is the value of the position, the result r satisfies
        r <= alpha         =>  v <= r
        alpha < r < beta   =>  v == r
        r >= beta          =>  v >= r
    for every order of moves and every table content, because only table entries of exactly this depth are used. With
    `worker.at_least`, deeper entries are used too, and v may be the value of a deeper search. A selective search only
    guesses some bounds. Once `worker.aborted` is set the result is worthless; this node and its unfinished descendants
    store nothing.

    With `worker.scout`, moves after the first are searched in a null window first. Only a move that raises alpha is
    searched again (principal variation search). The inequalities hold in both cases.
    """
    worker.nodes += 1
    if start < 0 or ply < 0 or poll_stop(worker):
        # `start` and `ply` are never negative. This test spares the compiler a test at each use.
        return 0
    worker.line_length[ply] = 0

    known, result = try_endgame_solver(evaluation, game, position, alpha, beta, depth, worker)
    if unlikely(known):
        return result
    queried, data, symmetry, first, second = query_table(game, position, depth, worker, probe)
    if queried and unlikely(is_table_cutoff(data, depth, alpha, beta, worker)):
        return value_of(data)
    if is_selective(evaluation) and uses_evaluation_guess(alpha, beta, depth, worker):
        likely, result = guess_by_evaluation(
            evaluation, game, position, state, alpha, beta, depth, start, worker, probe
        )
        if likely:
            return result
    side, estimate = NO_SIDE, np.int64(0)
    if is_selective(evaluation) and uses_probcut(game, position, alpha, beta, depth, worker):
        side, estimate = ABOVE, np.int64(value(evaluation, game, position, state))
    while unlikely(side != NO_SIDE):
        worth_probing, low = probe_window(game, position, estimate, alpha, beta, depth, side, worker)
        if worth_probing:
            shallow = shallower(depth)
            result = alphabeta(game, evaluation, position, state, low, low + 1, shallow, ply, start, worker, probe)
            if worker.aborted != 0:
                return 0
            worker.line_length[ply] = 0
            if (result > low) == (side == ABOVE):
                worker.estimates += 1
                return likely_bound(evaluation, game, position, alpha, beta, depth, side, worker)
        side += 1
    known, result, end, left = fill_moves(game, evaluation, position, state, depth, start, worker, probe)
    if unlikely(known):
        return result
    known, result = try_early_cutoff(evaluation, game, position, state, alpha, beta, depth, left, start, end, worker)
    if unlikely(known):
        return result
    hint = hint_for(data, depth, worker)
    sort = arrange(evaluation, game, position, state, depth, ply, hint, symmetry, start, end, worker)

    best = WORST
    best_move = NO_MOVE
    low = alpha
    index = start
    if left == 0:
        if worker.quiescence == 0 and sort == SORT_NONE:
            best, best_move, index = try_leaves(
                game, evaluation, position, state, alpha, beta, np.int64(0), SORT_NONE, start, end, worker
            )
        else:
            best, best_move, index = _try_leaves_apart(
                game, evaluation, position, state, alpha, beta, worker.quiescence, sort, start, end, worker
            )
        if alpha < best < beta:
            worker.line[ply, 0] = best_move
            worker.line_length[ply] = 1
        elif best >= beta:
            record_cutoff(best_move, depth, ply, worker)
            worker.cutoffs += 1
            if index == start + 1:
                worker.first_cutoffs += 1
        index = end
    while index < end:
        if sort == SORT_ALL or (sort != SORT_NONE and index == start):
            bring_best(index, end, worker)
        move = worker.moves[index]
        child = play(game, position, move)
        prefetch_child(evaluation, game, child, left, worker)
        child_state = after(evaluation, game, state, position, move, child)
        # A null window shows whether the move beats the best; the first move gets the full window.
        ceiling = low + 1 if worker.scout != 0 and index > start and low + 1 < beta else beta
        result = -alphabeta(game, evaluation, child, child_state, -ceiling, -low, left, ply + 1, end, worker, probe)
        if low < result < beta and ceiling < beta and worker.aborted == 0:
            # The move's value is at least `result`: a window from just below `result` keeps value and line exact.
            low = result - 1
            result = -alphabeta(game, evaluation, child, child_state, -beta, -low, left, ply + 1, end, worker, probe)
        if worker.aborted != 0:
            return 0
        if result > best:
            best = result
            best_move = np.int64(move)
            if result > low:
                low = result
                if result >= beta:
                    record_cutoff(best_move, depth, ply, worker)
                    worker.cutoffs += 1
                    if index == start:
                        worker.first_cutoffs += 1
                    break
                extend_line(move, ply, worker)
        index += 1

    if queried:
        bound = LOWER if best >= beta else EXACT if best > alpha else UPPER
        data = entry_of(game, best, depth, bound, best_move, symmetry, worker)
        store_entry(first, second, data, depth, ply, worker)
    return best


@inner
def try_probcut(
    evaluation: Evaluation,
    game: Game,
    position: Position,
    state: State,
    alpha: Value,
    beta: Value,
    depth: int,
    ply: int,
    start: int,
    worker: Worker,
    probe: Probe,
) -> tuple[bool, Value]:
    """Try ProbCut, or a guess by the evaluation, as `alphabeta` does. Return whether a node's value is likely enough to
    be outside (alpha, beta), and a bound. Return false once the worker is stopped."""
    if is_selective(evaluation) and uses_evaluation_guess(alpha, beta, depth, worker):
        return guess_by_evaluation(evaluation, game, position, state, alpha, beta, depth, start, worker, probe)
    side, estimate = NO_SIDE, np.int64(0)
    if is_selective(evaluation) and uses_probcut(game, position, alpha, beta, depth, worker):
        side, estimate = ABOVE, np.int64(value(evaluation, game, position, state))
    while side != NO_SIDE and worker.aborted == 0:
        worth_probing, low = probe_window(game, position, estimate, alpha, beta, depth, side, worker)
        if worth_probing:
            shallow = np.int64(shallower(depth))
            shallow_value = alphabeta(
                game, evaluation, position, state, low, low + 1, shallow, ply, start, worker, probe
            )
            if worker.aborted == 0 and (shallow_value > low) == (side == ABOVE):
                worker.estimates += 1
                return True, likely_bound(evaluation, game, position, alpha, beta, depth, side, worker)
        side += 1
    return False, np.int64(0)
