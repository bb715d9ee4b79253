"""Tables on a terminal: never a number or a word in two; what does not fit is turned on its side or cut into blocks."""

import textwrap

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table as Grid

GAP, EDGES = 3, 2
"""Columns of the terminal between two of a table, and around all."""

Rows = list[list[str]]


def print_table(console: Console, title: str, columns: list[str], rows: Rows) -> None:
    """A table as it is; on a terminal that is too narrow, wrapped between words, turned, or in blocks."""
    if not console.is_terminal:
        console.width = max(console.width, _width(_naturals(columns, rows)))  # a file has room
    if _width(_least(columns, rows)) > console.width and len(rows) < len(columns):
        turned = [[name, *(row[place] for row in rows)] for place, name in enumerate(columns)]
        if _width(_least(turned[0], turned[1:])) <= console.width:
            columns, rows = turned[0], turned[1:]
    for number, places in enumerate(_blocks(columns, rows, console.width)):
        block = [columns[place] for place in places], [[row[place] for place in places] for row in rows]
        console.print(_grid("" if number else title, *block, console.width))


def _naturals(columns: list[str], rows: Rows) -> list[int]:
    return [max(map(cell_len, cells)) for cells in zip(columns, *rows, strict=True)]


def _least(columns: list[str], rows: Rows) -> list[int]:
    """The width of each column's longest word."""
    return [
        max((cell_len(word) for cell in cells for word in cell.split()), default=1)
        for cells in zip(columns, *rows, strict=True)
    ]


def _width(widths: list[int]) -> int:
    return sum(widths) + GAP * (len(widths) - 1) + EDGES


def _blocks(columns: list[str], rows: Rows, room: int) -> list[list[int]]:
    """The places of columns that are shown together; every block begins with those that tell rows apart."""
    least = _least(columns, rows)
    if _width(least) <= room:
        return [list(range(len(columns)))]
    keys = [0]
    if len({row[0] for row in rows}) < len(rows) and len(columns) > 2:
        keys.append(1)
    if _width([least[place] for place in keys]) > room // 2:
        keys = []
    blocks = [list(keys)]
    for place in range(len(keys), len(columns)):
        if len(blocks[-1]) > len(keys) and _width([least[each] for each in (*blocks[-1], place)]) > room:
            blocks.append(list(keys))
        blocks[-1].append(place)
    return blocks


def _grid(title: str, columns: list[str], rows: Rows, room: int) -> Grid:
    widths, naturals = _least(columns, rows), _naturals(columns, rows)
    spare = room - _width(widths)
    for place, natural in enumerate(naturals):
        more = max(0, min(spare, natural - widths[place]))
        widths[place] += more
        spare -= more
    grid = Grid(title=title or None, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    for place, column in enumerate(columns):
        told = [row[place] for row in rows if row[place] not in ("", "–")]
        numbers = 2 * sum(map(_numeric, told)) > len(told)  # a sentence may begin with a number
        grid.add_column(_wrapped(column, widths[place]), justify="right" if numbers else "left", overflow="fold")
    for row in rows:
        grid.add_row(*(_wrapped(cell, width) for cell, width in zip(row, widths, strict=True)))
    return grid


def _wrapped(text: str, width: int) -> str:
    return textwrap.fill(text, width, break_long_words=False, break_on_hyphens=False) if text else ""


def _numeric(text: str) -> bool:
    return text[:1].isdigit() or (text[:1] in "-−+." and text[1:2].isdigit())
