"""Weights of all stages, fitted one after the other: each begins with what is known of its neighbour."""

import numpy as np
import numpy.typing as npt

from outflank.learning.fit import Floats, error, examples_of, fit
from outflank.learning.pieces import Work
from outflank.learning.subject import Subject, Weights

SHRINKAGE = 8.0
"""Imagined positions that hold a weight where it was."""
PASSES = 30
"""Of conjugate gradients."""

HELD_OUT = 16
"""Of so many games one is never learnt from, but checked."""


def for_learning(games: npt.NDArray[np.int32]) -> npt.NDArray[np.bool_]:
    """Which positions are learnt from, by the numbers of their games."""
    return np.asarray(games % HELD_OUT != 0, np.bool_)


class StageWeights:
    """Weights as they are known by now."""

    def __init__(self, subject: Subject, prior: Weights | None, *, shrinkage: float, passes: int) -> None:
        """`prior`: those of the last generation, at which weights begin; without, a stage begins as the one before it
        ended."""
        self.subject, self.shrinkage, self.passes = subject, shrinkage, passes
        self.has_prior = prior is not None
        start = subject.nothing() if prior is None else prior
        self.weights: Floats = (start / subject.patterns.points).astype(np.float32)
        self.prior = self.weights.copy()
        self.fitted: set[int] = set()

    def fit(
        self, stage: int, boards: npt.NDArray[np.uint64], values: npt.NDArray[np.float32], work: Work
    ) -> float | None:
        """Fit a stage to positions and their values; what its weights are wrong by on those."""
        if not len(boards):
            return None
        examples = examples_of(self.subject.rules, self.subject.patterns, boards, values)
        prior = self._prior(stage)
        found = fit(
            examples, prior, shrinkage=self.shrinkage, passes=self.passes, workers=work.workers, device=work.device
        )
        self.keep(stage, found)
        return error(examples, found)

    def keep(self, stage: int, weights: Floats) -> None:
        """Take the weights of a stage as fitted; stages of which nothing is known begin there."""
        self.weights[stage] = weights
        self.fitted.add(stage)
        if not self.has_prior:
            for other in set(range(len(self.weights))) - self.fitted:
                nearest = min(self.fitted, key=lambda each: (abs(each - other), each))
                self.weights[other] = self.weights[nearest]

    def _prior(self, stage: int) -> Floats:
        before = [each for each in self.fitted if each != stage]
        if self.has_prior or not before:
            return np.asarray(self.prior[stage], np.float32)
        return np.asarray(self.weights[min(before, key=lambda each: (abs(each - stage), each))], np.float32)

    def rounded(self) -> Weights:
        """As an evaluation has them."""
        points = self.weights * np.float32(self.subject.patterns.points)
        limits = np.iinfo(np.int16)
        return np.asarray(np.clip(np.rint(points), limits.min, limits.max), np.int16)
