"""Figures and tables of reports as separate files, for papers and slides."""

import csv
import io
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import TypeVar

from outflank.errors import OutflankError, UnknownName
from outflank.installation import install_command
from outflank.lab.drawing.looks import THEMES, apply_theme, is_number, number
from outflank.lab.drawing.palette import Palette
from outflank.lab.drawing.parts import figure_svg
from outflank.lab.experiment_report import Cell, Figure, Report, ReportTable

Part = TypeVar("Part", bound=Figure | ReportTable)

LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{letter: f"\\{letter}" for letter in "&%$#_{}"},
    "–": "--",
    "−": "$-$",
    "…": r"\dots{}",
    "×": r"$\times$",
    "·": r"$\cdot$",
    "≠": r"$\neq$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "∞": r"$\infty$",
    "µ": r"$\mu$",
    "✓": r"$\checkmark$",
}
"""LaTeX code of characters that are special in LaTeX or missing in its usual fonts."""


def table_markdown(table: ReportTable) -> str:
    """Return a table as Markdown, with its title above and its notes below. Columns of numbers are right-aligned."""
    table = table.without_empty_columns
    right = _right_aligned(table)
    rows = [[_markdown_text(cell) for cell in row] for row in (table.columns, *table.rows)]
    widths = [max(3, *(len(row[index]) for row in rows)) for index in range(len(table.columns))]

    def line(cells: Sequence[str]) -> str:
        padded = (
            cell.rjust(width) if aligned else cell.ljust(width)
            for cell, width, aligned in zip(cells, widths, right, strict=True)
        )
        return f"| {' | '.join(padded)} |"

    rule = ["-" * (width - 1) + ":" if aligned else "-" * width for width, aligned in zip(widths, right, strict=True)]
    lines = [f"**{_markdown_text(table.title)}**", "", line(rows[0]), line(rule), *map(line, rows[1:])]
    return "\n".join([*lines, *(part for note in table.notes for part in ("", _markdown_text(note)))]) + "\n"


def table_latex(table: ReportTable) -> str:
    """Return a table as a LaTeX `table` environment."""
    table = table.without_empty_columns
    columns = "".join("r" if aligned else "l" for aligned in _right_aligned(table))
    head, *body = (
        "    " + " & ".join(_latex_text(number(cell)) for cell in row) + r" \\" for row in (table.columns, *table.rows)
    )
    notes = [f"  \\par\\smallskip {{\\footnotesize {_latex_text(note)}}}" for note in table.notes]
    lines = [
        r"% needs \usepackage{booktabs} and, for check marks, \usepackage{amssymb}",
        r"\begin{table}",
        r"  \centering",
        f"  \\caption{{{_latex_text(table.title)}}}",
        f"  \\begin{{tabular}}{{{columns}}}",
        r"    \toprule",
        head,
        r"    \midrule",
        *body,
        r"    \bottomrule",
        r"  \end{tabular}",
        *notes,
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def table_csv(table: ReportTable) -> str:
    """Return the cells of a table as CSV. Numbers are not rounded."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows((table.columns, *table.rows))
    return text.getvalue()


def _right_aligned(table: ReportTable) -> list[bool]:
    columns: list[Sequence[Cell]] = list(zip(*table.rows, strict=True)) or [() for _ in table.columns]
    return [any(map(is_number, cells)) for cells in columns]


def _markdown_text(cell: Cell) -> str:
    return re.sub(r"([\\|*_`<>])", r"\\\1", _one_line(number(cell)))


def _latex_text(text: str) -> str:
    return "".join(LATEX.get(letter, letter) for letter in _one_line(text))


def _one_line(text: str) -> str:
    return " ".join(text.split())


PIXELS = 3.0
"""Number of pixels of a PNG per SVG unit. It is enough for sharp text in a picture printed half a page wide."""

LONGEST = 60
"""Greatest number of letters of a figure's or table's title that its file name contains."""

TABLES: dict[str, tuple[str, Callable[[ReportTable], str]]] = {
    "md": ("md", table_markdown),
    "latex": ("tex", table_latex),
    "csv": ("csv", table_csv),
}
"""File suffix and writer function of each table format."""


def _png(svg: str) -> bytes:
    return bytes(converter("png").svg_to_png(svg, scale=PIXELS))


def _pdf(svg: str) -> bytes:
    return bytes(converter("pdf").svg_to_pdf(svg))


FIGURES: dict[str, Callable[[str], bytes]] = {"svg": lambda svg: f"{svg}\n".encode(), "png": _png, "pdf": _pdf}
FORMATS = (*FIGURES, *TABLES)


@dataclass(frozen=True, slots=True, kw_only=True)
class FileOptions:
    """What a report shows, and the formats and the theme of figures and tables that are written to separate files."""

    formats: tuple[str, ...] = ()
    """Formats to write, any of `FORMATS`: svg, png and pdf for figures, md, latex and csv for tables."""
    theme: str = "light"
    """Theme of pictures: light or dark."""
    published: bool = True
    """True if figures show the series quoted from published reports."""
    columns: tuple[str, ...] = ()
    """Columns that tables show, in this order; empty: all."""

    def __post_init__(self) -> None:
        for name in self.formats:
            if name not in FORMATS:
                raise UnknownName.among("format", name, FORMATS)
            if name in ("png", "pdf"):
                converter(name)  # raises an error now, before anything is measured
        if self.theme not in THEMES:
            raise UnknownName.among("theme", self.theme, THEMES)

    def visible(self, report: Report) -> Report:
        """Return the report as readers see it: with the chosen columns, and published series only if asked for."""
        return (report if self.published else report.without_published()).with_columns(self.columns)


def converter(format_: str) -> ModuleType:
    """Return the library that converts SVG to `format_`. The library has its own fonts and no system dependencies."""
    try:
        import vl_convert
    except ImportError:
        raise OutflankError(f"format {format_} needs one more library: {install_command('figures')}") from None
    return vl_convert


def report_files(report: Report, options: FileOptions) -> dict[str, bytes]:
    """Return the files of all figures and tables in the requested formats, by the end of their file names."""
    files: dict[str, bytes] = {}
    figure_formats = [name for name in options.formats if name in FIGURES]
    palette = Palette.over(report.figures)
    for figure, name in _named(report.figures):
        svg = apply_theme(figure_svg(figure, palette), options.theme) if figure_formats else ""
        files |= {f".{name}.{kind}": FIGURES[kind](svg) for kind in figure_formats}
    for table, name in _named(report.tables):
        for kind in options.formats:
            if kind in TABLES:
                suffix, write = TABLES[kind]
                files[f".{name}.{suffix}"] = write(table).encode("utf-8", "replace")
    return files


def _named(parts: Iterable[Part]) -> list[tuple[Part, str]]:
    """Return each figure or table with a unique file name made from its title."""
    named: dict[str, Part] = {}
    for part in parts:
        words = re.sub(r"[^0-9a-z]+", "-", part.title.lower())[:LONGEST].strip("-") or "untitled"
        number, name = 1, words
        while name in named:
            number += 1
            name = f"{words}-{number}"
        named[name] = part
    return [(part, name) for name, part in named.items()]
