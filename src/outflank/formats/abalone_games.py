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
from dataclasses import dataclass, replace
from typing import BinaryIO

import numpy as np

from outflank.abalone.layouts import LAYOUTS, RULES, start
from outflank.errors import FormatError, OutflankError
from outflank.formats.abalone_line import read_abalone_line, write_abalone_line
from outflank.formats.abalone_moves import meanings, read_move, write_move
from outflank.formats.fields import check_abalone, one_line, read_number, write_number, write_seconds
from outflank.formats.game_record import PlayedMove, Record
from outflank.formats.line_games import MOST_BYTES, lines_of
from outflank.formats.replay import NO_MOVE, replay
from outflank.formats.setup import Setup
from outflank.games.rules import MOVE, play
from outflank.games.sides import Side

NAME = "Abalone game"

HEADER = re.compile(r"\s*([A-Za-z][A-Za-z -]*):(.*)", re.DOTALL)
KEYS = ("game", "black", "white", "event", "date", "clock", "score", "reason", "start")
_abalone = re.compile(r"^\s*game\s*:\s*abalone\b|^\s*start\s*:", re.IGNORECASE | re.MULTILINE)
_first_move = re.compile(r"^[^:\n]*?\b([a-i][1-9](?:-?[a-i][1-9]){1,2})\b", re.IGNORECASE | re.MULTILINE)
_word = re.compile(
    r"\s*(?:\{([^{}]*)\}|\d{1,9}\s*[.)](?:\.\.)?|([A-Ia-i1-9]{2,6}|[A-Ia-i1-9]{2}(?:-[A-Ia-i1-9]{2}){1,2})(?![^\s{,;])|[,;])"
)
_remark = re.compile(
    r"\s*(?P<value>[+-]?[\d.]+(?:e[+-]?\d+)?(?!\S))?\s*(?:(?P<seconds>[\d.]+(?:e[+-]?\d+)?)s)?\s*", re.ASCII
)

Line = tuple[int, str]


def looks_like_games(text: str) -> bool:
    """Whether a text begins with headers of these files, and says that it is Abalone or begins like one."""
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    header = HEADER.fullmatch(lines[0]) if lines else None
    if header is None or header[1].strip().lower() not in KEYS:
        return False
    if _abalone.search(text):
        return True
    first = _first_move.search(text)
    try:
        return first is not None and read_move(RULES, start(), first[1]) is not None
    except OutflankError:
        return False


def read_abalone_games(stream: BinaryIO) -> Iterator[Record]:
    """All games of `stream`."""
    for number, lines in enumerate(_blocks(stream), 1):
        try:
            record = _record(lines)
        except OutflankError as error:
            raise FormatError(f"game {number}, {error}") from None
        yield record


def write_abalone_game(record: Record) -> str:
    """The game as lines, with a blank one at its end."""
    check_abalone(record, "an Abalone file")
    first = record.start
    if first.game != RULES:
        raise FormatError("an Abalone file holds games with fourteen marbles, of which six lose")
    told = {
        "game": "abalone",
        "black": record.black,
        "white": record.white,
        "event": record.event,
        "date": record.date,
        "clock": record.clock,
        "score": write_number(record.score, sign=True),
        "reason": record.reason,
        "start": _write_start(first),
    }
    lines = [f"{key}: {one_line(text)}" for key, text in told.items() if one_line(text)]
    turn, number = first.turn, first.ply // 2 + 1
    for place, move in enumerate(record.moves):
        text = write_move(move.code) + _write_remark(move)
        if turn is Side.BLACK:
            lines.append(f"{number}. {text}")
        elif place == 0:
            lines.append(f"{number}... {text}")
        else:
            lines[-1] += f" {text}"
        number += turn is Side.WHITE
        turn = turn.other
    return "\n".join(lines) + "\n\n"


def _blocks(stream: BinaryIO) -> Iterator[list[Line]]:
    """The lines of each game."""
    lines: list[Line] = []
    size = 0
    for number, line in lines_of(stream):
        if not line.strip():
            if lines:
                yield lines
            lines, size = [], 0
        elif not line.lstrip().startswith("#"):
            lines.append((number, line))
            size += len(line)
            if size > MOST_BYTES:
                raise FormatError(f"line {number}: a game of more than {MOST_BYTES >> 20} MiB is none")
    if lines:
        yield lines


def _record(lines: list[Line]) -> Record:
    told: dict[str, str] = {}
    first = Setup(format=NAME, game=RULES, position=start())
    words: list[Word] = []
    for number, line in lines:
        header = HEADER.fullmatch(line)
        try:
            if header is None:
                words.extend(_words(line, number))
                continue
            if words:
                raise FormatError("a header after moves: a blank line divides games")
            key, value = header[1].strip().lower(), header[2].strip()
            told[key] = value
            if key == "start":
                first = _read_start(value)
            if key == "game" and value.lower() != "abalone":
                raise FormatError(f"a game of Abalone was expected, found {value[:40]!r}")
        except OutflankError as error:
            raise FormatError(f"line {number}: {error}") from None
    codes, score = _played(first, words)
    return Record(
        start=first,
        moves=tuple(
            PlayedMove(code=code, value=word.value, seconds=word.seconds)
            for code, word in zip(codes, words, strict=True)
        ),
        black=told.get("black", ""),
        white=told.get("white", ""),
        event=told.get("event", ""),
        date=told.get("date", ""),
        clock=told.get("clock", ""),
        score=read_number(told["score"]) if "score" in told else score,
        reason=told.get("reason", ""),
    )


@dataclass(slots=True)
class Word:
    """A move as it stands in the text."""

    text: str
    line: int
    codes: tuple[int, ...]
    """What it can mean."""
    value: float | None = None
    seconds: float | None = None


def _words(line: str, number: int) -> Iterator[Word]:
    """The moves of a line, each with its remark."""
    place, end = 0, len(line.rstrip())
    word: Word | None = None
    while place < end:
        found = _word.match(line, place)
        if found is None:
            place += len(line[place:]) - len(line[place:].lstrip())
            raise FormatError.at(NAME, line, place, "a move like A1B2 or C3C5D4, its number, or a remark in braces")
        if found[2]:
            if word:
                yield word
            word = Word(found[2], number, meanings(found[2]))
        elif found[1] and word and (remark := _remark.fullmatch(found[1])):
            word.value, word.seconds = (read_number(remark[name] or "") for name in ("value", "seconds"))
        place = found.end()
    if word:
        yield word


def _played(first: Setup, words: Sequence[Word]) -> tuple[list[int], float | None]:
    """The moves that are meant, and black's score if the game is over."""
    wanted = np.full((len(words), max((len(word.codes) for word in words), default=1) or 1), NO_MOVE, MOVE)
    for row, word in enumerate(words):
        wanted[row, : len(word.codes)] = word.codes
    played = replay(first.game, first.position, first.turn, wanted)
    if played.rows < len(words):
        position = first.position
        for code in played.codes:
            position = play(first.game, position, code)
        wrong = words[played.rows]
        try:
            read_move(first.game, position, wrong.text)
        except OutflankError as error:
            raise FormatError(f"line {wrong.line}: {NAME}, move {played.rows + 1}: {error}") from None
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


def _write_remark(move: PlayedMove) -> str:
    value = write_number(move.value, sign=True)
    seconds = write_seconds(move.seconds)
    parts = [text for text in (value, f"{seconds}s" if seconds else "") if text]
    return f" {{{' '.join(parts)}}}" if parts else ""
