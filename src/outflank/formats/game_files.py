"""Reads and writes files of games, in formats that are selected by content or by name."""

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sized
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import BinaryIO

from outflank.errors import FormatError, OutflankError, UnknownName
from outflank.formats import saved_games
from outflank.formats.fields import decoded
from outflank.formats.files import MOST_BYTES, lines_of, peek, replacing
from outflank.formats.game_record import Record
from outflank.formats.movetext import Divider, is_header, read_movetext
from outflank.formats.recognise import read_all
from outflank.formats.saved_games import HEADER
from outflank.formats.selection import Selection
from outflank.games.description import GAMES, OWN_GAMES, game_named
from outflank.games.notation import FileFormat

# Files of games with headers in brackets, like PGN, as servers such as PlayOK export them. They are only read.
#
#     [Black "one"]
#     [White "other"]
#     [Result "38-26"]
#
#     1. f5 d6 2. c3 d3 … 29. -- g8 38-26
# `recognise` reads the moves, and finds out which game they belong to. A header after moves begins the next game.


def read_headed_games(stream: BinaryIO) -> Iterator[Record]:
    """Yield all games of `stream`, which have headers in brackets, like PGN."""
    for number, (line, text) in enumerate(_blocks(stream), 1):
        try:
            record = read_all(text)[0]
        except OutflankError as error:
            raise FormatError(f"game {number} (line {line}): {error}") from None
        yield record


def likeness(head: bytes) -> int:
    """Return a score for how much a file that begins with `head` looks like games with headers; 0 if it does not."""
    text = decoded(head.removeprefix(b"\xef\xbb\xbf"))
    lines = (line.strip() for line in text.splitlines())
    line = next((line for line in lines if line and line[0] not in "#%;"), "")
    return 60 if is_header(line) or (HEADER.fullmatch(line) and begins_with_squares(text)) else 0


def begins_with_squares(text: str) -> bool:
    """Return whether the text after the headers begins with one of Othello's four usual first moves."""
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


File = str | os.PathLike[str]

HEAD = 4096
"""Number of bytes at a file's beginning by which its format is recognised."""


def selecting(
    read: Callable[[BinaryIO], Iterator[Record]],
) -> Callable[[BinaryIO, Path | None, Selection], Iterator[tuple[int, Record]]]:
    """Return a reader of selected games, made from a reader of all games."""

    def read_selected(stream: BinaryIO, path: Path | None, selection: Selection) -> Iterator[tuple[int, Record]]:
        for number, record in enumerate(read(stream), 1):
            if selection.matches(number, record):
                yield number, record

    return read_selected


ANY_GAMES = {
    ".pgn": FileFormat(
        title="PGN",
        read=selecting(read_headed_games),
        likeness=likeness,
        holds_games=lambda head: True,
    ),
    ".games": FileFormat(
        title="saved games",
        read=selecting(saved_games.read_saved_games),
        write=saved_games.write_saved_game,
        likeness=saved_games.likeness,
        holds_games=lambda head: True,
    ),
}
"""File formats for any game, by suffix."""


def file_formats() -> dict[str, FileFormat]:
    """Return every file format of the package, by the suffix of its files."""
    own = [game_named(name).notation.files for name in OWN_GAMES]
    return {suffix: form for files in (*own, ANY_GAMES) for suffix, form in files.items()}


def is_written(form: FileFormat) -> bool:
    """Return whether games can be written in this format, and not only read."""
    return form.write is not None or form.write_all is not None


def _format(suffix: str) -> FileFormat | None:
    known = file_formats().get(suffix)
    if known is None:  # it may be a format of an installed game
        others = (game.notation.files.get(suffix) for game in GAMES.parts().values())
        known = next((form for form in others if form is not None), None)
    return known


def read_records(source: File | BinaryIO, *, format: str | None = None) -> Iterator[Record]:
    """Yield the games of a file or a binary stream in order.

    The format is recognised by the content, or else by the file's name; `format` (`ggf`, or another suffix of
    `file_formats`) overrides both. A damaged file raises a `FormatError` after all games before the damage.
    """
    for _, record in select_records(source, Selection(), format=format):
        yield record


