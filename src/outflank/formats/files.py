"""Streams whose first bytes were read ahead, and files that replace older ones once they are written."""

import errno
import io
import os
import secrets
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, cast

from outflank.errors import FormatError, OutflankError, reason_of
from outflank.formats.fields import decoded

# File locks between processes: a process that writes to a file holds its lock, and a second one gets an error.
#
# The lock is the operating system's, on a separate file beside the written file, because the written file may be
# replaced meanwhile. A lock ends with its process, however the process ends: a killed process leaves an empty file that
# blocks nothing.
#
# We do not use filelock: it takes 50 ms to import, and prevents all writing where a network disk has no locks
# (`ENOLCK`).

_NO_LOCKS = {errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOLCK}
"""The errors of file systems without locks: there, no process is kept out."""


@contextmanager
def file_lock(path: Path, busy: str) -> Iterator[None]:
    """Keep other processes from writing to `path` meanwhile; raise an error with the text `busy` if another process
    holds the lock.

    May also raise an `OSError`, if the directory cannot be written to.
    """
    lock = path.with_name(f".{path.name}.lock")
    handle = _acquire(lock)
    if handle is None:
        raise OutflankError(f"{path}: {busy}")
    try:
        yield
    finally:
        # Remove the file before its lock is released: later it could be another process's. Windows does not remove
        # open files.
        if sys.platform != "win32":
            lock.unlink(missing_ok=True)
        os.close(handle)
        if sys.platform == "win32":
            with suppress(OSError):
                lock.unlink(missing_ok=True)


def _acquire(lock: Path) -> int | None:
    """Return the handle of the open and locked file; None if another process holds the lock."""
    while True:
        handle = os.open(lock, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o666)
        try:
            _lock(handle)
        except OSError as error:
            if error.errno not in _NO_LOCKS:
                os.close(handle)
                if error.errno in (errno.EAGAIN, errno.EACCES, errno.EDEADLK):
                    return None
                raise
        with suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(handle), lock.lstat()):
                return handle
        os.close(handle)  # the holder has just removed this file: another process may have made the next


def _lock(handle: int) -> None:
    if sys.platform == "win32":
        import msvcrt

        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


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


class _Rejoined(io.RawIOBase):
    """Bytes that have been read, followed by the rest of their stream."""

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


def peek(stream: BinaryIO, size: int) -> tuple[bytes, BinaryIO]:
    """Return the first bytes of a stream, and a stream that still has them."""
    head = stream.read(size)
    return head, cast(BinaryIO, io.BufferedReader(_Rejoined(head, stream)))


def decoded_whole(data: bytes) -> str:
    """Return the text of a file, with any byte order mark."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace")
    return data.decode("utf-8-sig", "replace")


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """Yield a stream to a temporary file beside `path` that replaces it at the end: no reader ever sees a partial file.

    The file is replaced even when bad input or Ctrl-C ends the writing early, if something has been written: what has
    been written consists of whole games. When writing itself fails, the old file stays. A link at `path` is replaced
    and not followed; a device or a pipe is written to directly.
    """
    if path.exists() and not path.is_file():
        with path.open("wb") as device:
            yield device
        return
    stream, part = _open_temporary(path)
    try:
        with stream:
            try:
                yield stream
            except (OutflankError, KeyboardInterrupt):
                _move_into_place(stream, part, path, unless_empty=True)
                raise
            _move_into_place(stream, part, path)
    finally:
        with suppress(FileNotFoundError):
            part.unlink()


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file completely or not at all; text as UTF-8, with unchanged line ends."""
    with replacing(path) as stream:
        stream.write(content.encode("utf-8", "replace") if isinstance(content, str) else content)


def _open_temporary(path: Path) -> tuple[BinaryIO, Path]:
    """Create a new file in the directory of `path`, with a name that cannot be predicted."""
    while True:
        part = path.with_name(f".{path.name[:100]}.{secrets.token_hex(8)}.part")
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
        try:
            return os.fdopen(os.open(part, flags, 0o666), "wb+"), part
        except FileExistsError:
            continue
        except OSError as error:  # name the caller's file, not the temporary one
            missing = isinstance(error, FileNotFoundError) and not path.parent.exists()
            reason = f"there is no folder {path.parent}" if missing else reason_of(error)
            raise OSError(error.errno, reason, os.fspath(path)) from None


def _move_into_place(stream: BinaryIO, part: Path, path: Path, *, unless_empty: bool = False) -> None:
    stream.flush()
    if unless_empty and os.fstat(stream.fileno()).st_size == 0:
        return
    os.fsync(stream.fileno())
    stream.close()  # Windows does not move open files
    with suppress(FileNotFoundError):
        before = path.lstat()
        if stat.S_ISREG(before.st_mode):
            part.chmod(stat.S_IMODE(before.st_mode))
    part.replace(path)
