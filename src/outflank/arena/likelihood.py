"""How likely results are if the players' difference is a given one: the multinomial distribution, constrained.

Results fall into a few classes, a number to each (a pair of games can score 0, ½, 1, 1½ or 2). Whatever the
probabilities of the classes are, those that make the observed counts most likely are the counts' own shares. If the
expectation must be `s`, they are, by Lagrange's multipliers,

    p_i = f_i / (1 + θ (a_i − s)),

`f_i` being the shares observed and `a_i` the numbers. `θ`, the tilt, is where `Σ f_i (a_i − s) / (1 + θ (a_i − s))`
is 0.

One equation in one unknown: for it alone, SciPy would be some hundred megabytes to install.
"""

from collections.abc import Sequence
from functools import lru_cache
from math import exp, log, sqrt

SMALLEST_COUNT = 1e-3
"""What stands for a class that was not observed, where the deviation must not be 0."""

STEPS = 200
"""More than the solvers ever need; a bound on what rounding could make of them."""


def tilt(deviations: Sequence[float], counts: Sequence[float]) -> float:
    """The θ for which `deviations` have the expectation 0.

    Where no observed class lies on one side, the most likely way to get there gives an outermost class that was not
    observed the share that is missing: θ is then at the end of its range.
    """
    low, high = -1.0 / max(deviations), -1.0 / min(deviations)
    seen = [(deviation, count) for deviation, count in zip(deviations, counts, strict=True) if count > 0]
    if min(deviation for deviation, _ in seen) > min(deviations) and _slope(seen, high) >= 0:
        return high
    if max(deviation for deviation, _ in seen) < max(deviations) and _slope(seen, low) <= 0:
        return low
    theta = 0.0
    for _ in range(STEPS):
        value = _slope(seen, theta)
        if value > 0:
            low = theta
        else:
            high = theta
        fall = sum(count * (deviation / (1 + theta * deviation)) ** 2 for deviation, count in seen)
        step = theta + value / fall
        # Newton's step, or half of what is left where that leads out of it.
        following = step if low < step < high else (low + high) / 2
        if abs(following - theta) <= 1e-13 * (1 + abs(theta)):
            return following
        theta = following
    return theta


def _slope(seen: Sequence[tuple[float, float]], theta: float) -> float:
    """The expectation that is to become 0; falls as θ grows."""
    return sum(count * deviation / (1 + theta * deviation) for deviation, count in seen)


def log_likelihood(values: Sequence[float], counts: Sequence[float], expectation: float) -> float:
    """The logarithm of how likely the counts are if the mean is `expectation`, at best; 0 for their own mean.

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
    """The same if the mean lies `distance` standard deviations above ½.

    The deviation changes with the probabilities, so the constraint is made linear where one stands (the last term is
    how the deviation changes with each share), solved, and that is repeated until nothing moves.
    """
    filled = [max(float(count), SMALLEST_COUNT) for count in counts]
    total = sum(filled)
    shares: Sequence[float] = _at_distance(tuple(values), distance)
    gaps = _gaps(values, shares, distance)
    for _ in range(STEPS):
        theta = tilt(gaps, filled)
        found = [count / total / (1 + theta * gap) for count, gap in zip(filled, gaps, strict=True)]
        gaps = _gaps(values, found, distance)
        while not min(gaps) < 0 < max(gaps):  # too far: the line that was followed leads out of all that is possible
            found = [(new + old) / 2 for new, old in zip(found, shares, strict=True)]
            gaps = _gaps(values, found, distance)
        moved = max(abs(new - old) for new, old in zip(found, shares, strict=True))
        shares = found
        if moved < 1e-9:
            break
    return sum(count * log(share * total / count) for count, share in zip(filled, shares, strict=True))


def _gaps(values: Sequence[float], shares: Sequence[float], distance: float) -> list[float]:
    """What each class adds to `mean − ½ − distance · deviation`, to first order."""
    mean, deviation = _moments(values, shares)
    return [value - 0.5 - distance * deviation * (1 + ((value - mean) / deviation) ** 2) / 2 for value in values]


def _moments(values: Sequence[float], shares: Sequence[float]) -> tuple[float, float]:
    mean = sum(share * value for share, value in zip(shares, values, strict=True))
    return mean, sqrt(sum(share * (value - mean) ** 2 for share, value in zip(shares, values, strict=True)))


@lru_cache(maxsize=16)
def _at_distance(values: tuple[float, ...], distance: float) -> tuple[float, ...]:
    """Shares from which to start: an exponential distribution that fulfils the constraint."""
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
