"""The steps of a search at one tree node as separate kernels, for tree nodes with moves that other machines search."""

import numpy as np

from outflank.games.evaluation import begin
from outflank.games.rules import MOVE, Game, Position, pack, play, unpack
from outflank.kernels.bits import U64
from outflank.kernels.compiler import Samples, kernel
from outflank.search.alphabeta import try_probcut
from outflank.search.endgame_steps import try_early_cutoff, try_endgame_solver
from outflank.search.nodes import arrange_all, entry_of, fill_moves, hint_for, is_table_cutoff, query_table, store_entry
from outflank.search.ordering import record_cutoff
from outflank.search.root import Root
from outflank.search.samples import sample_roots
from outflank.search.table import EXACT, LOWER, NO_MOVE, bound_of, table_key, value_of


@kernel
def open_node(game, evaluation, first_word, second_word, alpha, beta, depth, ply, worker, probe):
    """Try to find the value of a tree node without a search, and otherwise list its moves.

    Return whether the value is known, the value, the number of moves, and the remaining depth after a move. The moves
    are in `worker.moves`, in the order in which they should be searched. The steps are those of `alphabeta`, in the
    same order.
    """
    position = unpack(game, U64(first_word), U64(second_word))
    worker.nodes += 1
    is_known, value = try_endgame_solver(evaluation, game, position, alpha, beta, depth, worker)
    if is_known:
        return True, value, np.int64(0), depth
    _, data, symmetry, _, _ = query_table(game, position, depth, worker, probe)
    # A window wider than a null window needs a line, which an exact entry lacks; a search finds it in entries below.
    needs_line = beta - alpha > 1 and bound_of(data) == EXACT
    if not needs_line and is_table_cutoff(data, depth, alpha, beta, worker):
        return True, value_of(data), np.int64(0), depth
    state, start = begin(evaluation, game, position), np.int64(0)
    is_known, value = try_probcut(evaluation, game, position, state, alpha, beta, depth, ply, start, worker, probe)
    if is_known:
        return True, value, np.int64(0), depth
    is_known, value, end, left = fill_moves(game, evaluation, position, state, depth, start, worker, probe)
    if not is_known:
        is_known, value = try_early_cutoff(
            evaluation, game, position, state, alpha, beta, depth, left, start, end, worker
        )
    if not is_known:
        arrange_all(evaluation, game, position, state, depth, ply, hint_for(data, depth, worker), symmetry, end, worker)
    return is_known, value, end, left


@kernel
def play_moves(game, first_word, second_word, codes, words):
    """Write the position after each move of `codes`, played in the position of the two words, to a row of `words`.

    This is a kernel because, interpreted, it took longer than all other work of the head for a job.
    """
    position = unpack(game, U64(first_word), U64(second_word))
    for index in range(len(codes)):
        words[index, 0], words[index, 1] = pack(game, play(game, position, codes[index]))


@kernel
def store_value(game, first_word, second_word, value, bound, depth, ply, move, worker):
    """Store the value of a tree node, `ply` plies below the root of `worker`; record the move if it caused a cutoff."""
    position = unpack(game, U64(first_word), U64(second_word))
    if bound == LOWER and move != NO_MOVE:
        record_cutoff(np.int64(move), depth, ply, worker)
    if worker.table != 0 and depth >= worker.table_from:
        symmetry, first, second = table_key(game, position, worker)
        data = entry_of(game, value, depth, bound, move, symmetry, worker)
        store_entry(first, second, data, depth, ply, worker)


def compile_steps(root: Root) -> None:
    """Compile the kernels of this module for the search of `root`, so that no job has to wait for them."""
    words = pack(root.game, root.position)
    open_node(root.game, root.evaluation, *words, 0, 1, 1, 0, root.worker, root.probe)
    play_moves(root.game, *words, np.zeros(0, MOVE), np.zeros((0, 2), np.uint64))
    store_value(root.game, *words, 0, EXACT, 0, 0, 0, root.worker)


@open_node.sample
def _open_node_sample(game: Game, position: Position, every: bool) -> Samples:
    for root in sample_roots(game, position, every):
        yield game, root.evaluation, *pack(game, position), -1, 1, 2, 1, root.worker, root.probe


@play_moves.sample
def _play_moves_sample(game: Game, position: Position, every: bool) -> Samples:
    yield game, *pack(game, position), np.zeros(4, MOVE), np.zeros((4, 2), np.uint64)


@store_value.sample
def _store_value_sample(game: Game, position: Position, every: bool) -> Samples:
    for root in sample_roots(game, position, False):
        yield game, *pack(game, position), 0, EXACT, 2, 0, 0, root.worker
