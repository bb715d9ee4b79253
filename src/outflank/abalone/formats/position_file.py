"""Position files of the lab program on which the published report 003 is based.

    #29 X O: 14, X: 14
          . . . . .
         . O O O O .
    …

Row A, black's home row, comes first; O is black. If the header names no side, O moves when the move number is even.
Frames and text around the rows are allowed.
"""

import re

from outflank.abalone.formats.line import check_marbles
from outflank.abalone.geometry import Cell, board, cells
from outflank.abalone.layouts import RULES, row_cells
from outflank.abalone.rules import AbalonePosition
from outflank.errors import FormatError, InvalidPosition
from outflank.formats.game_record import Setup
from outflank.games.sides import Side

NAME = "Abalone position file"

HEADER = re.compile(
    r"^[^\S\n]*#\s*(?P<move>\d{1,9})(?:[^\S\n]+(?P<side>[OXox])(?!\s*:))?"
    r"(?:[^\n]*?\bO:\s*(?P<o>\d{1,2}))?(?:[^\n]*?\bX:\s*(?P<x>\d{1,2}))?",
    re.MULTILINE,
)
_row = re.compile(r"(?<![^\s|/\\<>+*-])[.OX](?:[^\S\n]+[.OX])*(?![^\s|/\\<>+*-])", re.IGNORECASE)


def read_position_file(text: str) -> Setup:
    """Return the position in `text`, the contents of a position file."""
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
    for mark, marble_count in (("O", len(black)), ("X", len(white))):
        stated_count = header[mark.lower()]
        if stated_count is not None and int(stated_count) != marble_count:
            raise InvalidPosition(f"{NAME}: the header says {mark}: {stated_count}, the rows hold {marble_count}")
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
    """Return the contents of a position file, ending with a line feed."""
    black, white = position if turn is Side.BLACK else position[::-1]
    blacks, whites = cells(black), cells(white)
    lines = [f"#{ply} {'O' if turn is Side.BLACK else 'X'} O: {len(blacks)}, X: {len(whites)}"]
    for row in range(9):
        marks = ["O" if cell in blacks else "X" if cell in whites else "." for cell in row_cells(row)]
        lines.append(" " * (11 - len(marks)) + " ".join(marks))
    return "\n".join(lines) + "\n"


def _rows(text: str, start: int) -> list[list[str]]:
    """Return the marks of the nine rows. Each line is searched for as many cells as the next row has."""
    rows: list[list[str]] = []
    place = start
    while len(rows) < 9:
        cell_count = len(row_cells(len(rows)))
        line_end = text.find("\n", place)
        line_end = len(text) if line_end < 0 else line_end
        runs = [match[0].upper().split() for match in _row.finditer(text, place, line_end)]
        longest = max(runs, key=len, default=[])
        if len(longest) == cell_count:
            rows.append(longest)
        elif len(longest) >= 3 or line_end == len(text):
            mark = place + len(text[place:line_end]) - len(text[place:line_end].lstrip())
            raise FormatError.at(NAME, text, mark, f"the {cell_count} cells of row {'ABCDEFGHI'[len(rows)]} (. O X)")
        place = line_end + 1
    return rows
