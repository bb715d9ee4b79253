"""The report of an experiment: tables, figures and notes as plain values, which other modules print, draw and store."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import singledispatch
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

from outflank.errors import OutflankError, UnknownName
from outflank.installation import install_command
from outflank.lab.measuring.search_log import Searched
from outflank.validation.documents import JsonObject
from outflank.validation.text import how_many
from outflank.validation.values import Kind, Shape

if TYPE_CHECKING:
    import pandas
    import pyarrow

Cell = int | float | str | bool | None
"""Type of a value in a table. None is an empty cell."""

Sample = dict[str, Cell]
"""One measurement as a flat dictionary: the position or program measured, the conditions and the results."""


def _library(name: str) -> ModuleType:
    try:
        return import_module(name)
    except ImportError:
        raise OutflankError(f"the table needs {name}: {install_command('tables')}") from None


def sample_shape(*parts: Mapping[str, Kind], also: Callable[[Sample], None] | None = None, **names: Kind) -> Shape:
    """Return the required shape of a stored sample: the type of each named field. Other fields are allowed."""
    merged = {name: kind for part in parts for name, kind in part.items()}
    return Shape({"task": str, **merged, **names}, others=Cell, also=also)


@singledispatch
def as_html(value: object) -> str:
    """Return a value as HTML for notebooks. `drawing.page` registers an implementation for each class."""
    raise TypeError(f"{type(value).__name__} is not drawn")


class Drawn:
    """Base class of values that a notebook displays as HTML."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        return as_html(self)


def _of_one_type(cells: list[Cell]) -> list[Cell]:
    """Return the cells of a column, as text if they have different types; integers among fractions are fractions."""
    kinds = {type(cell) for cell in cells if cell is not None}
    if kinds == {int, float}:
        return [None if cell is None else float(cell) for cell in cells]
    return cells if len(kinds) <= 1 else [None if cell is None else str(cell) for cell in cells]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportTable(Drawn):
    """A table of a report. The name of a column includes its unit."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()
    """Sentences below the table: the meaning of a column, or a warning against a wrong conclusion."""
    section: str = ""
    """Heading under which the table is shown, with the figures that have the same heading. Empty for none."""

    def __repr__(self) -> str:
        rows, columns = how_many(len(self.rows), "row"), how_many(len(self.columns), "column")
        return f"<Table {self.title!r}: {rows}, {columns}>"

    def __post_init__(self) -> None:
        misfits = [row for row in self.rows if len(row) != len(self.columns)]
        if misfits:
            raise ValueError(f"{self.title}: {len(self.columns)} columns, but a row of {len(misfits[0])}")

    @classmethod
    def of(cls, title: str, rows: Sequence[Sample], *, notes: Sequence[str] = (), section: str = "") -> "ReportTable":
        """Return a table from rows that map column names to cells. Columns are in order of first appearance."""
        columns = tuple(dict.fromkeys(name for row in rows for name in row))
        cells = tuple(tuple(row.get(name) for name in columns) for row in rows)
        return cls(title=title, columns=columns, rows=cells, notes=tuple(notes), section=section)

    def column(self, name: str) -> list[Cell]:
        """Return the cells of one column."""
        if name not in self.columns:
            raise UnknownName.among("column", name, self.columns)
        index = self.columns.index(name)
        return [row[index] for row in self.rows]

    def with_columns(self, names: Sequence[str]) -> "ReportTable":
        """Return the table with only these columns, in this order, or the whole table if it has none of them.

        Units may be left out: `wall` is the column `wall (s)`.
        """
        indices = [index for name in names for index in _columns_named(name, self.columns)]
        return self._only(indices) if indices else self

    @property
    def without_empty_columns(self) -> "ReportTable":
        """The table as readers see it: without columns that are empty in every row."""
        indices = [index for index in range(len(self.columns)) if any(row[index] is not None for row in self.rows)]
        return self._only(indices) if indices else self

    def _only(self, indices: Sequence[int]) -> "ReportTable":
        """Return the table with only the columns at these places."""
        columns = tuple(self.columns[index] for index in indices)
        return replace(self, columns=columns, rows=tuple(tuple(row[index] for index in indices) for row in self.rows))

    def to_pandas(self) -> "pandas.DataFrame":
        """Return the table as a data frame. Requires pandas."""
        return _library("pandas").DataFrame(list(self.rows), columns=list(self.columns))

    def to_arrow(self) -> "pyarrow.Table":
        """Return the table as a table of Arrow. Requires pyarrow. A column of different types becomes text."""
        arrow = _library("pyarrow")
        return arrow.table({name: arrow.array(_of_one_type(self.column(name))) for name in self.columns})


def _columns_named(name: str, columns: Sequence[str]) -> list[int]:
    """Return the index of the column `name`, or else of the columns that have this name before a unit."""
    if name in columns:
        return [columns.index(name)]
    return [index for index, column in enumerate(columns) if column.partition(" (")[0] == name]


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """One curve of a plot, or the bars of one colour."""

    name: str
    points: tuple[tuple[float | str, float], ...]
    """Points (x, y); for bars, x is the name of a group."""
    spread: tuple[tuple[float, float], ...] = ()
    """Least and greatest y of each point, if the points were measured several times."""
    style: str = "line"
    """`line` (with marked points), `points`, `dashed` (for a bound or an ideal), or `band` (fills `spread`)."""
    published: bool = False
    """True if the numbers are quoted from a published report, not measured here. Such series have hollow marks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plot(Drawn):
    """A plot of curves or bars."""

    title: str
    x: str
    """Label of the horizontal axis, with its unit: `workers`, `time (s)`."""
    y: str
    series: tuple[Series, ...]
    kind: str = "lines"
    """`lines` or `bars`."""
    log_x: bool = False
    log_y: bool = False
    caption: str = ""
    """Sentence that says what a reader should see in the plot."""
    section: str = ""
    """Heading under which the plot is shown. Empty for none."""

    def without_published(self) -> "Plot":
        """Return the plot without the series quoted from published reports."""
        return replace(self, series=tuple(series for series in self.series if not series.published))


