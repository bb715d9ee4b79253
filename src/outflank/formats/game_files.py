"""Files of whole games: every format that is read and written, by its content or by its name."""

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sized
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from outflank.errors import FormatError, OutflankError, UnknownName
from outflank.formats.abalone_games import HEADER, looks_like_games, read_abalone_games, write_abalone_game
from outflank.formats.board_line import CELLS
from outflank.formats.bracket_games import read_bracket_games
from outflank.formats.fields import decoded
from outflank.formats.files import looked_into, replacing
from outflank.formats.game_record import Record
from outflank.formats.ggf import write_ggf
from outflank.formats.headed_games import read_headed_games
from outflank.formats.line_games import read_positions, read_transcripts, write_position_line, write_transcript_line
from outflank.formats.movetext import is_header, read_movetext
from outflank.formats.selection import Selection
from outflank.formats.sgf import write_sgf
from outflank.formats.wthor import read_wthor
from outflank.formats.wthor_header import HEADER_BYTES, Header
from outflank.formats.wthor_names import EVENTS, PLAYERS
from outflank.formats.wthor_writer import WthorWriter

File = str | os.PathLike[str]


@dataclass(frozen=True, slots=True)
class Format:
    """A way of keeping games in a file."""

    title: str
    read: Callable[[BinaryIO], Iterator[Record]] | None = None
    write: Callable[[Record], str] | None = None
    """A game as text; None for WTHOR, which is no text and more than one file, and for what is only read."""


WTHOR = ".wtb"

FORMATS = {
    ".ggf": Format("GGF", read_bracket_games, write_ggf),
    ".sgf": Format("SGF", read_bracket_games, write_sgf),
    WTHOR: Format("WTHOR"),
    ".txt": Format("transcripts", read_transcripts, write_transcript_line),
    ".obf": Format("OBF", read_positions, write_position_line),
    ".abalone": Format("Abalone games", read_abalone_games, write_abalone_game),
    ".pgn": Format("PGN", read_headed_games),
}
"""Every format, by the end of its files' names."""

HEAD = 4096
"""Bytes by which a file is recognised."""


def read_records(source: File | BinaryIO, *, format: str | None = None) -> Iterator[Record]:
    """The games of a file or a binary stream, one after the other.

    The format is seen from the content, or else from the file's name; `format` (`ggf`, or any other of `FORMATS`)
    settles it. Where the file is damaged a `FormatError` says so, after all games before the damage.
    """
    for _, record in select_records(source, Selection(), format=format):
        yield record


def select_records(
    source: File | BinaryIO, selection: Selection, *, format: str | None = None
) -> Iterator[tuple[int, Record]]:
    """The wanted games with their numbers in the file."""
    wanted = suffix_of_format(format) if format is not None else None
    with ExitStack() as opened:
        if isinstance(source, (str, os.PathLike)):
            path = Path(source)
            stream: BinaryIO = opened.enter_context(path.open("rb"))
        else:
            path, stream = None, source
        if wanted is None:
            head, stream = looked_into(stream, HEAD)
            wanted = _recognised(head, path)
        reader = FORMATS[wanted].read
        if reader is None:
            yield from read_wthor(stream, path, selection)
            return
        for number, record in enumerate(reader(stream), 1):
            if selection.takes(number, record):
                yield number, record


def write_records(records: Iterable[Record], target: File | BinaryIO, *, format: str | None = None) -> int:
    """Write games to a file, or text formats to a binary stream; how many there were.

    Without `format` the file's name decides. A file takes its place, and that of an older one, when all is
    written. Should `records` or a game that the format cannot hold end it early, the games before are written
    all the same; without any, there is no file.
    """
    suffix = _to_write(target, format)
    if suffix == WTHOR:
        return _write_wthor(records, target)
    write = FORMATS[suffix].write
    assert write is not None
    games = 0
    with ExitStack() as opened:
        if isinstance(target, (str, os.PathLike)):
            stream: BinaryIO = opened.enter_context(replacing(Path(target)))
        else:
            stream = target
        for games, record in enumerate(records, 1):
            with _telling(games, records):
                text = write(record)
            stream.write(text.encode("utf-8", "replace"))
    return games


def files_written(target: File, format: str | None = None) -> list[Path]:
    """The files that `write_records` would write: for WTHOR, those of names as well."""
    path = Path(target)
    if _to_write(target, format) != WTHOR:
        return [path]
    return [path, *(path.with_suffix(suffix) for suffix in (PLAYERS, EVENTS))]