def select_records(
    source: File | BinaryIO, selection: Selection, *, format: str | None = None
) -> Iterator[tuple[int, Record]]:
    """Yield the selected games of a file or a binary stream, with their numbers in it."""
    form = format_named(format) if format is not None else None
    with ExitStack() as opened:
        if isinstance(source, (str, os.PathLike)):
            path = Path(source)
            stream: BinaryIO = opened.enter_context(path.open("rb"))
        else:
            path, stream = None, source
        if form is None:
            head, stream = peek(stream, HEAD)
            form = _recognised(head, path)
        yield from form.read(stream, path, selection)


def write_records(records: Iterable[Record], target: File | BinaryIO, *, format: str | None = None) -> int:
    """Write games to a file or, in a text format, to a binary stream; return the number of games.

    Without `format` the file's name decides. The file appears, and replaces an older file, when everything is written.
    If an error in `records`, or a game that the format cannot hold, ends the writing early, all games before it are
    still written. If there are no games before it, no file is written.
    """
    form = _to_write(target, format)
    if form.write_all is not None:
        if not isinstance(target, (str, os.PathLike)):
            files = 1 if form.files is None else len(form.files(Path("games")))
            raise FormatError(f"{form.title} is {files} files, with the names in some of them, and needs a file's name")
        return form.write_all(records, Path(target))
    assert form.write is not None
    games = 0
    with ExitStack() as opened:
        if isinstance(target, (str, os.PathLike)):
            stream: BinaryIO = opened.enter_context(replacing(Path(target)))
        else:
            stream = target
        for games, record in enumerate(records, 1):
            with naming_game(games, records):
                text = form.write(record)
            stream.write(text.encode("utf-8", "replace"))
    return games


def files_written(target: File, format: str | None = None) -> list[Path]:
    """Return the files that `write_records` would write; some formats have separate files for names."""
    form = _to_write(target, format)
    return [Path(target)] if form.files is None else form.files(Path(target))


def format_named(name: str) -> FileFormat:
    """Return the file format for a suffix such as `ggf` or `.ggf`."""
    form = _format("." + name.lower().removeprefix("."))
    if form is None:
        raise UnknownName.among("format", name, [known.removeprefix(".") for known in file_formats()])
    return form


def _to_write(target: File | BinaryIO, format: str | None) -> FileFormat:
    form = _named(target, format)
    if not is_written(form):
        raise FormatError(f"{form.title} is read and not written")
    return form


def _named(target: File | BinaryIO, format: str | None) -> FileFormat:
    if format is not None:
        return format_named(format)
    if not isinstance(target, (str, os.PathLike)):
        raise FormatError("a stream has no name to tell the format by: it must be given")
    form = _format(Path(target).suffix.lower())
    if form is None:
        raise FormatError(f"{Path(target).name!r} does not end in a known format: {' '.join(file_formats())}")
    return form


@contextmanager
def naming_game(number: int, records: Iterable[Record]) -> Iterator[None]:
    """Add the number of the game to errors in this block, unless `records` has only one game."""
    try:
        yield
    except OutflankError as error:
        if isinstance(records, Sized) and len(records) == 1:
            raise
        raise FormatError(f"game {number:,}: {error}") from None


def _recognised(head: bytes, path: Path | None) -> FileFormat:
    """Return the format of a file that begins with `head`, by its content or else by its name."""
    named = _format(path.suffix.lower()) if path is not None else None
    kinds = _kinds(head)
    if named is not None and (named in kinds or not kinds):
        return named
    if kinds:
        return kinds[0]
    known = ", ".join(form.title for form in file_formats().values())
    if not head.strip():
        raise FormatError(f"nothing to read: expected {known}")
    raise FormatError(f"not recognised, by content or by name; known are {known}")


def holds_records(head: bytes) -> bool:
    """Return whether a file that begins with `head` holds whole games, and not a position or pasted text."""
    return any(form.holds_games(head) for form in _kinds(head)[:1])


def is_record_file(path: Path) -> bool:
    """Return whether a file's name or content shows a format for whole games, other than one game per line."""
    named = _format(path.suffix.lower())
    if named is not None and not named.by_line:
        return True
    with path.open("rb") as stream:
        return holds_records(stream.read(HEAD))


def _kinds(head: bytes) -> list[FileFormat]:
    """Return the formats that a file that begins with `head` can have, the likeliest first."""
    scored = [(form.likeness(head), form) for form in file_formats().values()]
    return [form for likeness, form in sorted(scored, key=lambda item: -item[0]) if likeness > 0]
