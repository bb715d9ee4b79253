"""The steps of a search at one node, apart from each other: for nodes whose moves are searched elsewhere."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from outflank.games.evaluation import begin, final, value
from outflank.games.rules import MOVE, fill, is_pass, pack, play, unpack
from outflank.kernels.bits import U64
from outflank.kernels.compiler import kernel
from outflank.search.nodes import arrange, end_by_table, entry_of, table_key
from outflank.search.ordering import bring_best, reward
from outflank.search.samples import sample_roots
from outflank.search.table import EXACT, LOWER, NO_MOVE, bound_of, looked_up, move_of, remember, value_of
from outflank.search.worker import PASS_EVALUATES, PASS_FREE, SORT_ALL, SORT_NONE


@kernel
def open_node(game, evaluation, first_word, second_word, alpha, beta, depth, ply, worker):
    """Whether the value of a node is known at once, the value, how many moves it has, and the depth left below them.

    The moves are in `worker.moves`, in the order in which they should be searched. The same steps as at a node of
    `alphabeta`, in the same order.
    """
    position = unpack(game, U64(first_word), U64(second_word))
    worker.nodes += 1
    table_move, symmetry = NO_MOVE, 0
    if worker.table != 0 and depth >= worker.table_from:
        symmetry, first, second = table_key(game, position, worker)
        worker.lookups += 1
        data = looked_up(worker.table, worker.table_shift, first, second)
        if data != U64(0):
            if beta - alpha > 1 and bound_of(data) == EXACT:
                worker.hits += 1  # a value without its line, which is wanted here: those below know it
            elif end_by_table(data, depth, alpha, beta, worker):
                return True, value_of(data), np.int64(0), depth
            table_move = move_of(data)
    end = fill(game, position, worker.moves, np.int64(0))
    left = depth - 1
    if end == 0:
        worker.leaves += 1
        return True, np.int64(final(evaluation, game, position)), end, left
    if end == 1 and is_pass(game, worker.moves[0]):
        if worker.pass_rule == PASS_EVALUATES:
            worker.leaves += 1
            worker.estimates += 1
            own = value(evaluation, game, position, begin(evaluation, game, position))
            return True, np.int64(own), end, left
        if worker.pass_rule == PASS_FREE:
            left = depth
    sort = arrange(game, position, depth, ply, table_move, symmetry, np.int64(0), end, worker)
    if sort != SORT_NONE:
        for index in range(end if sort == SORT_ALL else 1):
            bring_best(index, end, worker)
    return False, np.int64(0), end, left


@kernel
def play_each(game, first_word, second_word, codes, words):
    """The positions after some moves: two words for each, as rows of `words`.

    A kernel, for in the interpreter this took more time than all else that the head does for a job.
    """
    position = unpack(game, U64(first_word), U64(second_word))
    for index in range(len(codes)):
        words[index, 0], words[index, 1] = pack(game, play(game, position, codes[index]))


@kernel
def keep_value(game, first_word, second_word, found, bound, depth, ply, move, worker):
    """Keep the value of a node in the table, and remember a move that cut off."""
    position = unpack(game, U64(first_word), U64(second_word))
    if bound == LOWER and move != NO_MOVE:
        reward(np.int64(move), depth, ply, worker)
    if worker.table != 0 and depth >= worker.table_from:
        symmetry, first, second = table_key(game, position, worker)
        data = entry_of(game, found, depth, bound, move, symmetry, worker)
        remember(worker.table, worker.table_shift, first, second, data)


@open_node.sample
def _open_node_sample(game: Any, position: Any, every: bool) -> Iterator[tuple[Any, ...]]:
    for root in sample_roots(game, position, every):
        yield game, root.evaluation, *pack(game, position), -1, 1, 2, 1, root.worker


@play_each.sample
def _play_each_sample(game: Any, position: Any, every: bool) -> Iterator[tuple[Any, ...]]:
    yield game, *pack(game, position), np.zeros(4, MOVE), np.zeros((4, 2), np.uint64)


@keep_value.sample
def _keep_value_sample(game: Any, position: Any, every: bool) -> Iterator[tuple[Any, ...]]:
    for root in sample_roots(game, position, False):
        yield game, *pack(game, position), 0, EXACT, 2, 0, 0, root.worker
