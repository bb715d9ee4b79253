"""Files read line by line, in bounded memory."""

from collections.abc import Iterator
from typing import BinaryIO

from outflank.errors import FormatError
from outflank.formats.fields import decoded

MOST_BYTES = 1 << 20
"""The longest line, which bounds the memory of reading."""


def lines_of(stream: BinaryIO) -> Iterator[tuple[int, str]]:
    """Yield the lines with their numbers, from 1."""
    number = 1
    while data := stream.readline(MOST_BYTES + 1):
        if len(data) > MOST_BYTES:
            raise FormatError(f"line {number}: more than {MOST_BYTES >> 20} MiB, which is no game")
        if number == 1:
            data = data.removeprefix(b"\xef\xbb\xbf")
        yield number, decoded(data).rstrip("\r\n")
        number += 1


def without_comment(line: str) -> str:
    """Return the part of a line before a comment."""
    if line.lstrip().startswith(";"):
        return ""
    return line.partition("#")[0].partition("%")[0]