def suffix_of_format(name: str) -> str:
    """The key in `FORMATS` of a format that is called by its name, `ggf` or `.ggf`."""
    suffix = "." + name.lower().removeprefix(".")
    if suffix not in FORMATS:
        raise UnknownName.among("format", name, [known.removeprefix(".") for known in FORMATS])
    return suffix


def _to_write(target: File | BinaryIO, format: str | None) -> str:
    suffix = _named(target, format)
    if suffix != WTHOR and FORMATS[suffix].write is None:
        raise FormatError(f"{FORMATS[suffix].title} is read and not written")
    return suffix


def _named(target: File | BinaryIO, format: str | None) -> str:
    if format is not None:
        return suffix_of_format(format)
    if not isinstance(target, (str, os.PathLike)):
        raise FormatError("a stream has no name to tell the format by: it must be given")
    suffix = Path(target).suffix.lower()
    if suffix not in FORMATS:
        raise FormatError(f"{Path(target).name!r} does not end in a known format: {' '.join(FORMATS)}")
    return suffix


def _write_wthor(records: Iterable[Record], target: File | BinaryIO) -> int:
    if not isinstance(target, (str, os.PathLike)):
        raise FormatError("WTHOR is three files, with the names in two of them, and needs a file's name")
    with ExitStack() as opened:
        games, *names = (opened.enter_context(replacing(file)) for file in files_written(target, "wtb"))
        writer = WthorWriter(games)
        ended_early = True
        try:
            for number, record in enumerate(records, 1):
                with _telling(number, records):
                    writer.add(record)
            ended_early = False
        finally:
            if writer.games or not ended_early:
                for stream, data in zip(names, writer.finish(), strict=True):
                    stream.write(data)
    return writer.games


@contextmanager
def _telling(number: int, records: Iterable[Record]) -> Iterator[None]:
    """Errors say which game it was, unless there is but one."""
    try:
        yield
    except OutflankError as error:
        if isinstance(records, Sized) and len(records) == 1:
            raise
        raise FormatError(f"game {number:,}: {error}") from None


def _recognised(head: bytes, path: Path | None) -> str:
    """The key in `FORMATS` of what begins with `head`: what it looks like, or else what it is called."""
    named = path.suffix.lower() if path is not None else ""
    kinds = _kinds(head)
    if named in FORMATS and (named in kinds or not kinds):
        return named
    if kinds:
        return kinds[0]
    known = ", ".join(form.title for form in FORMATS.values())
    if not head.strip():
        raise FormatError(f"nothing to read: expected {known}")
    raise FormatError(f"not recognised, by content or by name; known are {known}")


def holds_records(head: bytes) -> bool:
    """Whether a file with this beginning holds whole games, and could not be a position or a pasted text as well."""
    text = decoded(head.removeprefix(b"\xef\xbb\xbf"))
    return _kinds(head)[:1] in ((WTHOR,), (".ggf",), (".sgf",), (".pgn",)) or looks_like_games(text)


def _kinds(head: bytes) -> tuple[str, ...]:
    """The formats that a file with this beginning can be in, the likeliest first."""
    if b"\0" in head[:HEADER_BYTES] and Header.fits(head):
        return (WTHOR,)
    text = decoded(head.removeprefix(b"\xef\xbb\xbf"))
    if re.match(r"[\s\d]*\(\s*;", text):
        kinds = (".ggf", ".sgf")
        return kinds if re.search(r"GM\s*\[\s*Othello", text, re.IGNORECASE) else kinds[::-1]
    lines = (line.strip() for line in text.splitlines())
    line = next((line for line in lines if line and line[0] not in "#%;"), "")
    if HEADER.fullmatch(line):
        return (".abalone",) if looks_like_games(text) or not _has_othello(text) else (".pgn", ".abalone")
    if is_header(line):
        return (".pgn",)
    if len(line) >= 16 and set("".join(line.split())[:10]) <= set(CELLS):
        return (".obf",)
    if re.match(r"(?:\d{1,3}\s*[.)]\s*)?[a-i]\s*[1-9]", line, re.IGNORECASE):
        return (".txt", ".abalone")
    return ()


def _has_othello(text: str) -> bool:
    """Whether moves that can begin a game of Othello follow headers like `Black: one`."""
    return re.match(r"\s*(?:1\s*[.)]\s*)?(?:d3|c4|f5|e6)", read_movetext(text).moves, re.IGNORECASE) is not None
