"""The names that go with WTHOR's games: players in a `.jou` file, tournaments in a `.trn`."""

from pathlib import Path

from outflank.errors import FormatError
from outflank.formats.fields import one_line
from outflank.othello.formats.wthor_header import HEADER_BYTES, Header, header_bytes

PLAYERS, EVENTS = ".jou", ".trn"

WIDTHS = {PLAYERS: 20, EVENTS: 26}
"""Bytes of a name, a zero at its end included."""

MOST_NAMES = (1 << 16) - 1

ENCODING = "latin-1"


def names_beside(games: Path | None, suffix: str) -> list[str]:
    """The names in the file beside `games`: of the same name, else `wthor`, else the only one; none without."""
    found = _beside(games, suffix) if games is not None else None
    if found is None:
        return []
    width = WIDTHS[suffix]
    with found.open("rb") as stream:
        data = stream.read(HEADER_BYTES + MOST_NAMES * width + 1)
    wanted = HEADER_BYTES + Header.read(data, found.name).names * width
    if len(data) != wanted:
        more = "more than that" if len(data) > wanted else str(len(data))
        raise FormatError(f"{found.name}: its header asks for {wanted} bytes, the file has {more}")
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
    """Names as they are collected for a file; number 0 is nobody."""

    def __init__(self, suffix: str) -> None:
        self._room = WIDTHS[suffix] - 1
        self._numbers: dict[str, int] = {"": 0}
        self._written: dict[bytes, None] = {b"": None}

    def number(self, name: str) -> int:
        """The name's number, a new one if it is new. Too long a name is cut, and stays different from others."""
        name = one_line(name)
        if name not in self._numbers:
            if len(self._written) == MOST_NAMES:
                raise FormatError(f"WTHOR numbers {MOST_NAMES:,} names at most")
            self._numbers[name] = len(self._written)
            self._written[self._cut(name.encode(ENCODING, "replace"))] = None
        return self._numbers[name]

    def to_bytes(self) -> bytes:
        """The file."""
        names = b"".join(name.ljust(self._room + 1, b"\0") for name in self._written)
        return header_bytes(names=len(self._written)) + names

    def _cut(self, name: bytes) -> bytes:
        cut, twin = name[: self._room].strip(), 1
        while cut in self._written:
            twin += 1
            mark = f"~{twin}".encode()
            cut = name[: self._room - len(mark)] + mark
        return cut
