"""Othello games as their moves: `f5d6c3…`, with spaces, numbers and passes where people put them."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache

import numpy as np

from outflank.errors import FormatError, IllegalMove, place_in
from outflank.formats.replay import NO_MOVE, Replay, column, replay
from outflank.formats.setup import Setup
from outflank.games.rules import MOVE, fill, most_moves, play
from outflank.games.sides import Side
from outflank.othello.rules import PASS, Othello, OthelloPosition
from outflank.othello.squares import START, othello, size_of, square_name, square_number

NAME = "transcript"

MIRRORED = OthelloPosition(own=START.opp, opp=START.own)
"""The start with black on d4 and e5, as some books and programs have it."""

MIRRORED_ASSUMED = (
    "black begins on d4 and e5, as only there the first move is legal; read with left and right exchanged"
)

# Possessive, here as in every pattern: given back and tried again, n blanks cost n² steps, minutes for a pasted text.
_token = re.compile(
    r"\s*+(?:\d{1,3}\s*+[.)]\s*+(?:\.\.)?+|,|;|-(?!-))?+\s*+(?:(pass|pa|ps|--)|([a-h])\s*+([1-8]))", re.IGNORECASE
)

Named = tuple[int, int, Side | None]
"""A move as a text names it: its code, its place in the text, and the side if that is told."""


def read_transcript(text: str, size: int = 8) -> Setup:
    """The game from the start of a board of `size`; passes left out are put in.

    >>> [square_name(8, move) for move in read_transcript("1. F5 2. d6 c3").moves]
    ['f5', 'd6', 'c3']
    """
    game = othello(size)
    named: list[Named] = [(move, place, None) for move, place in named_moves(text, size)]
    if starts_mirrored(game, named):
        moves = [unmirrored(move) for move in replayed(NAME, text, game, MIRRORED, named)]
        return Setup(format=NAME, game=game, position=START, moves=tuple(moves), assumed=MIRRORED_ASSUMED)
    return Setup(format=NAME, game=game, position=START, moves=tuple(replayed(NAME, text, game, START, named)))


def read_moves(text: str, start: Setup) -> Setup:
    """The moves of `text` from another position."""
    named = ((move, place, None) for move, place in named_moves(text, size_of(start.game)))
    moves = replayed(NAME, text, start.game, start.position, named, start.turn)
    return replace(start, format=NAME, moves=tuple(moves))


def starts_mirrored(game: Othello, named: Sequence[Named]) -> bool:
    """Whether the first move is one of those that only the mirrored start has: e3, f4, c5 or d6 on the 8×8 board."""
    return bool(named) and named[0][0] in _only_mirrored(game)


@cache
def _only_mirrored(game: Othello) -> set[int]:
    buffer = np.zeros(most_moves(game), MOVE)
    usual, mirrored = (set(buffer[: fill(game, start, buffer, 0)].tolist()) for start in (START, MIRRORED))
    return mirrored - usual


def unmirrored(move: int) -> int:
    """A move of the mirrored board on the usual one: left is right."""
    return move if move == PASS else move ^ 7


def write_transcript(game: Othello, moves: Iterable[int], *, passes: bool = False) -> str:
    """The moves in a row; passes only if asked for: they follow from the rest."""
    size = size_of(game)
    names = ("--" if move == PASS else square_name(size, move) for move in moves if passes or move != PASS)
    return "".join(names)


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


def replay_named(text: str, start: Setup, named: Sequence[Named]) -> Replay:
    """Play the moves that `text` names, each by the side that it names; the error shows the place."""
    played = replay(start.game, start.position, start.turn, column(move for move, _, _ in named))
    if played.rows < len(named) or not _sides_agree(start.turn, played.codes, named):
        for _ in replayed(start.format, text, start.game, start.position, named, start.turn):
            pass  # it stops at the move that is wrong, and says why
    return played


def _sides_agree(turn: Side, codes: Sequence[int], named: Sequence[Named]) -> bool:
    given = iter(named)
    move, _, side = next(given, (NO_MOVE, 0, None))
    for code in codes:
        if code == move:  # else it is a pass that was put in
            if side not in (None, turn):
                return False
            move, _, side = next(given, (NO_MOVE, 0, None))
        turn = turn.other
    return True


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
