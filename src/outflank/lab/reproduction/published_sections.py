"""Classes that describe a reproduction: sections (tables and figures of a report), their sources, and expectations."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from typing import TypeAlias, TypeVar

from outflank.lab.experiment import Parameters, experiment_named
from outflank.lab.experiment_report import Cell, Figure, Sample
from outflank.lab.report_programs.published_numbers import fact_rows, rows
from outflank.search.request import Stop

Size = TypeVar("Size")

FACTS = "facts"
"""Name of the table of numbers in a report's text. A row has the name of the number and its `value`."""


class Effort(StrEnum):
    """The size of a reproduction: how long it may take. The options `--quick` and `--full` set it."""

    QUICK = "quick"
    USUAL = "usual"
    FULL = "full"

    def choose(self, quick: Size, usual: Size, full: Size) -> Size:
        """Return the argument that belongs to this effort."""
        return {Effort.QUICK: quick, Effort.USUAL: usual, Effort.FULL: full}[self]


@dataclass(frozen=True, slots=True)
class Setting:
    """The effort and the number of workers of a reproduction. A section makes its sources from them."""

    effort: Effort
    workers: int


class Class(StrEnum):
    """Expected relation of a number of ours to the published one."""

    EQUAL = "equal"
    """Our number and the published one are from the same search of the same tree, so a difference is an error."""
    CLOSE = "close"
    """Our number is from a similar measurement, and should be within a factor of the published one."""
    MACHINE = "machine"
    """The number depends on the machine. Ours and the published one are shown without a conclusion."""
    GIVEN = "given"
    """The report chose or quoted the number, so it is no result. Our run uses it, or a note gives another value."""


@dataclass(frozen=True, slots=True)
class Expected:
    """The expected relation for a cell, and the reason why it is not stricter."""

    class_: Class
    factor: float = 1.0
    """Greatest allowed ratio of the larger to the smaller value in a `CLOSE` cell."""
    reason: str = ""


EQUAL = Expected(Class.EQUAL)
MACHINE = Expected(Class.MACHINE)
GIVEN = Expected(Class.GIVEN)


def close(factor: float, reason: str = "") -> Expected:
    """Return the expectation that a number is within `factor` of the published one."""
    return Expected(Class.CLOSE, factor, reason)


def machine(reason: str) -> Expected:
    """Return the expectation for a number that depends on the machine. `reason` says why."""
    return Expected(Class.MACHINE, reason=reason)


class Finding(StrEnum):
    """The kind of answer in a measured cell. Only values are compared with the published number."""

    VALUE = "value"
    NO = "answered no"
    """The run has measured the report's statement, and here it does not hold."""
    NOTHING_SENT = "nothing was sent"
    """No message was sent, so that the number says nothing about replication."""
    MORE_THREADS = "more threads than cores"
    """Threads took turns on the cores of this machine, so that the number says nothing about as many processors."""
    REPLAYED = "replayed"
    """This machine has too few cores: a recorded search was scheduled on simulated workers instead."""
    DERIVED = "from its own numbers"
    """The number follows from other numbers of the report, so that agreement proves nothing about ours."""


@dataclass(frozen=True, slots=True)
class MeasuredCell:
    """Our value for one cell of a published table."""

    row: tuple[Cell, ...]
    """Key of the row: the published cells of the section's key columns."""
    column: str
    ours: Cell
    """Measured value, or None if it was not measured. `note` then gives the reason."""
    note: str = ""
    published: Cell = None
    """Published value to compare with, if the section has no published table."""
    finding: Finding = Finding.VALUE


@dataclass(frozen=True, slots=True)
class Measure:
    """A source of cells: a function that measures them."""

    name: str
    run: Callable[[Stop], Iterable[MeasuredCell]]
    weight: float = 1.0
    timed: bool = True
    """True if the cells contain times. A measurement with times runs alone."""
    in_process: bool = False
    """Whether the measurement runs in a child process while others run, like `Task.in_process`."""


def measure_games(effort: Effort, name: str, run: Callable[[Stop], Iterable[MeasuredCell]], weight: float) -> Measure:
    """Return a measurement that plays games of short searches to a fixed depth, in a child process beside others.

    A quick run has no child process, because its few games take less time than a process needs to start.
    """
    is_quick = effort is Effort.QUICK
    return Measure(name, run, weight, timed=is_quick, in_process=not is_quick)


CellsOf: TypeAlias = Callable[[Sequence[Sample]], Iterable[MeasuredCell]]
"""A function that computes the cells of a section from the samples of an experiment."""


def no_cells(samples: Sequence[Sample]) -> Iterable[MeasuredCell]:
    """Return no cells, for an experiment whose own tables are shown instead, or whose samples other parts read."""
    return ()


