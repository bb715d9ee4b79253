"""Fitting weights of patterns to the known values of positions: least squares with conjugate gradients.

Each weight starts at a prior: the weight of a neighbouring stage or of an earlier generation. `shrinkage` is a number
of imaginary extra positions that hold each weight at its prior, so that weights which occur rarely stay near their
priors.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

import numpy as np
import numpy.typing as npt

from outflank.games.evaluation import Evaluation, begin
from outflank.games.pattern_sets import LoadedPatterns, PatternSet
from outflank.games.patterns import COPIES, COUNTS, WORDS, counts
from outflank.games.rules import Game, unpack
from outflank.gpu.choosing import DeviceOption, on_device
from outflank.kernels.bits import U64
from outflank.kernels.compiler import kernel
from outflank.learning.pieces import Work
from outflank.learning.subject import Subject, Weights
from outflank.search.many_endings import Words

Floats = npt.NDArray[np.float32]
Indices = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Examples:
    """Positions, each as the indices of its weights, with its known value for the side to move in the game's unit."""

    indices: Indices
    values: Floats

    def __len__(self) -> int:
        return len(self.values)


@kernel
def _states(game: Game, evaluation: Evaluation, boards: Words, words: Words) -> None:
    """Write the evaluation's state of each position, and then its word of `counts`, to a row of `words`."""
    for row in range(len(boards)):
        position = unpack(game, boards[row, 0], boards[row, 1])
        state = begin(evaluation, game, position)
        column = 0
        for word in state:
            words[row, column] = word
            column += 1
        words[row, column] = counts(game, position)


@kernel
def _sums(indices: Indices, weights: Floats, sums: Floats) -> None:
    """Write the sum of the weights of each row of indices to `sums`."""
    for row in range(len(indices)):
        total = np.float32(0)
        for column in range(indices.shape[1]):
            total += weights[indices[row, column]]
        sums[row] = total


@kernel
def _gather(indices: Indices, parts: Floats, weights: Floats) -> None:
    """For each row of `indices`, add `parts[row]` to the weights at the indices in the row."""
    for row in range(len(indices)):
        for column in range(indices.shape[1]):
            weights[indices[row, column]] += parts[row]


ROWS = 1 << 16
"""Number of positions converted to indices of weights at a time. The states of positions take far more memory than the
indices."""

SHARES = 8
"""Number of shares of the examples. A worker sums one share at a time, and the sums are added in order. Sums of floats
depend on the order, and weights must not depend on the number of workers."""

WORTH_SHARING = 1 << 20
"""Least number of indices in a fit for which several workers are faster than one."""


def examples_of(game: Game, patterns: PatternSet, boards: Words, values: npt.ArrayLike) -> Examples:
    """Return examples from positions, two packed words each, and their values."""
    loaded = LoadedPatterns(patterns, np.zeros((max(patterns.stages) + 1, patterns.weights), np.int16))
    indices = np.zeros((len(boards), COPIES + COUNTS), np.int32)
    for first in range(0, len(boards), ROWS):
        portion = np.ascontiguousarray(boards[first : first + ROWS], U64)
        words = np.zeros((len(portion), WORDS + 1), np.uint64)
        _states(game, loaded.evaluation, portion, words)
        indices[first : first + ROWS] = patterns.indices(words)
    return Examples(indices, np.asarray(values, np.float32))


def estimates(examples: Examples, weights: Floats) -> Floats:
    """Return the value of each example, which is the sum of the example's weights in `weights`."""
    sums = np.zeros(len(examples), np.float32)
    _sums(examples.indices, np.ascontiguousarray(weights, np.float32), sums)
    return sums


def error(examples: Examples, weights: Floats) -> float:
    """Return the root mean square error of the weights on the examples."""
    return float(np.sqrt(np.mean((estimates(examples, weights) - examples.values).astype(np.float64) ** 2)))


def _rows(count: int) -> list[slice]:
    edges = np.linspace(0, count, SHARES + 1).astype(int)
    return [slice(int(first), int(end)) for first, end in pairwise(edges)]


class _Shares:
    """Computes the sums over all examples that a fit needs, on the CPU. `for_each` calls a function for each share."""

    def __init__(self, examples: Examples, weights: int, for_each: Callable[[Callable[[int], None]], None]) -> None:
        self._rows = _rows(len(examples))
        self._examples, self._for_each = examples, for_each
        self._sums = np.zeros((SHARES, weights), np.float32)

    def weight_sums(self, parts: Floats) -> Floats:
        def gather(share: int) -> None:
            rows = self._rows[share]
            self._sums[share] = 0
            _gather(self._examples.indices[rows], parts[rows], self._sums[share])

        self._for_each(gather)
        total: Floats = self._sums[0].copy()
        for share in self._sums[1:]:
            total += share
        return total

    def estimates(self, weights: Floats) -> Floats:
        sums = np.zeros(len(self._examples), np.float32)

        def estimate(share: int) -> None:
            rows = self._rows[share]
            _sums(self._examples.indices[rows], weights, sums[rows])

        self._for_each(estimate)
        return sums


class Sums(Protocol):
    """Computes the sums over all examples that a fit needs, on a CPU or a GPU."""

    def weight_sums(self, parts: Floats) -> Floats:
        """Return, for each weight, the sum of `parts` over the examples that have this weight. `parts` has a number per
        example."""

    def estimates(self, weights: Floats) -> Floats:
        """Return the value of each example with these weights."""


