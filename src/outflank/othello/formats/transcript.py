"""Transcripts: Othello games as lists of moves, `f5d6c3…`, with optional spaces, move numbers and passes."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache

import numpy as np

from outflank.errors import FormatError, IllegalMove, place_in
from outflank.formats.game_record import Record, Setup
from outflank.formats.replay import NO_MOVE, Replay, column, played_record, replay
from outflank.games.rules import MOVE, fill, most_moves, play
from outflank.games.sides import Side
from outflank.othello.rules import PASS, Othello, OthelloPosition
from outflank.othello.squares import START, othello, size_of, square_name, square_number

NAME = "transcript"

MIRRORED = OthelloPosition(own=START.opp, opp=START.own)
"""The mirrored starting position of some books and programs, with black on d4 and e5."""

MIRRORED_ASSUMED = (
    "black begins on d4 and e5, as only there the first move is legal; read with left and right exchanged"
)

# All quantifiers are possessive: with backtracking, n blanks cost n² steps, which is minutes for a pasted text.
_token = re.compile(
    r"\s*+(?:\d{1,3}\s*+[.)]\s*+(?:\.\.)?+|,|;|-(?!-))?+\s*+(?:(pass|pa|ps|--)|([a-h])\s*+([1-8]))", re.IGNORECASE
)

NamedMove = tuple[int, int, Side | None]
"""A move in a text: its code, its place in the text, and its side, if the text states it."""


def read_transcript(text: str, size: int = 8) -> Setup:
    """Return the game that `text` lists from the start of a board of `size`, with omitted passes inserted.

    >>> [square_name(8, move) for move in read_transcript("1. F5 2. d6 c3").moves]
    ['f5', 'd6', 'c3']
    """
    return read_game_from_start(text, size).setup


def read_game_from_start(text: str, size: int = 8) -> Record:
    """Return the game of `read_transcript` as a record, with the score if the game is over."""
    start = Setup(format=NAME, game=othello(size), position=START)
    named = list(parse_moves(text, size))
    if not named or named[0][0] not in _only_mirrored(start.game):
        return played_record(start, replay_named(text, start, named))
    played = replay_named(text, replace(start, position=MIRRORED), named)
    unmirrored = [code if code == PASS else code ^ 7 for code in played.codes]  # left and right exchanged
    return played_record(replace(start, assumed=MIRRORED_ASSUMED), replace(played, codes=unmirrored))


def read_game_from(text: str, start: Setup) -> Record:
    """Return the game that consists of the moves in `text`, starting from the position `start`."""
    start = replace(start, format=NAME)
    named: list[NamedMove] = []
    try:
        named += parse_moves(text, size_of(start.game))
    finally:  # an illegal move is reported before unreadable text that follows it
        played = replay_named(text, start, named)
    return played_record(start, played)


@cache
def _only_mirrored(game: Othello) -> set[int]:
    """Return the first moves that are legal only in the mirrored starting position: e3, f4, c5 and d6 on 8×8."""
    buffer = np.zeros(most_moves(game), MOVE)
    usual, mirrored = (set(buffer[: fill(game, start, buffer, 0)].tolist()) for start in (START, MIRRORED))
    return mirrored - usual


def write_transcript(game: Othello, moves: Iterable[int], *, passes: bool = False) -> str:
    """Return the moves as a transcript without spaces. Unless `passes` is true, passes are left out, because the other
    moves imply them."""
    size = size_of(game)
    names = ("--" if move == PASS else square_name(size, move) for move in moves if passes or move != PASS)
    return "".join(names)


def checked_moves(
    format: str, text: str, game: Othello, position: object, moves: Iterable[NamedMove], turn: Side = Side.BLACK
) -> Iterator[int]:
    """Yield `moves` with omitted passes inserted; the error for an illegal move states its place in `text`."""
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
            legal_names = " ".join(square_name(size, legal_move) for legal_move in legal) or "none, the game is over"
            raise IllegalMove(
                f"{format}, {place_in(text, place)}: move {number}, {square_name(size, move)}, is not legal here "
                f"(legal: {legal_names})"
            )
        yield move
        position = play(game, position, move)
        turn = turn.other


def replay_named(text: str, start: Setup, named: Sequence[NamedMove]) -> Replay:
    """Return the game after the moves `named`; the error for an illegal move states its place in `text`."""
    played = replay(start.game, start.position, start.turn, column(move for move, _, _ in named))
    if played.rows < len(named) or not _sides_agree(start.turn, played.codes, named):
        for _ in checked_moves(start.format, text, start.game, start.position, named, start.turn):
            pass  # raises the error at the illegal move
    return played


def _sides_agree(turn: Side, codes: Sequence[int], named: Sequence[NamedMove]) -> bool:
    named_moves = iter(named)
    move, _, side = next(named_moves, (NO_MOVE, 0, None))
    for code in codes:
        if code == move:  # otherwise it is an inserted pass
            if side not in (None, turn):
                return False
            move, _, side = next(named_moves, (NO_MOVE, 0, None))
        turn = turn.other
    return True


def parse_moves(text: str, size: int) -> Iterator[NamedMove]:
    """Yield the moves in `text` with their places, without checking that they are legal."""
    place, end = 0, len(text.rstrip())
    while place < end:
        match = _token.match(text, place)
        move = None
        if match:
            move = PASS if match[1] else square_number(size, match[2] + match[3])
        if match is None or move is None:
            place += len(text[place:]) - len(text[place:].lstrip())
            expected = f"a square (a1 to {'abcdefgh'[size - 1]}{size}) or a pass (pa, pass, --)"
            raise FormatError.at(NAME, text, place, expected)
        yield move, match.start(1) if match[1] else match.start(2), None
        place = match.end()
