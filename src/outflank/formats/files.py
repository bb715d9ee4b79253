"""Reading and writing of files: locks, limited lines, peeking at streams, and replacing a file only when complete."""

import errno
import io
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, cast

from outflank.errors import FormatError, OutflankError, reason_of
from outflank.formats.fields import decoded
from outflank.systems import REMOVES_OPEN_FILES, lock, move

# File locks between processes: a process that writes to a file holds its lock, and a second process gets an error. The
# operating system locks a separate file beside the written file, because the written file may be replaced meanwhile. A
# lock ends with its process, even if the process is killed; the empty file that is left blocks nothing. We do not use
# filelock: it takes 50 ms to import, and prevents all writing if a network disk has no locks (`ENOLCK`).

_NO_LOCKS = {errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOLCK}
"""Errors of file systems without locks, on which several processes may write at the same time."""


@contextmanager
def file_lock(path: Path, busy: str) -> Iterator[None]:
    """Lock `path` against other processes; raise an error with the text `busy` if another one has locked it.

    An `OSError` is raised if the directory cannot be written to.
    """
    lock_file = path.with_name(f".{path.name}.lock")
    handle = _acquire(lock_file)
    if handle is None:
        raise OutflankError(f"{path}: {busy}")
    try:
        yield
    finally:
        # Remove the file while it is locked, if the system can: later another process may use it.
        if REMOVES_OPEN_FILES:
            lock_file.unlink(missing_ok=True)
        os.close(handle)
        if not REMOVES_OPEN_FILES:
            with suppress(OSError):
                lock_file.unlink(missing_ok=True)


def _acquire(lock_file: Path) -> int | None:
    """Open and lock a file, and return its handle; None if another process holds the lock."""
    while True:
        handle = os.open(lock_file, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o666)
        try:
            lock(handle)
        except OSError as error:
            if error.errno not in _NO_LOCKS:
                os.close(handle)
                if error.errno in (errno.EAGAIN, errno.EACCES, errno.EDEADLK):
                    return None
                raise
        with suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(handle), lock_file.lstat()):
                return handle
        os.close(handle)  # the holder has just removed this file, and another process may have made a new one


MOST_BYTES = 1 << 20
"""Largest number of bytes in a line, which limits the memory that reading takes."""


def lines_of(stream: BinaryIO) -> Iterator[tuple[int, str]]:
    """Yield the lines of `stream` with their numbers, counted from 1."""
    number = 1
    while data := stream.readline(MOST_BYTES + 1):
        if len(data) > MOST_BYTES:
            raise FormatError(f"line {number}: more than {MOST_BYTES >> 20} MiB, which is no game")
        if number == 1:
            data = data.removeprefix(b"\xef\xbb\xbf")
        yield number, decoded(data).rstrip("\r\n")
        number += 1


def without_comment(line: str) -> str:
    """Return the part of a line before a comment: `#` and `%` begin one anywhere, `;` only at the start of the line."""
    if line.lstrip().startswith(";"):
        return ""
    return line.partition("#")[0].partition("%")[0]


class _Rejoined(io.RawIOBase):
    """Stream of bytes that have been read already, followed by the rest of the original stream."""

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
    """Return the first `size` bytes of a stream, and a stream that still begins with them."""
    head = stream.read(size)
    return head, cast(BinaryIO, io.BufferedReader(_Rejoined(head, stream)))


def decoded_whole(data: bytes) -> str:
    """Return the text of a file's bytes: UTF-16 if a byte order mark says so, else UTF-8."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace")
    return data.decode("utf-8-sig", "replace")


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """Yield a stream to a temporary file that replaces `path` at the end, so that no reader ever sees a partial file.

    If bad input or Ctrl-C ends the writing early, `path` is still replaced, unless nothing has been written: callers
    write one whole game at a time. If writing itself fails, the old file stays. A link at `path` is replaced and not
    followed. A device or a pipe is written to directly.
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
    """Write a file completely or not at all. Text is written as UTF-8, with unchanged line ends."""
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
    move(part, path)
