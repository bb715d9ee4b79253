"""Boards drawn with letters, a row a line: what `str(board)` and `outflank show` print, and what other programs do.

Rows may have their numbers or letters beside them and bars between their cells; lines that are no rows are passed over.
The legal moves in our own drawings are `*`, which elsewhere is a black disc: it is one where nothing else is black.
"""

import re
from collections.abc import Iterator, Sequence

import numpy as np

from outflank.abalone.geometry import board as abalone_word
from outflank.abalone.layouts import RULES, row_cells
from outflank.abalone.rules import AbalonePosition
from outflank.errors import FormatError, OutflankError
from outflank.formats.abalone_line import check_marbles, read_abalone_line
from outflank.formats.board_line import read_board_line
from outflank.formats.setup import Setup
from outflank.games.rules import MOVE, fill, most_moves
from outflank.games.sides import Side
from outflank.kernels.bits import U64
from outflank.othello.rules import Othello, OthelloPosition
from outflank.othello.squares import SIZES, othello, squares

NAME = "drawing"

BLACK, WHITE, EMPTY, EITHER = "Xx@#●⚫Bb", "Oo0○⚪Ww", ".-_·∙•", "*"
BARS = "|│┃║¦"
LONGEST = 400
"""Letters of the longest line that may be one of a drawing."""

LENGTHS = [len(row_cells(row)) for row in range(9)]

_escape = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_abalone_line = re.compile(r"[sS1-9]+(?:/[sS1-9]+){8}(?:\s+[\dbwBW]+)*")
_colour = rf"(?P<black>black|[{BLACK}*](?!\w))|(?P<white>white|[{WHITE}](?!\w))"
_said = (
    re.compile(
        rf"(?<!\w)(?:{_colour})(?:\s+is)?(?:'s)?\s+(?:to\s+(?:move|play)|would\s+move|turn|moves)\b", re.IGNORECASE
    ),
    re.compile(rf"\b(?:turn|(?:side\s+)?to\s+(?:move|play)|next|player)\s*(?:is|[:=])\s*(?:{_colour})", re.IGNORECASE),
    re.compile(rf"^\s*(?:{_colour})\s*$", re.IGNORECASE),
)

Rows = Sequence[Sequence[str]]


def without_colours(text: str) -> str:
    """`text` without what makes a terminal colour it."""
    return _escape.sub("", text)


def read_drawing(text: str, game: str | None = None) -> Setup | None:
    """The position that `text` draws; None if no board is to be seen in it."""
    lines = [line for line in without_colours(text).splitlines() if line.strip() and len(line) <= LONGEST]
    if len(lines) < min(SIZES):
        return None
    written = _line_among(lines)
    if written is not None:
        return written
    if game != "abalone" and (rows := _square_rows(lines)) is not None:
        return _othello(rows, lines)
    if game != "othello" and (rows := _hexagon_rows(lines)) is not None:
        return _abalone(rows, lines)
    return None


def _line_among(lines: Sequence[str]) -> Setup | None:
    """The position on a line of its own below the drawing, as `outflank show` prints it."""
    for line in reversed(lines):
        try:
            if _abalone_line.fullmatch(line.strip()):
                return read_abalone_line(line)
            if len(line.split()[0]) in [size * size for size in SIZES]:
                return read_board_line(line)
        except OutflankError:
            continue
    return None


# --- rows ---


def _square_rows(lines: Sequence[str]) -> Rows | None:
    """The rows of an Othello board, the first on top."""
    numbered = [(int(found[1]), _cells(found[2])) for line in lines if (found := _numbered(line))]
    rows = [row for _, row in numbered]
    if _is_square(rows):
        numbers = [number for number, _ in numbered]
        if numbers == list(range(1, len(rows) + 1)):
            return rows
        if numbers == list(range(len(rows), 0, -1)):
            return rows[::-1]
    rows = [row for line in lines if len(row := _cells(line)) in SIZES]
    for candidate in (rows, rows[1:-1]):  # a frame of dashes may look like two rows more
        if _is_square(candidate):
            return candidate
    return None


def _numbered(line: str) -> re.Match[str] | None:
    """A row with its number before it. If that is behind it as well, what follows there is something else."""
    return re.fullmatch(rf"[\s{BARS}]*([1-8])(?=[\s{BARS}:)])[:)]?(.*?)(?:(?<=[\s{BARS}])\1(?:\s.*)?)?\s*", line)


def _is_square(rows: Rows) -> bool:
    return len(rows) in SIZES and all(len(row) == len(rows) for row in rows)


