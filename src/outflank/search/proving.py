"""How a search that plays a game out uses what the game offers for that: generic over the type of `evaluation`.

For every other evaluation these steps are empty, and compile to nothing.
"""

from typing import Any

import numpy as np

from outflank.games.endings import ceiling, ending_moves, ending_value, exact_promise, look_ahead
from outflank.games.evaluation import LIMIT, Exact, Solving, after, begin, value
from outflank.games.hints import promise
from outflank.games.patterns import TABLES, Patterns
from outflank.games.rules import moves_left, play
from outflank.kernels.compiler import inner
from outflank.kernels.generic import generic
from outflank.kernels.memory import record_at
from outflank.search.keys import table_key
from outflank.search.looking import look
from outflank.search.ordering import JITTER, TABLE_MOVE, weigh, weights_at
from outflank.search.selective import guessed, is_guessed, plays_out
from outflank.search.table import EXACT, UPPER, announce, bound_of, depth_of, looked_up, selectivity_of, value_of
from outflank.search.worker import ASKED


@generic
def known_at_once(evaluation: Any, game: Any, position: Any, alpha: Any, beta: Any, depth: Any, worker: Any) -> Any:
    """Whether the value of a node, as far as (alpha, beta) asks for it, is known without a search of its moves; and it.

    Alpha-beta's promise, and no line.
    """


@known_at_once.register(object)
def _(evaluation, game, position, alpha, beta, depth, worker):
    return False, np.int64(0)


@known_at_once.register(Patterns)
def _(evaluation, game, position, alpha, beta, depth, worker):
    left = moves_left(game, position)
    if not plays_out(left, depth, worker):
        return False, np.int64(0)
    points = record_at(evaluation.tables, TABLES).scored
    low, high = alpha // points, -(-beta // points)
    if left <= ending_moves(game):
        return True, points * np.int64(ending_value(game, position, low, high, worker))
    most = points * np.int64(ceiling(game, position, low, worker))
    return most <= alpha, most


@known_at_once.register(Solving)
def _(evaluation, game, position, alpha, beta, depth, worker):
    left = moves_left(game, position)
    if left <= ending_moves(game):
        return True, np.int64(ending_value(game, position, alpha, beta, worker))
    most = np.int64(ceiling(game, position, alpha, worker))
    return most <= alpha, most


@generic
def tells_no_line(evaluation: Any) -> Any:
    """Whether values may be known without a line where the game goes on, so that its moves must be found apart."""


@tells_no_line.register(object)
def _(evaluation):
    return False


@tells_no_line.register(Patterns)
def _(evaluation):
    return True  # where they are played out


@tells_no_line.register(Solving)
def _(evaluation):
    return True


@generic
def known_unsearched(
    evaluation: Any,
    game: Any,
    position: Any,
    state: Any,
    alpha: Any,
    beta: Any,
    depth: Any,
    left: Any,
    start: Any,
    end: Any,
    worker: Any,
) -> Any:
    """Whether the value of a node that has moves, those in `worker.moves[start:end]`, is known as far as (alpha, beta)
    asks for it, before one of them is searched; and it.

    By one of them, of which the table knows that it is worth `beta` or more (enhanced transposition cut-off), or, with
    few plies left, by what a selective search guesses.
    """


@known_unsearched.register(object)
def _(evaluation, game, position, state, alpha, beta, depth, left, start, end, worker):
    return False, np.int64(0)


CHILDREN_FROM = 3
"""Moves above those that the game's own kernels take from which the children are looked up: below that it costs more
than it saves."""


@known_unsearched.register(Patterns)
def _(evaluation, game, position, state, alpha, beta, depth, left, start, end, worker):
    if is_guessed(alpha, beta, depth, worker):
        return guessed(evaluation, game, position, state, alpha, beta, depth, worker)
    if not plays_out(moves_left(game, position) - 1, left, worker):
        return False, np.int64(0)
    return look_up_children(game, position, left, beta, start, end, worker)


