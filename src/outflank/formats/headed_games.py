"""Files of games with headers in brackets, like PGN: exports of servers like PlayOK. Such files are only read.

    [Black "one"]
    [White "other"]
    [Result "38-26"]

    1. f5 d6 2. c3 d3 … 29. -- g8 38-26

The moves are of either game, read by `recognise`; a header after moves begins the next game.
"""

import re
from collections.abc import Iterator
from typing import BinaryIO

from outflank.errors import FormatError, OutflankError
from outflank.formats.fields import decoded
from outflank.formats.files import MOST_BYTES, lines_of
from outflank.formats.game_record import Record
from outflank.formats.movetext import Divider, is_header, read_movetext
from outflank.formats.recognise import read_all
from outflank.formats.saved_games import HEADER


def read_headed_games(stream: BinaryIO) -> Iterator[Record]:
    """Yield all games of `stream`."""
    for number, (line, text) in enumerate(_blocks(stream), 1):
        try:
            record = read_all(text)[0]
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
