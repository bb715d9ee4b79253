"""The reports' published numbers beside ours: integers must be equal, times and speed-ups are held side by side."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any, Literal

from outflank.errors import UnknownName
from outflank.lab.classroom import (
    Stopped,
)
from outflank.lab.drawing import looks
from outflank.lab.experiment import (
    Conclusion,
    Experiment,
    Parameters,
    Task,
    core_counts,
    experiment_named,
    option,
    register,
)
from outflank.lab.literature import REPORTS
from outflank.lab.measuring import grouped, number
from outflank.lab.report import Cell, Figure, Sample, Table, sample_shape
from outflank.lab.studies.checks import CHECKS, Line
from outflank.schema import Kind, Shape
from outflank.search.contract import Stop

TITLES = {
    "000": "MTD(f) on a cluster",
    "001": "PVS, Jamboree and a shared table",
    "002": "fork-join with a granularity",
    "003": "Abalone, split at the root",
    "004": "fork-join minimax",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice(Parameters):
    """What is reproduced."""

    which: tuple[str, ...] = option(("all",), "000 to 004, or all.", argument=True)
    full: bool = option(False, "The deepest rows and more rounds too: some ten minutes longer.")
    workers: int = option(core_counts()[-1], "Workers of the parallel parts.")

    def __post_init__(self) -> None:
        super(Choice, self).__post_init__()
        for name in self.which:
            if name != "all" and name not in REPORTS:
                raise UnknownName.among("report", name, (*REPORTS, "all"))

    @property
    def reports(self) -> tuple[str, ...]:
        """Those wanted, each once."""
        return REPORTS if "all" in self.which else tuple(dict.fromkeys(self.which))


@dataclass(frozen=True, slots=True)
class Part:
    """An experiment that stands for tables of a report."""

    experiment: str
    parameters: dict[str, Any]
    full: dict[str, Any]
    """What changes when everything is wanted."""

    def chosen(self, *, full: bool) -> Any:
        """Its parameters."""
        return experiment_named(self.experiment).parameters(**{**self.parameters, **(self.full if full else {})})


def _parts(report: str, workers: int) -> list[Part]:
    """The experiments of a report, as small as they still say something."""
    one = {"rounds": 1}
    shared = {"rounds": 1, "workers": workers}
    counts = core_counts()
    five = {"rounds": 5}
    return {
        "000": [
            Part("orderings", one, five),
            Part("pivot", one, five),
            Part("coarseness", one, five),
            Part("symmetry", one, five),
            Part("table", {}, {}),
            Part("hash", {"boards": (16, 18)}, {"boards": (16, 18, 19, 20)}),
            Part("threshold", {**shared, "depth": 13}, {**five, "depth": 15}),
        ],
        "001": [
            Part("nodes", {"depth": 11, "workers": workers, "algorithms": NAMED_BY_001}, {}),
            Part("levels", {**shared, "depth": 11}, {**five, "depth": 12}),
            Part("branching", {"depth": 6, "games": 1}, {"games": 5}),
        ],
        "002": [
            Part(
                "parallelism",
                {"schemes": ("fork-join",), "depths": (3, 4, 5, 6, 7), "rounds": 5, "workers": counts},
                {"rounds": 11},
            ),
            Part("granularity", {**shared, "depth": 6}, {**five, "depth": 7}),
        ],
        "003": [
            Part("pruning", {}, {}),
            Part("depths", one, {"rounds": 3, "minimax_depth": 5}),
            Part("schedule", shared, five),
            Part(
                "scaling",
                {"game": "abalone", "schemes": ("root-split",), "depth": 5, "share_alpha": False, "rounds": 5},
                {"depth": 6},
            ),
        ],
        "004": [
            Part(
                "parallelism",
                {
                    "schemes": ("fork-join",),
                    "depths": (1, 2, 3, 4, 5),
                    "granularity": 0,
                    "rules": "004",
                    "rounds": 1,
                    "workers": (1,),
                },
                {"depths": (1, 2, 3, 4, 5, 6)},
            ),
            Part("shape", {**shared, "depth": 6}, {**five, "depth": 7}),
            Part("determinism", {"depth": 4, "rounds": 1}, {"depth": 6}),
            Part("profile", {"scheme": "fork-join", "workers": workers, "depth": 6}, {"depth": 7}),
        ],
    }[report]


@cache
def _chosen_parts(report: str, workers: int, full: bool) -> dict[str, Any]:
    """The parameters of a report's experiments, by their names."""
    return {part.experiment: part.chosen(full=full) for part in _parts(report, workers)}


NAMED_BY_001 = ("SerialPVS", "AlphaBeta", "ParallelPVS", "ParallelAlphaBeta")
"""The four whose nodes report 001 prints."""


