"""What an experiment says: tables, figures and sentences, as plain values that can be printed, drawn and kept."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import singledispatch
from typing import TYPE_CHECKING, Any

from outflank.errors import OutflankError, UnknownName
from outflank.kinds import Kind, Shape
from outflank.lab.search_log import Searched
from outflank.words import how_many

if TYPE_CHECKING:
    import pandas

Cell = int | float | str | bool | None
"""What a table holds: None is a cell that has nothing to say."""

Sample = dict[str, Cell]
"""One measurement, flat: what was measured, under which conditions, and what came out."""


def _pandas() -> Any:
    try:
        import pandas
    except ImportError:
        raise OutflankError("a data frame needs one more library: pip install pandas") from None
    return pandas


def sample_shape(*parts: Mapping[str, Kind], also: Callable[[Sample], None] | None = None, **names: Kind) -> Shape:
    """What a kept sample holds, by the names of its cells; others may be there too."""
    together = {name: kind for part in parts for name, kind in part.items()}
    return Shape({"task": str, **together, **names}, others=Cell, also=also)


@singledispatch
def as_html(value: object) -> str:
    """A value as a notebook shows it; `drawing.page` registers how each class is drawn."""
    raise TypeError(f"{type(value).__name__} is not drawn")


class Drawn:
    """What draws itself in a notebook."""

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
    """Sentences below it: what a column means, what must not be concluded."""
    section: str = ""
    """The heading under which it stands, together with figures of the same section; empty: under none."""

    def __repr__(self) -> str:
        rows, columns = how_many(len(self.rows), "row"), how_many(len(self.columns), "column")
        return f"<Table {self.title!r}: {rows}, {columns}>"

    def __post_init__(self) -> None:
        wrong = [row for row in self.rows if len(row) != len(self.columns)]
        if wrong:
            raise ValueError(f"{self.title}: {len(self.columns)} columns, but a row of {len(wrong[0])}")

    @classmethod
    def of(cls, title: str, rows: Sequence[Sample], *, notes: Sequence[str] = (), section: str = "") -> "ReportTable":
        """A table of rows that name their columns; the first row says their order."""
        columns = tuple(dict.fromkeys(name for row in rows for name in row))
        cells = tuple(tuple(row.get(name) for name in columns) for row in rows)
        return cls(title=title, columns=columns, rows=cells, notes=tuple(notes), section=section)

    def column(self, name: str) -> list[Cell]:
        """The cells of one column."""
        if name not in self.columns:
            raise UnknownName.among("column", name, self.columns)
        place = self.columns.index(name)
        return [row[place] for row in self.rows]

    @property
    def shown(self) -> "ReportTable":
        """What a reader is shown of it: a column that has nothing to say in any row is left out."""
        kept = [place for place in range(len(self.columns)) if any(row[place] is not None for row in self.rows)]
        if not self.rows or not kept or len(kept) == len(self.columns):
            return self
        columns = tuple(self.columns[place] for place in kept)
        return replace(self, columns=columns, rows=tuple(tuple(row[place] for place in kept) for row in self.rows))

    def to_pandas(self) -> "pandas.DataFrame":
        """The same as a data frame; needs pandas."""
        return _pandas().DataFrame(list(self.rows), columns=list(self.columns))


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """One curve, or one colour of bars."""

    name: str
    points: tuple[tuple[float | str, float], ...]
    """x and y; for bars x is the name of a group."""
    spread: tuple[tuple[float, float], ...] = ()
    """The least and the greatest y at each point, where it was measured several times."""
    style: str = "line"
    """`line` (with its points marked), `points`, `dashed` (a bound or an ideal), or `band` (`spread` filled)."""
    published: bool = False
    """Whether it is a report's and not ours: drawn with hollow marks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plot(Drawn):
    """Curves or bars over axes that say their units."""

    title: str
    x: str
    """What the axis shows, its unit included: `workers`, `time (s)`."""
    y: str
    series: tuple[Series, ...]
    kind: str = "lines"
    """`lines` or `bars`."""
    log_x: bool = False
    log_y: bool = False
    caption: str = ""
    """What a reader should see in it."""
    section: str = ""
    """The heading under which it stands, as a table's."""

    def without_published(self) -> "Plot":
        """The same without the reports' series."""
        return replace(self, series=tuple(series for series in self.series if not series.published))


