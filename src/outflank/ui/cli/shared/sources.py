"""Where commands read positions and games: words on the command line, a file, standard input.

A position is a record without moves.
"""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from outflank.errors import FormatError, IllegalMove, OutflankError, reason_of
from outflank.formats.files import decoded_whole, peek
from outflank.formats.game_files import HEAD, file_formats, holds_records, select_records
from outflank.formats.game_record import PlayedMove, Record
from outflank.formats.recognise import read_all, read_script
from outflank.formats.selection import Selection
from outflank.formats.setup import Setup
from outflank.games.description import RuleOptions, description_of
from outflank.ui.cli.shared.game_options import refuse_options

MOST_BYTES = 16 << 20
"""The largest text that is read for positions; a file of games may be larger, if one game is chosen."""

MOST_GAMES = 10_000
"""The most games that are read from a file, unless one is chosen."""

STANDARD_INPUT = "-"

SkipCallback = Callable[[str], None]
"""Gets one line for each part of a text that cannot be read, while the rest is returned."""


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
        all_records, name = records_in_text(words, game, options, on_skip), "the text"
        return _numbered(all_records, name, number)
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
    return os.path.isfile(words) or os.path.splitext(words)[1] in file_formats()


def first_record_in_text(text: str, game: str | None, options: RuleOptions) -> Record:
    """Return the first game or position in a text, with the players' names if its format has them."""
    unnamed = _unnamed_records(_read(text, game, options, None)[:1])[0]
    data = text.encode("utf-8", "replace")
    if not holds_records(data[:HEAD]):
        return unnamed
    try:
        _, named = next(select_records(BytesIO(data), Selection()))
    except (FormatError, StopIteration):
        return unnamed
    if [move.code for move in named.moves] != [move.code for move in unnamed.moves]:
        return unnamed
    return replace(named, start=unnamed.start, moves=unnamed.moves)


def records_in_text(
    text: str, game: str | None, options: RuleOptions, on_skip: SkipCallback | None = None
) -> list[Record]:
    """Return the games and positions in a text, with the players' names if its format has them."""
    unnamed = _unnamed_records(_read(text, game, options, on_skip))
    data = text.encode("utf-8", "replace")
    if not holds_records(data[:HEAD]):
        return unnamed
    try:
        named = list(select_records(BytesIO(data), Selection()))
    except FormatError:
        return unnamed
    if len(named) != len(unnamed):
        return unnamed
    return [
        replace(record, start=plain.start, moves=plain.moves) for plain, (_, record) in zip(unnamed, named, strict=True)
    ]


def _unnamed_records(setups: list[Setup]) -> list[Record]:
    """Return games as records without players' names."""
    return [
        Record(start=replace(setup, moves=()), moves=tuple(PlayedMove(code=code) for code in setup.moves))
        for setup in setups
    ]


def _read(text: str, game: str | None, options: RuleOptions, on_skip: SkipCallback | None) -> list[Setup]:
    try:
        if on_skip is not None:
            return read_script(text, on_skip, game=game, **options)
        return read_all(text, game=game, **options)
    except OutflankError:
        if game is None and options:
            with suppress(FormatError, IllegalMove):
                refuse_options(description_of(read_all(text)[0].game), options)
        raise


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
