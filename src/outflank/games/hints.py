"""Move ordering before the search: generic over the type of `game`."""

import numpy as np
import numpy.typing as npt

from outflank.games.rules import Game, MoveCode, Position
from outflank.kernels.generic import generic

FEATURES = 8
"""Largest number of a game's features; unused features are 0."""

STAGES = 6
"""The number of game stages with ordering weights of their own; a game without stages is always in the first."""

_feature_names: dict[type, tuple[str, ...]] = {}


@generic
def promise(game: Game, position: Position, move: MoveCode, child: Position, weights: npt.NDArray[np.int64]) -> int:
    """Return how good `move` looks for the mover: the weighted sum of the game's features of `move` and of `child`.

    A feature whose weight is 0 need not be computed.
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
    """Return the row of the board that `move` belongs to: moves of a row may be handed out together."""


@row.register(object)
def _(game, move):
    return np.int64(move)


def register_features(game: type, *names: str) -> None:
    """Name the features of a game's `promise`, in the order of their weights."""
    _feature_names[game] = names


def features(game: Game) -> tuple[str, ...]:
    """Return the names of a game's features."""
    return _feature_names.get(type(game), ())
