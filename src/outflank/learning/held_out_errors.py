"""The fourth step of learning: errors of the fitted weights on held-out games, by stage."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from outflank.errors import OutflankError, reason_of
from outflank.formats.files import write_whole
from outflank.games.evaluation import Evaluation, begin, evaluations, scale_of, value
from outflank.games.rules import Game, unpack
from outflank.kernels.compiler import kernel
from outflank.learning.fit import training_mask
from outflank.learning.fitting import read_fitted
from outflank.learning.generating import read_positions, select_rows
from outflank.learning.labelling import read_values
from outflank.learning.pieces import Work
from outflank.learning.selfplay import Positions, Rows
from outflank.learning.step_documents import LEARNT, CheckedEvaluation, ErrorsDocument, StageError
from outflank.learning.subject import Judge, Subject, digest
from outflank.search.many_endings import Words
from outflank.validation.documents import in_lines

Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]


@kernel
def _estimate_all(game: Game, evaluation: Evaluation, boards: Words, values: npt.NDArray[np.int64]) -> None:
    for row in range(len(boards)):
        position = unpack(game, boards[row, 0], boards[row, 1])
        values[row] = value(evaluation, game, position, begin(evaluation, game, position))


def evaluation_values(rules: Game, evaluation: Evaluation, boards: Words) -> Floats:
    """Return an evaluation's value of each position, in the evaluation's points."""
    values = np.zeros(len(boards), np.int64)
    _estimate_all(rules, evaluation, np.ascontiguousarray(boards), values)
    return values.astype(np.float64)


def check(
    folder: Path, work: Work, *, weights: Path | None = None, beside: Sequence[str] | None = None
) -> ErrorsDocument:
    """Return the errors of a training folder's weights, or of the weights in the file `weights`, on held-out positions.

    Other evaluations are measured, too: the evaluations that `beside` names, or all evaluations of the game.
    """
    _, subject, positions = read_positions(folder)
    values_document, values = read_values(folder, positions)
    fitted = read_fitted(folder, subject)[1] if weights is None else subject.weights_in(weights)
    held_out = _held_out_rows(positions)
    if not len(held_out):
        raise OutflankError(f"{folder}: no position of a held-out game is there: more positions are needed")
    positions, targets = select_rows(positions, held_out), values[held_out].astype(np.float64)
    errors: dict[str, Floats] = {}
    checked: list[CheckedEvaluation] = []
    names = list(evaluations(subject.rules)) if beside is None else list(beside)
    for name in (LEARNT, *(other for other in names if not other.startswith("patterns:"))):
        work.check()
        work.progress(f"check: {name}")
        judge = Judge(subject, weights=fitted) if name == LEARNT else Judge(subject, name)
        estimates = evaluation_values(subject.rules, judge.evaluation, positions.boards)
        points, scaled = _scale(subject, judge, estimates, targets)
        checked.append(CheckedEvaluation(name=name, points=points, scaled=scaled))
        errors[name] = (0 if points is None else estimates / points) - targets
    exact = positions.left <= values_document.settings.exact
    stages = [
        _stage_error(stage, np.flatnonzero(positions.stage == stage), positions, targets, errors, exact)
        for stage in np.unique(positions.stage).tolist()
    ]
    document = ErrorsDocument(
        game=subject.title,
        unit=subject.unit,
        weights=digest(fitted),
        evaluations=tuple(checked),
        stages=tuple(stages),
        total=_stage_error(None, np.arange(len(positions)), positions, targets, errors, exact),
    )
    if weights is None and beside is None:
        try:
            write_whole(folder / "check.json", in_lines(document))
        except OSError as error:
            raise OutflankError(f"{folder} cannot be written to: {reason_of(error)}") from None
    return document


def _held_out_rows(positions: Positions) -> Rows:
    """Return the rows of held-out positions that occur in no training game. Many games begin alike."""
    words = positions.boards.view([("first", np.uint64), ("second", np.uint64)]).reshape(-1)
    is_training = training_mask(positions.game)
    return np.flatnonzero(~is_training & ~np.isin(words, words[is_training]))


def _scale(subject: Subject, judge: Judge, estimates: Floats, targets: Floats) -> tuple[float | None, bool]:
    """Return the number of an evaluation's points in one unit of the game, and whether it was fitted.

    The number is None if the evaluation does not correlate positively with the true values, so that no scale helps.
    """
    if judge.name is None:
        return float(judge.points), False
    scale = scale_of(subject.rules, judge.evaluation)
    if scale.unit == subject.unit:
        return float(scale.points), False
    covariance = float(np.sum(estimates * targets))
    return (float(np.sum(estimates * estimates)) / covariance if covariance > 0 else None), True


def _stage_error(
    stage: int | None, rows: Rows, positions: Positions, targets: Floats, errors: dict[str, Floats], exact: Mask
) -> StageError:
    left = positions.left[rows]
    return StageError(
        stage=stage,
        left=(int(left.min()), int(left.max())),
        positions=len(rows),
        solved=int(exact[rows].sum()),
        spread=_digits(float(np.std(targets[rows]))),
        errors={name: _digits(float(np.sqrt(np.mean(differences[rows] ** 2)))) for name, differences in errors.items()},
    )


def _digits(number: float) -> float:
    return round(number, 4)
