"""Streams that were looked into, and files that take their place once they are written."""

import io
import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, cast

from outflank.errors import OutflankError


class _Rejoined(io.RawIOBase):
    """Bytes that have been read, and the stream they are from."""

    def __init__(self, head: bytes, rest: BinaryIO) -> None:
        self._head = head
        self._rest = rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._head[: len(buffer)] or self._rest.read(len(buffer))
        self._head = self._head[len(data) :]
        buffer[: len(data)] = data
        return len(data)


def looked_into(stream: BinaryIO, size: int) -> tuple[bytes, BinaryIO]:
    """The first bytes of a stream, and a stream that still has them."""
    head = stream.read(size)
    return head, cast(BinaryIO, io.BufferedReader(_Rejoined(head, stream)))


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A stream to a file beside `path` that takes its place at the end.

    It does so too when bad input or Ctrl-C ends it early, if something has been written: what there is, is whole games.
    When writing itself fails, it leaves nothing. What is no file (a device, a pipe) is written to directly.
    """
    if path.exists() and not path.is_file():
        with path.open("wb") as stream:
            yield stream
        return
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with part.open("wb+") as stream:
            try:
                yield stream
            except (OutflankError, KeyboardInterrupt):
                stream.flush()
                if os.fstat(stream.fileno()).st_size == 0:
                    raise
                stream.close()
                part.replace(path)
                raise
        part.replace(path)
    finally:
        with suppress(FileNotFoundError):
            part.unlink()


def write_whole(path: Path, text: str) -> None:
    """Write a file whole or not at all: a reader, or a power cut, never finds half of it."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def read_document(path: Path, schema: str, what: str) -> dict[str, Any]:
    """The JSON object in a file that says it is of `schema`; one clear line if it is not, or not whole."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise OutflankError(f"{path}: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise OutflankError(f"{path} is damaged: {error}") from None
    if not isinstance(found, dict) or found.get("schema") != schema:
        raise OutflankError(f"{path} is not {what} ({schema})")
    return found
