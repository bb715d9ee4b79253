"""Solving of arrays of endgame positions with the game's own endgame kernels: no table, no move ordering, no clock."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import numpy.typing as npt

from outflank.games.endings import ending_moves, ending_value
from outflank.games.evaluation import LIMIT
from outflank.games.rules import Game, Position, pack, unpack
from outflank.kernels.compiler import Samples, kernel
from outflank.search.request import Options
from outflank.search.root import Root

Words = npt.NDArray[np.uint64]
"""Array of positions, two 64-bit words in each row."""

ROWS = 1024
"""Maximum number of positions in a batch, the work that a thread takes at a time."""

TURNS = 8
"""Minimum number of batches per thread: positions take unequal times, and no thread should idle long at the end."""


@kernel
def solve_rows(game, words, worker, values):
    """Write the final score under perfect play of each position in `words` to `values`."""
    for row in range(len(words)):
        position = unpack(game, words[row, 0], words[row, 1])
        values[row] = ending_value(game, position, np.int64(-LIMIT), np.int64(LIMIT), worker)


@solve_rows.sample
def _sample(game: Game, position: Position, every: bool) -> Samples:
    if ending_moves(game) >= 0:
        words = np.array([pack(game, position)], np.uint64)
        yield game, words[:0], _root(game, words).worker, np.zeros(0, np.int64)


def _root(game: Game, words: Words) -> Root:
    return Root(game, unpack(game, *words[0]), Options(table_bits=None, exact=True))


def solve_many(
    game: Game, words: Words, workers: int = 1, done: Callable[[int], None] = lambda rows: None
) -> npt.NDArray[np.int64]:
    """Return the final scores of positions that the game's own kernels can solve. After a batch of n positions, the
    thread that has solved it calls `done(n)`."""
    words = np.ascontiguousarray(words, np.uint64)
    scores = np.zeros(len(words), np.int64)
    if not len(words):
        return scores
    share = max(1, min(ROWS, len(words) // (TURNS * workers)))
    idle_roots = [_root(game, words) for _ in range(min(workers, len(words)))]
    solve_rows(game, words[:1], idle_roots[0].worker, scores[:1])  # compiles the kernel, or loads it from the cache

    def solve_part(first: int) -> None:
        root = idle_roots.pop()
        rows = slice(first, first + share)
        solve_rows(game, words[rows], root.worker, scores[rows])
        idle_roots.append(root)
        done(len(scores[rows]))

    with ThreadPoolExecutor(len(idle_roots)) as threads:
        list(threads.map(solve_part, range(0, len(words), share)))
    return scores
