"""Othello boards drawn in text."""

from collections.abc import Collection

from outflank.boards.diagram import BLACK, EMPTY, LEGAL, WHITE, bracketed
from outflank.othello.squares import squares


def othello_diagram(
    size: int, black: int, white: int, legal: Collection[int] = (), last: Collection[int] = ()
) -> list[str]:
    """Return the lines of a square board, a1 top left, with `*` on the legal squares and brackets around `last`."""
    header = "  " + " ".join("abcdefgh"[:size])
    rows = []
    cells = squares(size)
    for row in range(size):
        row_squares = cells[row * size : (row + 1) * size]
        marks = [
            BLACK if black >> square & 1 else WHITE if white >> square & 1 else LEGAL if square in legal else EMPTY
            for square in row_squares
        ]
        rows.append(f"{row + 1}{bracketed(marks, [square in last for square in row_squares])}")
    return [header, *rows]
