"""Parts of HTML pages: tables, figures, and lists of names with values."""

from collections.abc import Mapping, Sequence

from outflank.lab.drawing.flames import flame_svg, timeline_svg
from outflank.lab.drawing.looks import PICTURE_COLOURS, escape, is_number, number
from outflank.lab.drawing.palette import Palette
from outflank.lab.drawing.plots import plot_svg
from outflank.lab.experiment_report import Cell, Figure, Flame, Plot, ReportTable

WIDE, WIDEST = 95, 150
"""Width of a table, in letters per row, above which its text is smaller, and width above which words are broken."""
WHOLE = 36
"""Greatest number of letters of a cell that begins with a number and is not wrapped."""
HOLLOW = "Hollow: what the reports measured, on their machines."


def figure_svg(figure: Figure, palette: Palette | None = None) -> str:
    """Return a figure as SVG, in the colours of `palette` if given, otherwise of the figure's own palette."""
    if isinstance(figure, Plot):
        return plot_svg(figure, palette)
    return flame_svg(figure) if isinstance(figure, Flame) else timeline_svg(figure, palette)


def table_part(table: ReportTable, anchor: str = "", *, under: str = "") -> str:
    """Return a table with title, notes and link target (`anchor`). A title equal to the heading `under` is omitted."""
    table = table.without_empty_columns
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
    # The box scrolls if the table is wider than the page. It has a tab stop, so that keyboard users can scroll it.
    heading = "" if table.title == under else f"<h3{_id(anchor)}>{title}</h3>"
    return f'{heading}<div class="scroll" role="region" tabindex="0" aria-label="{title}">{grid}</div>{notes}'


def _style(cells: Sequence[Cell]) -> str:
    if any(map(is_number, cells)):
        return ' class="number"'
    # Cells with several numbers are kept on one line. On two lines they would look like two cells.
    return ' class="whole"' if cells and all(map(_is_pair, cells)) else ""


def _is_pair(cell: Cell) -> bool:
    return cell is None or (isinstance(cell, str) and len(cell) <= WHOLE and cell[:1] in "–-+0123456789")


def _narrowest(name: str, cells: Sequence[Cell]) -> int:
    """Return the least width of a column in letters, if words and numbers are not broken."""
    words = [word for text in (name, *(cell for cell in cells if isinstance(cell, str))) for word in text.split()]
    return max(map(len, [*words, *(number(cell) for cell in cells if not isinstance(cell, str)), ""]))


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
