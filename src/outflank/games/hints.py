"""How good a move looks before it is searched: generic over the type of `game`."""

from typing import Any

import numpy as np

from outflank.kernels.generic import generic

FEATURES = 8
"""Room for a game's features; those that it has not are 0."""

STAGES = 6
"""Parts of a game for which an ordering may have weights of their own; a game that tells none apart is in the first."""

_named: dict[type, tuple[str, ...]] = {}


@generic
def promise(game: Any, position: Any, move: Any, child: Any, weights: Any) -> Any:
    """How much `move` promises the mover: the game's features of it and of `child`, weighted.

    A feature whose weight is 0 need not be computed.
    """


@promise.register(object)
def _(game, position, move, child, weights):
    return np.int64(0)


@generic
def stage(game: Any, position: Any) -> Any:
    """How far the game has come: 0 at its start, `STAGES` - 1 near its end."""


@stage.register(object)
def _(game, position):
    return np.int64(0)


@generic
def row(game: Any, move: Any) -> Any:
    """The row of the board that `move` belongs to: moves of a row may be handed out together."""


@row.register(object)
def _(game, move):
    return np.int64(move)


def register_features(game: type, *names: str) -> None:
    """Name the features of a game's `promise`, in the order of their weights."""
    _named[game] = names


def features(game: Any) -> tuple[str, ...]:
    """The names of a game's features."""
    return _named.get(type(game), ())
