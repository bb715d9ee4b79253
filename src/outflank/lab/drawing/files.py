"""Figures and tables as separate files, for papers and slides."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from outflank.errors import OutflankError, UnknownName
from outflank.lab.drawing.looks import THEMES, apply_theme
from outflank.lab.drawing.palette import Palette
from outflank.lab.drawing.parts import figure_svg
from outflank.lab.drawing.tables import table_csv, table_latex, table_markdown
from outflank.lab.report import Report, ReportTable

PIXELS = 3.0
"""Pixels per unit of a picture: text is sharp on paper at half a page's width."""

LONGEST = 60
"""Most letters of a title in a file's name."""

TABLES: dict[str, tuple[str, Callable[[ReportTable], str]]] = {
    "md": ("md", table_markdown),
    "latex": ("tex", table_latex),
    "csv": ("csv", table_csv),
}
"""File suffix and writer of each format."""


def _png(svg: str) -> bytes:
    return bytes(converter("png").svg_to_png(svg, scale=PIXELS))


def _pdf(svg: str) -> bytes:
    return bytes(converter("pdf").svg_to_pdf(svg))


FIGURES: dict[str, Callable[[str], bytes]] = {"svg": lambda svg: f"{svg}\n".encode(), "png": _png, "pdf": _pdf}
FORMATS = (*FIGURES, *TABLES)


@dataclass(frozen=True, slots=True, kw_only=True)
class FileOptions:
    """Which files are written besides the page, and the theme of pictures."""

    formats: tuple[str, ...] = ()
    """Any of `FORMATS`: figures as svg, png and pdf, tables as md, latex and csv."""
    theme: str = "light"
    """Theme of pictures: light or dark."""
    published: bool = True
    """True if the reports' own series are drawn."""

    def __post_init__(self) -> None:
        for name in self.formats:
            if name not in FORMATS:
                raise UnknownName.among("format", name, FORMATS)
            if name in ("png", "pdf"):
                converter(name)  # fails before anything is measured
        if self.theme not in THEMES:
            raise UnknownName.among("theme", self.theme, THEMES)


def converter(format_: str) -> Any:
    """Return the library that converts SVG: it has its own fonts, and no system dependencies."""
    try:
        import vl_convert
    except ImportError:
        raise OutflankError(f"format {format_} needs one more library: pip install 'outflank[figures]'") from None
    return vl_convert


def report_files(report: Report, options: FileOptions) -> dict[str, bytes]:
    """Return every figure and every table in the requested formats, by file-name suffix."""
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


def _named(parts: Iterable[Any]) -> list[tuple[Any, str]]:
    """Return each part with a unique file name made from its title."""
    named: dict[str, Any] = {}
    for part in parts:
        words = re.sub(r"[^0-9a-z]+", "-", part.title.lower())[:LONGEST].strip("-") or "untitled"
        number, name = 1, words
        while name in named:
            number += 1
            name = f"{words}-{number}"
        named[name] = part
    return [(part, name) for name, part in named.items()]
