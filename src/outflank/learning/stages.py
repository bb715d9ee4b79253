"""Weights of all stages, fitted one after the other: each begins with the weights of its neighbour."""

import numpy as np
import numpy.typing as npt

from outflank.learning.fit import Floats, error, examples_of, fit
from outflank.learning.pieces import Work
from outflank.learning.subject import Subject, Weights

SHRINKAGE = 8.0
"""Number of imagined positions that hold a weight at its prior."""
PASSES = 30
"""Number of iterations of conjugate gradients."""

HELD_OUT = 16
"""One of this many games is held out of learning, and used for checking."""


def training_mask(games: npt.NDArray[np.int32]) -> npt.NDArray[np.bool_]:
    """Return which positions are learnt from, by the numbers of their games."""
    return np.asarray(games % HELD_OUT != 0, np.bool_)


class StageWeights:
    """The weights known so far."""

    def __init__(self, subject: Subject, prior: Weights | None, *, shrinkage: float, passes: int) -> None:
        """Begin at `prior`, the weights of the last generation; without, at the stage fitted before."""
        self.subject, self.shrinkage, self.passes = subject, shrinkage, passes
        self.has_prior = prior is not None
        start = subject.zero_weights() if prior is None else prior
        self.weights: Floats = (start / subject.patterns.points).astype(np.float32)
        self.prior = self.weights.copy()
        self.fitted: set[int] = set()

    def fit(
        self, stage: int, boards: npt.NDArray[np.uint64], values: npt.NDArray[np.float32], work: Work
    ) -> float | None:
        """Fit a stage to positions and their values; return the root mean square error on those."""
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
        """Store the weights of a stage as fitted; stages that are not fitted yet begin with them."""
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
        """Return the weights as an evaluation has them."""
        points = self.weights * np.float32(self.subject.patterns.points)
        limits = np.iinfo(np.int16)
        return np.asarray(np.clip(np.rint(points), limits.min, limits.max), np.int16)
