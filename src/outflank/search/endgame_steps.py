"""Steps at a node of a search to the end of the game: endgame solver, early cut-offs and move ordering for exact play.

They are generic over the type of `evaluation`. For types other than `Patterns` and `Solving` they add nothing to a
plain search.
"""

import numpy as np

from outflank.games.endings import ceiling, ending_moves, ending_value, exact_promise, look_ahead
from outflank.games.evaluation import LIMIT, Evaluation, Exact, Solving, State, after, begin, value
from outflank.games.hints import promise
from outflank.games.patterns import TABLES, Patterns
from outflank.games.rules import Game, MoveCode, Position, Value, moves_left, play
from outflank.kernels.bits import Int
from outflank.kernels.compiler import inner, unlikely
from outflank.kernels.generic import generic
from outflank.kernels.memory import record_at
from outflank.search.looking import look
from outflank.search.ordering import JITTER, TABLE_MOVE, weigh, weights_at
from outflank.search.selective import plays_out
from outflank.search.table import (
    EXACT,
    UPPER,
    bound_of,
    depth_of,
    looked_up,
    prefetch_bucket,
    selectivity_of,
    table_key,
    value_of,
)
from outflank.search.worker import LOOKUP_GROUP, Worker


@generic
def try_endgame_solver(
    evaluation: Evaluation, game: Game, position: Position, alpha: Value, beta: Value, depth: int, worker: Worker
) -> tuple[bool, Value]:
    """Try the game's endgame solver, its upper bound of the score, and the largest possible value. Return whether the
    node's value is known, and the value.

    The value is exact inside (alpha, beta), otherwise a bound on that side. It comes without a principal variation.
    """


@try_endgame_solver.register(object)
def _(evaluation, game, position, alpha, beta, depth, worker):
    return False, np.int64(0)


@try_endgame_solver.register(Patterns)
def _(evaluation, game, position, alpha, beta, depth, worker):
    left = moves_left(game, position)
    tables = record_at(evaluation.tables, TABLES)
    points, most = tables.scored, tables.most
    if unlikely(points != 0 and (alpha >= most or beta <= -most)):
        # No value is larger or smaller, and ProbCut's margins have no room there: without this test, a search of a
        # position of Othello worth -64 discs, with 32 empty squares, took 26 million nodes to depth 20, not 35,000.
        return True, most if alpha >= most else -most
    if not plays_out(left, depth, worker):
        return False, np.int64(0)
    low, high = alpha // points, -(-beta // points)
    if left <= ending_moves(game):
        return True, points * np.int64(ending_value(game, position, low, high, worker))
    most = points * np.int64(ceiling(game, position, low, worker))
    return most <= alpha, most


@try_endgame_solver.register(Solving)
def _(evaluation, game, position, alpha, beta, depth, worker):
    left = moves_left(game, position)
    if left <= ending_moves(game):
        return True, np.int64(ending_value(game, position, alpha, beta, worker))
    most = np.int64(ceiling(game, position, alpha, worker))
    return most <= alpha, most


@generic
def may_lack_line(evaluation: Evaluation) -> bool:
    """Return whether a search may return a value without its principal variation, as the endgame solver does."""


@may_lack_line.register(object)
def _(evaluation):
    return False


@may_lack_line.register(Patterns)
def _(evaluation):
    return True  # if the search reaches the end of the game


@may_lack_line.register(Solving)
def _(evaluation):
    return True


@generic
def try_early_cutoff(
    evaluation: Evaluation,
    game: Game,
    position: Position,
    state: State,
    alpha: Value,
    beta: Value,
    depth: int,
    left: int,
    start: int,
    end: int,
    worker: Worker,
) -> tuple[bool, Value]:
    """Try to cut off a node before its moves, `worker.moves[start:end]`, are searched. Return whether the node's value
    is known, and the value.

    A move whose table value is `beta` or more cuts the node off (enhanced transposition cut-off).
    """


@try_early_cutoff.register(object)
def _(evaluation, game, position, state, alpha, beta, depth, left, start, end, worker):
    return False, np.int64(0)


CHILDREN_FROM = 3
"""Number of moves that must be left at a node, beyond the moves that the game's endgame kernels solve, for its children
to be looked up. With fewer moves left, the look-ups cost more than they save."""


@try_early_cutoff.register(Patterns)
def _(evaluation, game, position, state, alpha, beta, depth, left, start, end, worker):
    if not plays_out(moves_left(game, position) - 1, left, worker):
        return False, np.int64(0)
    return look_up_children(game, position, left, beta, start, end, worker)


@try_early_cutoff.register(Solving)
def _(evaluation, game, position, state, alpha, beta, depth, left, start, end, worker):
    return look_up_children(game, position, left, beta, start, end, worker)


