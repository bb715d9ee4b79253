"""Linux and macOS. `windows` defines the same names."""

import fcntl
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from subprocess import Popen
from typing import Any

CHILD_OPTIONS: dict[str, Any] = {"start_new_session": True}
"""Arguments of `Popen` for a child that Ctrl-C at the terminal does not reach."""

REMOVES_OPEN_FILES = True
"""Whether a file can be removed while a process has it open."""


class Descendants:
    """A process that was started with `CHILD_OPTIONS`, and every process that it has started."""

    def __init__(self, process: "Popen[Any]") -> None:
        self._session = process.pid

    def kill(self) -> None:
        """Kill them all. If the process has been reaped, call this immediately afterwards: process ids are reused."""
        with suppress(OSError):
            os.killpg(self._session, signal.SIGKILL)


@contextmanager
def children_ignore_interrupts() -> Iterator[None]:
    """Start processes in this block so that Ctrl-C never reaches them. In this thread, Ctrl-C waits for its end."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # inherited by the processes
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def lock(handle: int) -> None:
    """Lock an open file until it is closed; raise `OSError` if another process has locked it."""
    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


def move(source: Path, target: Path) -> None:
    """Move a file to `target`, and replace what is there."""
    source.replace(target)


def machine_memory() -> int | None:
    """Return the memory of the machine in bytes; None if unknown."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError):
        return None
