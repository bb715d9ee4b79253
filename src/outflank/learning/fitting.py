"""The third step of learning: fitting weights to positions and their values, and writing them to a file."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from outflank.errors import InvalidOption
from outflank.formats.files import write_whole
from outflank.games.evaluation import FROM_FILE
from outflank.games.pattern_weights import encode_weights
from outflank.learning.fit import PASSES, SHRINKAGE, StageWeights, training_mask
from outflank.learning.generating import read_positions
from outflank.learning.labelling import read_values
from outflank.learning.pieces import Arrays, Step, Work
from outflank.learning.step_documents import FitSettings, WeightsDocument
from outflank.learning.subject import Judge, Subject, Weights, digest


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """Options of a fit."""

    prior: Path | None = None
    """File of an earlier generation's weights, which are the prior of the fit."""
    shrinkage: float = SHRINKAGE
    passes: int = PASSES

    def __post_init__(self) -> None:
        if not 0 < self.shrinkage <= 1e6:
            raise InvalidOption(f"a shrinkage of {self.shrinkage:g}: more than 0")
        if not 1 <= self.passes <= 10_000:
            raise InvalidOption(f"{self.passes} passes: 1 to 10,000")


def fit_weights(folder: Path, options: Fit, work: Work) -> WeightsDocument:
    """Fit weights to the values in a training folder, or continue an interrupted fit; return its document."""
    document, subject, positions = read_positions(folder)
    values_document, values = read_values(folder, positions)
    judge = Judge(subject, None if options.prior is None else f"{FROM_FILE}{options.prior}")
    step = Step(folder, "weights")
    planned = WeightsDocument(
        settings=FitSettings(
            positions=document.check,
            values=values_document.check,
            prior=judge.source,
            shrinkage=options.shrinkage,
            passes=options.passes,
        )
    )
    path = folder / subject.weights_name
    with step.open(planned, path, work) as complete:
        if complete is not None:
            return complete
        prior = None if options.prior is None else subject.weights_in(options.prior)
        stages = StageWeights(subject, prior, shrinkage=options.shrinkage, passes=options.passes)
        is_training = training_mask(positions.game)
        fitted, errors = [], []
        for stage in range(subject.rows):
            work.progress(f"fit: stage {stage + 1} of {subject.rows}")
            work.check()
            rows = np.flatnonzero(is_training & (positions.stage == stage))
            boards, targets = positions.boards[rows], values[rows]

            def make(stage: int = stage, boards: object = boards, targets: object = targets) -> Arrays:
                stage_error = stages.fit(stage, boards, targets, work)  # type: ignore[arg-type]  # bound now, not in the next iteration
                return {"weights": stages.weights[stage], "error": np.array(stage_error)}

            if len(rows):
                arrays = step.piece(f"{stage:03}", ("weights", "error"), make)
                stages.keep(stage, np.asarray(arrays["weights"], np.float32))
                errors.append(float(arrays["error"]))
            else:
                errors.append(0.0)
            fitted.append(len(rows))
        weights = stages.rounded()
        write_whole(path, encode_weights(subject.patterns, weights))
        finished = WeightsDocument(
            settings=planned.settings,
            complete=True,
            file=path.name,
            stages=subject.rows,
            weights=subject.patterns.weights,
            fitted=tuple(fitted),
            errors=tuple(errors),
            check=digest(weights),
        )
        step.finish(finished)
        return finished


def read_fitted(folder: Path, subject: Subject) -> tuple[WeightsDocument, Weights]:
    """Return the fitted weights in a training folder, with their document."""
    document = Step(folder, "weights").read(WeightsDocument, "outflank train fit")
    return document, subject.weights_in(folder / subject.weights_name)
