"""Reading of Abalone boards that are drawn in text."""

import re
from collections.abc import Sequence

from outflank.abalone.formats.line import check_marbles, read_abalone_line
from outflank.abalone.geometry import board as abalone_word
from outflank.abalone.layouts import RULES, row_cells
from outflank.abalone.rules import AbalonePosition
from outflank.formats.drawn_boards import NAME, WHITE, Rows, black_signs, cells, stated_turn
from outflank.formats.game_record import Setup
from outflank.games.sides import Side

LENGTHS = [len(row_cells(row)) for row in range(9)]

_row_letter = re.compile(r"\s*+([A-Ia-i])\s")
_diagonal = re.compile(r"\s[1-9]\Z")
_abalone_line = re.compile(r"[sS1-9]+(?:/[sS1-9]+){8}(?:\s+[\dbwBW]+)*")


def read_line(line: str) -> Setup | None:
    """Return the position on an Abalone line, which programs print below drawings; None for any other line."""
    return read_abalone_line(line) if _abalone_line.fullmatch(line.strip()) else None


def read_hexagon_drawing(lines: Sequence[str]) -> Setup | None:
    """Return the position in a drawing made of `lines`; None if they contain no hexagonal board."""
    rows = _rows(lines)
    return None if rows is None else _position(rows, lines)


def _rows(lines: Sequence[str]) -> Rows | None:
    """Return the cells of a drawn board, row A first; None if there is no hexagonal board."""
    lettered = [(parts[0], cells(parts[1])) for line in lines if (parts := _lettered(line))]
    rows = [row for _, row in lettered]
    if [len(row) for row in rows] == LENGTHS:
        letters = "".join(letter for letter, _ in lettered)
        if letters in ("ABCDEFGHI", "IHGFEDCBA"):
            return rows if letters[0] == "A" else rows[::-1]
    rows = [row for line in lines if len(row := cells(line)) in LENGTHS]
    return rows[::-1] if [len(row) for row in rows] == LENGTHS else None


def _lettered(line: str) -> tuple[str, str] | None:
    """Return the letter before a row, and the row without a column number after it; None if there is no letter."""
    letter = _row_letter.match(line)
    if letter is None:
        return None
    row = line[letter.end() :].strip()
    return letter[1].upper(), row[:-1] if _diagonal.search(row, max(len(row) - 2, 0)) else row


def _position(rows: Rows, lines: Sequence[str]) -> Setup:
    blacks = black_signs(rows)
    signs = [(cell, sign) for row, marks in enumerate(rows) for cell, sign in zip(row_cells(row), marks, strict=True)]
    black = {cell for cell, sign in signs if sign in blacks}
    white = {cell for cell, sign in signs if sign in WHITE}
    check_marbles(len(black), len(white))
    turn = stated_turn(lines)
    assumed = "" if turn else "black to move, as the drawing does not say whose move it is"
    turn = turn or Side.BLACK
    own, opp = (black, white) if turn is Side.BLACK else (white, black)
    position = AbalonePosition(abalone_word(own), abalone_word(opp))
    return Setup(format=NAME, game=RULES, position=position, turn=turn, ply=int(turn is Side.WHITE), assumed=assumed)
