"""The fourth step: what weights are wrong by, stage by stage, on games that they have not seen."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from outflank.documents import in_lines
from outflank.errors import OutflankError, reason_of
from outflank.formats.files import write_whole
from outflank.games.evaluation import begin, evaluations, scale_of, value
from outflank.games.rules import unpack
from outflank.kernels.compiler import kernel
from outflank.learning.documents import LEARNT, CheckedEvaluation, ErrorsDocument, StageError
from outflank.learning.fitting import read_fitted
from outflank.learning.generating import read_positions, taken
from outflank.learning.labelling import read_values
from outflank.learning.pieces import Work
from outflank.learning.selfplay import Positions
from outflank.learning.stages import for_learning
from outflank.learning.subject import Judge, Subject, digest

Floats = npt.NDArray[np.float64]


@kernel
def _estimate_all(game: Any, evaluation: Any, boards: Any, values: Any) -> None:
    for row in range(len(boards)):
        position = unpack(game, boards[row, 0], boards[row, 1])
        values[row] = value(evaluation, game, position, begin(evaluation, game, position))


def estimated(rules: Any, evaluation: Any, boards: npt.NDArray[np.uint64]) -> Floats:
    """What an evaluation says of positions, in its own points."""
    found = np.zeros(len(boards), np.int64)
    _estimate_all(rules, evaluation, np.ascontiguousarray(boards), found)
    return found.astype(np.float64)


def check(
    folder: Path, work: Work, *, weights: Path | None = None, beside: Sequence[str] | None = None
) -> ErrorsDocument:
    """Hold weights, those of the folder or others, against its held-out positions, beside other evaluations.

    `beside` names them; None: all that the game has.
    """
    _, subject, positions = read_positions(folder)
    valued, values = read_values(folder, positions)
    found = read_fitted(folder, subject)[1] if weights is None else subject.weights_in(weights)
    unseen = _unseen(positions)
    if not len(unseen):
        raise OutflankError(f"{folder}: no position of a held-out game is there: more positions are needed")
    positions, aims = taken(positions, unseen), values[unseen].astype(np.float64)
    errors: dict[str, Floats] = {}
    told: list[CheckedEvaluation] = []
    names = list(evaluations(subject.rules)) if beside is None else list(beside)
    for name in (LEARNT, *(each for each in names if not each.startswith("patterns:"))):
        work.check()
        work.progress(f"check: {name}")
        judge = Judge(subject, weights=found) if name == LEARNT else Judge(subject, name)
        says = estimated(subject.rules, judge.evaluation, positions.boards)
        points, scaled = _scale(subject, judge, says, aims)
        told.append(CheckedEvaluation(name=name, points=points, scaled=scaled))
        errors[name] = (0 if points is None else says / points) - aims
    exact = positions.left <= valued.settings.exact
    stages = [
        _stage_error(stage, np.flatnonzero(positions.stage == stage), positions, aims, errors, exact)
        for stage in np.unique(positions.stage).tolist()
    ]
    document = ErrorsDocument(
        game=subject.called,
        unit=subject.unit,
        weights=digest(found),
        evaluations=tuple(told),
        stages=tuple(stages),
        total=_stage_error(None, np.arange(len(positions)), positions, aims, errors, exact),
    )
    if weights is None and beside is None:
        try:
            write_whole(folder / "check.json", in_lines(document))
        except OSError as error:
            raise OutflankError(f"{folder} cannot be written to: {reason_of(error)}") from None
    return document


def _unseen(positions: Positions) -> npt.NDArray[np.int64]:
    """Held-out positions that came up in no game that was learnt from: many games begin alike."""
    words = positions.boards.view([("first", np.uint64), ("second", np.uint64)]).reshape(-1)
    learnt = for_learning(positions.game)
    return np.flatnonzero(~learnt & ~np.isin(words, words[learnt]))


def _scale(subject: Subject, judge: Judge, says: Floats, aims: Floats) -> tuple[float | None, bool]:
    """How many of an evaluation's points make one of the game's unit, and whether that had to be found out; None: it
    says the contrary of what is so, and any number makes it worse."""
    if judge.name is None:
        return float(judge.points), False
    scale = scale_of(subject.rules, judge.evaluation)
    if scale.unit == subject.unit:
        return float(scale.points), False
    across = float(np.sum(says * aims))
    return (float(np.sum(says * says)) / across if across > 0 else None), True


def _stage_error(
    stage: int | None, rows: Any, positions: Positions, aims: Floats, errors: dict[str, Floats], exact: Any
) -> StageError:
    left = positions.left[rows]
    return StageError(
        stage=stage,
        left=(int(left.min()), int(left.max())),
        positions=len(rows),
        solved=int(exact[rows].sum()),
        spread=_digits(float(np.std(aims[rows]))),
        errors={name: _digits(float(np.sqrt(np.mean(wrong[rows] ** 2)))) for name, wrong in errors.items()},
    )


def _digits(number: float) -> float:
    return round(number, 4)
