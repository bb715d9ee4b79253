"""The weights of patterns that come nearest to the known values of positions: least squares, by conjugate gradients.

Of a weight that few positions show little is known. Each begins at a prior (the weights of a neighbouring stage) and a
`shrinkage` of so many imagined positions holds it there: it stays near the prior until it has been seen more often.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from outflank.games.evaluation import begin
from outflank.games.pattern_sets import LoadedPatterns, PatternSet
from outflank.games.patterns import COPIES, COUNTS, WORDS, counts
from outflank.games.rules import unpack
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


def examples_of(game: Any, patterns: PatternSet, boards: npt.NDArray[np.uint64], values: npt.ArrayLike) -> Examples:
    """Positions, given by the two words that `pack` makes of each, with their values."""
    loaded = LoadedPatterns(patterns, np.zeros((max(patterns.stages) + 1, patterns.weights), np.int16))
    words = np.zeros((len(boards), WORDS + 1), np.uint64)
    _states(game, loaded.evaluation, np.ascontiguousarray(boards, U64), words)
    assert words.shape[1] * 4 == COPIES + COUNTS
    return Examples(patterns.indices(words), np.asarray(values, np.float32))


def estimates(examples: Examples, weights: Floats) -> Floats:
    """What weights say of the examples."""
    found = np.zeros(len(examples), np.float32)
    _sums(examples.indices, np.ascontiguousarray(weights, np.float32), found)
    return found


def error(examples: Examples, weights: Floats) -> float:
    """The root of the mean square of what weights are wrong by."""
    return float(np.sqrt(np.mean((estimates(examples, weights) - examples.values).astype(np.float64) ** 2)))


def fit(examples: Examples, prior: Floats, *, shrinkage: float = 4.0, passes: int = 40) -> Floats:
    """The weights that are best for `examples`, held to `prior`. The last of them belongs to no pattern, and stays."""
    seen = np.zeros(len(prior), np.float32)
    _gather(examples.indices, np.ones(len(examples), np.float32), seen)
    scale = 1 / (seen + np.float32(shrinkage))
    scale[-1] = 0
    found: Floats = np.array(prior, np.float32)
    left = np.zeros_like(found)  # what the normal equations still miss, of the change from the prior
    _gather(examples.indices, examples.values - estimates(examples, found), left)
    step: Floats = np.asarray(scale * left, np.float32)
    size = float(left.astype(np.float64) @ step)
    for _ in range(passes):
        if size <= 0.0:
            break
        moved = np.float32(shrinkage) * step
        _gather(examples.indices, estimates(examples, step), moved)
        length = size / float(step.astype(np.float64) @ moved)
        found += np.float32(length) * step
        left -= np.float32(length) * moved
        towards = scale * left
        size, before = float(left.astype(np.float64) @ towards), size
        step = np.asarray(towards + np.float32(size / before) * step, np.float32)
    return found
