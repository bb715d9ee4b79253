"""Ratings of several players from all their games: the Bradley–Terry model, a draw being half a win.

Player i beats j with probability π_i / (π_i + π_j); the ratings, 400 · log₁₀ π, are those that make the points most
likely.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log, sqrt
from typing import Any

import numpy as np

from outflank.arena.statistics import MOST_ELO, QUANTILE

PER_UNIT = 400 / log(10)
"""Elo in a factor e of π."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rating:
    """A player's rating; the mean of all ratings is 0."""

    elo: float
    error: float
    """Half-width of the rating's 95 % confidence interval."""


def ratings(points: Sequence[Sequence[float]]) -> list[Rating]:
    """Return the ratings; `points[i][j]` is the number of points that i has won against j.

    Players that have lost nothing to the others have no finite rating: if there are such players, a drawn game between
    every two players is added.

    >>> [round(rating.elo) for rating in ratings([[0, 75], [25, 0]])]
    [95, -95]
    """
    won = np.asarray(points, dtype=np.float64).copy()
    np.fill_diagonal(won, 0.0)
    size = len(won)
    if not _connected(won):
        won += 0.5 * (1 - np.eye(size))
    played = won + won.T
    strengths = np.zeros(size)
    for _ in range(200):
        expected = 1 / (1 + np.exp(strengths[None, :] - strengths[:, None]))
        gradient = (won - played * expected).sum(axis=1)
        step = _inverse(played * expected * expected.T) @ gradient
        # Far from the maximum a whole Newton step would overshoot.
        strengths += step * min(1.0, 2.0 / max(np.abs(step).max(), 1e-300))
        strengths -= strengths.mean()
        if np.abs(step).max() < 1e-12:
            break
    expected = 1 / (1 + np.exp(strengths[None, :] - strengths[:, None]))
    variances = np.diag(_inverse(played * expected * expected.T))
    return [
        Rating(
            elo=float(PER_UNIT * strength),
            error=min(QUANTILE * PER_UNIT * sqrt(max(0.0, float(variance))), MOST_ELO),
        )
        for strength, variance in zip(strengths, variances, strict=True)
    ]


def _inverse(weights: Any) -> Any:
    """Return the pseudo-inverse of the information matrix of the differences, since the mean is free."""
    return np.linalg.pinv(np.diag(weights.sum(axis=1)) - weights, hermitian=True)


def _connected(won: Any) -> bool:
    """Return whether a chain of points won leads from every player to every other one."""
    reach = (won > 0) | np.eye(len(won), dtype=bool)
    for _ in range(len(won)):
        reach = (reach.astype(np.int64) @ reach.astype(np.int64)) > 0
    return bool(reach.all())
