"""What every search with a table does at a node: ask the table, put the moves in order, remember the value."""

from typing import Any

import numpy as np

from outflank.games.rules import MOVE, canonical, mirror, mirror_move, pack
from outflank.kernels.compiler import inner
from outflank.search.ordering import weigh
from outflank.search.outbox import post
from outflank.search.sorting import sort_moves
from outflank.search.table import (
    EXACT,
    LOWER,
    NO_MOVE,
    UPPER,
    bound_of,
    depth_of,
    is_foreign,
    packed,
    remember,
    value_of,
)
from outflank.search.worker import PLIES, SORT_ALL, SORT_NONE


@inner
def table_key(game: Any, position: Any, worker: Any) -> Any:
    """The symmetry under which the table knows a position (0: as it is), and its two words there."""
    symmetry = 0
    key = position
    if worker.canonical != 0:
        symmetry = canonical(game, position)
        key = mirror(game, position, symmetry)
    first, second = pack(game, key)
    return symmetry, first, second


@inner
def end_by_table(data: Any, depth: Any, alpha: Any, beta: Any, worker: Any) -> Any:
    """Count that the table knew a position; whether that makes an end of a node that is asked for (alpha, beta)."""
    worker.hits += 1
    worker.foreign_hits += is_foreign(data)
    if not settles(data, depth, alpha, beta, worker):
        return False
    worker.cuts += 1
    worker.foreign_cuts += is_foreign(data)
    return True


@inner
def settles(data: Any, depth: Any, alpha: Any, beta: Any, worker: Any) -> Any:
    """Whether an entry makes an end of a node that is asked for (alpha, beta)."""
    if depth_of(data) != depth and (worker.at_least == 0 or depth_of(data) < depth):
        return False
    found, bound = value_of(data), bound_of(data)
    return bound == EXACT or (bound == LOWER and found >= beta) or (bound == UPPER and found <= alpha)


@inner
def arrange(
    game: Any,
    position: Any,
    depth: Any,
    ply: Any,
    table_move: Any,
    symmetry: Any,
    start: Any,
    end: Any,
    worker: Any,
) -> Any:
    """Prepare the order of `worker.moves[start:end]`; how they are still to be sorted, by the scores they have then."""
    sort = worker.sorting
    if end == start + 1:
        return SORT_NONE
    if sort == SORT_NONE and table_move == NO_MOVE:
        return SORT_NONE
    if symmetry != 0 and table_move != NO_MOVE:
        # The entry's move is one of the mirrored board: find the one whose image it is.
        image, table_move = table_move, NO_MOVE
        for index in range(start, end):
            if mirror_move(game, worker.moves[index], symmetry) == image:
                table_move = np.int64(worker.moves[index])
    if depth >= worker.sort_from and sort != SORT_NONE:
        weigh(game, position, depth, ply, table_move, start, end, worker)
        if sort <= SORT_ALL:
            return sort
        sort_moves(sort, start, end, worker)
        return SORT_NONE
    # Too shallow to sort: the table's move first, the others as they come.
    for index in range(start, end):
        if worker.moves[index] == table_move:
            for other in range(index, start, -1):
                worker.moves[other] = worker.moves[other - 1]
            worker.moves[start] = MOVE(table_move)
    return SORT_NONE


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
    return packed(best, depth, bound, move, worker.age)


@inner
def learn(first: Any, second: Any, data: Any, depth: Any, ply: Any, worker: Any) -> Any:
    """Keep an entry, and tell others of it if it is one that they are told of."""
    remember(worker.table, worker.table_shift, first, second, data)
    if worker.outbox != 0 and depth >= worker.send_from and ply <= worker.send_within:
        post(first, second, data, worker)
