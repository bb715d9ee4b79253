"""What every search does at a node: ask the table, fill in the moves, put them in order, keep the value.

Whoever enters a node counts it (`worker.nodes`) and then takes these steps, so that the counters mean the same in
`minimax`, in `alphabeta`, at a frame, at a marked node and at one of a cluster's tree.

`ask_table` is `inlined`, so that what it returns stays in registers, and whoever takes these steps says that a node is
`unlikely` to end by them: else the optimiser thinks little of the loops behind, and no longer inlines what is in these,
which cost alpha-beta by discs 14 % of its time and the usual search of Othello 4 %. What only some searches do at a
node, or only some nodes need, stays `apart`: it would take registers from all of them.
"""

from typing import Any

import numpy as np

from outflank.games.evaluation import final, value
from outflank.games.rules import MOVE, fill, is_pass, mirror_move
from outflank.kernels.bits import U64
from outflank.kernels.compiler import inlined, inner, kernel
from outflank.kernels.late import call_at
from outflank.search.keys import table_key
from outflank.search.ordering import bring_best
from outflank.search.outbox import post_late
from outflank.search.probes import note_lookup, note_node
from outflank.search.proving import weigh_for
from outflank.search.table import (
    EXACT,
    LOWER,
    NO_MOVE,
    PROVED,
    UPPER,
    bound_of,
    depth_of,
    hint_of,
    is_foreign,
    looked_up,
    packed,
    remember,
    selectivity_of,
    tells_value,
    value_of,
    with_selectivity,
)
from outflank.search.worker import PASS_EVALUATES, PASS_FREE, PLIES, SORT_ALL, SORT_NONE


@inlined
def ask_table(game: Any, position: Any, depth: Any, worker: Any, probe: Any) -> Any:
    """What the table knows of a node that has `depth` left: whether it was asked, the data (0: nothing), and the
    symmetry and the two words under which it knows the position."""
    if worker.table == 0 or depth < worker.table_from:
        return False, U64(0), 0, U64(0), U64(0)
    symmetry, first, second = table_key(game, position, worker)
    worker.lookups += 1
    data = note_lookup(probe, depth, looked_up(worker.table, worker.table_shift, first, second))
    if tells_value(data):
        worker.hits += 1
        worker.foreign_hits += is_foreign(data)
    return True, data, symmetry, first, second


@inner
def end_by_table(data: Any, depth: Any, alpha: Any, beta: Any, worker: Any) -> Any:
    """Whether what the table knows makes an end of a node that is asked for (alpha, beta); that is counted then."""
    if not settles(data, depth, alpha, beta, worker):
        return False
    worker.cuts += 1
    worker.foreign_cuts += is_foreign(data)
    return True


@inner
def settles(data: Any, depth: Any, alpha: Any, beta: Any, worker: Any) -> Any:
    """Whether an entry makes an end of a node that is asked for (alpha, beta)."""
    known, wanted = depth_of(data), depth + worker.realm
    if known != wanted and (worker.at_least == 0 or known < wanted or known >= worker.realm + PROVED):
        return False
    if selectivity_of(data) > worker.selectivity_index:
        return False
    found, bound = value_of(data), bound_of(data)
    return bound == EXACT or (bound == LOWER and found >= beta) or (bound == UPPER and found <= alpha)


@inner
def fill_moves(
    game: Any, evaluation: Any, position: Any, state: Any, depth: Any, start: Any, worker: Any, probe: Any
) -> Any:
    """Fill a node's moves into `worker.moves` from `start` on: whether its value is known at once, that value, the end
    of the moves, and the depth left below them.

    It is known where the game is over, and where a pass is evaluated.
    """
    end = fill(game, position, worker.moves, start)
    left = depth - 1
    if end == start:
        note_node(probe, depth, 0)
        worker.leaves += 1
        return True, np.int64(final(evaluation, game, position)), end, left
    if end == start + 1 and is_pass(game, worker.moves[start]):
        note_node(probe, depth, 0)
        if worker.pass_rule == PASS_EVALUATES:
            worker.leaves += 1
            worker.estimates += 1
            return True, np.int64(value(evaluation, game, position, state)), end, left
        if worker.pass_rule == PASS_FREE:
            left = depth
    else:
        note_node(probe, depth, end - start)
    return False, np.int64(0), end, left


@inner
def depth_after(game: Any, move: Any, depth: Any, worker: Any) -> Any:
    """The depth left after a move."""
    if not is_pass(game, move):
        return depth - 1
    if worker.pass_rule == PASS_EVALUATES:
        return 0
    return depth if worker.pass_rule == PASS_FREE else depth - 1


