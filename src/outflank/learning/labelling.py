"""The second step of learning: computing values of the generated positions, stored in `values.npz`.

A game with endgame kernels is learnt backwards from its end. Positions within reach of the kernels are solved. Each
earlier position gets the value of a shallow search with the weights of later stages, which are fitted on the way. In
other games, a value combines the result of the game with a shallow search that uses an earlier generation's weights.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt

from outflank.errors import InvalidOption, OutflankError
from outflank.games.evaluation import FROM_FILE, LIMIT, Evaluation, begin
from outflank.games.rules import Game, unpack
from outflank.gpu.choosing import DeviceOption
from outflank.kernels.compiler import kernel
from outflank.learning.fit import PASSES, SHRINKAGE, StageWeights, training_mask
from outflank.learning.generating import read_positions
from outflank.learning.node_pieces import PieceRequest, ask
from outflank.learning.pieces import Arrays, Step, Work, read_arrays, write_arrays
from outflank.learning.selfplay import Positions, Rows, shallow_search
from outflank.learning.step_documents import LabelSettings, ValuesDocument
from outflank.learning.subject import Judge, Subject, digest
from outflank.search.many_endings import Words, solve_many
from outflank.search.request import Options
from outflank.search.root import Root
from outflank.search.worker import Worker
from outflank.validation.text import how_many

PORTION = 1 << 20
"""Number of positions that a GPU solves at a time. An interrupted run keeps the solved parts."""

ARRAYS = ("values",)
"""Names of the arrays in a stored part of the values."""

Parts = Mapping[str, Rows]
"""Row numbers of the positions in each stored part, by the part's name."""


def solve_parts(game: Game, boards: Words, parts: Parts, step: Step, work: Work) -> None:
    """Solve, on a GPU, the positions of all `parts` that are not stored yet, and store their values."""
    missing = {name: rows for name, rows in parts.items() if step.stored_piece(name, ARRAYS) is None}
    total = sum(map(len, parts.values()))
    done = total - sum(map(len, missing.values()))
    for portion in _portions(missing):
        _solve(game, boards, portion, step, work, done, total)
        done += sum(map(len, portion.values()))


def _portions(parts: Parts) -> Iterator[Parts]:
    """Yield groups of parts with about `PORTION` positions each."""
    portion: dict[str, npt.NDArray[np.int64]] = {}
    size = 0
    for name, rows in parts.items():
        portion[name] = rows
        size += len(rows)
        if size >= PORTION:
            yield portion
            portion, size = {}, 0
    if portion:
        yield portion


def _solve(game: Game, boards: Words, parts: Parts, step: Step, work: Work, before: int, total: int) -> None:
    from outflank.gpu.ending_kernels import UNSOLVED  # imports CUDA
    from outflank.gpu.solving_on_device import Effort, solve

    def tell(done: int, of_these: int) -> None:
        work.progress(f"label: {before + done:,} of {how_many(total, 'ending')} solved")
        work.check()

    ends = np.cumsum([len(rows) for rows in parts.values()])
    effort = Effort(ends[-1])
    try:
        solve(boards[np.concatenate(list(parts.values()))], game, effort=effort, device=work.device, progress=tell)
    finally:
        for name, values in zip(parts, np.split(effort.scores, ends[:-1]), strict=True):
            if (values != UNSOLVED).all():
                step.piece(name, ARRAYS, partial(dict, values=values.astype(np.float32)))


@kernel
def _search_all(
    game: Game, evaluation: Evaluation, boards: Words, plies: int, points: int, won: int, worker: Worker, values: Rows
) -> None:
    for row in range(len(boards)):
        position = unpack(game, boards[row, 0], boards[row, 1])
        state = begin(evaluation, game, position)
        low, high = np.int64(-LIMIT), np.int64(LIMIT)
        values[row] = shallow_search(
            game, evaluation, position, state, low, high, plies, np.int64(0), points, won, worker
        )


def solved_values(game: Game, boards: Words) -> npt.NDArray[np.float32]:
    """Return the exact scores of positions from the game's endgame kernels, which must be able to solve them."""
    return solve_many(game, boards).astype(np.float32)


def shallow_values(
    game: Game, evaluation: Evaluation, points: int, boards: Words, plies: int, *, won: int = 0
) -> npt.NDArray[np.float32]:
    """Return the values of positions from a search of `plies` plies, in the game's unit, which is `points` points.

    A finished game is worth its score or, if `won` is not 0, `won` points for the winner.
    """
    root = Root(game, unpack(game, *boards[0]), Options(table_bits=None, evaluation=evaluation))
    values = np.zeros(len(boards), np.int64)
    arguments = np.int64(plies), np.int64(points), np.int64(won)
    _search_all(game, evaluation, np.ascontiguousarray(boards), *arguments, root.worker, values)
    return (values / points).astype(np.float32)


