"""The weights of patterns that come nearest to the known values of positions: least squares, by conjugate gradients.

Of a weight that few positions show little is known. Each begins at a prior (the weights of a neighbouring stage) and a
`shrinkage` of so many imagined positions holds it there: it stays near the prior until it has been seen more often.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from outflank.games.evaluation import begin
from outflank.games.pattern_sets import LoadedPatterns, PatternSet
from outflank.games.patterns import COPIES, COUNTS, WORDS, counts
from outflank.games.rules import unpack
from outflank.gpu.choosing import DeviceAsked, on_device
from outflank.kernels.bits import U64
from outflank.kernels.compiler import kernel

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Examples:
    """Positions by the numbers of their weights, and what they are worth to the side to move, in the game's unit."""

    indices: npt.NDArray[np.int32]
    values: Floats

    def __len__(self) -> int:
        return len(self.values)


@kernel
def _states(game: Any, evaluation: Any, boards: Any, words: Any) -> None:
    """The states of positions, given as two words each, and their counts behind."""
    for row in range(len(boards)):
        position = unpack(game, boards[row, 0], boards[row, 1])
        state = begin(evaluation, game, position)
        column = 0
        for word in state:
            words[row, column] = word
            column += 1
        words[row, column] = counts(game, position)


@kernel
def _sums(indices: Any, weights: Any, sums: Any) -> None:
    """For each row of indices the sum of their weights."""
    for row in range(len(indices)):
        found = np.float32(0)
        for column in range(indices.shape[1]):
            found += weights[indices[row, column]]
        sums[row] = found


@kernel
def _gather(indices: Any, parts: Any, weights: Any) -> None:
    """Add to each weight the parts of the rows that show it."""
    for row in range(len(indices)):
        for column in range(indices.shape[1]):
            weights[indices[row, column]] += parts[row]


ROWS = 1 << 16
"""Positions whose weights are looked up together: their states take far more room than the numbers of the weights."""

SHARES = 8
"""Parts of the examples that are summed apart, whoever does it, and then added in their order: sums of floats depend on
the order, and weights must not depend on the number of workers."""

WORTH_SHARING = 1 << 20
"""Numbers of weights from which several workers are faster than one."""


def examples_of(game: Any, patterns: PatternSet, boards: npt.NDArray[np.uint64], values: npt.ArrayLike) -> Examples:
    """Positions, given by the two words that `pack` makes of each, with their values."""
    loaded = LoadedPatterns(patterns, np.zeros((max(patterns.stages) + 1, patterns.weights), np.int16))
    indices = np.zeros((len(boards), COPIES + COUNTS), np.int32)
    for first in range(0, len(boards), ROWS):
        some = np.ascontiguousarray(boards[first : first + ROWS], U64)
        words = np.zeros((len(some), WORDS + 1), np.uint64)
        _states(game, loaded.evaluation, some, words)
        indices[first : first + ROWS] = patterns.indices(words)
    return Examples(indices, np.asarray(values, np.float32))


def estimates(examples: Examples, weights: Floats) -> Floats:
    """What weights say of the examples."""
    found = np.zeros(len(examples), np.float32)
    _sums(examples.indices, np.ascontiguousarray(weights, np.float32), found)
    return found


def error(examples: Examples, weights: Floats) -> float:
    """The root of the mean square of what weights are wrong by."""
    return float(np.sqrt(np.mean((estimates(examples, weights) - examples.values).astype(np.float64) ** 2)))


def _rows(count: int) -> list[slice]:
    """Which examples are in each share."""
    edges = np.linspace(0, count, SHARES + 1).astype(int)
    return [slice(int(first), int(end)) for first, end in pairwise(edges)]


class _Shares:
    """Examples in parts, and who works on them."""

    def __init__(self, examples: Examples, weights: int, each: Callable[[Callable[[int], None]], None]) -> None:
        self._rows = _rows(len(examples))
        self._examples, self._each = examples, each
        self._sums = np.zeros((SHARES, weights), np.float32)

    def gathered(self, parts: Floats) -> Floats:
        """For each weight the sum of the parts of the examples that show it."""

        def gather(share: int) -> None:
            rows = self._rows[share]
            self._sums[share] = 0
            _gather(self._examples.indices[rows], parts[rows], self._sums[share])

        self._each(gather)
        found: Floats = self._sums[0].copy()
        for share in self._sums[1:]:
            found += share
        return found

    def estimates(self, weights: Floats) -> Floats:
        """What weights say of the examples."""
        found = np.zeros(len(self._examples), np.float32)

        def estimate(share: int) -> None:
            rows = self._rows[share]
            _sums(self._examples.indices[rows], weights, found[rows])

        self._each(estimate)
        return found


class Sums(Protocol):
    """What a fit asks of the examples, whoever sums it up."""

    def gathered(self, parts: Floats) -> Floats:
        """For each weight the sum of the parts of the examples that show it."""

    def estimates(self, weights: Floats) -> Floats:
        """What weights say of the examples."""


def fit(
    examples: Examples,
    prior: Floats,
    *,
    shrinkage: float = 4.0,
    passes: int = 40,
    workers: int = 1,
    device: DeviceAsked = "cpu",
) -> Floats:
    """The weights that are best for `examples`, held to `prior`. The last of them belongs to no pattern, and stays.

    They are the same, to the bit, for any number of workers, and on a GPU.
    """
    with ExitStack() as stack:
        each = _one_by_one
        if workers > 1 and examples.indices.size >= WORTH_SHARING:
            threads = stack.enter_context(ThreadPoolExecutor(workers))

            def each(work: Callable[[int], None]) -> None:
                list(threads.map(work, range(SHARES)))

        def there() -> Floats:
            from outflank.learning.fit_on_device import DeviceShares

            sums = DeviceShares(examples.indices, _rows(len(examples)), len(prior), each)
            return _fit(sums, examples, prior, shrinkage, passes)

        def here() -> Floats:
            return _fit(_Shares(examples, len(prior), each), examples, prior, shrinkage, passes)

        return on_device(device, there, here)


def _one_by_one(work: Callable[[int], None]) -> None:
    for share in range(SHARES):
        work(share)


def _product(one: Floats, other: Floats) -> float:
    """The scalar product. Not by BLAS, whose sums depend on how many threads it has."""
    return float(np.sum(one.astype(np.float64) * other))


def _fit(shares: Sums, examples: Examples, prior: Floats, shrinkage: float, passes: int) -> Floats:
    seen = shares.gathered(np.ones(len(examples), np.float32))
    scale: Floats = np.asarray(1 / (seen + np.float32(shrinkage)), np.float32)
    scale[-1] = 0
    found: Floats = np.array(prior, np.float32)
    # What the normal equations still miss, of the change from the prior.
    left = shares.gathered(examples.values - shares.estimates(found))
    step: Floats = np.asarray(scale * left, np.float32)
    size = _product(left, step)
    for _ in range(passes):
        if size <= 0.0:
            break
        moved: Floats = shares.gathered(shares.estimates(step))
        moved += np.float32(shrinkage) * step
        length = size / _product(step, moved)
        found += np.float32(length) * step
        left -= np.float32(length) * moved
        towards: Floats = np.asarray(scale * left, np.float32)
        size, before = _product(left, towards), size
        step = np.asarray(towards + np.float32(size / before) * step, np.float32)
    return found
