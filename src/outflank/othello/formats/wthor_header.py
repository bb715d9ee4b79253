"""The sixteen bytes at the start of every WTHOR file."""

import struct
from datetime import date
from typing import NamedTuple

from outflank.errors import FormatError

NAME = "WTHOR"

_layout = struct.Struct("<4BIHH4B")
HEADER_BYTES = _layout.size

MOVES = 60
"""The number of bytes for the moves of a game."""

USUAL_DEPTH = 22
"""The meaning of depth 0."""


class Header(NamedTuple):
    """The header of a file."""

    century: int
    """The century of the day of writing."""
    year_of_century: int
    month: int
    day: int
    games: int
    names: int
    year: int
    """The year of the games."""
    size: int
    """The size of the board; 0 stands for 8."""
    kind: int
    """The kind of file: 1 for solitaires."""
    depth: int
    """Empty squares from which the theoretical score was computed; 0 stands for 22."""
    reserved: int

    @classmethod
    def read(cls, data: bytes, what: str) -> "Header":
        """Return the header at the start of `data`."""
        if len(data) < HEADER_BYTES:
            raise FormatError(f"{what}: a header has {HEADER_BYTES} bytes, found {len(data)}")
        return cls._make(_layout.unpack_from(data))

    @classmethod
    def fits(cls, data: bytes) -> bool:
        """Return whether `data` can be the start of a file."""
        return len(data) >= HEADER_BYTES and cls.read(data, NAME).is_dated

    @property
    def is_dated(self) -> bool:
        """Whether the day of writing is a possible date."""
        return 1 <= self.month <= 12 and 1 <= self.day <= 31

    @classmethod
    def of_games(cls, data: bytes) -> "Header":
        """Return the header of a file of games."""
        header = cls.read(data, NAME)
        if not header.is_dated:
            raise FormatError(f"{NAME}, byte 2: expected a month and a day, found {header.month} and {header.day}")
        if header.names and not header.games:
            raise FormatError(f"{NAME}, byte 8: this file holds {header.names} names; games are in .wtb files")
        if header.size not in (0, 8):
            raise FormatError(f"{NAME}, byte 12: a board of {header.size}×{header.size} squares; only 8×8 is read")
        return header


def header_bytes(*, games: int = 0, names: int = 0, year: int = 0, depth: int = 0) -> bytes:
    """Return the header of a file that is written today."""
    today = date.today()
    century, year_of_century = divmod(today.year, 100)
    size = 0 if names else 8
    return _layout.pack(century, year_of_century, today.month, today.day, games, names, year, size, 0, depth, 0)