ROWS = 1024
"""Number of positions in a stored part. Their values are computed together."""

PLIES, MOST_PLIES = 4, 12
RESULT_SHARE = 0.5
"""Default weight of the game's result in the value of a position, in a game without endgame kernels."""

FILE = "values.npz"
Values = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class Labels:
    """Options for computing the values of positions."""

    weights: Path | None = None
    """File with the weights of an earlier generation."""
    plies: int = PLIES
    exact: int | None = None
    """Greatest number of moves left at which positions are solved; None: the greatest number at which the endgame
    kernels solve positions. A GPU can solve positions with more moves left."""
    blend: float | None = None
    """Weight of the game's result in the value of a position that is not solved; the remaining weight is the search's.
    None: 0, or 0.5 in a game without endgame kernels."""
    shrinkage: float = SHRINKAGE
    passes: int = PASSES

    def __post_init__(self) -> None:
        if not 1 <= self.plies <= MOST_PLIES:
            raise InvalidOption(f"a look {self.plies} plies ahead: 1 to {MOST_PLIES}")
        if self.blend is not None and not 0 <= self.blend <= 1:
            raise InvalidOption(f"a share of {self.blend:g} for the result: 0 to 1")

    def settings(self, subject: Subject, check: str, judge: Judge, device: DeviceOption) -> LabelSettings:
        """Return the settings as they are stored in the document of the values."""
        default, most = subject.ending_moves, subject.most_solved(device)
        exact = default if self.exact is None else self.exact
        if exact > most:
            solves = f"at most {most}" if most >= 0 else "none: it has no kernels for its endings"
            raise InvalidOption(f"to solve positions with {exact} moves left: {subject.title} solves {solves}")
        blend = (RESULT_SHARE if default < 0 else 0.0) if self.blend is None else self.blend
        return LabelSettings(
            positions=check,
            plies=self.plies,
            exact=exact,
            blend=blend,
            judge=judge.source,
            shrinkage=self.shrinkage,
            passes=self.passes,
        )


def label(folder: Path, labels: Labels, work: Work) -> ValuesDocument:
    """Compute values of a training folder's positions, or continue an interrupted run; return their document."""
    document, subject, positions = read_positions(folder)
    name = subject.learning.first if subject.ending_moves < 0 else None
    judge = Judge(subject, name if labels.weights is None else f"{FROM_FILE}{labels.weights}")
    step = Step(folder, "values")
    planned = ValuesDocument(settings=labels.settings(subject, document.check, judge, work.device))
    with step.open(planned, folder / FILE, work) as complete:
        if complete is not None:
            return complete
        labelling = _Labelling(subject, positions, planned.settings, step, work)
        prior = None if labels.weights is None else subject.weights_in(labels.weights)
        if subject.ending_moves >= 0:
            labelling.solve_on_device()
            labelling.value_backwards(prior)
        else:
            labelling.value_by_results(judge)
        write_arrays(folder / FILE, {"values": labelling.values})
        exact = int((positions.left <= planned.settings.exact).sum())
        finished = ValuesDocument(
            settings=planned.settings,
            complete=True,
            solved=exact,
            looked=len(positions) - exact,
            check=digest(labelling.values),
        )
        step.finish(finished)
        return finished


