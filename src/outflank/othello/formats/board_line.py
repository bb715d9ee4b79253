"""Othello positions on one line of text: board lines (as in FFO test scripts), and OBF, which adds scores of moves.

A line has 64 cells (or 36 or 16), row by row from a1, then the side to move; `%` starts a comment. OBF continues with
moves and their values for the mover: `; G8:+18; H1:+12;`.
"""

import re
from collections.abc import Mapping

from outflank.errors import FormatError
from outflank.formats.bounds import count_game
from outflank.formats.game_record import Record, Setup, check_game
from outflank.games.sides import Side
from outflank.kernels.bits import U64
from outflank.othello.rules import PASS, Othello, OthelloPosition
from outflank.othello.squares import SIZES, othello, size_of, square_name, square_number, squares

BLACK_CELLS, WHITE_CELLS, EMPTY_CELLS = "X*xBb", "O0oWw", "-._"
CELLS = BLACK_CELLS + WHITE_CELLS + EMPTY_CELLS

NAME = "board line"
OBF = "OBF"

_side_in_words = re.compile(r"(black|white)(\s+to\s+move)?\s*$", re.IGNORECASE)


def read_board_line(text: str) -> Setup:
    """Return the position in `text`, which may be broken into rows, with the scores of moves if it is OBF.

    >>> read_board_line("-----XO--OX----- X").turn
    <Side.BLACK: 'black'>
    """
    count_game()
    cleaned = re.sub(r"%[^\n]*", lambda comment: " " * len(comment[0]), text)
    board_part, semicolon, rest = cleaned.partition(";")
    turn, end = _side(board_part)
    cells = []
    for place, char in enumerate(board_part[:end]):
        if char.isspace():
            continue
        if char not in CELLS:
            raise FormatError.at(NAME, text, place, "a cell (X, O or -) or the side to move")
        cells.append(char)
    if turn is None:
        if len(cells) - 1 not in [size * size for size in SIZES]:
            raise _wrong_count(text, board_part, len(cells))
        if cells[-1] in EMPTY_CELLS:
            place = len(board_part.rstrip()) - 1
            raise FormatError.at(NAME, text, place, "the side to move (X or O)")
        turn = Side.BLACK if cells.pop() in BLACK_CELLS else Side.WHITE
    elif len(cells) not in [size * size for size in SIZES]:
        raise _wrong_count(text, board_part, len(cells))
    size = round(len(cells) ** 0.5)
    black = white = 0
    for square, char in zip(squares(size), cells, strict=True):
        black |= (char in BLACK_CELLS) << square
        white |= (char in WHITE_CELLS) << square
    own, opp = (black, white) if turn is Side.BLACK else (white, black)
    return Setup(
        format=OBF if semicolon else NAME,
        game=othello(size),
        position=OthelloPosition(U64(own), U64(opp)),
        turn=turn,
        ply=max((black | white).bit_count() - 4, 0),
        scores=_scores(rest, text, len(board_part) + 1, size) if semicolon else {},
    )


def write_board_line(game: Othello, position: OthelloPosition, turn: Side) -> str:
    """Return the position as a board line."""
    own, opp = ("X", "O") if turn is Side.BLACK else ("O", "X")
    cells = [
        own if int(position.own) >> square & 1 else opp if int(position.opp) >> square & 1 else "-"
        for square in squares(size_of(game))
    ]
    return f"{''.join(cells)} {own}"


def write_obf(game: Othello, position: OthelloPosition, turn: Side, scores: Mapping[int, int]) -> str:
    """Return the position and the scores of its moves as an OBF line; `scores` maps move codes to scores."""
    size = size_of(game)
    named = ((square_name(size, move).upper() if move != PASS else "PA", score) for move, score in scores.items())
    parts = [f" {name}:{score:+d};" for name, score in named]
    return f"{write_board_line(game, position, turn)};{''.join(parts)}"


def _side(board_part: str) -> tuple[Side | None, int]:
    """Return the side to move, if the text states it in words, and the index where the cells end."""
    words = _side_in_words.search(board_part)
    if words is None:
        return None, len(board_part)
    return Side(words[1].lower()), words.start()


def _wrong_count(text: str, board_part: str, cell_count: int) -> FormatError:
    counts = ", ".join(str(size * size) for size in SIZES)
    end = len(board_part.rstrip())
    return FormatError.at(
        NAME, text, end, f"{counts.replace(', 64', ' or 64')} cells and the side to move ({cell_count} read)"
    )


def _scores(rest: str, text: str, offset: int, size: int) -> dict[int, int]:
    scores: dict[int, int] = {}
    for item in re.finditer(r"[^;]+", rest):
        entry = item[0].strip()
        if not entry:
            continue
        place = offset + item.start() + len(item[0]) - len(item[0].lstrip())
        match = re.fullmatch(r"(\w\w|--)\s*:\s*([+-]?\d{1,9})", entry)
        square = square_number(size, match[1]) if match else None
        if match and match[1].lower() in ("pa", "ps", "--"):
            square = PASS
        if match is None or square is None:
            raise FormatError.at(OBF, text, place, "a move and its score, like G8:+18")
        scores[square] = int(match[2])
    return scores


def othello_size(record: Record, format: str) -> int:
    """Return the board size of a record; raise an error unless it is Othello on a 4×4, 6×6 or 8×8 board."""
    check_game(record, Othello, format)
    game = record.start.game
    if game.mask not in [othello(size).mask for size in SIZES]:
        raise FormatError(f"{format} holds boards of 4×4, 6×6 and 8×8 squares")
    return size_of(game)
