"""Many endings, one after the other by a game's own kernels: no table, no order to find, no clock."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import numpy.typing as npt

from outflank.games.endings import ending_moves, ending_value
from outflank.games.evaluation import LIMIT
from outflank.games.rules import pack, unpack
from outflank.kernels.compiler import kernel
from outflank.search.contract import Options
from outflank.search.root import Root

Words = npt.NDArray[np.uint64]
"""Positions, two words each."""

ROWS = 1024
"""Positions that a thread takes at once, at most."""

TURNS = 8
"""How often each thread takes some, at least: endings differ in length, and nobody should wait long for the last."""


@kernel
def solve_rows(game, words, worker, values):
    """The final score of each row."""
    for row in range(len(words)):
        position = unpack(game, words[row, 0], words[row, 1])
        values[row] = ending_value(game, position, np.int64(-LIMIT), np.int64(LIMIT), worker)


@solve_rows.sample
def _sample(game: Any, position: Any, every: bool) -> Iterator[tuple[Any, ...]]:
    if ending_moves(game) >= 0:
        words = np.array([pack(game, position)], np.uint64)
        yield game, words[:0], _root(game, words).worker, np.zeros(0, np.int64)


def _root(game: Any, words: Words) -> Root:
    return Root(game, unpack(game, *words[0]), Options(table_bits=None, exact=True))


def solve_many(
    game: Any, words: Words, workers: int = 1, done: Callable[[int], None] = lambda rows: None
) -> npt.NDArray[np.int64]:
    """The final scores of positions that the game's own kernels have room for; `done` is told how many more there are.

    It is called by several threads.
    """
    words = np.ascontiguousarray(words, np.uint64)
    found = np.zeros(len(words), np.int64)
    if not len(words):
        return found
    share = max(1, min(ROWS, len(words) // (TURNS * workers)))
    idle = [_root(game, words) for _ in range(min(workers, len(words)))]
    solve_rows(game, words[:1], idle[0].worker, found[:1])  # compiles, or loads

    def part(first: int) -> None:
        root = idle.pop()
        rows = slice(first, first + share)
        solve_rows(game, words[rows], root.worker, found[rows])
        idle.append(root)
        done(len(found[rows]))

    with ThreadPoolExecutor(len(idle)) as threads:
        list(threads.map(part, range(0, len(words), share)))
    return found
