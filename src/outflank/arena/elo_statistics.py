"""Statistics of match results: Elo differences with confidence intervals, likelihood of superiority, and ratings.

The two games of a pair have the same opening, and the players swap colours. Statistics count pairs, because these two
games are not independent: if the opening favours black, each player wins once. A pair scores 0, ½, 1, 1½ or 2 points,
hence five counts (*pentanomial*). Unpaired games have three counts: losses, draws and wins.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import log, log10, sqrt
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from outflank.arena.likelihood import log_likelihood

# Ratings follow the Bradley–Terry model, in which a draw is half a win. Player i, of strength π_i, beats j with
# probability π_i / (π_i + π_j). A rating is 400 · log₁₀ π_i. The strengths are chosen so that the results are most
# likely.

Matrix = npt.NDArray[np.floating]

PER_UNIT = 400 / log(10)
"""Elo difference between two players whose strengths differ by a factor of e."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rating:
    """Elo rating of a player; the mean of all players' ratings is 0."""

    elo: float
    error: float
    """Half-width of the rating's 95 % confidence interval."""


def ratings(points: Sequence[Sequence[float]]) -> list[Rating]:
    """Return the players' ratings by maximum likelihood; `points[i][j]` is the number of points that i won against j.

    If a group of players has never lost a point to the players outside it, the ratings would be infinite. In this case,
    a drawn game between every two players is added.

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


def _inverse(weights: Matrix) -> Matrix:
    """Return the pseudo-inverse of the information matrix. It is singular, because only differences of ratings
    matter."""
    return np.linalg.pinv(np.diag(weights.sum(axis=1)) - weights, hermitian=True)


def _connected(won: Matrix) -> bool:
    """Return whether every player has won points against every other player, directly or through a chain of players."""
    reach = (won > 0) | np.eye(len(won), dtype=bool)
    for _ in range(len(won)):
        reach = (reach.astype(np.int64) @ reach.astype(np.int64)) > 0
    return bool(reach.all())


PAIR_VALUES = (0.0, 0.25, 0.5, 0.75, 1.0)
"""Mean points per game for each of the five possible results of a pair of games."""

GAME_VALUES = (0.0, 0.5, 1.0)

CONFIDENCE = 0.95
QUANTILE = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)

MOST_ELO = 1200.0
"""Largest Elo difference that is reported. It corresponds to a score of 99.9 %. Without this limit, the estimate for a
player that has won every game would be infinite."""

ELO_PER_DEVIATION = 800 / log(10)
"""Normalised Elo of a player whose expected score exceeds ½ by one standard deviation of a single game's score."""


@dataclass(frozen=True, slots=True)
class Observed:
    """Number of pairs of games, or of unpaired games, with each possible result for the first player.

    >>> Observed.pairs((46, 936, 2083, 1043, 63)).games
    8342
    """

    counts: tuple[int, ...]
    """Number of pairs or games with each result, from the worst for the first player to the best."""
    games_per_unit: int
    """2 if `counts` has numbers of pairs, 1 if it has numbers of games."""

    @classmethod
    def pairs(cls, counts: Sequence[int]) -> "Observed":
        """Return an instance from the numbers of pairs in which the first player scored 0, ½, 1, 1½ and 2 points."""
        return cls(tuple(counts), 2)

    @classmethod
    def single(cls, losses: int, draws: int, wins: int) -> "Observed":
        """Return an instance from the numbers of unpaired games that the first player lost, drew and won."""
        return cls((losses, draws, wins), 1)

    @property
    def values(self) -> tuple[float, ...]:
        """Mean points per game of each result in `counts`."""
        return PAIR_VALUES if self.games_per_unit == 2 else GAME_VALUES

    @property
    def units(self) -> int:
        """Number of pairs, or of games if they are unpaired."""
        return sum(self.counts)

    @property
    def games(self) -> int:
        """Number of games; each pair has two."""
        return self.units * self.games_per_unit

    @property
    def score(self) -> float:
        """Mean score of the first player per game, 0 to 1; ½ before the first game."""
        if not self.units:
            return 0.5
        return sum(value * count for value, count in zip(self.values, self.counts, strict=True)) / self.units

    @property
    def deviation(self) -> float:
        """Standard deviation, over the pairs or unpaired games, of the first player's points per game."""
        if not self.units:
            return 0.0
        mean = self.score
        squares = sum(count * (value - mean) ** 2 for value, count in zip(self.values, self.counts, strict=True))
        return sqrt(squares / self.units)

    def log_likelihood(self, score: float) -> float:
        """Return the log-likelihood of these counts if the expected score is `score`, minus their log-likelihood if the
        expected score is the observed score."""
        return log_likelihood(self.values, self.counts, score)


