"""The steps that all searches take at a node: query the table, generate moves, order them, store the value.

A search counts each node that it enters (`worker.nodes`) and then takes these steps. So the counters mean the same in
`minimax`, in `alphabeta`, at split points, in table-driven schemes and on a cluster.

`query_table` is `inlined`, so that its results stay in registers. Callers mark it as `unlikely` that a step ends the
node. Otherwise the optimiser treats the loops after the step as rare and does not inline the calls in these loops: this
cost alpha-beta with the evaluation `discs` 14 % of its time, and the default search of Othello 4 %. Steps that only
some searches or nodes need are `never_inlined`: if they were inlined, they would take registers from all searches.
"""

import numpy as np

from outflank.games.evaluation import Evaluation, State, final, value
from outflank.games.patterns import Patterns
from outflank.games.rules import MOVE, Game, MoveCode, Position, Value, fill, is_pass, mirror_move, pack
from outflank.kernels.bits import U64, Int, Word
from outflank.kernels.compiler import inlined, inner, kernel
from outflank.kernels.generic import generic
from outflank.kernels.late import call_at
from outflank.search.endgame_steps import weigh_for
from outflank.search.ordering import bring_best
from outflank.search.outbox import post_late
from outflank.search.probes import Probe, note_lookup, note_node
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
    prefetch_bucket,
    remember,
    selectivity_of,
    table_key,
    tells_value,
    value_of,
    with_selectivity,
)
from outflank.search.worker import PASS_EVALUATES, PASS_FREE, PLIES, SORT_ALL, SORT_NONE, Worker


@inlined
def query_table(
    game: Game, position: Position, depth: int, worker: Worker, probe: Probe
) -> tuple[bool, Word, int, Word, Word]:
    """Query the table for a node with `depth` plies left. Return whether it was queried, the entry's data (0: no
    entry), and the symmetry and the two words under which the table stores the position."""
    if worker.table == 0 or depth < worker.table_from:
        return False, U64(0), 0, U64(0), U64(0)
    symmetry, first, second = table_key(game, position, worker)
    worker.lookups += 1
    data = note_lookup(probe, depth, looked_up(worker.table, worker.table_shift, first, second))
    if tells_value(data):
        worker.hits += 1
        worker.foreign_hits += is_foreign(data)
    return True, data, symmetry, first, second


@generic
def prefetch_child(evaluation: Evaluation, game: Game, child: Position, depth: int, worker: Worker) -> None:
    """Prefetch the table entries of a node that will be entered with `depth` plies left, if this is worthwhile."""


@prefetch_child.register(object)
def _(evaluation, game, child, depth, worker):
    pass


@prefetch_child.register(Patterns)
def _(evaluation, game, child, depth, worker):
    # The child's pattern state, which is computed next, takes about as long as reading memory. On 14 positions of
    # Othello at depth 16, a node took 231 ns instead of 240; a search with the evaluation `discs` became no faster.
    if worker.table != 0 and depth >= worker.table_from and worker.canonical == 0:
        first, second = pack(game, child)
        prefetch_bucket(worker.table, worker.table_shift, first, second)


@inner
def is_table_cutoff(data: Word, depth: int, alpha: Value, beta: Value, worker: Worker) -> bool:
    """Return whether a table entry's `data` cut off a node searched in (alpha, beta), and count the cut-off."""
    if not is_cutoff_entry(data, depth, alpha, beta, worker):
        return False
    worker.cuts += 1
    worker.foreign_cuts += is_foreign(data)
    return True


@inner
def is_cutoff_entry(data: Word, depth: int, alpha: Value, beta: Value, worker: Worker) -> bool:
    """Return whether a table entry's `data` cut off a node searched in (alpha, beta)."""
    entry_depth, required_depth = depth_of(data), depth + worker.realm
    if entry_depth != required_depth and (
        worker.at_least == 0 or entry_depth < required_depth or entry_depth >= worker.realm + PROVED
    ):
        return False
    if selectivity_of(data) > worker.selectivity_index:
        return False
    bound_value, bound = value_of(data), bound_of(data)
    return bound == EXACT or (bound == LOWER and bound_value >= beta) or (bound == UPPER and bound_value <= alpha)


