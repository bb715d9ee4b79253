"""Abalone boards drawn in text."""

from collections.abc import Collection

from outflank.abalone import geometry
from outflank.abalone.layouts import row_cells
from outflank.boards.diagram import BLACK, EMPTY, LEGAL, WHITE, bracketed


def abalone_diagram(
    black: int, white: int, legal: Collection[geometry.Cell] = (), last: Collection[geometry.Cell] = ()
) -> list[str]:
    """Return the lines of a hexagon, row I on top, with `*` on reachable empty cells and brackets around `last`."""
    blacks, whites = geometry.cells(black), geometry.cells(white)
    lines = []
    for row in range(8, -1, -1):
        marks = [
            BLACK if cell in blacks else WHITE if cell in whites else LEGAL if cell in legal else EMPTY
            for cell in row_cells(row)
        ]
        cells = bracketed(marks, [cell in last for cell in row_cells(row)])
        # Below row E the columns end at a diagonal of their own: 9 beside D, down to 6 beside A.
        column = f" {row + 6}" if row < 4 else ""
        lines.append(f"{' ' * (9 - len(marks))}{'ABCDEFGHI'[row]}{cells}{column}")
    return [*lines, " " * 7 + "1 2 3 4 5"]