@inner
def hint_for(data: Any, depth: Any, worker: Any) -> Any:
    """The move that the table has for a node, to be tried first; `NO_MOVE` if it has none.

    Where the game's own order for exact play is used, not one of an estimate, unless that looked to the end of the
    game as well: what looks best leaves the opponent more to do than what is soon refuted. With such moves first a
    proof took 20 to 35 % more nodes, 18 to 22 squares of Othello being empty.
    """
    if worker.exact_order != 0 and depth_of(data) < PROVED and depth_of(data) != depth:
        return np.int64(NO_MOVE)
    return hint_of(data)


@inlined
def arrange(
    evaluation: Any,
    game: Any,
    position: Any,
    state: Any,
    depth: Any,
    ply: Any,
    table_move: Any,
    symmetry: Any,
    start: Any,
    end: Any,
    worker: Any,
) -> Any:
    """Prepare the order of `worker.moves[start:end]`; how they are still to be sorted, by the scores they have then."""
    if end == start + 1 or (worker.sorting == SORT_NONE and table_move == NO_MOVE):
        return SORT_NONE
    return arrange_several(evaluation, game, position, state, depth, ply, table_move, symmetry, start, end, worker)


@kernel
def arrange_several(evaluation, game, position, state, depth, ply, table_move, symmetry, start, end, worker):
    """The same, where there are moves to put in order. A kernel, for it is the half of every search's code, and the
    same in all of them."""
    sort = worker.sorting
    if symmetry != 0 and table_move != NO_MOVE:
        # The entry's move is one of the mirrored board: find the one whose image it is.
        image, table_move = table_move, NO_MOVE
        for index in range(start, end):
            if mirror_move(game, worker.moves[index], symmetry) == image:
                table_move = np.int64(worker.moves[index])
    if depth >= worker.sort_from and sort != SORT_NONE:
        weigh_for(evaluation, game, position, state, depth, ply, table_move, start, end, worker)
        if sort <= SORT_ALL:
            return sort
        call_at(worker.sort_at, sort, start, end, worker)
        return SORT_NONE
    # Too shallow to sort: the table's move first, the others as they come.
    for index in range(start, end):
        if worker.moves[index] == table_move:
            for other in range(index, start, -1):
                worker.moves[other] = worker.moves[other - 1]
            worker.moves[start] = MOVE(table_move)
    return SORT_NONE


@inner
def arrange_all(
    evaluation: Any,
    game: Any,
    position: Any,
    state: Any,
    depth: Any,
    ply: Any,
    table_move: Any,
    symmetry: Any,
    end: Any,
    worker: Any,
) -> Any:
    """Put `worker.moves[:end]` in order at once, for others to search."""
    sort = arrange(evaluation, game, position, state, depth, ply, table_move, symmetry, np.int64(0), end, worker)
    if sort != SORT_NONE:
        for index in range(end if sort == SORT_ALL else 1):
            bring_best(index, end, worker)


@inner
def lengthen(move: Any, ply: Any, worker: Any) -> Any:
    """The principal variation at `ply`: a move, and what follows it at the next."""
    worker.line[ply, 0] = move
    follows = worker.line_length[ply + 1]
    for step in range(min(follows, PLIES - 1)):
        worker.line[ply, step + 1] = worker.line[ply + 1, step]
    worker.line_length[ply] = min(follows + 1, PLIES)


@inner
def entry_of(game: Any, best: Any, depth: Any, bound: Any, move: Any, symmetry: Any, worker: Any) -> Any:
    """The data to remember of a node whose position the table knows under `symmetry`."""
    if symmetry != 0:
        move = np.int64(mirror_move(game, MOVE(move), symmetry))
    return with_selectivity(packed(best, depth + worker.realm, bound, move, worker.age), worker.selectivity_index)


@inner
def learn(first: Any, second: Any, data: Any, depth: Any, ply: Any, worker: Any) -> Any:
    """Keep an entry, and tell others of it if it is one that they are told of."""
    remember(worker.table, worker.table_shift, first, second, data)
    tell_others(first, second, data, depth, ply, worker)


@inner
def tell_others(first: Any, second: Any, data: Any, depth: Any, ply: Any, worker: Any) -> Any:
    """Send an entry to the other nodes of a cluster, if it is one that they are told of."""
    if worker.outbox != 0 and depth >= worker.send_from and ply <= worker.send_within:
        post_late(first, second, data, worker)