@dataclass(frozen=True, slots=True, kw_only=True)
class Flame(Drawn):
    """A flame graph: boxes within boxes, as wide as what they stand for took."""

    title: str
    unit: str
    root: "FlameBox"
    caption: str = ""
    section: str = ""


@dataclass(slots=True)
class FlameBox:
    """A box of a flame graph and those upon it."""

    name: str
    value: float = 0.0
    """Its own and that of all above it."""
    upper: "dict[str, FlameBox]" = field(default_factory=dict)

    def add(self, path: Sequence[str], value: float) -> None:
        """Let the box at the end of `path`, and all below it, grow."""
        box = self
        box.value += value
        for name in path:
            box = box.upper.setdefault(name, FlameBox(name))
            box.value += value


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """What somebody did for a while."""

    lane: str
    kind: str
    begin: float
    end: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeline(Drawn):
    """Who did what, when: a lane for each worker, a colour for each kind."""

    title: str
    unit: str
    intervals: tuple[Interval, ...]
    kinds: tuple[str, ...]
    """All kinds, in the order of the legend."""
    caption: str = ""
    section: str = ""

    @property
    def all_kinds(self) -> tuple[str, ...]:
        """Those that are named, and then those that are only met."""
        return tuple(dict.fromkeys((*self.kinds, *(each.kind for each in self.intervals))))


Figure = Plot | Flame | Timeline


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """Tables and figures that stand under one heading."""

    name: str
    """The heading; empty for those that have none, which come first."""
    tables: tuple[ReportTable, ...]
    figures: tuple[Figure, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Report(Drawn):
    """All that one run of an experiment has to say."""

    experiment: str
    question: str
    """What the experiment answers."""
    reports: tuple[str, ...]
    """The seed reports that it comes from, by number."""
    parameters: dict[str, Any]
    provenance: dict[str, Any]
    """Command, commit, machine, versions and seed: what is needed to repeat it."""
    samples: tuple[Sample, ...]
    tables: tuple[ReportTable, ...]
    searched: tuple[Searched, ...] = ()
    """Positions and depths that were really searched; older documents do not tell."""
    figures: tuple[Figure, ...] = ()
    notes: tuple[str, ...] = ()
    """What was found, and what must not be concluded from it."""
    passed: bool = True
    """False: something that had to be equal is not."""
    complete: bool = True
    """False: the run was interrupted, and this is what it had."""
    written: tuple[str, ...] = field(default=(), compare=False)
    """The names of the files that were written."""

    def __repr__(self) -> str:
        """Short: a notebook and `print(report)` need not show every sample."""
        state = f"{'' if self.passed else ', failed'}{'' if self.complete else ', incomplete'}"
        tables = ", ".join(repr(table.title) for table in self.tables)
        return (
            f"<Report of {self.experiment}: {how_many(len(self.samples), 'sample')}, tables {tables or 'none'}{state}>"
        )

    def __getitem__(self, title: str) -> ReportTable:
        """The table whose title begins so."""
        for table in self.tables:
            if table.title.startswith(title):
                return table
        raise KeyError(f"{title!r}: one of {', '.join(table.title for table in self.tables)}")

    @property
    def sections(self) -> tuple[Section, ...]:
        """Tables and figures by their sections, in the tables' order; one without tables follows the figure before."""
        names = [name for name in dict.fromkeys(table.section for table in self.tables) if name]
        before = ""
        for figure in self.figures:
            if figure.section and figure.section not in names:
                names.insert(names.index(before) + 1 if before else 0, figure.section)
            before = figure.section or before
        found = (
            Section(
                name=name,
                tables=tuple(table for table in self.tables if table.section == name),
                figures=tuple(figure for figure in self.figures if figure.section == name),
            )
            for name in ("", *names)
        )
        return tuple(section for section in found if section.tables or section.figures)

    def without_published(self) -> "Report":
        """The same, its figures showing nothing but what was measured here."""
        figures = (each.without_published() if isinstance(each, Plot) else each for each in self.figures)
        return replace(self, figures=tuple(figures))

    def to_pandas(self) -> "pandas.DataFrame":
        """The samples as a data frame; needs pandas."""
        return _pandas().DataFrame(list(self.samples))
