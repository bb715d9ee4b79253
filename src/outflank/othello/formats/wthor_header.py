"""The sixteen bytes with which every file of WTHOR begins."""

import struct
from datetime import date
from typing import NamedTuple

from outflank.errors import FormatError

NAME = "WTHOR"

_layout = struct.Struct("<4BIHH4B")
HEADER_BYTES = _layout.size

MOVES = 60
"""Bytes for the moves of a game."""

USUAL_DEPTH = 22
"""What a depth of 0 means."""


class Header(NamedTuple):
    """What a file says of itself."""

    century: int
    """Of the day it was written on."""
    year_of_century: int
    month: int
    day: int
    games: int
    names: int
    year: int
    """Of the games."""
    size: int
    """Of the board; 0 stands for 8."""
    kind: int
    """1 for solitaires."""
    depth: int
    """Empty squares from which the theoretical score was found; 0 stands for 22."""
    reserved: int

    @classmethod
    def read(cls, data: bytes, what: str) -> "Header":
        """The header at the start of `data`."""
        if len(data) < HEADER_BYTES:
            raise FormatError(f"{what}: a header has {HEADER_BYTES} bytes, found {len(data)}")
        return cls._make(_layout.unpack_from(data))

    @classmethod
    def fits(cls, data: bytes) -> bool:
        """Whether `data` can be the start of a file."""
        return len(data) >= HEADER_BYTES and cls.read(data, NAME).is_dated

    @property
    def is_dated(self) -> bool:
        """Whether the day of writing can be one."""
        return 1 <= self.month <= 12 and 1 <= self.day <= 31

    @classmethod
    def of_games(cls, data: bytes) -> "Header":
        """The header of a file of games."""
        header = cls.read(data, NAME)
        if not header.is_dated:
            raise FormatError(f"{NAME}, byte 2: expected a month and a day, found {header.month} and {header.day}")
        if header.names and not header.games:
            raise FormatError(f"{NAME}, byte 8: this file holds {header.names} names; games are in .wtb files")
        if header.size not in (0, 8):
            raise FormatError(f"{NAME}, byte 12: a board of {header.size}×{header.size} squares; only 8×8 is read")
        return header


def header_bytes(*, games: int = 0, names: int = 0, year: int = 0, depth: int = 0) -> bytes:
    """The header of a file that is written today."""
    today = date.today()
    century, year_of_century = divmod(today.year, 100)
    size = 0 if names else 8
    return _layout.pack(century, year_of_century, today.month, today.day, games, names, year, size, 0, depth, 0)
