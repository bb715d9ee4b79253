"""The third step: weights for positions and their values, kept in the package's format of weights."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from outflank.errors import InvalidOption
from outflank.formats.files import write_whole
from outflank.games.evaluation import FROM_FILE
from outflank.games.pattern_weights import written
from outflank.learning.documents import FitSettings, WeightsDocument
from outflank.learning.generating import read_positions
from outflank.learning.labelling import read_values
from outflank.learning.pieces import Arrays, Step, Work
from outflank.learning.stages import PASSES, SHRINKAGE, StageWeights, for_learning
from outflank.learning.subject import Judge, Subject, Weights, digest


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """How weights are fitted."""

    prior: Path | None = None
    """Weights to begin with, those of the last generation."""
    shrinkage: float = SHRINKAGE
    passes: int = PASSES

    def __post_init__(self) -> None:
        if not 0 < self.shrinkage <= 1e6:
            raise InvalidOption(f"a shrinkage of {self.shrinkage:g}: more than 0")
        if not 1 <= self.passes <= 10_000:
            raise InvalidOption(f"{self.passes} passes: 1 to 10,000")


def fit_weights(folder: Path, how: Fit, work: Work) -> WeightsDocument:
    """Fit weights to the values in a folder, or go on with it; what there is then."""
    document, subject, positions = read_positions(folder)
    valued, values = read_values(folder, positions)
    judge = Judge(subject, None if how.prior is None else f"{FROM_FILE}{how.prior}")
    step = Step(folder, "weights")
    fresh = WeightsDocument(
        settings=FitSettings(
            positions=document.check,
            values=valued.check,
            prior=judge.source,
            shrinkage=how.shrinkage,
            passes=how.passes,
        )
    )
    path = folder / subject.weights_name
    with step.begun(fresh, path, work) as complete:
        if complete is not None:
            return complete
        prior = None if how.prior is None else subject.weights_in(how.prior)
        stages = StageWeights(subject, prior, shrinkage=how.shrinkage, passes=how.passes)
        learn = for_learning(positions.game)
        fitted, errors = [], []
        for stage in range(subject.rows):
            work.progress(f"fit: stage {stage + 1} of {subject.rows}")
            work.check()
            rows = np.flatnonzero(learn & (positions.stage == stage))
            boards, aims = positions.boards[rows], values[rows]

            def make(stage: int = stage, boards: object = boards, aims: object = aims) -> Arrays:
                wrong = stages.fit(stage, boards, aims, work)  # type: ignore[arg-type]  # bound now, not later
                return {"weights": stages.weights[stage], "error": np.array(wrong)}

            if len(rows):
                kept = step.piece(f"{stage:03}", ("weights", "error"), make)
                stages.keep(stage, np.asarray(kept["weights"], np.float32))
                errors.append(float(kept["error"]))
            else:
                errors.append(0.0)
            fitted.append(len(rows))
        found = stages.rounded()
        write_whole(path, written(subject.patterns, found))
        made = WeightsDocument(
            settings=fresh.settings,
            complete=True,
            file=path.name,
            stages=subject.rows,
            weights=subject.patterns.weights,
            fitted=tuple(fitted),
            errors=tuple(errors),
            check=digest(found),
        )
        step.finish(made)
        return made


def read_fitted(folder: Path, subject: Subject) -> tuple[WeightsDocument, Weights]:
    """The weights that were fitted in a folder."""
    document = Step(folder, "weights").read(WeightsDocument, "outflank train fit")
    return document, subject.weights_in(folder / subject.weights_name)