@dataclass(frozen=True, slots=True)
class Estimate:
    """An estimated number and its 95 % confidence interval."""

    value: float
    low: float
    high: float

    @property
    def error(self) -> float:
        """Half the width of the confidence interval."""
        return (self.high - self.low) / 2


def elo_of(score: float) -> float:
    """Return the Elo difference at which a player's expected score is `score`, limited to ±`MOST_ELO`.

    >>> round(elo_of(0.75)), elo_of(1.0)
    (191, 1200.0)
    """
    end = score_of(MOST_ELO)
    inside = min(max(score, 1 - end), end)
    return 0.0 if inside == 0.5 else min(max(-400 * log10(1 / inside - 1), -MOST_ELO), MOST_ELO)


def score_of(elo: float) -> float:
    """Return the expected score per game of a player that is stronger by `elo`.

    >>> score_of(0), round(score_of(400), 3)
    (0.5, 0.909)
    """
    return float(1 / (1 + 10 ** (-elo / 400)))


def elo(observed: Observed) -> Estimate:
    """Return the Elo difference with its 95 % confidence interval, found from the likelihood ratio.

    For many games the interval is the usual `score ± 1.96 · deviation / √pairs`. Unlike the usual interval, this one
    has a width even if all results are the same, and it stays within the scale even if there are few games.
    """
    low, high = score_interval(observed)
    return Estimate(elo_of(observed.score), elo_of(low), elo_of(high))


def score_interval(observed: Observed) -> tuple[float, float]:
    """Return the 95 % confidence interval of the expected score, by a likelihood-ratio test with the quantile of χ²."""
    least = -(QUANTILE**2) / 2
    mean = observed.score
    low, high = score_of(-MOST_ELO), score_of(MOST_ELO)
    if not observed.units:
        return low, high

    def likely(score: float) -> bool:
        return observed.log_likelihood(score) >= least

    return _edge(min(max(mean, low), high), low, likely), _edge(min(max(mean, low), high), high, likely)


def _edge(inside: float, outside: float, holds: Callable[[float], bool]) -> float:
    """Return the point farthest from `inside` towards `outside` at which `holds` is still true."""
    if holds(outside):
        return outside
    for _ in range(50):
        middle = (inside + outside) / 2
        if holds(middle):
            inside = middle
        else:
            outside = middle
        if abs(inside - outside) < 1e-9:
            break
    return inside


def normalized_elo(observed: Observed) -> Estimate:
    """Return normalised Elo: the score minus ½, in standard deviations of a single game's score, scaled like Elo.

    Unlike Elo, it does not shrink if many games are drawn. It determines how many games are needed to detect the
    difference.
    """
    if not observed.units:
        return Estimate(0.0, -MOST_ELO, MOST_ELO)
    error = QUANTILE * ELO_PER_DEVIATION / sqrt(observed.games)
    lead = observed.score - 0.5
    per_game = observed.deviation * sqrt(observed.games_per_unit)
    if not per_game:  # all pairs ended alike, so their deviation is not known yet
        return Estimate(MOST_ELO * ((lead > 0) - (lead < 0)), -MOST_ELO, MOST_ELO)
    value = ELO_PER_DEVIATION * lead / per_game
    ends = (value, value - error, value + error)
    return Estimate(*(min(max(end, -MOST_ELO), MOST_ELO) for end in ends))


def superiority(observed: Observed) -> float:
    """Return the likelihood of superiority (LOS): how likely the first player is to be the stronger one.

    It is the normal distribution function at `±√(2 · LLR)`, where LLR is the logarithm of the likelihood ratio of the
    observed score to a score of ½. For many games this root is the usual `lead / error`.
    """
    root = sqrt(max(0.0, -2 * observed.log_likelihood(0.5)))
    return NormalDist().cdf(root if observed.score >= 0.5 else -root)