@dataclass(frozen=True, slots=True, kw_only=True)
class Flame(Drawn):
    """A flame graph: stacked boxes, each as wide as its share of the total."""

    title: str
    unit: str
    root: "FlameBox"
    caption: str = ""
    section: str = ""


@dataclass(slots=True)
class FlameBox:
    """A box of a flame graph with the boxes on top of it."""

    name: str
    value: float = 0.0
    """Value of the box, for example its time. It includes the values of all boxes above it."""
    upper: "dict[str, FlameBox]" = field(default_factory=dict)

    def add(self, path: Sequence[str], value: float) -> None:
        """Add `value` to the box at the end of `path`, and to all boxes on that path."""
        box = self
        box.value += value
        for name in path:
            box = box.upper.setdefault(name, FlameBox(name))
            box.value += value


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """One activity of a worker, with its begin and end."""

    lane: str
    kind: str
    begin: float
    end: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeline(Drawn):
    """A timeline: the activities of workers, with a lane for each worker and a colour for each kind of activity."""

    title: str
    unit: str
    intervals: tuple[Interval, ...]
    kinds: tuple[str, ...]
    """Kinds of activity, in the order of the legend."""
    caption: str = ""
    section: str = ""

    @property
    def all_kinds(self) -> tuple[str, ...]:
        """The kinds in the legend, followed by all other kinds that occur in `intervals`."""
        return tuple(dict.fromkeys((*self.kinds, *(interval.kind for interval in self.intervals))))


Figure = Plot | Flame | Timeline


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """Tables and figures under one heading."""

    name: str
    """Heading of the section. It is empty in the first section, which holds tables and figures without a heading."""
    tables: tuple[ReportTable, ...]
    figures: tuple[Figure, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Report(Drawn):
    """The report of one run of an experiment."""

    experiment: str
    question: str
    """Question that the experiment answers."""
    reports: tuple[str, ...]
    """Numbers of the published reports that asked the experiment's question, `000` to `004`."""
    parameters: JsonObject
    provenance: JsonObject
    """Command, commit, machine, versions and seed, which are needed to repeat the run."""
    samples: tuple[Sample, ...]
    tables: tuple[ReportTable, ...]
    searched: tuple[Searched, ...] = ()
    """Positions and depths that the run searched."""
    figures: tuple[Figure, ...] = ()
    notes: tuple[str, ...] = ()
    """Conclusions, and warnings against wrong conclusions."""
    passed: bool = True
    """False if values that should be equal differ."""
    complete: bool = True
    """False if the run was interrupted and has only some of its samples."""
    task_seconds: Mapping[str, float] = field(default_factory=dict)
    """Duration of each measured task, by its name."""
    written: tuple[str, ...] = field(default=(), compare=False)
    """Names of the files in which the report was stored."""

    def __repr__(self) -> str:
        """Return a short text without samples, for notebooks and `print(report)`."""
        state = f"{'' if self.passed else ', failed'}{'' if self.complete else ', incomplete'}"
        tables = ", ".join(repr(table.title) for table in self.tables)
        return (
            f"<Report of {self.experiment}: {how_many(len(self.samples), 'sample')}, tables {tables or 'none'}{state}>"
        )

    def __getitem__(self, title: str) -> ReportTable:
        """Return the table whose title begins with `title`."""
        for table in self.tables:
            if table.title.startswith(title):
                return table
        raise KeyError(f"{title!r}: one of {', '.join(table.title for table in self.tables)}")

    @property
    def sections(self) -> tuple[Section, ...]:
        """Sections in the order of their tables. A section without tables follows the section of the figure before
        it."""
        names = [name for name in dict.fromkeys(table.section for table in self.tables) if name]
        previous = ""
        for figure in self.figures:
            if figure.section and figure.section not in names:
                names.insert(names.index(previous) + 1 if previous else 0, figure.section)
            previous = figure.section or previous
        sections = (
            Section(
                name=name,
                tables=tuple(table for table in self.tables if table.section == name),
                figures=tuple(figure for figure in self.figures if figure.section == name),
            )
            for name in ("", *names)
        )
        return tuple(section for section in sections if section.tables or section.figures)

    def without_published(self) -> "Report":
        """Return the report, with the series quoted from published reports removed from its figures."""
        figures = (figure.without_published() if isinstance(figure, Plot) else figure for figure in self.figures)
        return replace(self, figures=tuple(figures))

    def with_columns(self, names: Sequence[str]) -> "Report":
        """Return the report, with only the named columns in every table that has any of them; all if `names` is empty.

        Units may be left out, as in `ReportTable.with_columns`.
        """
        known = list(dict.fromkeys(column for table in self.tables for column in table.columns))
        for name in names:
            if not _columns_named(name, known):
                raise UnknownName.among("column", name, known)
        return replace(self, tables=tuple(table.with_columns(names) for table in self.tables))

    def to_pandas(self) -> "pandas.DataFrame":
        """Return the samples as a data frame. Requires pandas."""
        return _library("pandas").DataFrame(list(self.samples))
