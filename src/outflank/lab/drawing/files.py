"""Figures and tables as files of their own, for papers and slides."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from outflank.errors import OutflankError, UnknownName
from outflank.lab.drawing.looks import THEMES, flattened
from outflank.lab.drawing.palette import Palette
from outflank.lab.drawing.parts import figure_svg
from outflank.lab.drawing.tables import table_csv, table_latex, table_markdown
from outflank.lab.report import Report, ReportTable

PIXELS = 3.0
"""Pixels of a picture for each unit: text is sharp on paper at half a page's width."""

LONGEST = 60
"""Letters of a title that its file's name gets."""

TABLES: dict[str, tuple[str, Callable[[ReportTable], str]]] = {
    "md": ("md", table_markdown),
    "latex": ("tex", table_latex),
    "csv": ("csv", table_csv),
}
"""How a format's files end, and how it is written."""


def _png(svg: str) -> bytes:
    return bytes(converter("png").svg_to_png(svg, scale=PIXELS))


def _pdf(svg: str) -> bytes:
    return bytes(converter("pdf").svg_to_pdf(svg))


FIGURES: dict[str, Callable[[str], bytes]] = {"svg": lambda svg: f"{svg}\n".encode(), "png": _png, "pdf": _pdf}
FORMATS = (*FIGURES, *TABLES)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What is written beside the page, and how pictures look."""

    formats: tuple[str, ...] = ()
    """Any of `FORMATS`: figures as svg, png and pdf, tables as md, latex and csv."""
    theme: str = "light"
    """The colours of pictures: light or dark."""
    published: bool = True
    """Whether the reports' own series are drawn."""

    def __post_init__(self) -> None:
        for name in self.formats:
            if name not in FORMATS:
                raise UnknownName.among("format", name, FORMATS)
            if name in ("png", "pdf"):
                converter(name)  # says so before anything is measured
        if self.theme not in THEMES:
            raise UnknownName.among("theme", self.theme, THEMES)


def converter(wanted: str) -> Any:
    """The library that makes other pictures of SVG: it brings its own fonts, and needs nothing of the system."""
    try:
        import vl_convert
    except ImportError:
        raise OutflankError(f"format {wanted} needs one more library: pip install 'outflank[figures]'") from None
    return vl_convert


def report_files(report: Report, wanted: Wanted) -> dict[str, bytes]:
    """Every figure and every table in the formats that are wanted, by the ends of their names."""
    files: dict[str, bytes] = {}
    drawn = [name for name in wanted.formats if name in FIGURES]
    palette = Palette.over(report.figures)
    for figure, name in _named(report.figures):
        svg = flattened(figure_svg(figure, palette), wanted.theme) if drawn else ""
        files |= {f".{name}.{kind}": FIGURES[kind](svg) for kind in drawn}
    for table, name in _named(report.tables):
        for kind in wanted.formats:
            if kind in TABLES:
                ending, write = TABLES[kind]
                files[f".{name}.{ending}"] = write(table).encode("utf-8", "replace")
    return files


def _named(parts: Iterable[Any]) -> list[tuple[Any, str]]:
    """Each with a name for its file, made of its title."""
    found: dict[str, Any] = {}
    for part in parts:
        words = re.sub(r"[^0-9a-z]+", "-", part.title.lower())[:LONGEST].strip("-") or "untitled"
        number, name = 1, words
        while name in found:
            number += 1
            name = f"{words}-{number}"
        found[name] = part
    return [(part, name) for name, part in found.items()]
