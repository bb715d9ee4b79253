"""The position file of the lab program that report 003 started from.

    #29 X O: 14, X: 14
          . . . . .
         . O O O O .
    …

Row A comes first; O is black, whose home it is. Without a side, an even move number means
that O moves. Frames and text around the rows are allowed.
"""

import re

from outflank.abalone.formats.line import check_marbles
from outflank.abalone.geometry import Cell, board, cells
from outflank.abalone.layouts import RULES, row_cells
from outflank.abalone.rules import AbalonePosition
from outflank.errors import FormatError, InvalidPosition
from outflank.formats.setup import Setup
from outflank.games.sides import Side

NAME = "Abalone position file"

HEADER = re.compile(
    r"^[^\S\n]*#\s*(?P<move>\d{1,9})(?:[^\S\n]+(?P<side>[OXox])(?!\s*:))?"
    r"(?:[^\n]*?\bO:\s*(?P<o>\d{1,2}))?(?:[^\n]*?\bX:\s*(?P<x>\d{1,2}))?",
    re.MULTILINE,
)
_row = re.compile(r"(?<![^\s|/\\<>+*-])[.OX](?:[^\S\n]+[.OX])*(?![^\s|/\\<>+*-])", re.IGNORECASE)


def read_position_file(text: str) -> Setup:
    """The position in `text`, the whole of a file."""
    header = HEADER.search(text)
    if header is None:
        raise FormatError.at(NAME, text, 0, "a line like '#29 X O: 14, X: 14'")
    rows = _rows(text, header.end())
    marbles: dict[str, set[Cell]] = {"O": set(), "X": set(), ".": set()}
    for row, marks in enumerate(rows):
        for cell, mark in zip(row_cells(row), marks, strict=True):
            marbles[mark].add(cell)
    black, white = marbles["O"], marbles["X"]
    check_marbles(len(black), len(white))
    for mark, found in (("O", len(black)), ("X", len(white))):
        told = header[mark.lower()]
        if told is not None and int(told) != found:
            raise InvalidPosition(f"{NAME}: the header says {mark}: {told}, the rows hold {found}")
    ply = int(header["move"])
    side = (header["side"] or "OX"[ply % 2]).upper()
    own, opp = (black, white) if side == "O" else (white, black)
    return Setup(
        format=NAME,
        game=RULES,
        position=AbalonePosition(board(own), board(opp)),
        turn=Side.BLACK if side == "O" else Side.WHITE,
        ply=ply,
    )


def write_position_file(position: AbalonePosition, turn: Side, ply: int = 0) -> str:
    """The position as a file, ending with a line feed."""
    black, white = position if turn is Side.BLACK else position[::-1]
    blacks, whites = cells(black), cells(white)
    lines = [f"#{ply} {'O' if turn is Side.BLACK else 'X'} O: {len(blacks)}, X: {len(whites)}"]
    for row in range(9):
        marks = ["O" if cell in blacks else "X" if cell in whites else "." for cell in row_cells(row)]
        lines.append(" " * (11 - len(marks)) + " ".join(marks))
    return "\n".join(lines) + "\n"


def _rows(text: str, start: int) -> list[list[str]]:
    """The marks of the nine rows, by a look at each line for as many as the next row has."""
    rows: list[list[str]] = []
    place = start
    while len(rows) < 9:
        wanted = len(row_cells(len(rows)))
        line_end = text.find("\n", place)
        line_end = len(text) if line_end < 0 else line_end
        runs = [found[0].upper().split() for found in _row.finditer(text, place, line_end)]
        longest = max(runs, key=len, default=[])
        if len(longest) == wanted:
            rows.append(longest)
        elif len(longest) >= 3 or line_end == len(text):
            mark = place + len(text[place:line_end]) - len(text[place:line_end].lstrip())
            raise FormatError.at(NAME, text, mark, f"the {wanted} cells of row {'ABCDEFGHI'[len(rows)]} (. O X)")
        place = line_end + 1
    return rows
