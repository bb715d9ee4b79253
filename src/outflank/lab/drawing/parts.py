"""Parts of HTML pages: tables, figures, and lists of names with values."""

import re
from collections.abc import Mapping, Sequence

from outflank.lab.drawing.flames import flame_svg, timeline_svg
from outflank.lab.drawing.looks import PICTURE_COLOURS, escape, is_number, number
from outflank.lab.drawing.palette import Palette
from outflank.lab.drawing.plots import plot_svg
from outflank.lab.experiment_report import Cell, Figure, Flame, Plot, ReportTable
from outflank.validation.text import how_many

WIDE, WIDEST = 95, 135
"""Widths of a table, in letters per row, above which its text is smaller, and above which its words are broken."""
FITTING = 160
"""Width of a table, in letters per row, above which columns are folded. In small letters, a table of this width fits in
1,280 pixels."""
WHOLE = 36
"""Greatest length, in letters, of cells that begin with a number and are wrapped only between their parts."""
PARTS = re.compile(r" (?=[(|✓≠≈≉✗←])")
"""Spaces at which cells that begin with a number may be wrapped: before the mark of a comparison or a remark in
brackets."""
WHOLE_STYLE = ' class="whole"'
HOLLOW = "Hollow: what the reports measured, on their machines."


def figure_svg(figure: Figure, palette: Palette | None = None) -> str:
    """Return a figure as SVG, in the colours of `palette` if given, otherwise of the figure's own palette."""
    if isinstance(figure, Plot):
        return plot_svg(figure, palette)
    return flame_svg(figure) if isinstance(figure, Flame) else timeline_svg(figure, palette)


def table_part(table: ReportTable, anchor: str = "", *, under: str = "") -> str:
    """Return a table with title, notes and link target (`anchor`). A title equal to the heading `under` is omitted.

    Columns that do not fit beside the first ones are in a second table, which is folded.
    """
    table = table.without_empty_columns
    fitting, keys = _fitting_columns(table), _key_columns(table)
    grid = _grid(table, range(fitting))
    if fitting < len(table.columns):
        more = how_many(len(table.columns) - fitting, "more column")
        rest = _grid(table, [*range(keys), *range(fitting, len(table.columns))])
        grid += f'<details class="columns"><summary>{more}</summary>{rest}</details>'
    notes = "".join(f'<p class="soft">{escape(note)}</p>' for note in table.notes)
    heading = "" if table.title == under else f"<h3{_id(anchor)}>{escape(table.title)}</h3>"
    return f"{heading}{grid}{notes}"


def _grid(table: ReportTable, indices: Sequence[int]) -> str:
    """Return some columns of a table, in a box that scrolls if they are wider than the page."""
    names = [table.columns[index] for index in indices]
    columns = [[row[index] for row in table.rows] for index in indices]
    styles = [_style(cells) for cells in columns]

    def row(kind: str, cells: Sequence[Cell]) -> str:
        inner = (f"<{kind}{style}>{_text(cell, style)}</{kind}>" for style, cell in zip(styles, cells, strict=True))
        return f"<tr>{''.join(inner)}</tr>"

    body = "".join(row("td", [cells[index] for index in indices]) for cells in table.rows)
    letters = sum(map(_narrowest, names, columns))
    wide = ' class="widest"' if letters > WIDEST else ' class="wide"' if letters > WIDE else ""
    grid = f"<table{wide}><thead>{row('th', names)}</thead><tbody>{body}</tbody></table>"
    # The box has a tab stop, so that keyboard users can scroll it.
    return f'<div class="scroll" role="region" tabindex="0" aria-label="{escape(table.title)}">{grid}</div>'


def _fitting_columns(table: ReportTable) -> int:
    """Return how many of a table's first columns fit on a page."""
    letters = 0
    for index, name in enumerate(table.columns):
        letters += _narrowest(name, [row[index] for row in table.rows])
        if letters > FITTING:
            return max(index, _key_columns(table))
    return len(table.columns)


def _key_columns(table: ReportTable) -> int:
    """Return how many of a table's first columns tell its rows apart. They are repeated before folded columns."""
    for count in range(1, len(table.columns)):
        if len({row[:count] for row in table.rows}) == len(table.rows):
            return count
    return min(1, len(table.columns))


def _style(cells: Sequence[Cell]) -> str:
    if any(map(is_number, cells)):
        return ' class="number"'
    return WHOLE_STYLE if cells and all(map(_is_pair, cells)) else ""


def _text(cell: Cell, style: str) -> str:
    text = number(cell)
    # A number is never broken, because its halves would look like two numbers.
    parts = PARTS.split(text) if style == WHOLE_STYLE else [text]
    return escape(text) if len(parts) == 1 else " ".join(f"<span>{escape(part)}</span>" for part in parts)


def _is_pair(cell: Cell) -> bool:
    return cell is None or (isinstance(cell, str) and len(cell) <= WHOLE and cell[:1] in "–-+0123456789")


def _narrowest(name: str, cells: Sequence[Cell]) -> int:
    """Return the least width of a column, in letters, that breaks no word or number. It includes one space."""
    words = [word for text in (name, *(cell for cell in cells if isinstance(cell, str))) for word in text.split()]
    return 1 + max(map(len, [*words, *(number(cell) for cell in cells if not isinstance(cell, str)), ""]))


def figure_part(figure: Figure, palette: Palette | None = None, anchor: str = "") -> str:
    """Return a figure with title, caption and a link target (`anchor`)."""
    svg = figure_svg(figure, palette).replace(PICTURE_COLOURS, "", 1)  # the page defines the colours
    caption_text = f"{figure.caption} {HOLLOW if _published(figure) else ''}".strip()
    caption = f"<figcaption>{escape(caption_text)}</figcaption>" if caption_text else ""
    return f"<figure><h3{_id(anchor)}>{escape(figure.title)}</h3>{svg}{caption}</figure>"


def _id(anchor: str) -> str:
    return f' id="{anchor}"' if anchor else ""


def _published(figure: Figure) -> bool:
    return isinstance(figure, Plot) and any(series.published for series in figure.series)


def facts_part(title: str, values: Mapping[str, object]) -> str:
    """Return a list of names and values under a heading."""
    if not values:
        return ""
    rows = (
        f"<div><dt>{escape(str(name))}</dt><dd>{escape(_plain(value))}</dd></div>" for name, value in values.items()
    )
    return f"<section><h2>{title}</h2><dl>{''.join(rows)}</dl></section>"


def _plain(value: object) -> str:
    """Return a value as text. Digits are not grouped, so that a user can type it again."""
    if value is None or isinstance(value, bool):
        return number(value)
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_plain(item)}" for name, item in value.items())
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(map(_plain, value))
    return str(value)
