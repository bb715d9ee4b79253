"""Ray's working directories for this process: they are removed with their processes, however this process ends.

A process that is killed cannot remove anything itself. So a guardian, a small separate process, waits for the end of
the owner and removes what it has left. If the guardian is killed too, the next start removes the directory: it has a
file that its owner keeps locked, and the system releases the lock of a dead process.
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

from outflank.distributed.engines.on_ray.ray_start import END_SECONDS, end_processes, processes_in

GUARDIAN = Path(__file__).with_name("guardian.py")
PREFIX = "outflank-"
OWNER = "owner"
"""Name of the file that the owner keeps locked. It is empty until the lock is held."""

LEAVE_SECONDS = 1.0
"""Timeout for a guardian that has nothing left to do; it takes 10 ms."""


def private_directory() -> Path:
    """Return a new directory that only this user can enter."""
    return Path(tempfile.mkdtemp(prefix=PREFIX, dir=_base()))


def _base() -> str:
    # A socket's path has 107 bytes at most (103 on macOS), and Ray appends 72 to this directory's.
    base = tempfile.gettempdir()
    return "/tmp" if len(base) > 8 and os.path.isdir("/tmp") else base


class OwnedDirectory:
    """A private directory that is removed at the end of this process, with the processes of Ray that run in it."""

    def __init__(self) -> None:
        clear_ownerless()
        self.path = private_directory()
        self._lock = _lock_new(self.path / OWNER)
        self._guardian = _start_guardian(self.path)

    def clear(self) -> None:
        """Remove the directory, and end the processes in it. Takes about a second if there are any."""
        clear_directory(self.path)
        self._release_guardian(LEAVE_SECONDS)

    def abandon(self, *, used: bool) -> None:
        """Have the guardian remove the directory as `clear` does, without waiting for it.

        `used`: a thread is still starting Ray there. It must call `clear` when it is finished; if the process ends
        before that, the guardian removes the directory a second time.
        """
        if self._guardian is None:
            self.clear()
        elif used:
            assert self._guardian.stdin is not None
            with suppress(OSError):
                self._guardian.stdin.write(b"now")
                self._guardian.stdin.flush()
        else:
            self._release_guardian()

    def _release_guardian(self, seconds: float = 0.0) -> None:
        """Tell the guardian that the owner is done: it removes what is left, and ends. Wait `seconds` for its end."""
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
"""Guardians that have been released but not yet reaped."""


def _start_guardian(directory: Path) -> "subprocess.Popen[bytes] | None":
    _leaving[:] = [process for process in _leaving if process.poll() is None]
    if sys.platform == "win32":  # it cannot remove open files, and has no sessions
        return None
    return subprocess.Popen(
        # -P: a process that ends others must not import modules from the current folder.
        [sys.executable, "-P", str(GUARDIAN), str(directory)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,  # a reader of this process's output must not wait for the guardian
        stderr=subprocess.DEVNULL,
        start_new_session=True,  # so that it receives neither Ctrl-C nor signals to the owner's group
    )


def clear_directory(directory: Path) -> None:
    """End Ray's processes that run in a directory, and remove it."""
    deadline = time.monotonic() + END_SECONDS
    while True:
        end_processes(processes_in(directory))
        shutil.rmtree(directory, ignore_errors=True)
        # A process that was just being started creates it again.
        if not os.path.lexists(directory) or time.monotonic() > deadline:
            return
        time.sleep(0.1)


# --- directories left by other processes ---


def clear_ownerless() -> None:
    """Remove the directories of this user whose owners and guardians have died."""
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
    """Yield whether a directory is this user's and its owner is dead, and keep other processes from finding it so.

    Neither the directory nor the file in it may be a link, and only this user may have written to them: in a
    directory like /tmp users cannot replace the files of others, and in a private one they cannot change them.
    """
    fcntl = import_module("fcntl")
    directory_status = os.lstat(path)
    if (
        not stat.S_ISDIR(directory_status.st_mode)
        or directory_status.st_uid != os.geteuid()
        or directory_status.st_mode & 0o077
    ):
        yield False
        return
    directory = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        lock = os.open(OWNER, os.O_RDWR | os.O_NOFOLLOW, dir_fd=directory)
        try:
            file_status = os.fstat(lock)
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # raises OSError if the owner lives
            # An empty file belongs to a process that is about to lock it.
            yield (
                stat.S_ISREG(file_status.st_mode) and file_status.st_uid == os.geteuid() and os.fstat(lock).st_size > 0
            )
        finally:
            os.close(lock)
    finally:
        os.close(directory)


def _lock_new(path: Path) -> int | None:
    """Create a file, lock it, then write a line to it; return its descriptor, or None if files cannot be locked."""
    if sys.platform == "win32":
        return None
    fcntl = import_module("fcntl")
    lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
    except OSError:  # a file system without locks: only the guardian removes the directory
        os.close(lock)
        return None
    os.write(lock, f"{os.getpid()}\n".encode())
    return lock
