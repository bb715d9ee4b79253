"""Parts of pages: a table, a figure, names with their values."""

from collections.abc import Mapping, Sequence
from typing import Any

from outflank.lab.drawing.flames import flame_svg, timeline_svg
from outflank.lab.drawing.looks import PICTURE_COLOURS, escape, is_number, number
from outflank.lab.drawing.palette import Palette
from outflank.lab.drawing.plots import plot_svg
from outflank.lab.report import Cell, Figure, Flame, Plot, ReportTable

WIDE, WIDEST = 95, 150
"""Letters beyond which a table is printed smaller, and beyond which its words must be broken to fit on paper."""
WHOLE = 36
"""Letters of a cell that begins with a number, and is kept in one line."""
HOLLOW = "Hollow: what the reports measured, on their machines."


def figure_svg(figure: Figure, palette: Palette | None = None) -> str:
    """A figure as a picture, in the colours that a report's figures share, or in its own."""
    if isinstance(figure, Plot):
        return plot_svg(figure, palette)
    return flame_svg(figure) if isinstance(figure, Flame) else timeline_svg(figure, palette)


def table_part(table: ReportTable, anchor: str = "", *, under: str = "") -> str:
    """A table with its title, which may be a place that links lead to, and its notes; `under` stands above it."""
    table = table.shown
    columns = list(zip(*table.rows, strict=True)) or [() for _ in table.columns]
    styles = [_style(cells) for cells in columns]

    def row(kind: str, cells: Sequence[Cell]) -> str:
        inner = (f"<{kind}{style}>{escape(number(cell))}</{kind}>" for style, cell in zip(styles, cells, strict=True))
        return f"<tr>{''.join(inner)}</tr>"

    title = escape(table.title)
    body = "".join(row("td", cells) for cells in table.rows)
    letters = sum(1 + _narrowest(name, cells) for name, cells in zip(table.columns, columns, strict=True))
    wide = ' class="widest"' if letters > WIDEST else ' class="wide"' if letters > WIDE else ""
    grid = f"<table{wide}><thead>{row('th', table.columns)}</thead><tbody>{body}</tbody></table>"
    notes = "".join(f'<p class="soft">{escape(note)}</p>' for note in table.notes)
    # The box scrolls where the table is wider than the page; a keyboard must reach it.
    heading = "" if table.title == under else f"<h3{_id(anchor)}>{title}</h3>"
    return f'{heading}<div class="scroll" role="region" tabindex="0" aria-label="{title}">{grid}</div>{notes}'


def _style(cells: Sequence[Cell]) -> str:
    if any(map(is_number, cells)):
        return ' class="number"'
    # Numbers beside numbers: in two lines they could not be told apart.
    return ' class="whole"' if cells and all(map(_is_pair, cells)) else ""


def _is_pair(cell: Cell) -> bool:
    return cell is None or (isinstance(cell, str) and len(cell) <= WHOLE and cell[:1] in "–-+0123456789")


def _narrowest(name: str, cells: Sequence[Cell]) -> int:
    """Letters that a column needs if its words, and all of its numbers, are to stay whole."""
    words = [word for text in (name, *(cell for cell in cells if isinstance(cell, str))) for word in text.split()]
    return max(map(len, [*words, *(number(cell) for cell in cells if not isinstance(cell, str)), ""]))


def figure_part(figure: Figure, palette: Palette | None = None, anchor: str = "") -> str:
    """A figure with its title, which may be a place that links lead to, and its caption."""
    drawn = figure_svg(figure, palette).replace(PICTURE_COLOURS, "", 1)  # those of the page are around it
    said = f"{figure.caption} {HOLLOW if _published(figure) else ''}".strip()
    caption = f"<figcaption>{escape(said)}</figcaption>" if said else ""
    return f"<figure><h3{_id(anchor)}>{escape(figure.title)}</h3>{drawn}{caption}</figure>"


def _id(anchor: str) -> str:
    return f' id="{anchor}"' if anchor else ""


def _published(figure: Figure) -> bool:
    return isinstance(figure, Plot) and any(series.published for series in figure.series)


def facts_part(title: str, values: Mapping[str, Any]) -> str:
    """Names and values under a heading, as a part of a page."""
    if not values:
        return ""
    rows = (
        f"<div><dt>{escape(str(name))}</dt><dd>{escape(_plain(value))}</dd></div>" for name, value in values.items()
    )
    return f"<section><h2>{title}</h2><dl>{''.join(rows)}</dl></section>"


def _plain(value: Any) -> str:
    """A parameter as it was given: digits are not grouped, since it may have to be typed again."""
    if value is None or isinstance(value, bool):
        return number(value)
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_plain(each)}" for name, each in value.items())
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(map(_plain, value))
    return str(value)