def fit(
    examples: Examples,
    prior: Floats,
    *,
    shrinkage: float = 4.0,
    passes: int = 40,
    workers: int = 1,
    device: DeviceOption = "cpu",
) -> Floats:
    """Return the weights that fit `examples` best, held near `prior`.

    The last weight, which belongs to no pattern, is not changed. The result is the same, to the bit, for any number of
    workers and on a GPU.
    """
    with ExitStack() as stack:
        for_each = _one_by_one
        if workers > 1 and examples.indices.size >= WORTH_SHARING:
            threads = stack.enter_context(ThreadPoolExecutor(workers))

            def for_each(work: Callable[[int], None]) -> None:
                list(threads.map(work, range(SHARES)))

        def on_gpu() -> Floats:
            from outflank.learning.fit_on_device import DeviceShares

            sums = DeviceShares(examples.indices, _rows(len(examples)), len(prior), for_each)
            return _fit(sums, examples, prior, shrinkage, passes)

        def on_cpu() -> Floats:
            return _fit(_Shares(examples, len(prior), for_each), examples, prior, shrinkage, passes)

        return on_device(device, on_gpu, on_cpu)


def _one_by_one(work: Callable[[int], None]) -> None:
    for share in range(SHARES):
        work(share)


def _product(first: Floats, second: Floats) -> float:
    """Return the scalar product. BLAS is not used, because its sums depend on its number of threads."""
    return float(np.sum(first.astype(np.float64) * second))


def _fit(shares: Sums, examples: Examples, prior: Floats, shrinkage: float, passes: int) -> Floats:
    occurrences = shares.weight_sums(np.ones(len(examples), np.float32))
    scale: Floats = np.asarray(1 / (occurrences + np.float32(shrinkage)), np.float32)
    scale[-1] = 0
    weights: Floats = np.array(prior, np.float32)
    # The residual of the normal equations; their unknown is the change from the prior.
    residual = shares.weight_sums(examples.values - shares.estimates(weights))
    direction: Floats = np.asarray(scale * residual, np.float32)
    size = _product(residual, direction)
    for _ in range(passes):
        if size <= 0.0:
            break
        direction_image: Floats = shares.weight_sums(shares.estimates(direction))
        direction_image += np.float32(shrinkage) * direction
        length = size / _product(direction, direction_image)
        weights += np.float32(length) * direction
        residual -= np.float32(length) * direction_image
        preconditioned: Floats = np.asarray(scale * residual, np.float32)
        size, before = _product(residual, preconditioned), size
        direction = np.asarray(preconditioned + np.float32(size / before) * direction, np.float32)
    return weights


SHRINKAGE = 8.0
"""Default of `shrinkage`, the number of extra positions that hold a weight at its prior."""
PASSES = 30
"""Default number of iterations of conjugate gradients."""

HELD_OUT = 16
"""One in this many games is left out of the fit, to measure errors on it."""


def training_mask(games: npt.NDArray[np.int32]) -> npt.NDArray[np.bool_]:
    """Return for each position whether weights are fitted to it. `games` has the number of each position's game."""
    return np.asarray(games % HELD_OUT != 0, np.bool_)


class StageWeights:
    """The weights of all stages of a game, while stages are fitted one after the other."""

    def __init__(self, subject: Subject, prior: Weights | None, *, shrinkage: float, passes: int) -> None:
        """`prior` has the weights of an earlier generation, to which the fit of each stage is pulled. If it is None, a
        stage is pulled to the nearest stage already fitted, and the first stage to zero."""
        self.subject, self.shrinkage, self.passes = subject, shrinkage, passes
        self.has_prior = prior is not None
        start = subject.zero_weights() if prior is None else prior
        self.weights: Floats = (start / subject.patterns.points).astype(np.float32)
        self.prior = self.weights.copy()
        self.fitted: set[int] = set()

    def fit(self, stage: int, boards: Words, values: npt.NDArray[np.float32], work: Work) -> float | None:
        """Fit a stage's weights to positions; return the root mean square error on them, or None without positions."""
        if not len(boards):
            return None
        examples = examples_of(self.subject.rules, self.subject.patterns, boards, values)
        prior = self._prior(stage)
        weights = fit(
            examples, prior, shrinkage=self.shrinkage, passes=self.passes, workers=work.workers, device=work.device
        )
        self.keep(stage, weights)
        return error(examples, weights)

    def keep(self, stage: int, weights: Floats) -> None:
        """Store the fitted weights of a stage. Without a prior, other stages copy their nearest fitted stage."""
        self.weights[stage] = weights
        self.fitted.add(stage)
        if not self.has_prior:
            for unfitted in set(range(len(self.weights))) - self.fitted:
                nearest = min(self.fitted, key=lambda fitted: (abs(fitted - unfitted), fitted))
                self.weights[unfitted] = self.weights[nearest]

    def _prior(self, stage: int) -> Floats:
        before = [fitted for fitted in self.fitted if fitted != stage]
        if self.has_prior or not before:
            return np.asarray(self.prior[stage], np.float32)
        return np.asarray(self.weights[min(before, key=lambda fitted: (abs(fitted - stage), fitted))], np.float32)

    def rounded(self) -> Weights:
        """Return the weights in the evaluation's integer points."""
        points = self.weights * np.float32(self.subject.patterns.points)
        limits = np.iinfo(np.int16)
        return np.asarray(np.clip(np.rint(points), limits.min, limits.max), np.int16)
