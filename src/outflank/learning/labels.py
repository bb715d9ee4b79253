"""Values for positions: solved near the end, before that a look ahead by what was learnt of later stages."""

from typing import Any

import numpy as np
import numpy.typing as npt

from outflank.games.evaluation import LIMIT, begin
from outflank.games.rules import unpack
from outflank.kernels.compiler import kernel
from outflank.learning.looks import look_on
from outflank.search.contract import Options
from outflank.search.many_endings import solve_many
from outflank.search.root import Root


@kernel
def _look_at_all(
    game: Any, evaluation: Any, boards: Any, plies: Any, points: Any, won: Any, worker: Any, values: Any
) -> None:
    for row in range(len(boards)):
        position = unpack(game, boards[row, 0], boards[row, 1])
        state = begin(evaluation, game, position)
        low, high = np.int64(-LIMIT), np.int64(LIMIT)
        values[row] = look_on(game, evaluation, position, state, low, high, plies, np.int64(0), points, won, worker)


def solved(game: Any, boards: npt.NDArray[np.uint64]) -> npt.NDArray[np.float32]:
    """The final scores of positions by the game's own kernels of endings, which must have room for them."""
    return solve_many(game, boards).astype(np.float32)


def looked_ahead(
    game: Any, evaluation: Any, points: int, boards: npt.NDArray[np.uint64], plies: int, *, won: int = 0
) -> npt.NDArray[np.float32]:
    """What positions seem to be worth, so many plies deep, in the game's unit, of which one is so many `points`.

    A finished game is worth its score, or `won` points, if that is given.
    """
    root = Root(game, unpack(game, *boards[0]), Options(table_bits=None, evaluation=evaluation))
    found = np.zeros(len(boards), np.int64)
    asked = np.int64(plies), np.int64(points), np.int64(won)
    _look_at_all(game, evaluation, np.ascontiguousarray(boards), *asked, root.worker, found)
    return (found / points).astype(np.float32)
