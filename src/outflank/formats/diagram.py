"""Boards drawn in text, with coordinates: for the terminal, for `str(board)`, for bug reports."""

from collections.abc import Collection

from outflank.games.abalone import geometry
from outflank.games.abalone.layouts import row_cells
from outflank.games.othello.squares import squares

BLACK, WHITE, EMPTY, LEGAL = "X", "O", ".", "*"


def othello_diagram(size: int, black: int, white: int, legal: Collection[int] = ()) -> list[str]:
    """Lines of a square board, a1 top left, with `*` on the legal squares."""
    header = "  " + " ".join("abcdefgh"[:size])
    rows = []
    cells = squares(size)
    for row in range(size):
        marks = [
            BLACK if black >> square & 1 else WHITE if white >> square & 1 else LEGAL if square in legal else EMPTY
            for square in cells[row * size : (row + 1) * size]
        ]
        rows.append(f"{row + 1} {' '.join(marks)}")
    return [header, *rows]


def abalone_diagram(black: int, white: int, legal: Collection[geometry.Cell] = ()) -> list[str]:
    """Lines of a hexagon, row I on top, with `*` on the empty cells that a move can reach."""
    blacks, whites = geometry.cells(black), geometry.cells(white)
    lines = []
    for row in range(8, -1, -1):
        marks = [
            BLACK if cell in blacks else WHITE if cell in whites else LEGAL if cell in legal else EMPTY
            for cell in row_cells(row)
        ]
        # Below row E the columns end at a diagonal of their own: 9 beside D, down to 6 beside A.
        column = f" {row + 6}" if row < 4 else ""
        lines.append(f"{' ' * (9 - len(marks))}{'ABCDEFGHI'[row]} {' '.join(marks)}{column}")
    return [*lines, " " * 7 + "1 2 3 4 5"]
