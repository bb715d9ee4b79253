"""Starting layouts of Abalone, and reading and writing of rows of marbles as text."""

from functools import cache
from typing import Final

from outflank.abalone.geometry import Cell, board, cells
from outflank.abalone.rules import Abalone, AbalonePosition
from outflank.errors import FormatError, UnknownName

RULES: Final = Abalone(marbles=14, goal=6)
"""The usual rules: each side has fourteen marbles, and loses the game when it has lost six."""

LAYOUTS: Final = {
    "standard": "sssss/ssssss/2sss2/8/9/8/2SSS2/SSSSSS/SSSSS",
    "belgian-daisy": "ss1SS/sssSSS/1ss1SS1/8/9/8/1SS1ss1/SSSsss/SS1ss",
    "german-daisy": "5/ss2SS/sss1SSS/1ss2SS1/9/1SS2ss1/SSS1sss/SS2ss/5",
    "dutch-daisy": "ss1SS/sSsSsS/1ss1SS1/8/9/8/1SS1ss1/SsSsSs/SS1ss",
    "swiss-daisy": "5/ss2SS/sSs1SsS/1ss2SS1/9/1SS2ss1/SsS1sSs/SS2ss/5",
    "alien-attack": "S1S1S/1SssS1/1SsSsS1/3SS3/9/3ss3/1sSsSs1/1sSSs1/s1s1s",
    "snakes": "SSSSS/S5/S6/S1sssss1/1S5s1/1SSSSS1s/6s/5s/sssss",
    "the-wall": "2s2/6/1sssss1/ssssssss/9/SSSSSSSS/1SSSSS1/6/2S2",
    "star": "S3s/1s2S1/s1S1s1S/3sS3/sSsS1sSsS/3sS3/s1S1s1S/1s2S1/S3s",
    "duel": "1s1S1/sssSSS/2s1S2/S6s/SS5ss/S6s/2s1S2/sssSSS/1s1S1",
}
"""Starting layouts by name: rows I to A; `S` is black, `s` white, and a digit is a number of empty cells."""


def start(layout: str = "standard") -> AbalonePosition:
    """Return the starting position of a layout; black is to move."""
    if layout not in LAYOUTS:
        raise UnknownName.among("layout", layout, LAYOUTS)
    return _first_position(layout)


@cache
def _first_position(layout: str) -> AbalonePosition:
    black, white = read_rows(LAYOUTS[layout])
    return AbalonePosition(board(black), board(white))


def row_cells(row: int) -> list[Cell]:
    """Return the cells of a row, from west to east.

    >>> len(row_cells(0)), len(row_cells(4))
    (5, 9)
    """
    return [(row, column) for column in range(max(0, row - 4), min(8, row + 4) + 1)]


def read_rows(text: str) -> tuple[set[Cell], set[Cell]]:
    """Return the cells of the black and of the white marbles in nine rows of text, I first, as in `LAYOUTS`.

    >>> sorted(read_rows("5/6/7/8/S8/8/7/6/5")[0])
    [(4, 0)]
    """
    black: set[Cell] = set()
    white: set[Cell] = set()
    place = 0
    for row in range(8, -1, -1):
        free = row_cells(row)
        while free:
            char = text[place : place + 1]
            if char and char in "Ss":
                (black if char == "S" else white).add(free.pop(0))
            elif char and char in "123456789" and int(char) <= len(free):
                del free[: int(char)]
            else:
                expected = f"{len(free)} more cells of row {'ABCDEFGHI'[row]} (S, s or a digit)"
                raise FormatError.at("Abalone line", text, place, expected)
            place += 1
        if row > 0:
            if text[place : place + 1] != "/":
                raise FormatError.at("Abalone line", text, place, f"/ after row {'ABCDEFGHI'[row]}")
            place += 1
    if place < len(text):
        raise FormatError.at("Abalone line", text, place, "nothing after row A")
    return black, white


def write_rows(black: int, white: int) -> str:
    """Return the board's rows as text that `read_rows` can read."""
    blacks, whites = cells(black), cells(white)
    rows = []
    for row in range(8, -1, -1):
        marks = ["S" if cell in blacks else "s" if cell in whites else "." for cell in row_cells(row)]
        text = "".join(marks)
        for length in range(9, 0, -1):
            text = text.replace("." * length, str(length))
        rows.append(text)
    return "/".join(rows)
