"""Values for positions: solved near the end, before that a shallow search by the weights of later stages."""

from typing import Any

import numpy as np
import numpy.typing as npt

from outflank.games.evaluation import LIMIT, begin
from outflank.games.rules import unpack
from outflank.kernels.compiler import kernel
from outflank.learning.shallow_search import shallow_search
from outflank.search.contract import Options
from outflank.search.many_endings import solve_many
from outflank.search.root import Root


@kernel
def _search_all(
    game: Any, evaluation: Any, boards: Any, plies: Any, points: Any, won: Any, worker: Any, values: Any
) -> None:
    for row in range(len(boards)):
        position = unpack(game, boards[row, 0], boards[row, 1])
        state = begin(evaluation, game, position)
        low, high = np.int64(-LIMIT), np.int64(LIMIT)
        values[row] = shallow_search(
            game, evaluation, position, state, low, high, plies, np.int64(0), points, won, worker
        )


def solved_values(game: Any, boards: npt.NDArray[np.uint64]) -> npt.NDArray[np.float32]:
    """Return the final scores of positions by the game's own kernels of endings, which must have room for them."""
    return solve_many(game, boards).astype(np.float32)


def shallow_values(
    game: Any, evaluation: Any, points: int, boards: npt.NDArray[np.uint64], plies: int, *, won: int = 0
) -> npt.NDArray[np.float32]:
    """Return the values of positions by a search `plies` deep, in the game's unit, of which one is `points`.

    A finished game is worth its score, or `won` points, if that is not 0.
    """
    root = Root(game, unpack(game, *boards[0]), Options(table_bits=None, evaluation=evaluation))
    values = np.zeros(len(boards), np.int64)
    arguments = np.int64(plies), np.int64(points), np.int64(won)
    _search_all(game, evaluation, np.ascontiguousarray(boards), *arguments, root.worker, values)
    return (values / points).astype(np.float32)
