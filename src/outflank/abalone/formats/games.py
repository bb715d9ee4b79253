"""Files of Abalone games: headers, where it starts, and numbered moves in Aba-Pro's notation.

    game: abalone
    black: one
    white: other
    date: 1998-05-17
    score: +2
    start: belgian-daisy
    1. A1B2 {+12 0.3s} I9H8
    2. C3C5D4 …

A blank line divides games. Every header may be left out; those that are not known are passed over.
`start` is the name of a layout or an Abalone line. In braces, after a move, stand what it is worth to the
mover and the seconds it took; either may be missing, and other text is passed over. A line that starts with
`#` is a comment.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import BinaryIO

from outflank.abalone.formats.line import read_abalone_line, write_abalone_line
from outflank.abalone.formats.moves import MoveRefused, meanings, read_move, replay_words, write_move
from outflank.abalone.layouts import LAYOUTS, RULES, start
from outflank.abalone.rules import Abalone
from outflank.errors import FormatError, OutflankError
from outflank.formats.fields import decoded
from outflank.formats.game_record import Record, check_game
from outflank.formats.headed_games import begins_with_squares
from outflank.formats.saved_games import (
    HEADER,
    KEYS,
    Line,
    SavedMove,
    divided,
    game_told,
    games_in,
    recorded,
    words_of,
    written,
)
from outflank.formats.setup import Setup
from outflank.games.sides import Side

NAME = "Abalone game"

_abalone = re.compile(r"^[^\S\n]*+game\s*+:\s*+abalone\b|^[^\S\n]*+start\s*+:", re.IGNORECASE | re.MULTILINE)
_first_move = re.compile(r"^[^:\n]*?\b([a-i][1-9](?:-?[a-i][1-9]){1,2})\b", re.IGNORECASE | re.MULTILINE)
_word = re.compile(
    r"\s*+(?:\{([^{}]*+)\}|\d{1,9}\s*+[.)](?:\.\.)?|([A-Ia-i1-9]{2,6}|[A-Ia-i1-9]{2}(?:-[A-Ia-i1-9]{2}){1,2})(?![^\s{,;])|[,;])"
)


def looks_like_games(text: str) -> bool:
    """Whether a text begins with headers of these files, and says that it is Abalone or begins like one."""
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    header = HEADER.fullmatch(lines[0]) if lines else None
    if header is None or header[1].strip().lower() not in KEYS or _is_another(text):
        return False
    if _abalone.search(text):
        return True
    first = _first_move.search(text)
    try:
        return first is not None and read_move(RULES, start(), first[1]) is not None
    except OutflankError:
        return False


def likeness(head: bytes) -> int:
    """How much a file that begins so looks like one of these."""
    text = decoded(head.removeprefix(b"\xef\xbb\xbf"))
    lines = (line.strip() for line in text.splitlines())
    line = next((line for line in lines if line and line[0] not in "#%;"), "")
    if _is_another(text):
        return 0
    if HEADER.fullmatch(line):
        return 70 if looks_like_games(text) or not begins_with_squares(text) else 50
    return 20 if re.match(r"(?:\d{1,3}\s*[.)]\s*)?[a-i]\s*[1-9]", line, re.IGNORECASE) else 0


def _is_another(text: str) -> bool:
    """Whether a header says that it is another game."""
    return game_told(text) not in ("", "abalone")


def read_abalone_games(stream: BinaryIO) -> Iterator[Record]:
    """All games of `stream`."""
    return games_in(stream, _record)


def write_abalone_game(record: Record) -> str:
    """The game as lines, with a blank one at its end."""
    check_game(record, Abalone, "an Abalone file")
    if record.start.game != RULES:
        raise FormatError("an Abalone file holds games with fourteen marbles, of which six lose")
    return written(record, "abalone", _write_start(record.start), [write_move(move.code) for move in record.moves])


def _record(lines: Sequence[Line]) -> Record:
    told: dict[str, str] = {}
    first = Setup(format=NAME, game=RULES, position=start())

    def tell(key: str, value: str) -> None:
        nonlocal first
        told[key] = value
        if key == "start":
            first = _read_start(value)
        if key == "game" and value.lower() != "abalone":
            raise FormatError(f"a game of Abalone was expected, found {value[:40]!r}")

    words = divided(lines, tell, _words)
    codes, score = _played(first, words)
    return recorded(first, words, codes, told, score)


def _words(line: str, number: int) -> Iterator[SavedMove]:
    found = words_of(line, number, _word, format=NAME, expected="a move like A1B2 or C3C5D4")
    for word in found:
        meanings(word.text)  # refuses what is no move anywhere
        yield word


def _played(first: Setup, words: Sequence[SavedMove]) -> tuple[list[int], float | None]:
    """The moves that are meant, and black's score if the game is over."""
    try:
        played = replay_words(first, [word.text for word in words])
    except MoveRefused as refused:
        line = words[refused.index].line
        raise FormatError(f"line {line}: {NAME}, move {refused.index + 1}: {refused.why}") from None
    return played.codes, float(played.score) if played.finished else None


def _read_start(text: str) -> Setup:
    if "/" in text:
        return replace(read_abalone_line(text), format=NAME)
    return Setup(format=NAME, game=RULES, position=start(text.lower()[:40]))


def _write_start(first: Setup) -> str:
    if first.turn is Side.BLACK and first.ply == first.since_loss == 0:
        for layout in LAYOUTS:
            if tuple(start(layout)) == tuple(first.position):
                return layout
    return write_abalone_line(first.game, first.position, first.turn, first.ply, first.since_loss)
