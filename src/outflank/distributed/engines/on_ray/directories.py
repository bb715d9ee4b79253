"""Directories in which Ray works for this process: they go with it, and with the processes in them, however it ends.

A process that is killed removes nothing itself. So a guardian, a small process of its own, waits for the end of the
owner and removes what that has left. Should the guardian be killed too, the next start does it: a directory has a file
that its owner keeps locked, and the system gives up the lock of a process that is dead.
"""

import os
import shutil
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any

from outflank.distributed.engines.on_ray.processes import END_SECONDS, end_processes, processes_in

GUARDIAN = Path(__file__).with_name("guardian.py")
PREFIX = "outflank-"
OWNER = "owner"
"""The file that the owner keeps locked. It has a line from the moment on at which the lock is held."""

LEAVE_SECONDS = 1.0
"""How long to wait for a guardian that has nothing left to do; it takes 10 ms."""


def private_directory() -> Path:
    """Return a new directory that only this user enters."""
    return Path(tempfile.mkdtemp(prefix=PREFIX, dir=_base()))


def _base() -> str:
    # A socket's name has 107 bytes at most (103 on macOS), and Ray puts 72 behind this directory's.
    base = tempfile.gettempdir()
    return "/tmp" if len(base) > 8 and os.path.isdir("/tmp") else base


class OwnedDirectory:
    """A private directory that ends with this process, and with it the processes of Ray that live there."""

    def __init__(self) -> None:
        clear_ownerless()
        self.path = private_directory()
        self._lock = _lock_new(self.path / OWNER)
        self._guardian = _start_guardian(self.path)

    def clear(self) -> None:
        """Remove it, and end what lives in it. Takes about a second where something does."""
        clear_directory(self.path)
        self._let_go(LEAVE_SECONDS)

    def abandon(self, *, used: bool) -> None:
        """Have it cleared as `clear` does, without waiting for that.

        `used`: a thread still makes Ray start there. It must call `clear` when it is through; should the process end
        before, the guardian does so a second time.
        """
        if self._guardian is None:
            self.clear()
        elif used:
            assert self._guardian.stdin is not None
            with suppress(OSError):
                self._guardian.stdin.write(b"now")
                self._guardian.stdin.flush()
        else:
            self._let_go()

    def _let_go(self, seconds: float = 0.0) -> None:
        """Tell the guardian that the owner is done: it clears what is left, and leaves. Note its end, if it is soon."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None
        if self._guardian is not None:
            assert self._guardian.stdin is not None
            with suppress(OSError):
                self._guardian.stdin.close()
            try:
                self._guardian.wait(seconds)
            except subprocess.TimeoutExpired:
                _leaving.append(self._guardian)
            self._guardian = None


_leaving: list["subprocess.Popen[bytes]"] = []
"""Guardians that have been let go, whose end nobody has noted yet."""


def _start_guardian(directory: Path) -> "subprocess.Popen[bytes] | None":
    _leaving[:] = [process for process in _leaving if process.poll() is None]
    if sys.platform == "win32":  # which does not let go of files that processes have open, nor of sessions
        return None
    return subprocess.Popen(
        # -P: a folder that happens to be the current one must not lend its modules to a process that ends others.
        [sys.executable, "-P", str(GUARDIAN), str(directory)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,  # whoever reads what this process says must not wait for another one
        stderr=subprocess.DEVNULL,
        start_new_session=True,  # neither Ctrl-C nor a signal to the owner's whole group is meant for it
    )


def clear_directory(directory: Path) -> None:
    """End Ray's processes that live in a directory, and remove it."""
    deadline = time.monotonic() + END_SECONDS
    while True:
        end_processes(processes_in(directory))
        shutil.rmtree(directory, ignore_errors=True)
        # One that was just being started makes it anew.
        if not os.path.lexists(directory) or time.monotonic() > deadline:
            return
        time.sleep(0.1)


# --- what others have left ---


def clear_ownerless() -> None:
    """Clear directories of this user whose owners have died, and whose guardians have too."""
    if sys.platform == "win32":
        return
    with suppress(OSError), os.scandir(_base()) as entries:
        for name in [entry.name for entry in entries if entry.name.startswith(PREFIX)]:
            path = Path(_base()) / name
            with suppress(OSError), _ownerless(path) as is_ownerless:
                if is_ownerless:
                    clear_directory(path)


@contextmanager
def _ownerless(path: Path) -> Iterator[bool]:
    """Whether a directory is this user's and its owner is dead. While this lasts, nobody else finds it so.

    Neither the directory nor the file in it may be a link, and nobody but this user may have written to them: in a
    directory like /tmp, nobody exchanges what is another's, and in one that only this user enters, nobody changes it.
    """
    fcntl = import_module("fcntl")
    found = os.lstat(path)
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & 0o077:
        yield False
        return
    folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        lock = os.open(OWNER, os.O_RDWR | os.O_NOFOLLOW, dir_fd=folder)
        try:
            file = os.fstat(lock)
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # an OSError where the owner lives
            # An empty one belongs to a process that is about to lock it.
            yield stat.S_ISREG(file.st_mode) and file.st_uid == os.geteuid() and os.fstat(lock).st_size > 0
        finally:
            os.close(lock)
    finally:
        os.close(folder)


def _lock_new(path: Path) -> int | None:
    """Make a file and keep it locked; it has a line only when it is. None where files cannot be locked."""
    if sys.platform == "win32":
        return None
    fcntl: Any = import_module("fcntl")
    lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
    except OSError:  # a file system that has no locks: only the guardian clears there
        os.close(lock)
        return None
    os.write(lock, f"{os.getpid()}\n".encode())
    return lock
