"""Abalone lines: positions as one line of text, similar to FEN.

    sssss/ssssss/2sss2/8/9/8/2SSS2/SSSSSS/SSSSS 0 0 b 0 1

The fields are rows I to A, lost marbles of black and of white, the side to move, half-moves since a marble was lost,
and the number of the move. Only the rows are required; later fields may be missing. Some programs write captured
instead of lost marbles: both are read if they fit the rows.
"""

import re

from outflank.abalone.geometry import board
from outflank.abalone.layouts import RULES, read_rows, write_rows
from outflank.abalone.rules import Abalone, AbalonePosition
from outflank.errors import FormatError, InvalidPosition
from outflank.formats.game_record import Setup
from outflank.games.sides import Side

NAME = "Abalone line"

_fields = (
    ("marbles that black has lost", re.compile(r"\d{1,2}")),
    ("marbles that white has lost", re.compile(r"\d{1,2}")),
    ("the side to move (b or w)", re.compile(r"[bwBW]")),
    ("half-moves", re.compile(r"\d{1,9}")),
    ("the number of the move", re.compile(r"\d{1,9}")),
)


def read_abalone_line(text: str) -> Setup:
    """Return the position that an Abalone line describes.

    >>> read_abalone_line("5/6/7/8/SSSSSSSSS/8/7/SSSSS1/sssss 0 9 w 0 7").ply
    13
    """
    words = list(re.finditer(r"\S+", text))
    if not words:
        raise FormatError.at(NAME, text, 0, "nine rows, I to A, divided by /")
    black, white = read_rows(words[0][0])
    values = []
    for word, (meaning, pattern) in zip(words[1:], _fields, strict=False):
        if not pattern.fullmatch(word[0]):
            raise FormatError.at(NAME, text, word.start(), meaning)
        values.append(word[0].lower())
    if len(words) > 1 + len(_fields):
        raise FormatError.at(NAME, text, words[1 + len(_fields)].start(), "nothing after the move's number")
    lost = (RULES.marbles - len(black), RULES.marbles - len(white))
    check_marbles(len(black), len(white))
    stated = tuple(int(value) for value in values[:2])
    if len(stated) == 2 and stated not in (lost, lost[::-1]):
        raise InvalidPosition(
            f"{NAME}: the rows hold {len(black)} black and {len(white)} white marbles, so {lost[0]} and {lost[1]} "
            f"are lost, not {stated[0]} and {stated[1]}"
        )
    turn = Side.WHITE if len(values) > 2 and values[2] == "w" else Side.BLACK
    move = max(int(values[4]), 1) if len(values) > 4 else 1
    own, opp = (black, white) if turn is Side.BLACK else (white, black)
    return Setup(
        format=NAME,
        game=RULES,
        position=AbalonePosition(board(own), board(opp)),
        turn=turn,
        ply=2 * (move - 1) + (turn is Side.WHITE),
        since_loss=int(values[3]) if len(values) > 3 else 0,
    )


def write_abalone_line(game: Abalone, position: AbalonePosition, turn: Side, ply: int = 0, since_loss: int = 0) -> str:
    """Return the position as an Abalone line; `since_loss` is the number of plies since a marble was lost."""
    black, white = (int(word) for word in (position if turn is Side.BLACK else position[::-1]))
    lost = [game.marbles - side.bit_count() for side in (black, white)]
    rows = write_rows(black, white)
    return f"{rows} {lost[0]} {lost[1]} {turn.value[0]} {since_loss} {ply // 2 + 1}"


def check_marbles(black: int, white: int) -> None:
    """Raise `InvalidPosition` if a side has more marbles than the game has, or if both sides have lost."""
    for side, marbles in (("black", black), ("white", white)):
        if marbles > RULES.marbles:
            raise InvalidPosition(f"{side} has {marbles} marbles; the game has {RULES.marbles} of each")
    if max(black, white) <= RULES.marbles - RULES.goal:
        raise InvalidPosition(f"both sides have lost {RULES.goal} marbles or more; a game ends at the first")
