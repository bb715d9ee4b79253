"""Othello boards drawn in text."""

from collections.abc import Collection

from outflank.boards.diagram import BLACK, EMPTY, LEGAL, WHITE, bracketed
from outflank.othello.squares import squares


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
        rows.append(f"{row + 1}{bracketed(marks, [square in last for square in here])}")
    return [header, *rows]
