"""Parts of WTHOR files for reading and writing: the header of sixteen bytes, and the files of names."""

import struct
from datetime import date
from pathlib import Path
from typing import NamedTuple

from outflank.errors import FormatError
from outflank.formats.fields import one_line

NAME = "WTHOR"

_layout = struct.Struct("<4BIHH4B")
HEADER_BYTES = _layout.size

MOVES = 60
"""Number of bytes for the moves of a game in a WTHOR file."""

DEFAULT_DEPTH = 22
"""Depth of theoretical scores, in empty squares, if the header of a file says 0."""


class Header(NamedTuple):
    """The header of a WTHOR file."""

    century: int
    """First two digits of the year in which the file was written."""
    year_of_century: int
    month: int
    day: int
    games: int
    names: int
    year: int
    """The year in which the games were played."""
    size: int
    """Size of the board; 0 stands for 8."""
    kind: int
    """The kind of file; 1: solitaires (endgame problems)."""
    depth: int
    """Number of empty squares at which the theoretical scores were computed; 0 stands for 22."""
    reserved: int

    @classmethod
    def read(cls, data: bytes, what: str) -> "Header":
        """Return the header at the start of `data`; `what` names the file in an error message."""
        if len(data) < HEADER_BYTES:
            raise FormatError(f"{what}: a header has {HEADER_BYTES} bytes, found {len(data)}")
        return cls._make(_layout.unpack_from(data))

    @classmethod
    def fits(cls, data: bytes) -> bool:
        """Return whether `data` can be the start of a WTHOR file."""
        return len(data) >= HEADER_BYTES and cls.read(data, NAME).is_dated

    @property
    def is_dated(self) -> bool:
        """Whether the date of writing has a possible month and day."""
        return 1 <= self.month <= 12 and 1 <= self.day <= 31

    @classmethod
    def of_games(cls, data: bytes) -> "Header":
        """Return the header of a file of games; raise `FormatError` for a file of another kind."""
        header = cls.read(data, NAME)
        if not header.is_dated:
            raise FormatError(f"{NAME}, byte 2: expected a month and a day, found {header.month} and {header.day}")
        if header.names and not header.games:
            raise FormatError(f"{NAME}, byte 8: this file holds {header.names} names; games are in .wtb files")
        if header.size not in (0, 8):
            raise FormatError(f"{NAME}, byte 12: a board of {header.size}×{header.size} squares; only 8×8 is read")
        return header


def header_bytes(*, games: int = 0, names: int = 0, year: int = 0, depth: int = 0) -> bytes:
    """Return a header with today's date, as bytes."""
    today = date.today()
    century, year_of_century = divmod(today.year, 100)
    size = 0 if names else 8
    return _layout.pack(century, year_of_century, today.month, today.day, games, names, year, size, 0, depth, 0)


PLAYERS, EVENTS = ".jou", ".trn"

WIDTHS = {PLAYERS: 20, EVENTS: 26}
"""Number of bytes for a name, including the zero byte at its end, by file suffix."""

MOST_NAMES = (1 << 16) - 1

ENCODING = "latin-1"


def names_beside(games: Path | None, suffix: str) -> list[str]:
    """Return the names in a file with this suffix in the folder of `games`; an empty list if no file is found.

    If there are several files with this suffix, the file with the same stem as `games` is read, or else the file with
    the stem `wthor`.
    """
    path = _beside(games, suffix) if games is not None else None
    if path is None:
        return []
    width = WIDTHS[suffix]
    with path.open("rb") as stream:
        data = stream.read(HEADER_BYTES + MOST_NAMES * width + 1)
    expected_size = HEADER_BYTES + Header.read(data, path.name).names * width
    if len(data) != expected_size:
        actual_size = "more than that" if len(data) > expected_size else str(len(data))
        raise FormatError(f"{path.name}: its header asks for {expected_size} bytes, the file has {actual_size}")
    names = (data[place : place + width] for place in range(HEADER_BYTES, len(data), width))
    return [name.partition(b"\0")[0].decode(ENCODING).strip() for name in names]


def _beside(games: Path, suffix: str) -> Path | None:
    files = sorted(file for file in games.parent.iterdir() if file.suffix.lower() == suffix)
    for stem in (games.stem.lower(), "wthor"):
        for file in files:
            if file.stem.lower() == stem:
                return file
    return files[0] if len(files) == 1 else None


class NameList:
    """The names for a file of names, in the order of their numbers; number 0 is the empty name."""

    def __init__(self, suffix: str) -> None:
        self._room = WIDTHS[suffix] - 1
        self._numbers: dict[str, int] = {"": 0}
        self._written: dict[bytes, None] = {b"": None}

    def number(self, name: str) -> int:
        """Return the number of a name, which is added if it is new. A long name is shortened, but stays unique."""
        name = one_line(name)
        if name not in self._numbers:
            if len(self._written) == MOST_NAMES:
                raise FormatError(f"WTHOR numbers {MOST_NAMES:,} names at most")
            self._numbers[name] = len(self._written)
            self._written[self._cut(name.encode(ENCODING, "replace"))] = None
        return self._numbers[name]

    def to_bytes(self) -> bytes:
        """Return the contents of the file of names."""
        names = b"".join(name.ljust(self._room + 1, b"\0") for name in self._written)
        return header_bytes(names=len(self._written)) + names

    def _cut(self, name: bytes) -> bytes:
        cut, twin = name[: self._room].strip(), 1
        while cut in self._written:
            twin += 1
            mark = f"~{twin}".encode()
            cut = name[: self._room - len(mark)] + mark
        return cut
