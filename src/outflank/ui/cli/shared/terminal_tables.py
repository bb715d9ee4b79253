"""Tables for terminals, which never break a word or number."""

import textwrap

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table as Grid

GAP, EDGES = 3, 2
"""Width of the space between two columns of a table, and total width of the table's two edges."""

Rows = list[list[str]]


def print_table(console: Console, title: str, columns: list[str], rows: Rows) -> None:
    """Print a table. If the terminal is too narrow, wrap its cells, transpose it, or split it into column blocks."""
    if not console.is_terminal:
        console.width = max(console.width, _total_width(_natural_widths(columns, rows)))  # a file has no width limit
    if _total_width(_minimal_widths(columns, rows)) > console.width and len(rows) < len(columns):
        transposed = [[name, *(row[index] for row in rows)] for index, name in enumerate(columns)]
        if _total_width(_minimal_widths(transposed[0], transposed[1:])) <= console.width:
            columns, rows = transposed[0], transposed[1:]
    for number, indices in enumerate(_blocks(columns, rows, console.width)):
        block = [columns[index] for index in indices], [[row[index] for index in indices] for row in rows]
        console.print(_grid("" if number else title, *block, console.width))


def _natural_widths(columns: list[str], rows: Rows) -> list[int]:
    return [max(map(cell_len, cells)) for cells in zip(columns, *rows, strict=True)]


def _minimal_widths(columns: list[str], rows: Rows) -> list[int]:
    """Return the width of the longest word in each column."""
    return [
        max((cell_len(word) for cell in cells for word in cell.split()), default=1)
        for cells in zip(columns, *rows, strict=True)
    ]


def _total_width(widths: list[int]) -> int:
    return sum(widths) + GAP * (len(widths) - 1) + EDGES


def _blocks(columns: list[str], rows: Rows, room: int) -> list[list[int]]:
    """Return the columns of each block of a split table. Columns that identify a row begin every block, if they fit."""
    minimal = _minimal_widths(columns, rows)
    if _total_width(minimal) <= room:
        return [list(range(len(columns)))]
    keys = [0]
    if len({row[0] for row in rows}) < len(rows) and len(columns) > 2:
        keys.append(1)
    if _total_width([minimal[index] for index in keys]) > room // 2:
        keys = []
    blocks = [list(keys)]
    for index in range(len(keys), len(columns)):
        if len(blocks[-1]) > len(keys) and _total_width([minimal[column] for column in (*blocks[-1], index)]) > room:
            blocks.append(list(keys))
        blocks[-1].append(index)
    return blocks


def _grid(title: str, columns: list[str], rows: Rows, room: int) -> Grid:
    widths, naturals = _minimal_widths(columns, rows), _natural_widths(columns, rows)
    spare = room - _total_width(widths)
    for index, natural in enumerate(naturals):
        extra = max(0, min(spare, natural - widths[index]))
        widths[index] += extra
        spare -= extra
    grid = Grid(title=title or None, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    for index, column in enumerate(columns):
        cells = [row[index] for row in rows if row[index] not in ("", "–")]
        numbers = 2 * sum(map(_numeric, cells)) > len(cells)  # more than half, because texts may begin with a digit
        grid.add_column(_wrapped(column, widths[index]), justify="right" if numbers else "left", overflow="fold")
    for row in rows:
        grid.add_row(*(_wrapped(cell, width) for cell, width in zip(row, widths, strict=True)))
    return grid


def _wrapped(text: str, width: int) -> str:
    return textwrap.fill(text, width, break_long_words=False, break_on_hyphens=False) if text else ""


def _numeric(text: str) -> bool:
    return text[:1].isdigit() or (text[:1] in "-−+." and text[1:2].isdigit())
