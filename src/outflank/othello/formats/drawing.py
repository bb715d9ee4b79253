"""Reading of Othello boards that are drawn in text."""

import re
from collections.abc import Sequence

import numpy as np

from outflank.formats.drawn_boards import BARS, EITHER, NAME, WHITE, Rows, black_signs, cells, stated_turn
from outflank.formats.game_record import Setup
from outflank.games.rules import MOVE, fill, most_moves
from outflank.games.sides import Side
from outflank.kernels.bits import U64
from outflank.othello.formats.board_line import read_board_line
from outflank.othello.rules import Othello, OthelloPosition
from outflank.othello.squares import SIZES, othello, squares

_row_number = re.compile(rf"[\s{BARS}]*+([1-8])(?=[\s{BARS}:)])[:)]?+")
_later_number = re.compile(rf"(?<=[\s{BARS}])[1-8](?!\S)")


def read_line(line: str) -> Setup | None:
    """Return the position on a board line, which programs print below drawings; None if `line` is not a board line."""
    words = line.split(maxsplit=1)
    return read_board_line(line) if words and len(words[0]) in [size * size for size in SIZES] else None


def read_square_drawing(lines: Sequence[str]) -> Setup | None:
    """Return the position in a drawing made of `lines`; None if they contain no square board."""
    rows = _rows(lines)
    return None if rows is None else _position(rows, lines)


def _rows(lines: Sequence[str]) -> Rows | None:
    """Return the cells of a drawn board, row 1 first; None if there is no square board."""
    numbered = [(int(parts[0]), cells(parts[1])) for line in lines if (parts := _numbered(line))]
    rows = [row for _, row in numbered]
    if _is_square(rows):
        numbers = [number for number, _ in numbered]
        if numbers == list(range(1, len(rows) + 1)):
            return rows
        if numbers == list(range(len(rows), 0, -1)):
            return rows[::-1]
    rows = [row for line in lines if len(row := cells(line)) in SIZES]
    for candidate in (rows, rows[1:-1]):  # a frame of dashes may look like two more rows
        if _is_square(candidate):
            return candidate
    return None


def _numbered(line: str) -> tuple[str, str] | None:
    """Return the row number at the start of a line, and the row; None if the line has no number.

    If the number is repeated after the row, the text from there on does not belong to the row.
    """
    number = _row_number.match(line)
    if number is None:
        return None
    again = (match.start() for match in _later_number.finditer(line, number.end()) if match[0] == number[1])
    return number[1], line[number.end() : next(again, len(line))]


def _is_square(rows: Rows) -> bool:
    return len(rows) in SIZES and all(len(row) == len(rows) for row in rows)


def _position(rows: Rows, lines: Sequence[str]) -> Setup:
    game = othello(len(rows))
    blacks = black_signs(rows)
    black = white = marked = 0
    for square, sign in zip(squares(len(rows)), (sign for row in rows for sign in row), strict=True):
        black |= (sign in blacks) << square
        white |= (sign in WHITE) << square
        marked |= (sign in EITHER and sign not in blacks) << square
    turn = stated_turn(lines)
    assumed = ""
    if turn is None and marked:
        matching_sides = [side for side in Side if marked == _legal(game, black, white, side)]
        turn = matching_sides[0] if len(matching_sides) == 1 else None
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
