"""Move ordering by features of a game's moves: generic functions, dispatched on the type of `game`."""

import numpy as np
import numpy.typing as npt

from outflank.games.rules import Game, MoveCode, Position
from outflank.kernels.generic import generic

FEATURES = 8
"""Largest number of move features that a game may have; the weights of missing features are 0."""

STAGES = 6
"""Number of game stages, each with its own ordering weights; a game without stages is always in the first."""

_feature_names: dict[type, tuple[str, ...]] = {}


@generic
def promise(game: Game, position: Position, move: MoveCode, child: Position, weights: npt.NDArray[np.int64]) -> int:
    """Return how good `move` looks for the mover: the weighted sum of the game's features of `move` and `child`.

    A feature with weight 0 need not be computed.
    """


@promise.register(object)
def _(game, position, move, child, weights):
    return np.int64(0)


@generic
def stage(game: Game, position: Position) -> int:
    """Return the stage of the game: 0 at its start, `STAGES` - 1 near its end."""


@stage.register(object)
def _(game, position):
    return np.int64(0)


@generic
def row(game: Game, move: MoveCode) -> int:
    """Return the row of the board that `move` belongs to. A scheduler may give all moves of a row to one worker."""


@row.register(object)
def _(game, move):
    return np.int64(move)


def register_features(game: type, *names: str) -> None:
    """Set the names of the features that a game's `promise` uses, in the order of their weights."""
    _feature_names[game] = names


def features(game: Game) -> tuple[str, ...]:
    """Return the names of a game's move features, in the order of their weights."""
    return _feature_names.get(type(game), ())
