"""File locks between processes: a process that writes to a file holds its lock, and a second one gets an error.

The lock is the operating system's, on a separate file beside the written file, because the written file may be
replaced meanwhile. A lock ends with its process, however the process ends: a killed process leaves an empty file that
blocks nothing.

We do not use filelock: it takes 50 ms to import, and prevents all writing where a network disk has no locks (`ENOLCK`).
"""

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from outflank.errors import OutflankError

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
