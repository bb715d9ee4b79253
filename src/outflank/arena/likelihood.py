"""Greatest likelihood of match results for a given expected score: a constrained multinomial distribution.

Results fall into a few classes, each with a value (a pair of games can score 0, ½, 1, 1½ or 2). Without a constraint,
the most likely probabilities are the observed shares of the classes. If the expectation must be `s`, Lagrange's
multipliers give the most likely probabilities:

    p_i = f_i / (1 + θ (a_i − s)),

where `f_i` are the observed shares and `a_i` the values of the classes. The tilt `θ` is the solution of `Σ f_i (a_i −
s) / (1 + θ (a_i − s)) = 0`.

The equation is solved here, because SciPy would be installed for it alone, and takes some hundred megabytes.
"""

from collections.abc import Sequence
from functools import lru_cache
from math import exp, log, sqrt

SMALLEST_COUNT = 1e-3
"""Count that `log_likelihood_scaled` assumes for a class that was not observed, so that the deviation is not 0."""

STEPS = 200
"""Limit on the iterations of a solver. It is reached only if rounding prevents convergence."""


def tilt(deviations: Sequence[float], counts: Sequence[float]) -> float:
    """Return the tilt θ for which the expectation of `deviations`, the values `a_i − s` of the classes, is 0.

    If θ would leave its range, the most likely solution gives a share to an outermost class that was not observed. Then
    θ is at the end of the range.
    """
    low, high = -1.0 / max(deviations), -1.0 / min(deviations)
    observed = [(deviation, count) for deviation, count in zip(deviations, counts, strict=True) if count > 0]
    if min(deviation for deviation, _ in observed) > min(deviations) and _slope(observed, high) >= 0:
        return high
    if max(deviation for deviation, _ in observed) < max(deviations) and _slope(observed, low) <= 0:
        return low
    theta = 0.0
    for _ in range(STEPS):
        value = fall = 0.0  # the slope and its fall, in one loop: half of a sequential test's time is spent here
        for deviation, count in observed:
            share = deviation / (1 + theta * deviation)
            value += count * share
            fall += count * share * share
        if value > 0:
            low = theta
        else:
            high = theta
        step = theta + value / fall
        # Newton's step, or bisection if that step leaves the interval.
        next_theta = step if low < step < high else (low + high) / 2
        if abs(next_theta - theta) <= 1e-13 * (1 + abs(theta)):
            return next_theta
        theta = next_theta
    return theta


def _slope(observed: Sequence[tuple[float, float]], theta: float) -> float:
    """Return the expectation that `tilt` makes 0. It is a falling function of `theta`."""
    return sum(count * deviation / (1 + theta * deviation) for deviation, count in observed)


def log_likelihood(values: Sequence[float], counts: Sequence[float], expectation: float) -> float:
    """Return the greatest log-likelihood of `counts` if the mean has to be `expectation`, minus the greatest
    log-likelihood without this condition. The result is 0 or less.

    >>> round(log_likelihood((0, 1), (3, 7), 0.5), 6) == round(10 * log(0.5) - 3 * log(0.3) - 7 * log(0.7), 6)
    True
    """
    deviations = [value - expectation for value in values]
    if not any(counts):
        return 0.0
    theta = tilt(deviations, counts)
    return -sum(
        count * log(1 + theta * deviation) for deviation, count in zip(deviations, counts, strict=True) if count > 0
    )


def log_likelihood_scaled(values: Sequence[float], counts: Sequence[float], distance: float) -> float:
    """Return the greatest log-likelihood of `counts` if the mean lies `distance` standard deviations above ½.

    The deviation depends on the probabilities, so the constraint is not linear. It is linearised at the current shares
    and solved, until the shares no longer change.
    """
    filled = [max(float(count), SMALLEST_COUNT) for count in counts]
    total = sum(filled)
    shares: Sequence[float] = _at_distance(tuple(values), distance)
    gaps = _gaps(values, shares, distance)
    for _ in range(STEPS):
        theta = tilt(gaps, filled)
        new_shares = [count / total / (1 + theta * gap) for count, gap in zip(filled, gaps, strict=True)]
        gaps = _gaps(values, new_shares, distance)
        while not min(gaps) < 0 < max(gaps):  # the step overshot: no shares meet this linear constraint
            new_shares = [(new + old) / 2 for new, old in zip(new_shares, shares, strict=True)]
            gaps = _gaps(values, new_shares, distance)
        change = max(abs(new - old) for new, old in zip(new_shares, shares, strict=True))
        shares = new_shares
        if change < 1e-9:
            break
    return sum(count * log(share * total / count) for count, share in zip(filled, shares, strict=True))


def _gaps(values: Sequence[float], shares: Sequence[float], distance: float) -> list[float]:
    """Return the contribution of each class to `mean − ½ − distance · deviation`, to first order in the shares."""
    mean, deviation = _moments(values, shares)
    return [value - 0.5 - distance * deviation * (1 + ((value - mean) / deviation) ** 2) / 2 for value in values]


def _moments(values: Sequence[float], shares: Sequence[float]) -> tuple[float, float]:
    mean = sum(share * value for share, value in zip(shares, values, strict=True))
    return mean, sqrt(sum(share * (value - mean) ** 2 for share, value in zip(shares, values, strict=True)))


@lru_cache(maxsize=16)
def _at_distance(values: tuple[float, ...], distance: float) -> tuple[float, ...]:
    """Return shares to start the iteration from: an exponential distribution that fulfils the constraint."""
    low, high = -50.0, 50.0
    shares: tuple[float, ...] = ()
    for _ in range(60):
        slope = (low + high) / 2
        weights = [exp(slope * (value - 0.5)) for value in values]
        shares = tuple(weight / sum(weights) for weight in weights)
        mean, deviation = _moments(values, shares)
        if mean - 0.5 < distance * deviation:
            low = slope
        else:
            high = slope
    return shares