@dataclass(frozen=True, slots=True)
class ExperimentPart:
    """A source of cells: an experiment of the laboratory, with its parameters."""

    experiment: str
    parameters: Mapping[str, object]
    cells: CellsOf = no_cells
    """Function that computes the section's cells from the experiment's samples."""
    show: bool | tuple[str, ...] = True
    """Whether the section also shows the experiment's own tables and figures. A tuple selects the tables and
    figures whose titles begin with one of its texts."""
    weight: float = 1.0
    """Estimated duration relative to the other sources of the reproduction."""
    label: str = ""
    """Label that distinguishes parts of a section that run the same experiment."""

    @property
    def name(self) -> str:
        """Name of the part, unique within its section."""
        return f"{self.experiment}, {self.label}" if self.label else self.experiment

    def shows(self, title: str) -> bool:
        """Return whether the section shows the experiment's table or figure with this title."""
        return self.show if isinstance(self.show, bool) else title.startswith(self.show)

    @property
    def experiment_parameters(self) -> Parameters:
        """The experiment's parameters as an object of its parameter class."""
        parameters: Parameters = experiment_named(self.experiment).parameters(**self.parameters)
        return parameters


Source = Measure | ExperimentPart


def _no_figures(cells: Sequence[MeasuredCell]) -> Sequence[Figure]:
    return ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PublishedTable:
    """A table or a figure of a report, and the sources that measure its numbers again."""

    report: str
    where: str
    """Name of the table, figure or chapter in the report: `Figure 2`, `Threshold, par`."""
    title: str
    table: str | None = None
    """Name of the published table. `FACTS` for the numbers in the report's text; None for a picture without numbers."""
    key: tuple[str, ...] = ()
    """Names of the columns that identify a row. Without any, rows are numbered from 1."""
    only: tuple[Cell, ...] = ()
    """Values of the first key column in the rows that belong to this section. If empty, all rows do."""
    without: tuple[Cell, ...] = ()
    """Values of the first key column in the rows that belong to another section."""
    expected: Mapping[str, Expected] = field(default_factory=dict)
    """Expected relation of our numbers to the published ones, by column."""
    single: Mapping[tuple[tuple[Cell, ...], str], Expected] = field(default_factory=dict)
    """Expected relations for single cells, which override their column's, for example because of a misprint."""
    sources: Callable[[Setting], Sequence[Source]]
    figures: Callable[[Sequence[MeasuredCell]], Sequence[Figure]] = _no_figures
    absent: str = ""
    """Reason why cells without a source are not measured."""
    printed: bool = True
    """Whether the report prints the numbers. If not, they come from its program or follow from its other numbers."""
    notes: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Name of the section, unique within its report."""
        return self.where

    @property
    def heading(self) -> str:
        """Heading of this section on the HTML page of a reproduction."""
        return f"{self.report}, {self.where}: {self.title}"

    def published(self) -> dict[tuple[tuple[Cell, ...], str], Cell]:
        """Return every published number of the section, by row key and column name."""
        if self.table is None:
            return {}
        printed = fact_rows(self.report) if self.table == FACTS else rows(self.report, self.table)
        return {
            (tuple(row[name] for name in self.key) or (row_number,), column): value
            for row_number, row in enumerate(printed, 1)
            for column, value in row.items()
            if column not in self.key and value is not None and self._contains(row)
        }

    def columns(self) -> list[str]:
        """Return the names of the columns with numbers, in the order of the published table."""
        cells = {column for _, column in self.published()}
        ordered = rows(self.report, self.table)[0] if self.table not in (None, FACTS) else ("value",)
        return [column for column in ordered if column in cells]

    def _contains(self, row: Mapping[str, Cell]) -> bool:
        """Return whether a row of the published table belongs to this section."""
        first = row[self.key[0]] if self.key else None
        return (not self.only or first in self.only) and first not in self.without

    def expectation(self, row: tuple[Cell, ...], column: str) -> Expected:
        """Return the expected relation of our number to the published one in a cell."""
        return self.single.get((row, column)) or self.expected.get(column, MACHINE)


@cache
def sources_of(section: PublishedTable, setting: Setting) -> dict[str, Source]:
    """Return the sources that measure a section's numbers, by name."""
    sources = section.sources(setting)
    by_name = {source.name: source for source in sources}
    if len(by_name) != len(sources):
        raise ValueError(f"{section.heading}: two sources have one name")
    return by_name


def checked_cells(section: PublishedTable, cells: Iterable[MeasuredCell]) -> Iterator[MeasuredCell]:
    """Yield `cells`. Raise ValueError for a cell that the section does not have, since its name may be misspelt."""
    printed = section.published()
    for cell in cells:
        if printed and (cell.row, cell.column) not in printed:
            raise ValueError(f"{section.heading}: no cell {cell.column!r} in row {cell.row}")
        yield cell
