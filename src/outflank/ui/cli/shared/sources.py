"""Where commands read positions and games: words on the command line, a file, standard input.

A position is a record without moves.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from outflank.errors import FormatError, OutflankError, reason_of
from outflank.formats.files import decoded_whole, peek
from outflank.formats.game_files import HEAD, file_formats, holds_records, select_records
from outflank.formats.game_record import Record
from outflank.formats.recognise import SkipCallback, records_in_text
from outflank.formats.selection import Selection
from outflank.games.description import RuleOptions, description_of

MOST_BYTES = 16 << 20
"""The largest text that is read for positions; a file of games may be larger, if one game is chosen."""

MOST_GAMES = 10_000
"""The most games that are read from a file, unless one is chosen."""

STANDARD_INPUT = "-"


def records(
    words: str,
    *,
    is_file: bool,
    number: int | None,
    game: str | None,
    options: RuleOptions,
    on_skip: SkipCallback | None = None,
) -> list[Record]:
    """Return the positions and games in `words`, or in the file of that name: all, or the one with that number.

    Any line that cannot be read is an error, unless `on_skip` is given: it gets an explanation, and the other lines are
    returned.
    """
    if words != STANDARD_INPUT and not is_file:
        return _numbered(records_in_text(words, game, options, on_skip), "the text", number)
    name = "standard input" if words == STANDARD_INPUT else words
    with _open_stream(words, name) as stream:
        head, stream = peek(stream, HEAD)
        if holds_records(head):
            return _games(stream, name, number, game)
        data = stream.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise OutflankError(f"{name}: more than {MOST_BYTES >> 20} MiB, which is no position")
    return _numbered(records_in_text(decoded_whole(data), game, options, on_skip), name, number)


def is_a_file(words: str) -> bool:
    """Return whether words name a file, or look like a file name rather than a position."""
    suffix = os.path.splitext(words)[1]
    return os.path.isfile(words) or (suffix != "" and suffix in file_formats())


@contextmanager
def _open_stream(words: str, name: str) -> Iterator[BinaryIO]:
    if words == STANDARD_INPUT:
        if sys.stdin is None:
            raise OutflankError("- asks for standard input, which is closed")
        yield sys.stdin.buffer
        return
    try:
        with Path(words).open("rb") as stream:
            yield stream
    except OSError as error:
        raise OutflankError(f"{name!r}: {reason_of(error)}") from None


def _games(stream: BinaryIO, name: str, number: int | None, game: str | None) -> list[Record]:
    try:
        all_records = [record for _, record in islice(select_records(stream, Selection(number=number)), MOST_GAMES + 1)]
    except FormatError as error:
        raise FormatError(f"{name}: {error}") from None
    if len(all_records) > MOST_GAMES:
        raise OutflankError(f"{name}: more than {MOST_GAMES:,} games; --number N chooses one")
    if not all_records:
        raise OutflankError(f"{name}: there is no game number {number or 1:,}")
    for record in all_records:
        description = description_of(record.start.game)
        if game not in (None, description.name):
            raise OutflankError(f"{name}: a game of {description.title}, and {game} is asked for")
    return all_records


def _numbered(all_records: list[Record], name: str, number: int | None) -> list[Record]:
    if number is None:
        return all_records
    if number > len(all_records):
        raise OutflankError(f"{name} holds {len(all_records)}, and there is no number {number:,}")
    return all_records[number - 1 : number]
