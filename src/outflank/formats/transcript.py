"""Othello games as their moves: `f5d6c3…`, with spaces, numbers and passes where people put them."""

import re
from collections.abc import Iterable, Iterator

import numpy as np

from outflank.errors import FormatError, IllegalMove, place_in
from outflank.formats.setup import Setup
from outflank.games.othello.kernels import PASS, Othello
from outflank.games.othello.squares import START, othello, size_of, square_name, square_number
from outflank.games.rules import MOVE, fill, most_moves, play
from outflank.games.sides import Side

NAME = "transcript"

_token = re.compile(r"\s*(?:\d{1,3}\s*[.)]\s*(?:\.\.)?|,|;)?\s*(?:(pass|pa|ps|--)|([a-h])\s*([1-8]))", re.IGNORECASE)


def read_transcript(text: str, size: int = 8) -> Setup:
    """The game from the start of a board of `size`; passes left out are put in.

    >>> [square_name(8, move) for move in read_transcript("1. F5 2. d6 c3").moves]
    ['f5', 'd6', 'c3']
    """
    game = othello(size)
    moves = replayed(NAME, text, game, START, ((move, place, None) for move, place in named_moves(text, size)))
    return Setup(format=NAME, game=game, position=START, turn=Side.BLACK, moves=tuple(moves))


def write_transcript(game: Othello, moves: Iterable[int], *, passes: bool = False) -> str:
    """The moves in a row; passes only if asked for: they follow from the rest."""
    size = size_of(game)
    names = ("--" if move == PASS else square_name(size, move) for move in moves if passes or move != PASS)
    return "".join(names)


Named = tuple[int, int, Side | None]
"""A move as a text names it: its code, its place in the text, and the side if that is told."""


def replayed(
    format: str, text: str, game: Othello, position: object, moves: Iterable[Named], turn: Side = Side.BLACK
) -> Iterator[int]:
    """The moves of `text`, once each has proved legal for the side that makes it; passes are put in."""
    buffer = np.zeros(most_moves(game), MOVE)
    size = size_of(game)
    for number, (move, place, side) in enumerate(moves, 1):
        legal = buffer[: fill(game, position, buffer, 0)].tolist()
        if legal == [PASS] and move != PASS:
            yield PASS
            position = play(game, position, PASS)
            turn = turn.other
            legal = buffer[: fill(game, position, buffer, 0)].tolist()
        if side not in (None, turn):
            raise FormatError(f"{format}, {place_in(text, place)}: move {number} is {side}'s, but {turn} is to move")
        if move not in legal:
            named = " ".join(square_name(size, other) for other in legal) or "none, the game is over"
            raise IllegalMove(
                f"{format}, {place_in(text, place)}: move {number}, {square_name(size, move)}, is not legal here "
                f"(legal: {named})"
            )
        yield move
        position = play(game, position, move)
        turn = turn.other


def named_moves(text: str, size: int) -> Iterator[tuple[int, int]]:
    """The moves and their places, read but not yet tried."""
    place, end = 0, len(text.rstrip())
    while place < end:
        found = _token.match(text, place)
        move = None
        if found:
            move = PASS if found[1] else square_number(size, found[2] + found[3])
        if found is None or move is None:
            place += len(text[place:]) - len(text[place:].lstrip())
            expected = f"a square (a1 to {'abcdefgh'[size - 1]}{size}) or a pass (pa, pass, --)"
            raise FormatError.at(NAME, text, place, expected)
        yield move, found.start(1) if found[1] else found.start(2)
        place = found.end()