@inner
def look_up_children(
    game: Game, position: Position, left: int, beta: Value, start: int, end: int, worker: Worker
) -> tuple[bool, Value]:
    """Return whether a child's table entry proves a value of `beta` or more for the node, and that value."""
    if worker.table == 0 or moves_left(game, position) < ending_moves(game) + CHILDREN_FROM:
        return False, np.int64(0)
    for group in range(start, end, LOOKUP_GROUP):
        count = min(end - group, LOOKUP_GROUP)
        for number in range(count):
            _, first, second = table_key(game, play(game, position, worker.moves[group + number]), worker)
            prefetch_bucket(worker.table, worker.table_shift, first, second)
            worker.asked[number, 0], worker.asked[number, 1] = first, second
        for number in range(count):
            data = looked_up(worker.table, worker.table_shift, worker.asked[number, 0], worker.asked[number, 1])
            at_most = bound_of(data) == UPPER or bound_of(data) == EXACT
            sure = depth_of(data) == left + worker.realm and selectivity_of(data) <= worker.selectivity_index
            if at_most and sure and -value_of(data) >= beta:
                worker.cuts += 1
                return True, -value_of(data)
    return False, np.int64(0)


@generic
def weigh_for(
    evaluation: Evaluation,
    game: Game,
    position: Position,
    state: State,
    depth: int,
    ply: int,
    table_move: MoveCode,
    start: int,
    end: int,
    worker: Worker,
) -> None:
    """Write a score for each move of `worker.moves[start:end]` to `worker.scores`; the highest is tried first."""


@weigh_for.register(object)
def _(evaluation, game, position, state, depth, ply, table_move, start, end, worker):
    weigh(game, position, depth, ply, table_move, start, end, worker)


ESTIMATED_FROM, PROMISE_POINTS = 5, 16
"""Minimum remaining depth at which learnt patterns order a node's moves, and the weight of `promise` in a move's score:
promise times weight, minus the evaluation of the position after the move. At smaller depths `weigh` orders the moves.
On 40 tournament positions at depth 13, ordering by learnt patterns saved 6 % of the nodes and 8 % of the time. From a
remaining depth of 3 on, or with evaluations one ply deeper, it cost more than it saved."""

MARGIN = 12
"""Distance below the best estimate, in the unit of the score, beyond which a move's estimate need not be exact."""


@weigh_for.register(Patterns)
def _(evaluation, game, position, state, depth, ply, table_move, start, end, worker):
    if worker.estimate_order != 0 and plays_out(moves_left(game, position), depth, worker):
        points = record_at(evaluation.tables, TABLES).scored
        weigh_exactly(evaluation, game, position, state, points, table_move, start, end, worker)
        return
    if worker.estimate_order == 0 or depth < ESTIMATED_FROM:
        weigh(game, position, depth, ply, table_move, start, end, worker)
        return
    weights = weights_at(game, position, worker)
    for index in range(start, end):
        move = worker.moves[index]
        score = np.int64(TABLE_MOVE)
        if move != table_move:
            child = play(game, position, move)
            child_value = value(evaluation, game, child, after(evaluation, game, state, position, move, child))
            score = PROMISE_POINTS * np.int64(promise(game, position, move, child, weights)) - child_value
            if worker.jitter != 0:
                score += (np.int64(move) + 1) * worker.jitter & JITTER
        worker.scores[index] = score


@weigh_for.register(Solving)
def _(evaluation, game, position, state, depth, ply, table_move, start, end, worker):
    if worker.exact_order == 0:
        weigh(game, position, depth, ply, table_move, start, end, worker)
        return
    state = begin(evaluation.estimate, game, position)
    weigh_exactly(evaluation.estimate, game, position, state, evaluation.points, table_move, start, end, worker)


@inner
def weigh_exactly(
    estimate: Evaluation,
    game: Game,
    position: Position,
    state: State,
    points: Int,
    table_move: MoveCode,
    start: int,
    end: int,
    worker: Worker,
) -> None:
    """Write a score for exact play for each move to `worker.scores`, after a short look-ahead with `estimate`."""
    plies = look_ahead(game, moves_left(game, position))
    best = np.int64(-LIMIT)
    for index in range(start, end):
        move = worker.moves[index]
        score = np.int64(TABLE_MOVE)
        if move != table_move:
            child = play(game, position, move)
            scaled_estimate = np.int64(0)
            if plies >= 0:
                most = np.int64(min(LIMIT, points * MARGIN - best))
                estimated = look_at(estimate, game, position, state, move, child, most, plies, end, worker)
                best = max(best, estimated)
                scaled_estimate = estimated * 16 // points
            score = np.int64(exact_promise(game, position, move, child, scaled_estimate))
            if worker.jitter != 0:
                score += (np.int64(move) + 1) * worker.jitter & JITTER
        worker.scores[index] = score


@generic
def look_at(
    estimate: Evaluation,
    game: Game,
    position: Position,
    state: State,
    move: MoveCode,
    child: Position,
    most: int,
    plies: int,
    end: int,
    worker: Worker,
) -> Value:
    """Return the estimated value of a move that leads to `child`. A value of -`most` or less is only an upper bound."""


@look_at.register(object)
def _(estimate, game, position, state, move, child, most, plies, end, worker):
    # An update of the state takes a third of the time of a new computation.
    child_state = after(estimate, game, state, position, move, child)
    if plies == 0:
        # Most moves take this branch: calling `look` for them makes a proof 1 % longer.
        worker.nodes += 1
        return -np.int64(value(estimate, game, child, child_state))
    return -look(game, estimate, child, child_state, np.int64(-LIMIT), most, np.int64(plies), end, worker)


@look_at.register(Exact)
def _(estimate, game, position, state, move, child, most, plies, end, worker):
    return np.int64(0)  # there is no estimate
