"""Where commands have positions and games from: words on the command line, a file, standard input.

A position is a record without moves.
"""

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

from outflank.errors import FormatError, IllegalMove, OutflankError, reason_of
from outflank.formats.files import decoded_whole, looked_into
from outflank.formats.game_files import HEAD, file_formats, holds_records, select_records
from outflank.formats.game_record import PlayedMove, Record
from outflank.formats.recognise import read_all, read_script
from outflank.formats.selection import Selection
from outflank.formats.setup import Setup
from outflank.games.description import description_of
from outflank.ui.cli.game_options import refuse_options

MOST_BYTES = 16 << 20
"""The largest text that is read for positions; of games in a file one may be chosen from any number."""

MOST_GAMES = 10_000
"""The most games that a file is read for, unless one is chosen."""

STANDARD_INPUT = "-"

Skipped = Callable[[str], None]
"""Told in a line of what cannot be read, where the rest is wanted all the same."""


def records(
    words: str,
    *,
    is_file: bool,
    number: int | None,
    game: str | None,
    options: Mapping[str, Any],
    skipped: Skipped | None = None,
) -> list[Record]:
    """The positions and games in `words`, or in the file of that name; all, or the one with that number.

    What is wrong anywhere is an error; where `skipped` is told of lines that cannot be read, the others are returned.
    """
    if words != STANDARD_INPUT and not is_file:
        found, name = pasted(words, game, options, skipped), "the text"
        return _chosen(found, name, number)
    name = "standard input" if words == STANDARD_INPUT else words
    with _opened(words, name) as stream:
        head, stream = looked_into(stream, HEAD)
        if holds_records(head):
            return _games(stream, name, number, game)
        data = stream.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise OutflankError(f"{name}: more than {MOST_BYTES >> 20} MiB, which is no position")
    return _chosen(pasted(decoded_whole(data), game, options, skipped), name, number)


def is_a_file(words: str) -> bool:
    """Whether words name a file, or look like the name of one rather than like a position."""
    return os.path.isfile(words) or os.path.splitext(words)[1] in file_formats()


def first_pasted(text: str, game: str | None, options: Mapping[str, Any]) -> Record:
    """The first game or position in a text, with the names of players where it is a format that has them."""
    bare = _bare(_read(text, game, options, None)[:1])[0]
    data = text.encode("utf-8", "replace")
    if not holds_records(data[:HEAD]):
        return bare
    try:
        _, named = next(select_records(BytesIO(data), Selection()))
    except (FormatError, StopIteration):
        return bare
    if [move.code for move in named.moves] != [move.code for move in bare.moves]:
        return bare
    return replace(named, start=bare.start, moves=bare.moves)


def pasted(text: str, game: str | None, options: Mapping[str, Any], skipped: Skipped | None = None) -> list[Record]:
    """What is in a text, with the names of players where it is a format that has them."""
    bare = _bare(_read(text, game, options, skipped))
    data = text.encode("utf-8", "replace")
    if not holds_records(data[:HEAD]):
        return bare
    try:
        named = list(select_records(BytesIO(data), Selection()))
    except FormatError:
        return bare
    if len(named) != len(bare):
        return bare
    return [replace(record, start=each.start, moves=each.moves) for each, (_, record) in zip(bare, named, strict=True)]


def _bare(setups: list[Setup]) -> list[Record]:
    """Games without what a file says of their players."""
    return [
        Record(start=replace(setup, moves=()), moves=tuple(PlayedMove(code=code) for code in setup.moves))
        for setup in setups
    ]


def _read(text: str, game: str | None, options: Mapping[str, Any], skipped: Skipped | None) -> list[Setup]:
    try:
        if skipped is not None:
            return read_script(text, skipped, game=game, **options)
        return read_all(text, game=game, **options)
    except OutflankError:
        if game is None and options:
            with suppress(FormatError, IllegalMove):
                refuse_options(description_of(read_all(text)[0].game), options)
        raise


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
        raise OutflankError(f"{name!r}: {reason_of(error)}") from None


def _games(stream: BinaryIO, name: str, number: int | None, game: str | None) -> list[Record]:
    try:
        found = [record for _, record in islice(select_records(stream, Selection(number=number)), MOST_GAMES + 1)]
    except FormatError as error:
        raise FormatError(f"{name}: {error}") from None
    if len(found) > MOST_GAMES:
        raise OutflankError(f"{name}: more than {MOST_GAMES:,} games; --number N chooses one")
    if not found:
        raise OutflankError(f"{name}: there is no game number {number or 1:,}")
    for record in found:
        found_game = description_of(record.start.game)
        if game not in (None, found_game.name):
            raise OutflankError(f"{name}: a game of {found_game.title}, and {game} is asked for")
    return found


def _chosen(found: list[Record], name: str, number: int | None) -> list[Record]:
    if number is None:
        return found
    if number > len(found):
        raise OutflankError(f"{name} holds {len(found)}, and there is no number {number:,}")
    return found[number - 1 : number]
