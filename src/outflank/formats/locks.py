"""One process at a time: who writes to a file holds its lock, and whoever comes second is told so.

The lock is the operating system's, on a file beside the one that is written, which may be replaced meanwhile. It ends
with its process, however that ends: what a killed one leaves is an empty file that is in nobody's way.

Not by filelock: it takes 50 ms to import, and lets nobody write where a network's disk has no locks (`ENOLCK`).
"""

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from outflank.errors import OutflankError

_NO_LOCKS = {errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOLCK}
"""What file systems answer that know no locks: there, nobody can be kept out."""


@contextmanager
def held(path: Path, busy: str) -> Iterator[None]:
    """Keep others from writing to `path` meanwhile; an error that says `busy` if another does.

    It may raise an `OSError` too, where the directory cannot be written to.
    """
    lock = path.with_name(f".{path.name}.lock")
    handle = _taken(lock)
    if handle is None:
        raise OutflankError(f"{path}: {busy}")
    try:
        yield
    finally:
        # Taken away before it is given up: after that it would be another's. Windows moves nothing that is open.
        if sys.platform != "win32":
            lock.unlink(missing_ok=True)
        os.close(handle)
        if sys.platform == "win32":
            with suppress(OSError):
                lock.unlink(missing_ok=True)


def _taken(lock: Path) -> int | None:
    """The lock's file, open and locked; None if it is another's."""
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
        os.close(handle)  # its holder has just taken it away: another may have made the next


def _lock(handle: int) -> None:
    if sys.platform == "win32":
        import msvcrt

        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
