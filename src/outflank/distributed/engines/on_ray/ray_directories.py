"""Ray's working directory for this process, its owner. It is removed however the owner ends.

The Ray processes in the directory are killed as well. A killed owner cannot do that itself, so a guardian, a small
separate process, waits for the end of the owner and removes the directory. If the guardian is killed too, the next
process that uses Ray removes the directory. It recognises the directory of a dead owner by a file that the owner kept
locked: the system releases the lock when the owner dies.
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
from outflank.systems import CHILD_OPTIONS

GUARDIAN = Path(__file__).with_name("guardian.py")
PREFIX = "outflank-"
OWNER = "owner"
"""Name of the file in a directory that the owner process keeps locked. The file is empty until it is locked."""

LEAVE_SECONDS = 1.0
"""Timeout for a released guardian to end; it takes 10 ms."""


def private_directory() -> Path:
    """Create and return a directory that only this user can enter."""
    return Path(tempfile.mkdtemp(prefix=PREFIX, dir=_base()))


def _base() -> str:
    # A socket's path has at most 107 bytes (103 on macOS), and Ray appends 72 bytes to this directory's path.
    base = tempfile.gettempdir()
    return "/tmp" if len(base) > 8 and os.path.isdir("/tmp") else base


class OwnedDirectory:
    """A private directory that is removed when this process ends, with the Ray processes that run in it."""

    def __init__(self) -> None:
        clear_ownerless()
        self.path = private_directory()
        self._lock = _lock_new(self.path / OWNER)
        self._guardian = _start_guardian(self.path)

    def clear(self) -> None:
        """Remove the directory and kill the Ray processes in it, which takes about a second if there are any."""
        clear_directory(self.path)
        self._release_guardian(LEAVE_SECONDS)

    def abandon(self, *, used: bool) -> None:
        """Let the guardian remove the directory, without waiting for it.

        If `used`, a thread is still starting Ray there and may create files after the removal, so it must call `clear`
        when it is done. If this process ends before that call, the guardian removes the directory again.
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
        """Close the guardian's pipe, so that it removes the directory and ends. Wait up to `seconds` for its end."""
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
"""Guardian processes that have been released but have not been reaped yet."""


def _start_guardian(directory: Path) -> "subprocess.Popen[bytes] | None":
    _leaving[:] = [process for process in _leaving if process.poll() is None]
    if sys.platform == "win32":  # Windows cannot remove open files, and has no sessions
        return None
    return subprocess.Popen(
        # -P: a process that kills others must not import modules from the current folder.
        [sys.executable, "-P", str(GUARDIAN), str(directory)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,  # a reader of this process's output must not wait for the guardian
        stderr=subprocess.DEVNULL,
        **CHILD_OPTIONS,  # it receives neither Ctrl-C nor signals to the owner's process group
    )


def clear_directory(directory: Path) -> None:
    """Kill the Ray processes that run in a directory, and remove it."""
    deadline = time.monotonic() + END_SECONDS
    while True:
        end_processes(processes_in(directory))
        shutil.rmtree(directory, ignore_errors=True)
        # A process that was just starting creates the directory again.
        if not os.path.lexists(directory) or time.monotonic() > deadline:
            return
        time.sleep(0.1)


# --- directories left by other processes ---


def clear_ownerless() -> None:
    """Remove this user's Ray directories of which both the owner and the guardian have died."""
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
    """Yield whether the directory `path` belongs to this user and its owner process is dead. Hold the owner's lock
    during the `with` block. Raise `OSError` if the owner is alive.

    The directory must be private, and neither it nor its file `owner` may be a link or belong to another user. Then no
    other user can have changed them: in a directory like /tmp, users cannot replace one another's files.
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
    """Create the file `path`, lock it, then write a line to it. Return its descriptor; None if locking fails."""
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