@known_unsearched.register(Solving)
def _(evaluation, game, position, state, alpha, beta, depth, left, start, end, worker):
    return look_up_children(game, position, left, beta, start, end, worker)


@inner
def look_up_children(game: Any, position: Any, left: Any, beta: Any, start: Any, end: Any, worker: Any) -> Any:
    """`known_unsearched` where the game is played out."""
    if worker.table == 0 or moves_left(game, position) < ending_moves(game) + CHILDREN_FROM:
        return False, np.int64(0)
    for group in range(start, end, ASKED):
        count = min(end - group, ASKED)
        for number in range(count):
            _, first, second = table_key(game, play(game, position, worker.moves[group + number]), worker)
            announce(worker.table, worker.table_shift, first, second)
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
    evaluation: Any,
    game: Any,
    position: Any,
    state: Any,
    depth: Any,
    ply: Any,
    table_move: Any,
    start: Any,
    end: Any,
    worker: Any,
) -> Any:
    """Give every move of `worker.moves[start:end]` a score, the highest to be tried first."""


@weigh_for.register(object)
def _(evaluation, game, position, state, depth, ply, table_move, start, end, worker):
    weigh(game, position, depth, ply, table_move, start, end, worker)


ESTIMATED_FROM, PROMISE_POINTS = 5, 16
"""The depth from which moves are ordered by what a learnt evaluation says of them, and how many of its points one of a
promise adds to that: what is soon refuted counts beside what is good. On 40 tournament positions at depth 13 this saved
6 % of the nodes and 8 % of the time; from depth 3, or by a look of a ply more, it cost more than it saved."""

MARGIN = 12
"""A move whose estimate is so far behind the best one's, in the game's unit, is not looked at more exactly."""


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
            seeming = value(evaluation, game, child, after(evaluation, game, state, position, move, child))
            score = PROMISE_POINTS * np.int64(promise(game, position, move, child, weights)) - seeming
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
    estimate: Any,
    game: Any,
    position: Any,
    state: Any,
    points: Any,
    table_move: Any,
    start: Any,
    end: Any,
    worker: Any,
) -> Any:
    """Give every move a score as the game's exact play has it, after a look at each by an estimate."""
    plies = look_ahead(game, moves_left(game, position))
    best = np.int64(-LIMIT)
    for index in range(start, end):
        move = worker.moves[index]
        score = np.int64(TABLE_MOVE)
        if move != table_move:
            child = play(game, position, move)
            seeming = np.int64(0)
            if plies >= 0:
                most = np.int64(min(LIMIT, points * MARGIN - best))
                found = look_at(estimate, game, position, state, move, child, most, plies, end, worker)
                best = max(best, found)
                seeming = found * 16 // points
            score = np.int64(exact_promise(game, position, move, child, seeming))
            if worker.jitter != 0:
                score += (np.int64(move) + 1) * worker.jitter & JITTER
        worker.scores[index] = score


@generic
def look_at(
    estimate: Any,
    game: Any,
    position: Any,
    state: Any,
    move: Any,
    child: Any,
    most: Any,
    plies: Any,
    end: Any,
    worker: Any,
) -> Any:
    """What a move seems to be worth that leads to `child`: -`most` or less is not told more exactly."""


@look_at.register(object)
def _(estimate, game, position, state, move, child, most, plies, end, worker):
    # A state that follows a move costs a third of one that is computed anew.
    child_state = after(estimate, game, state, position, move, child)
    if plies == 0:
        # Most moves are looked at so: to call `look` for it takes a proof 1 % longer.
        worker.nodes += 1
        return -np.int64(value(estimate, game, child, child_state))
    return -look(game, estimate, child, child_state, np.int64(-LIMIT), most, np.int64(plies), end, worker)


@look_at.register(Exact)
def _(estimate, game, position, state, move, child, most, plies, end, worker):
    return np.int64(0)  # there is no estimate
