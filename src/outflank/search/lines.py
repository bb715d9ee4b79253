"""The principal variation, as far as the table knows it."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from outflank.games.rules import MOVE, fill, is_pass, mirror_move, play
from outflank.kernels.bits import U64
from outflank.kernels.compiler import kernel
from outflank.search.nodes import table_key
from outflank.search.table import NO_MOVE, looked_up, move_of


@kernel
def prolong(game, position, line, length, longest, worker):
    """Lengthen a line that has led to `position` by the table's moves, to `longest` at most; its new length.

    A kernel, for a search tells its line after every iteration: step by step in the interpreter, that took
    more than a hundredth of a search's time.
    """
    while length < longest:
        end = fill(game, position, worker.moves, np.int64(0))
        next_move = NO_MOVE
        if end == 1 and is_pass(game, worker.moves[0]):
            next_move = np.int64(worker.moves[0])
        elif worker.table != 0:
            symmetry, first, second = table_key(game, position, worker)
            data = looked_up(worker.table, worker.table_shift, first, second)
            if data != U64(0):
                for index in range(end):
                    move = worker.moves[index]
                    image = mirror_move(game, move, symmetry) if symmetry != 0 else move
                    if np.int64(image) == move_of(data):
                        next_move = np.int64(move)
        if next_move == NO_MOVE:
            break
        line[length] = MOVE(next_move)
        length += 1
        position = play(game, position, MOVE(next_move))
    return length


@prolong.sample
def _sample(game: Any, position: Any, every: bool) -> Iterator[tuple[Any, ...]]:
    from outflank.search.contract import Options
    from outflank.search.root import Root

    root = Root(game, position, Options(table_bits=4))
    yield game, position, np.zeros(4, MOVE), 0, 4, root.worker
