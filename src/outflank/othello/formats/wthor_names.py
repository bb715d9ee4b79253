"""The names of WTHOR's games: players in a `.jou` file, tournaments in a `.trn`."""

from pathlib import Path

from outflank.errors import FormatError
from outflank.formats.fields import one_line
from outflank.othello.formats.wthor_header import HEADER_BYTES, Header, header_bytes

PLAYERS, EVENTS = ".jou", ".trn"

WIDTHS = {PLAYERS: 20, EVENTS: 26}
"""Bytes of a name, including a zero at its end."""

MOST_NAMES = (1 << 16) - 1

ENCODING = "latin-1"


def names_beside(games: Path | None, suffix: str) -> list[str]:
    """Return the names in the file beside `games`: the one of the same name, else `wthor`, else the only one; none
    without a file."""
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
    """The names that are collected for a file; number 0 is the empty name."""

    def __init__(self, suffix: str) -> None:
        self._room = WIDTHS[suffix] - 1
        self._numbers: dict[str, int] = {"": 0}
        self._written: dict[bytes, None] = {b"": None}

    def number(self, name: str) -> int:
        """Return the name's number, a new one for a new name. Too long a name is cut, and stays unique."""
        name = one_line(name)
        if name not in self._numbers:
            if len(self._written) == MOST_NAMES:
                raise FormatError(f"WTHOR numbers {MOST_NAMES:,} names at most")
            self._numbers[name] = len(self._written)
            self._written[self._cut(name.encode(ENCODING, "replace"))] = None
        return self._numbers[name]

    def to_bytes(self) -> bytes:
        """Return the contents of the file."""
        names = b"".join(name.ljust(self._room + 1, b"\0") for name in self._written)
        return header_bytes(names=len(self._written)) + names

    def _cut(self, name: bytes) -> bytes:
        cut, twin = name[: self._room].strip(), 1
        while cut in self._written:
            twin += 1
            mark = f"~{twin}".encode()
            cut = name[: self._room - len(mark)] + mark
        return cut