def _hexagon_rows(lines: Sequence[str]) -> Rows | None:
    """The rows of an Abalone board, row A first."""
    lettered = [(found[1].upper(), _cells(found[2])) for line in lines if (found := _lettered(line))]
    rows = [row for _, row in lettered]
    if [len(row) for row in rows] == LENGTHS:
        letters = "".join(letter for letter, _ in lettered)
        if letters in ("ABCDEFGHI", "IHGFEDCBA"):
            return rows if letters[0] == "A" else rows[::-1]
    rows = [row for line in lines if len(row := _cells(line)) in LENGTHS]
    return rows[::-1] if [len(row) for row in rows] == LENGTHS else None


def _lettered(line: str) -> re.Match[str] | None:
    return re.fullmatch(r"\s*([A-Ia-i])\s+(.*?)(?:\s+[1-9])?\s*", line)


def _cells(line: str) -> list[str]:
    """The cells of a row; none if the line is no row. Between bars, what is blank is empty."""
    inner = line.strip().strip(BARS)
    between = re.split(f"[{BARS}]", inner)
    if len(between) > 1 and all(len(cell.strip()) <= 1 for cell in between):
        cells = [cell.strip() or "." for cell in between]
    else:
        cells = [char for char in inner if not char.isspace() and char not in BARS]
    return cells if all(cell in BLACK + WHITE + EMPTY + EITHER for cell in cells) else []


# --- positions ---


def _othello(rows: Rows, lines: Sequence[str]) -> Setup:
    game = othello(len(rows))
    black_signs = _black_signs(rows)
    black = white = marked = 0
    for square, sign in zip(squares(len(rows)), (sign for row in rows for sign in row), strict=True):
        black |= (sign in black_signs) << square
        white |= (sign in WHITE) << square
        marked |= (sign in EITHER and sign not in black_signs) << square
    turn = _turn(lines)
    assumed = ""
    if turn is None and marked:
        able = [side for side in Side if marked == _legal(game, black, white, side)]
        turn = able[0] if len(able) == 1 else None
    if turn is None:
        turn = Side.WHITE if (black | white).bit_count() % 2 else Side.BLACK
        assumed = f"{turn} to move, by the number of discs, as the drawing does not say whose move it is"
    own, opp = (black, white) if turn is Side.BLACK else (white, black)
    ply = max((black | white).bit_count() - 4, 0)
    position = OthelloPosition(U64(own), U64(opp))
    return Setup(format=NAME, game=game, position=position, turn=turn, ply=ply, assumed=assumed)


def _legal(game: Othello, black: int, white: int, side: Side) -> int:
    own, opp = (black, white) if side is Side.BLACK else (white, black)
    buffer = np.zeros(most_moves(game), MOVE)
    moves: list[int] = buffer[: fill(game, OthelloPosition(U64(own), U64(opp)), buffer, 0)].tolist()
    return sum(1 << move for move in moves if move < 64)


def _abalone(rows: Rows, lines: Sequence[str]) -> Setup:
    black_signs = _black_signs(rows)
    signs = [(cell, sign) for row, drawn in enumerate(rows) for cell, sign in zip(row_cells(row), drawn, strict=True)]
    black = {cell for cell, sign in signs if sign in black_signs}
    white = {cell for cell, sign in signs if sign in WHITE}
    check_marbles(len(black), len(white))
    turn = _turn(lines)
    assumed = "" if turn else "black to move, as the drawing does not say whose move it is"
    turn = turn or Side.BLACK
    own, opp = (black, white) if turn is Side.BLACK else (white, black)
    position = AbalonePosition(abalone_word(own), abalone_word(opp))
    return Setup(format=NAME, game=RULES, position=position, turn=turn, ply=int(turn is Side.WHITE), assumed=assumed)


def _black_signs(rows: Rows) -> str:
    """What stands for black here."""
    signs = {sign for row in rows for sign in row}
    if "●" in signs and not signs & set(WHITE):
        raise FormatError(f"{NAME}: expected two kinds of discs, found ● alone: without colours they are all alike")
    return BLACK if signs & set(BLACK) else BLACK + EITHER


def _turn(lines: Sequence[str]) -> Side | None:
    """The side to move, where a line says so; the last that does counts."""
    return next((side for line in reversed(lines) for side in _sides(line)), None)


def _sides(line: str) -> Iterator[Side]:
    for pattern in _said:
        for found in pattern.finditer(line):
            yield Side.BLACK if found["black"] else Side.WHITE
