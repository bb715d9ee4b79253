"""Reading and writing of files of Abalone games: headers, the start, and numbered moves in the notation of Aba-Pro.

    game: abalone
    black: one
    white: other
    date: 1998-05-17
    score: +2
    start: belgian-daisy
    1. A1B2 {+12 0.3s} I9H8
    2. C3C5D4 …

A blank line separates games. Every header is optional; unknown headers are ignored. `start` is the name of a layout or
an Abalone line. Braces after a move contain its value for the mover and its time in seconds; either may be missing, and
other text is ignored. Notes are written as in `formats/saved_games.py`. A line that starts with `#` is ignored.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import BinaryIO

from outflank.abalone.formats.line import read_abalone_line, write_abalone_line
from outflank.abalone.formats.move_text import MoveRefused, meanings, read_move, replay_words, write_move
from outflank.abalone.layouts import LAYOUTS, RULES, start
from outflank.abalone.rules import Abalone
from outflank.errors import FormatError, OutflankError
from outflank.formats.fields import decoded
from outflank.formats.game_files import begins_with_squares
from outflank.formats.game_record import Record, Setup, check_game
from outflank.formats.saved_games import (
    HEADER,
    KEYS,
    Line,
    SavedMove,
    make_record,
    moves_in_line,
    parse_lines,
    records_in,
    saved_game_text,
    stated_game,
)
from outflank.games.sides import Side

NAME = "Abalone game"

_abalone = re.compile(r"^[^\S\n]*+game\s*+:\s*+abalone\b|^[^\S\n]*+start\s*+:", re.IGNORECASE | re.MULTILINE)
_first_move = re.compile(r"^[^:\n]*?\b([a-i][1-9](?:-?[a-i][1-9]){1,2})\b", re.IGNORECASE | re.MULTILINE)
_word = re.compile(
    r"\s*+(?:\{([^{}]*+)\}|\d{1,9}\s*+[.)](?:\.\.)?|([A-Ia-i1-9]{2,6}|[A-Ia-i1-9]{2}(?:-[A-Ia-i1-9]{2}){1,2})(?![^\s{,;])|[,;])"
)


def looks_like_games(text: str) -> bool:
    """Return whether a text begins with a header of these files, and names Abalone or has Abalone moves."""
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    header = HEADER.fullmatch(lines[0]) if lines else None
    if header is None or header[1].strip().lower() not in KEYS or _is_other_game(text):
        return False
    if _abalone.search(text):
        return True
    first = _first_move.search(text)
    try:
        return first is not None and read_move(RULES, start(), first[1]) is not None
    except OutflankError:
        return False


def likeness(head: bytes) -> int:
    """Return a score for how much a file that begins with `head` looks like this format; 0 if it does not."""
    text = decoded(head.removeprefix(b"\xef\xbb\xbf"))
    lines = (line.strip() for line in text.splitlines())
    line = next((line for line in lines if line and line[0] not in "#%;"), "")
    if _is_other_game(text):
        return 0
    if HEADER.fullmatch(line):
        return 70 if looks_like_games(text) or not begins_with_squares(text) else 50
    return 20 if re.match(r"(?:\d{1,3}\s*[.)]\s*)?[a-i]\s*[1-9]", line, re.IGNORECASE) else 0


def _is_other_game(text: str) -> bool:
    """Return whether a header of `text` names another game than Abalone."""
    return stated_game(text) not in ("", "abalone")


def read_abalone_games(stream: BinaryIO) -> Iterator[Record]:
    """Return an iterator over all games in `stream`."""
    return records_in(stream, _record)


def write_abalone_game(record: Record) -> str:
    """Return the game as the text of a file, with a blank line at its end."""
    check_game(record, Abalone, "an Abalone file")
    if record.start.game != RULES:
        raise FormatError("an Abalone file holds games with fourteen marbles, of which six lose")
    return saved_game_text(
        record, "abalone", _write_start(record.start), [write_move(move.code) for move in record.moves]
    )


def _record(lines: Sequence[Line]) -> Record:
    headers: dict[str, str] = {}
    first = Setup(format=NAME, game=RULES, position=start())

    def add_header(key: str, value: str) -> None:
        nonlocal first
        headers[key] = value
        if key == "start":
            first = _read_start(value)
        if key == "game" and value.lower() != "abalone":
            raise FormatError(f"a game of Abalone was expected, found {value[:40]!r}")

    words = parse_lines(lines, add_header, _words)
    codes, score = _replay(first, words)
    return make_record(first, words, codes, headers, score)


def _words(line: str, number: int) -> Iterator[SavedMove]:
    moves = moves_in_line(line, number, _word, format=NAME, expected="a move like A1B2 or C3C5D4")
    for word in moves:
        meanings(word.text)  # raises an error for text that is not a move
        yield word


def _replay(first: Setup, words: Sequence[SavedMove]) -> tuple[list[int], float | None]:
    """Return the codes of the moves, and black's score (None if the game is not over)."""
    try:
        played = replay_words(first, [word.text for word in words])
    except MoveRefused as error:
        line = words[error.index].line
        raise FormatError(f"line {line}: {NAME}, move {error.index + 1}: {error.why}") from None
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
