"""Files of games with headers in brackets, like PGN: exports of servers like PlayOK. Such files are only read.

    [Black "one"]
    [White "other"]
    [Result "38-26"]

    1. f5 d6 2. c3 d3 … 29. -- g8 38-26

The moves are of either game, read by `recognise`; a header after moves begins the next game.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import BinaryIO

from outflank.errors import FormatError, OutflankError
from outflank.formats.clock_text import ClockTimes, write_clock
from outflank.formats.fields import decoded
from outflank.formats.files import MOST_BYTES, lines_of
from outflank.formats.game_record import PlayedMove, Record
from outflank.formats.movetext import Divider, is_header, read_movetext
from outflank.formats.recognise import read
from outflank.formats.replay import column, replay
from outflank.formats.saved_games import HEADER


def read_headed_games(stream: BinaryIO) -> Iterator[Record]:
    """Yield all games of `stream`."""
    for number, (line, text) in enumerate(_blocks(stream), 1):
        try:
            record = _record(text)
        except OutflankError as error:
            raise FormatError(f"game {number} (line {line}): {error}") from None
        yield record


def likeness(head: bytes) -> int:
    """Return how much a file with this beginning looks like the format."""
    text = decoded(head.removeprefix(b"\xef\xbb\xbf"))
    lines = (line.strip() for line in text.splitlines())
    line = next((line for line in lines if line and line[0] not in "#%;"), "")
    return 60 if is_header(line) or (HEADER.fullmatch(line) and begins_with_squares(text)) else 0


def begins_with_squares(text: str) -> bool:
    """Return whether the text after the headers begins with a square on which most games of Othello begin."""
    return re.match(r"\s*(?:1\s*[.)]\s*)?(?:d3|c4|f5|e6)", read_movetext(text).moves, re.IGNORECASE) is not None


def _blocks(stream: BinaryIO) -> Iterator[tuple[int, str]]:
    """Yield the text of each game, and the line on which it begins."""
    lines: list[str] = []
    size = first = 0
    divider = Divider()
    for number, line in lines_of(stream):
        if divider.begins_another(line):
            yield first, "\n".join(lines)
            lines, size = [], 0
        if line.strip() or lines:
            first = first if lines else number
            lines.append(line)
            size += len(line)
        if size > MOST_BYTES:
            raise FormatError(f"line {number}: a game of more than {MOST_BYTES >> 20} MiB is none")
    if lines:
        yield first, "\n".join(lines)


def _record(text: str) -> Record:
    headers = read_movetext(text).headers
    setup = read(text)
    replayed = replay(setup.game, setup.position, setup.turn, column(setup.moves))
    score = _score(headers.get("result", ""))
    return Record(
        start=replace(setup, moves=()),
        moves=tuple(PlayedMove(code=code) for code in setup.moves),
        black=_known(headers.get("black", "")),
        white=_known(headers.get("white", "")),
        event=_known(headers.get("event", "")) or _known(headers.get("site", "")),
        date=_date(headers.get("date", "")),
        score=float(replayed.score) if score is None and replayed.finished else score,
        clock=_clock(headers.get("timecontrol", "")),
    )


def _known(text: str) -> str:
    return "" if text.strip() in ("?", "-") else text.strip()


def _score(text: str) -> float | None:
    """Return black's discs minus white's; a mere win gives no score."""
    match = re.fullmatch(r"\s*(\d{1,2})\s*[-:–]\s*(\d{1,2})\s*", text, re.ASCII)
    if match is None or int(match[1]) + int(match[2]) <= 1:
        return 0.0 if text.strip() in ("1/2-1/2", "½-½") else None
    return float(int(match[1]) - int(match[2]))


def _date(text: str) -> str:
    """Return a date like `2020.05.??`, as far as it is known, in ISO format."""
    match = re.fullmatch(r"\s*(\d{4})(?:[.-](\d\d))?(?:[.-](\d\d))?.*", text, re.ASCII | re.DOTALL)
    return "-".join(part for part in match.groups() if part) if match else ""


def _clock(text: str) -> str:
    """Convert a PGN time control (`seconds+increment`) to our notation; empty if it is not one."""
    match = re.fullmatch(r"(\d{1,6})(?:\+(\d{1,6}))?", text.strip(), re.ASCII)
    return write_clock(ClockTimes(float(match[1]), float(match[2] or 0))) if match and int(match[1]) else ""
