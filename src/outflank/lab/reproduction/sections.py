"""What a reproduction is made of: a section for each table and figure of a report, and what its cells have to be."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from typing import Any, TypeVar

from outflank.lab.experiment import experiment_named
from outflank.lab.literature import fact_rows, rows
from outflank.lab.report import Cell, Figure, Sample
from outflank.search.contract import Stop

Size = TypeVar("Size")

FACTS = "facts"
"""The name of what stands in a report's text, as a table: a row for each fact, its number in the column `value`."""


class Effort(StrEnum):
    """How much time there is."""

    QUICK = "quick"
    USUAL = "usual"
    FULL = "full"

    def choose(self, quick: Size, usual: Size, full: Size) -> Size:
        """The one of three that is meant for it."""
        return {Effort.QUICK: quick, Effort.USUAL: usual, Effort.FULL: full}[self]


@dataclass(frozen=True, slots=True)
class Setting:
    """What the sources of a section are made for."""

    effort: Effort
    workers: int


class Class(StrEnum):
    """What a number of ours is beside the report's."""

    EQUAL = "equal"
    """The same search of the same tree: another number is a fault."""
    CLOSE = "close"
    """Much the same is measured: it should lie within a factor of the report's."""
    MACHINE = "machine"
    """It depends on the machine: the two are set side by side, and nothing is concluded."""
    GIVEN = "given"
    """No result: the report chose it, or quotes it from elsewhere. Ours is run with it, or tells with what else."""


@dataclass(frozen=True, slots=True)
class Expected:
    """What a cell has to be, and why no more can be asked of it."""

    class_: Class
    factor: float = 1.0
    """How many times as large or as small a close one may be."""
    reason: str = ""


EQUAL = Expected(Class.EQUAL)
MACHINE = Expected(Class.MACHINE)
GIVEN = Expected(Class.GIVEN)


def close(factor: float, reason: str = "") -> Expected:
    """Within a factor of the published number."""
    return Expected(Class.CLOSE, factor, reason)


def machine(reason: str) -> Expected:
    """Set side by side, with the reason."""
    return Expected(Class.MACHINE, reason=reason)


@dataclass(frozen=True, slots=True)
class FoundCell:
    """One cell of ours."""

    row: tuple[Cell, ...]
    """The key columns' cells, as published."""
    column: str
    ours: Cell
    """None: it was not measured, and `note` says why."""
    note: str = ""
    published: Cell = None
    """What it is held against, where the section stands for no published table."""


@dataclass(frozen=True, slots=True)
class Measure:
    """A task that finds cells."""

    name: str
    run: Callable[[Stop], Iterable[FoundCell]]
    weight: float = 1.0


def _no_cells(samples: Sequence[Sample]) -> Iterable[FoundCell]:
    return ()


@dataclass(frozen=True, slots=True)
class ExperimentPart:
    """An experiment of the laboratory that stands for a section."""

    experiment: str
    parameters: Mapping[str, Any]
    cells: Callable[[Sequence[Sample]], Iterable[FoundCell]] = _no_cells
    """Reads the section's cells from the experiment's samples."""
    show: bool = True
    """Whether its own tables and figures are in the section too."""
    weight: float = 1.0
    """How long it takes in all, beside the other sources."""
    label: str = ""
    """What tells it from another part of the section that is the same experiment."""

    @property
    def name(self) -> str:
        """Unique within its section."""
        return f"{self.experiment}, {self.label}" if self.label else self.experiment

    @property
    def chosen(self) -> Any:
        """The experiment's parameters."""
        return experiment_named(self.experiment).parameters(**self.parameters)


Source = Measure | ExperimentPart


def _no_figures(found: Sequence[FoundCell]) -> Sequence[Figure]:
    return ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PublishedTable:
    """A table or a figure of a report, and how its numbers are found anew."""

    report: str
    where: str
    """As the report calls the place: `Figure 2`, `Threshold, par`."""
    title: str
    table: str | None = None
    """The published table; `FACTS` for the numbers in the text; None for a picture that has no numbers."""
    key: tuple[str, ...] = ()
    """The columns that name a row; without one, rows are numbered from 1."""
    only: tuple[Cell, ...] = ()
    """Its rows by their first key, where the others belong to another section."""
    without: tuple[Cell, ...] = ()
    """Rows that belong to another section."""
    expected: Mapping[str, Expected] = field(default_factory=dict)
    """By column."""
    single: Mapping[tuple[tuple[Cell, ...], str], Expected] = field(default_factory=dict)
    """Cells that are not like their column: misprints, for one."""
    sources: Callable[[Setting], Sequence[Source]]
    figures: Callable[[Sequence[FoundCell]], Sequence[Figure]] = _no_figures
    absent: str = ""
    """Why cells that no source finds are not measured."""
    printed: bool = True
    """False: these integers are known of the report's program, and stand in no report."""
    notes: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Unique within its report."""
        return self.where

    @property
    def heading(self) -> str:
        """What it is called on the page."""
        return f"{self.report}, {self.where}: {self.title}"

    def published(self) -> dict[tuple[tuple[Cell, ...], str], Cell]:
        """Every number that is printed there, by row and column."""
        if self.table is None:
            return {}
        printed = fact_rows(self.report) if self.table == FACTS else rows(self.report, self.table)
        return {
            (tuple(row[name] for name in self.key) or (place,), column): value
            for place, row in enumerate(printed, 1)
            for column, value in row.items()
            if column not in self.key and value is not None and self._has(row)
        }

    def columns(self) -> list[str]:
        """The columns with numbers, in the order of print."""
        cells = {column for _, column in self.published()}
        ordered = rows(self.report, self.table)[0] if self.table not in (None, FACTS) else ("value",)
        return [column for column in ordered if column in cells]

    def _has(self, row: Mapping[str, Cell]) -> bool:
        """Whether a row of the table belongs to this section."""
        first = row[self.key[0]] if self.key else None
        return (not self.only or first in self.only) and first not in self.without

    def expects(self, row: tuple[Cell, ...], column: str) -> Expected:
        """What a cell has to be."""
        return self.single.get((row, column)) or self.expected.get(column, MACHINE)


@cache
def sources_of(section: PublishedTable, setting: Setting) -> dict[str, Source]:
    """A section's sources, by their names."""
    found = section.sources(setting)
    by_name = {source.name: source for source in found}
    if len(by_name) != len(found):
        raise ValueError(f"{section.heading}: two sources have one name")
    return by_name


def check_found(section: PublishedTable, found: Iterable[FoundCell]) -> Iterator[FoundCell]:
    """Cells that are cells of the section: a slip in a name would otherwise be a cell that is not measured."""
    printed = section.published()
    for each in found:
        if printed and (each.row, each.column) not in printed:
            raise ValueError(f"{section.heading}: no cell {each.column!r} in row {each.row}")
        yield each
