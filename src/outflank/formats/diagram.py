"""Boards drawn in text, with coordinates: for the terminal, for `str(board)`, for bug reports."""

from collections.abc import Collection, Sequence

from outflank.abalone import geometry
from outflank.abalone.layouts import row_cells
from outflank.othello.squares import squares

BLACK, WHITE, EMPTY, LEGAL = "X", "O", ".", "*"


def othello_diagram(
    size: int, black: int, white: int, legal: Collection[int] = (), last: Collection[int] = ()
) -> list[str]:
    """Lines of a square board, a1 top left, with `*` on the legal squares and brackets about the last ones."""
    header = "  " + " ".join("abcdefgh"[:size])
    rows = []
    cells = squares(size)
    for row in range(size):
        here = cells[row * size : (row + 1) * size]
        marks = [
            BLACK if black >> square & 1 else WHITE if white >> square & 1 else LEGAL if square in legal else EMPTY
            for square in here
        ]
        rows.append(f"{row + 1}{_bracketed(marks, [square in last for square in here])}")
    return [header, *rows]


def abalone_diagram(
    black: int, white: int, legal: Collection[geometry.Cell] = (), last: Collection[geometry.Cell] = ()
) -> list[str]:
    """Lines of a hexagon, row I on top, with `*` on the empty cells that a move can reach, brackets about the last."""
    blacks, whites = geometry.cells(black), geometry.cells(white)
    lines = []
    for row in range(8, -1, -1):
        marks = [
            BLACK if cell in blacks else WHITE if cell in whites else LEGAL if cell in legal else EMPTY
            for cell in row_cells(row)
        ]
        cells = _bracketed(marks, [cell in last for cell in row_cells(row)])
        # Below row E the columns end at a diagonal of their own: 9 beside D, down to 6 beside A.
        column = f" {row + 6}" if row < 4 else ""
        lines.append(f"{' ' * (9 - len(marks))}{'ABCDEFGHI'[row]}{cells}{column}")
    return [*lines, " " * 7 + "1 2 3 4 5"]


def _bracketed(marks: Sequence[str], last: Sequence[bool]) -> str:
    """The marks of a row with a space before each, or a bracket where a run of the last ones begins or has ended."""
    parts = []
    for before, mark, now in zip((False, *last), marks, last, strict=False):
        parts.append((" " if now == before else "[" if now else "]") + mark)
    return "".join(parts) + ("]" if last[-1] else "")