class _Labelling:
    """The values of all positions of a training folder, while they are computed."""

    def __init__(self, subject: Subject, positions: Positions, settings: LabelSettings, step: Step, work: Work) -> None:
        self.subject, self.positions, self.settings = subject, positions, settings
        self.step, self.work = step, work
        self.values: Values = np.zeros(len(positions), np.float32)
        self.valued = 0

    def solve_on_device(self) -> None:
        """Solve positions near the end of the game on a GPU, if one is used, and store their values."""
        if not self.subject.is_solved_on(self.work.device):
            return
        rows = [np.flatnonzero(self.positions.left == left) for left in range(self.settings.exact + 1)]
        parts = {name: part for left, rows_left in enumerate(rows) for name, part in _parts(rows_left, _name_of(left))}
        solve_parts(self.subject.rules, self.positions.boards, parts, self.step, self.work)

    def value_backwards(self, prior: npt.NDArray[np.int16] | None) -> None:
        """Compute the values of all positions in the order of moves left, from the end of the game to its start."""
        stages = StageWeights(self.subject, prior, shrinkage=self.settings.shrinkage, passes=self.settings.passes)
        learn = training_mask(self.positions.game)
        known = np.zeros(len(self.positions), bool)
        outdated: set[int] = set()
        """Stages that have new values since their weights were last fitted."""
        for left in np.unique(self.positions.left).tolist():
            rows = np.flatnonzero(self.positions.left == left)
            judge = None
            if left > self.settings.exact:
                for stage in sorted(outdated):
                    self.work.check()
                    of_stage = np.flatnonzero(known & learn & (self.positions.stage == stage))
                    stages.fit(stage, self.positions.boards[of_stage], self.values[of_stage], self.work)
                outdated.clear()
                judge = Judge(self.subject, weights=stages.rounded())
            self._value(rows, judge, _name_of(left))
            known[rows] = True
            outdated.update(np.unique(self.positions.stage[rows]).tolist())

    def value_by_results(self, judge: Judge) -> None:
        """Compute values from game results and a shallow search. Without an evaluation, the search sees only wins and
        losses."""
        self._value(np.arange(len(self.positions)), judge, "all")

    def _value(self, rows: Rows, judge: Judge | None, name: str) -> None:
        """Compute the values of the positions `rows`: by a shallow search with `judge`, or by solving if it is None."""
        parts = list(_parts(rows, name))

        def part(number: int) -> Arrays:
            part_name, numbers = parts[number]

            def make() -> Arrays:
                return {"values": self._values_of(numbers, judge)}

            return self.step.piece(part_name, ARRAYS, make)

        before = self.valued

        def tell(done: int) -> None:
            have, total = before + min(done * ROWS, len(rows)), len(self.positions)
            self.work.progress(f"label: {have:,} of {total:,} positions, now {self._progress_text(name)}")

        results = self.work.map(part, len(parts), tell)
        for (_, numbers), arrays in zip(parts, results, strict=True):
            if arrays["values"].shape != numbers.shape:
                raise OutflankError(f"{self.step.parts} is of other positions: --replace values them anew")
            self.values[numbers] = arrays["values"]
        self.valued += len(rows)

    def _progress_text(self, name: str) -> str:
        return f"those with {int(name)} moves left" if name.isdigit() else "by a look ahead"

    def _values_of(self, rows: Rows, judge: Judge | None) -> Values:
        if judge is None:
            return self._computed(rows, None)
        estimates = self._computed(rows, judge)
        won, win = self.subject.won_points, self.subject.win
        share: np.float32 | Values = np.float32(1.0)  # without an evaluation only the game's result counts
        if judge.knows or self.subject.ending_moves >= 0:
            share = np.where(self.positions.fair[rows], np.float32(self.settings.blend), np.float32(0.0))
        values = np.asarray((1 - share) * estimates + share * self.positions.result[rows], np.float32)
        if win is not None:  # a forced win or loss counts whatever the game's result was
            decided = np.abs(estimates) >= np.float32(won / judge.points)
            values[decided] = np.sign(estimates[decided]) * np.float32(win)
        return values

    def _computed(self, rows: Rows, judge: Judge | None) -> Values:
        """Return the exact scores of the positions `rows` if `judge` is None, otherwise values of a shallow search."""
        boards, rules, plies = self.positions.boards[rows], self.subject.rules, self.settings.plies
        if self.work.tasks is not None:
            request = PieceRequest(
                kind="solved" if judge is None else "searched",
                subject=self.subject,
                judge=judge,
                arrays={"boards": boards},
                numbers={"plies": plies},
                names=ARRAYS,
            )
            return np.asarray(ask(self.work.tasks, request, self.work.stop)["values"], np.float32)
        if judge is None:
            return solved_values(rules, boards)
        return shallow_values(rules, judge.evaluation, judge.points, boards, plies, won=self.subject.won_points)


def _parts(rows: Rows, name: str) -> Iterator[tuple[str, Rows]]:
    """Yield the name and the rows of each part in which `rows` are stored."""
    for number, first in enumerate(range(0, len(rows), ROWS)):
        yield f"{name}-{number:05}", rows[first : first + ROWS]


def _name_of(left: int) -> str:
    return f"{left:05}"


def read_values(folder: Path, positions: Positions) -> tuple[ValuesDocument, Values]:
    """Return the values of a training folder's positions, with their document."""
    document = Step(folder, "values").read(ValuesDocument, "outflank train label")
    (values,) = read_arrays(folder / FILE, ["values"], "outflank train label")
    if digest(values) != document.check or len(values) != len(positions):
        raise OutflankError(f"{folder / FILE} is not what values.json speaks of: outflank train label --replace")
    return document, np.asarray(values, np.float32)
