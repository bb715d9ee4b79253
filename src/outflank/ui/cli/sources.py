"""Where commands have positions and games from: words on the command line, a file, standard input."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from outflank.errors import FormatError, OutflankError
from outflank.formats.files import decoded_whole, looked_into
from outflank.formats.recognise import read_all
from outflank.formats.records import HEAD, holds_records, select_records
from outflank.formats.selection import Selection
from outflank.formats.setup import Setup

MOST_BYTES = 16 << 20
"""The largest text that is read for positions; of games in a file one may be chosen from any number."""

MOST_GAMES = 10_000
"""The most games that a file is read for, unless one is chosen."""

STANDARD_INPUT = "-"


def setups(
    words: str, *, is_file: bool, number: int | None, game: str | None, size: int | None, layout: str | None
) -> list[Setup]:
    """The positions and games in `words`, or in the file of that name; all, or the one with that number."""
    if words != STANDARD_INPUT and not is_file:
        found, name = read_all(words, game=game, size=size, layout=layout), "the text"
        return _chosen(found, name, number)
    name = "standard input" if words == STANDARD_INPUT else words
    with _opened(words, name) as stream:
        head, stream = looked_into(stream, HEAD)
        if holds_records(head):
            return _games(stream, name, number, game)
        data = stream.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise OutflankError(f"{name}: more than {MOST_BYTES >> 20} MiB, which is no position")
    return _chosen(read_all(decoded_whole(data), game=game, size=size, layout=layout), name, number)


@contextmanager
def _opened(words: str, name: str) -> Iterator[BinaryIO]:
    if words == STANDARD_INPUT:
        if sys.stdin is None:
            raise OutflankError("- asks for standard input, which is closed")
        yield sys.stdin.buffer
        return
    try:
        with Path(words).open("rb") as stream:
            yield stream
    except OSError as error:
        raise OutflankError(f"{name!r}: {error.strerror}") from None


def _games(stream: BinaryIO, name: str, number: int | None, game: str | None) -> list[Setup]:
    try:
        found = [record.setup for _, record in islice(select_records(stream, Selection(number=number)), MOST_GAMES + 1)]
    except FormatError as error:
        raise FormatError(f"{name}: {error}") from None
    if len(found) > MOST_GAMES:
        raise OutflankError(f"{name}: more than {MOST_GAMES:,} games; --number N chooses one")
    if not found:
        raise OutflankError(f"{name}: there is no game number {number or 1:,}")
    for setup in found:
        kind = type(setup.game).__name__
        if game not in (None, kind.lower()):
            raise OutflankError(f"{name}: a game of {kind}, and {game} is asked for")
    return found


def _chosen(found: list[Setup], name: str, number: int | None) -> list[Setup]:
    if number is None:
        return found
    if number > len(found):
        raise OutflankError(f"{name} holds {len(found)}, and there is no number {number:,}")
    return found[number - 1 : number]