@inner
def fill_moves(
    game: Game,
    evaluation: Evaluation,
    position: Position,
    state: State,
    depth: int,
    start: Int,
    worker: Worker,
    probe: Probe,
) -> tuple[bool, Value, int, int]:
    """Generate a node's moves into `worker.moves` from `start` on. Return whether the node's value is known at once,
    the value, the end of the moves, and the depth left below them.

    The value is known if the game is over, or if the only move is a pass and passes are evaluated.
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
def depth_after(game: Game, move: MoveCode, depth: int, worker: Worker) -> int:
    """Return the depth left after a move, by the worker's pass rule."""
    if not is_pass(game, move):
        return depth - 1
    if worker.pass_rule == PASS_EVALUATES:
        return 0
    return depth if worker.pass_rule == PASS_FREE else depth - 1


@inner
def hint_for(data: Word, depth: int, worker: Worker) -> MoveCode:
    """Return the table's move for a node, which is tried first; `NO_MOVE` if there is none.

    With the game's own ordering for exact play, moves from searches with estimates are ignored, unless such a search
    reached the end of the game too. The move that looks best often takes longer to prove than another move: with the
    moves of estimating searches first, proofs of Othello with 18 to 22 empty squares took 20 to 35 % more nodes.
    """
    if worker.exact_order != 0 and depth_of(data) < PROVED and depth_of(data) != depth:
        return np.int64(NO_MOVE)
    return hint_of(data)


@inlined
def arrange(
    evaluation: Evaluation,
    game: Game,
    position: Position,
    state: State,
    depth: int,
    ply: int,
    table_move: MoveCode,
    symmetry: int,
    start: Int,
    end: int,
    worker: Worker,
) -> int:
    """Score or sort `worker.moves[start:end]`. Return the sorting that is left to the caller, such as `SORT_ALL`."""
    if end == start + 1 or (worker.sorting == SORT_NONE and table_move == NO_MOVE):
        return SORT_NONE
    return arrange_several(evaluation, game, position, state, depth, ply, table_move, symmetry, start, end, worker)


@kernel
def arrange_several(evaluation, game, position, state, depth, ply, table_move, symmetry, start, end, worker):
    """Do the work of `arrange` if there are moves to order. This is a kernel so that all searches share its code.
    Otherwise it would be half of the code of each search."""
    sort = worker.sorting
    if symmetry != 0 and table_move != NO_MOVE:
        # The entry's move belongs to the mirrored board: find the move with this mirror image.
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
    # The depth is too small to sort: the table's move is first, the other moves stay as generated.
    for index in range(start, end):
        if worker.moves[index] == table_move:
            for place in range(index, start, -1):
                worker.moves[place] = worker.moves[place - 1]
            worker.moves[start] = MOVE(table_move)
    return SORT_NONE


@inner
def arrange_all(
    evaluation: Evaluation,
    game: Game,
    position: Position,
    state: State,
    depth: int,
    ply: int,
    table_move: MoveCode,
    symmetry: int,
    end: int,
    worker: Worker,
) -> None:
    """Put `worker.moves[:end]` in their final order at once, because other workers may take them."""
    sort = arrange(evaluation, game, position, state, depth, ply, table_move, symmetry, np.int64(0), end, worker)
    if sort != SORT_NONE:
        for index in range(end if sort == SORT_ALL else 1):
            bring_best(index, end, worker)


@inner
def extend_line(move: MoveCode, ply: int, worker: Worker) -> None:
    """Store the principal variation at `ply`: `move`, then the line of the next ply."""
    worker.line[ply, 0] = move
    rest_length = worker.line_length[ply + 1]
    for step in range(min(rest_length, PLIES - 1)):
        worker.line[ply, step + 1] = worker.line[ply + 1, step]
    worker.line_length[ply] = min(rest_length + 1, PLIES)


@inner
def entry_of(game: Game, best: Value, depth: int, bound: int, move: MoveCode, symmetry: int, worker: Worker) -> Word:
    """Return the table data for a node's result; `move` is mirrored by `symmetry`, like the stored position."""
    if symmetry != 0:
        move = np.int64(mirror_move(game, MOVE(move), symmetry))
    return with_selectivity(packed(best, depth + worker.realm, bound, move, worker.age), worker.selectivity_index)


@inner
def store_entry(first: Word, second: Word, data: Word, depth: int, ply: int, worker: Worker) -> None:
    """Store an entry. Also send it to the other nodes of a cluster if it is deep enough and near enough to the root."""
    remember(worker.table, worker.table_shift, first, second, data)
    send_entry(first, second, data, depth, ply, worker)


@inner
def send_entry(first: Word, second: Word, data: Word, depth: int, ply: int, worker: Worker) -> None:
    """Send an entry to the other nodes of a cluster if it is deep enough and near enough to the root."""
    if worker.outbox != 0 and depth >= worker.send_from and ply <= worker.send_within:
        post_late(first, second, data, worker)
