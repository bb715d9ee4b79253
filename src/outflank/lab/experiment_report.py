"""The report of an experiment: tables, figures and notes, as plain values to print, draw and store."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import singledispatch
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

from outflank.errors import OutflankError, UnknownName
from outflank.lab.measuring.search_log import Searched
from outflank.validation.documents import JsonObject
from outflank.validation.text import how_many
from outflank.validation.values import Kind, Shape

if TYPE_CHECKING:
    import pandas

Cell = int | float | str | bool | None
"""A value in a table; None is an empty cell."""

Sample = dict[str, Cell]
"""One measurement as a flat dictionary: subject, conditions and results."""


def _pandas() -> ModuleType:
    try:
        return import_module("pandas")
    except ImportError:
        raise OutflankError("a data frame needs one more library: pip install pandas") from None


def sample_shape(*parts: Mapping[str, Kind], also: Callable[[Sample], None] | None = None, **names: Kind) -> Shape:
    """Return the shape of a stored sample from the kinds of its cells by name; other cells are allowed."""
    merged = {name: kind for part in parts for name, kind in part.items()}
    return Shape({"task": str, **merged, **names}, others=Cell, also=also)


@singledispatch
def as_html(value: object) -> str:
    """Return a value as HTML for notebooks; `drawing.page` registers the function of each class."""
    raise TypeError(f"{type(value).__name__} is not drawn")


class Drawn:
    """Base class of values that a notebook displays as HTML."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        return as_html(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportTable(Drawn):
    """A table, with the unit of each column in its name."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()
    """Sentences below the table: what a column means, what must not be concluded."""
    section: str = ""
    """Heading of the section, shared with figures of the same section; empty for none."""

    def __repr__(self) -> str:
        rows, columns = how_many(len(self.rows), "row"), how_many(len(self.columns), "column")
        return f"<Table {self.title!r}: {rows}, {columns}>"

    def __post_init__(self) -> None:
        misfits = [row for row in self.rows if len(row) != len(self.columns)]
        if misfits:
            raise ValueError(f"{self.title}: {len(self.columns)} columns, but a row of {len(misfits[0])}")

    @classmethod
    def of(cls, title: str, rows: Sequence[Sample], *, notes: Sequence[str] = (), section: str = "") -> "ReportTable":
        """Return a table from rows by column name; columns are in order of first appearance."""
        columns = tuple(dict.fromkeys(name for row in rows for name in row))
        cells = tuple(tuple(row.get(name) for name in columns) for row in rows)
        return cls(title=title, columns=columns, rows=cells, notes=tuple(notes), section=section)

    def column(self, name: str) -> list[Cell]:
        """Return the cells of one column."""
        if name not in self.columns:
            raise UnknownName.among("column", name, self.columns)
        index = self.columns.index(name)
        return [row[index] for row in self.rows]

    @property
    def without_empty_columns(self) -> "ReportTable":
        """The table without columns that are empty in every row, as readers see it."""
        indices = [index for index in range(len(self.columns)) if any(row[index] is not None for row in self.rows)]
        if not self.rows or not indices or len(indices) == len(self.columns):
            return self
        columns = tuple(self.columns[index] for index in indices)
        return replace(self, columns=columns, rows=tuple(tuple(row[index] for index in indices) for row in self.rows))

    def to_pandas(self) -> "pandas.DataFrame":
        """Return the table as a data frame; needs pandas."""
        return _pandas().DataFrame(list(self.rows), columns=list(self.columns))


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """One curve, or one colour of bars."""

    name: str
    points: tuple[tuple[float | str, float], ...]
    """Points (x, y); for bars, x is the name of a group."""
    spread: tuple[tuple[float, float], ...] = ()
    """Least and greatest y of each point, if it was measured several times."""
    style: str = "line"
    """`line` (with its points marked), `points`, `dashed` (a bound or an ideal), or `band` (`spread` filled)."""
    published: bool = False
    """True if the numbers are from a report, not measured here; drawn with hollow marks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plot(Drawn):
    """Curves or bars over axes with units."""

    title: str
    x: str
    """Label of the axis, with its unit: `workers`, `time (s)`."""
    y: str
    series: tuple[Series, ...]
    kind: str = "lines"
    """`lines` or `bars`."""
    log_x: bool = False
    log_y: bool = False
    caption: str = ""
    """What a reader should see in the plot."""
    section: str = ""
    """Heading of the section, as for a table."""

    def without_published(self) -> "Plot":
        """Return the plot without the reports' series."""
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
    """Value of the box, including all boxes above it."""
    upper: "dict[str, FlameBox]" = field(default_factory=dict)

    def add(self, path: Sequence[str], value: float) -> None:
        """Add a value to the box at the end of `path`, and to all boxes below it."""
        box = self
        box.value += value
        for name in path:
            box = box.upper.setdefault(name, FlameBox(name))
            box.value += value


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """One activity of a worker, from begin to end."""

    lane: str
    kind: str
    begin: float
    end: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeline(Drawn):
    """Activities over time: a lane for each worker, a colour for each kind."""

    title: str
    unit: str
    intervals: tuple[Interval, ...]
    kinds: tuple[str, ...]
    """All kinds, in the order of the legend."""
    caption: str = ""
    section: str = ""

    @property
    def all_kinds(self) -> tuple[str, ...]:
        """The kinds of the legend, followed by other kinds that occur in intervals."""
        return tuple(dict.fromkeys((*self.kinds, *(interval.kind for interval in self.intervals))))


Figure = Plot | Flame | Timeline


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """Tables and figures under one heading."""

    name: str
    """Heading; empty for the first section, of tables and figures without one."""
    tables: tuple[ReportTable, ...]
    figures: tuple[Figure, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Report(Drawn):
    """The complete report of one run of an experiment."""

    experiment: str
    question: str
    """Question that the experiment answers."""
    reports: tuple[str, ...]
    """Numbers of the seed reports that the experiment comes from."""
    parameters: JsonObject
    provenance: JsonObject
    """Command, commit, machine, versions and seed: what is needed to repeat the run."""
    samples: tuple[Sample, ...]
    tables: tuple[ReportTable, ...]
    searched: tuple[Searched, ...] = ()
    """Positions and depths that were really searched."""
    figures: tuple[Figure, ...] = ()
    notes: tuple[str, ...] = ()
    """Conclusions, and what must not be concluded."""
    passed: bool = True
    """False if values that must be equal differ."""
    complete: bool = True
    """False if the run was interrupted, and the samples are partial."""
    written: tuple[str, ...] = field(default=(), compare=False)
    """Names of the files that were written."""

    def __repr__(self) -> str:
        """Return a short text: a notebook and `print(report)` need not show every sample."""
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
        """Sections in the order of the tables; one without tables follows the section of the figure before it."""
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
        """Return the report with figures of our own measurements only."""
        figures = (figure.without_published() if isinstance(figure, Plot) else figure for figure in self.figures)
        return replace(self, figures=tuple(figures))

    def to_pandas(self) -> "pandas.DataFrame":
        """Return the samples as a data frame; needs pandas."""
        return _pandas().DataFrame(list(self.samples))