@register
class Reproduce(Experiment[Choice]):
    """Everything the reports published, from one command."""

    name = "reproduce"
    question = "Do the reports' numbers come out?"
    reports = REPORTS
    parameters = Choice

    def tasks(self, chosen: Choice) -> Sequence[Task]:
        found = []
        for report in chosen.reports:
            found += [
                Task(f"{report}: {what}", partial(_line_samples, report, kind, lines), weight)
                for what, kind, lines, weight in CHECKS[report](chosen.workers)
            ]
            for part in _parts(report, chosen.workers):
                tasks = experiment_named(part.experiment).tasks(part.chosen(full=chosen.full))
                found += [
                    replace(
                        task,
                        name=f"{report}: {part.experiment}: {task.name}",
                        run=partial(_part_samples, report, part, task),
                    )
                    for task in _evened(tasks)
                ]
        return found

    def shape(self, chosen: Choice, sample: Sample) -> Shape:
        reported: dict[str, Kind] = {"report": Literal[*REPORTS], "part": str}
        report, name = sample.get("report"), sample.get("part")
        if name in ("integer", "ratio"):
            value: Kind = float | None if name == "ratio" else int | float | str | None
            return sample_shape(reported, table=str, row=Cell, column=str, published=value, ours=value)
        if report not in REPORTS:
            return sample_shape(reported)
        parts = _chosen_parts(str(report), chosen.workers, chosen.full)
        if name not in parts:
            return sample_shape(reported, part=Literal["integer", "ratio", *parts])
        own = experiment_named(str(name)).shape(parts[str(name)], sample)
        return sample_shape(own.names, reported, also=own.also)

    def conclude(self, chosen: Choice, samples: Sequence[Sample]) -> Conclusion:
        tables: list[Table] = []
        figures: list[Figure] = []
        notes: list[str] = []
        passed = True
        equal, compared = 0, 0
        for report in chosen.reports:
            mine = [sample for sample in samples if sample["report"] == report]
            lines = [sample for sample in mine if sample["part"] in ("integer", "ratio")]
            for (table, kind), found in grouped(lines, "table", "part").items():
                title = f"{report}, {TITLES[report]}: {table}"
                tables.append(_checked(title, found) if kind == "integer" else _beside(title, found))
                if kind == "integer":
                    right = sum(sample["ours"] == sample["published"] for sample in found)
                    equal, compared = equal + right, compared + len(found)
            for part in _parts(report, chosen.workers):
                own = [_unwrapped(sample) for sample in mine if sample["part"] == part.experiment]
                if own:
                    said = experiment_named(part.experiment).conclude(part.chosen(full=chosen.full), own)
                    tables += [replace(table, title=f"{report}, {table.title}") for table in said.tables]
                    figures += [replace(figure, title=f"{report}, {figure.title}") for figure in said.figures]
                    notes += [f"{report}, {part.experiment}: {note}" for note in said.notes]
                    passed = passed and said.passed
        if compared:
            notes.insert(0, f"{equal} of {compared} integers that are explained are equal.")
        return Conclusion(
            tables=tuple(tables), figures=tuple(figures), notes=tuple(notes), passed=passed and equal == compared
        )


def _evened(tasks: Sequence[Task]) -> list[Task]:
    """Tasks of an experiment that weigh one together: weights of different experiments have no common unit."""
    total = sum(task.weight for task in tasks)
    return [replace(task, weight=len(tasks) ** 0.5 * task.weight / total) for task in tasks]


def _part_samples(report: str, part: Part, task: Task, stop: Stop) -> list[Sample]:
    # Its own task's name is kept beside ours: what it concludes may look at it.
    return [{"report": report, "part": part.experiment, "part_task": task.name, **sample} for sample in task.run(stop)]


def _unwrapped(sample: Sample) -> Sample:
    return {key: cell for key, cell in sample.items() if key not in ("report", "part", "part_task", "task")}


def _line_samples(report: str, kind: str, lines: Callable[[Stop], Sequence[Line]], stop: Stop) -> list[Sample]:
    try:
        return [
            {
                "report": report,
                "part": kind,
                "table": table,
                "row": row,
                "column": column,
                "published": theirs,
                "ours": ours,
            }
            for table, row, column, theirs, ours in lines(stop)
        ]
    except Stopped:
        return []  # nothing of a stopped task is kept


def _checked(title: str, lines: Sequence[Sample]) -> Table:
    """A report's table in its own shape, a mark at every number that is equal."""
    found: list[Sample] = []
    for (row,), cells in grouped(lines, "row").items():
        shown: Sample = {"": row}
        for sample in cells:
            theirs, ours = looks.number(sample["published"]), looks.number(sample["ours"])
            shown[str(sample["column"])] = f"{theirs} ✓" if theirs == ours else f"{theirs} ≠ {ours}"
        found.append(shown)
    return Table.of(title, found, notes=("✓: ours is equal. ≠: ours follows.",))


def _beside(title: str, lines: Sequence[Sample]) -> Table:
    """A report's table in its own shape, with ours and the ratio beside each of its numbers."""
    found: list[Sample] = []
    for (row,), cells in grouped(lines, "row").items():
        shown: Sample = {"": row}
        for sample in cells:
            theirs, ours, column = sample["published"], sample["ours"], sample["column"]
            shown[f"{column}, published"] = theirs
            shown[f"{column}, ours"] = ours
            shown[f"{column}, ratio"] = number(ours) / number(theirs) if ours is not None and theirs else None
        found.append(shown)
    return Table.of(title, found)
