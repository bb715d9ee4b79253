"""The steps of a search at one node, apart from each other: for nodes whose moves are searched elsewhere."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from outflank.games.evaluation import begin
from outflank.games.rules import MOVE, pack, play, unpack
from outflank.kernels.bits import U64
from outflank.kernels.compiler import kernel
from outflank.search.keys import table_key
from outflank.search.nodes import arrange_all, ask_table, end_by_table, entry_of, fill_moves, hint_for, learn
from outflank.search.ordering import reward
from outflank.search.probing import known_by_probe
from outflank.search.proving import known_at_once, known_unsearched
from outflank.search.samples import sample_roots
from outflank.search.table import EXACT, LOWER, NO_MOVE, bound_of, value_of


@kernel
def open_node(game, evaluation, first_word, second_word, alpha, beta, depth, ply, worker, probe):
    """Whether the value of a node is known at once, the value, how many moves it has, and the depth left below them.

    The moves are in `worker.moves`, in the order in which they should be searched. The same steps as at a node of
    `alphabeta`, in the same order.
    """
    position = unpack(game, U64(first_word), U64(second_word))
    worker.nodes += 1
    known, found = known_at_once(evaluation, game, position, alpha, beta, depth, worker)
    if known:
        return True, found, np.int64(0), depth
    _, data, symmetry, _, _ = ask_table(game, position, depth, worker, probe)
    # An exact value comes without its line, which is wanted where the window is open: those below know it.
    needs_line = beta - alpha > 1 and bound_of(data) == EXACT
    if not needs_line and end_by_table(data, depth, alpha, beta, worker):
        return True, value_of(data), np.int64(0), depth
    state, start = begin(evaluation, game, position), np.int64(0)
    known, found = known_by_probe(evaluation, game, position, state, alpha, beta, depth, ply, start, worker, probe)
    if known:
        return True, found, np.int64(0), depth
    known, found, end, left = fill_moves(game, evaluation, position, state, depth, start, worker, probe)
    if not known:
        known, found = known_unsearched(evaluation, game, position, state, alpha, beta, depth, left, start, end, worker)
    if not known:
        arrange_all(evaluation, game, position, state, depth, ply, hint_for(data, depth, worker), symmetry, end, worker)
    return known, found, end, left


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
    """Keep the value of a node, `ply` plies from where those of `worker` begin, and remember a move that cut off."""
    position = unpack(game, U64(first_word), U64(second_word))
    if bound == LOWER and move != NO_MOVE:
        reward(np.int64(move), depth, ply, worker)
    if worker.table != 0 and depth >= worker.table_from:
        symmetry, first, second = table_key(game, position, worker)
        data = entry_of(game, found, depth, bound, move, symmetry, worker)
        learn(first, second, data, depth, ply, worker)


@open_node.sample
def _open_node_sample(game: Any, position: Any, every: bool) -> Iterator[tuple[Any, ...]]:
    for root in sample_roots(game, position, every):
        yield game, root.evaluation, *pack(game, position), -1, 1, 2, 1, root.worker, root.probe


@play_each.sample
def _play_each_sample(game: Any, position: Any, every: bool) -> Iterator[tuple[Any, ...]]:
    yield game, *pack(game, position), np.zeros(4, MOVE), np.zeros((4, 2), np.uint64)


@keep_value.sample
def _keep_value_sample(game: Any, position: Any, every: bool) -> Iterator[tuple[Any, ...]]:
    for root in sample_roots(game, position, False):
        yield game, *pack(game, position), 0, EXACT, 2, 0, 0, root.worker
