"""Windows. `posix` defines the same names; the docstrings there say what each does.

Every call of the system goes through `_kernel32` or the module `msvcrt`. The tests replace both by a shim, so that this
module also runs on Linux.
"""

import ctypes
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from subprocess import Popen
from typing import Any

CHILD_OPTIONS: dict[str, Any] = {"creationflags": 0x200}
"""The flag is `CREATE_NEW_PROCESS_GROUP`: Windows disables Ctrl-C in new groups."""

REMOVES_OPEN_FILES = False

MOVE_SECONDS = 2.0
"""Timeout for other processes to close a file that is replaced. Readers of this package, virus scanners and indexers
have a file open for milliseconds."""

_KILL_ON_CLOSE, _EXTENDED_LIMITS = 0x2000, 9


class _BasicLimits(ctypes.Structure):
    _fields_ = [
        ("process_time", ctypes.c_int64),
        ("job_time", ctypes.c_int64),
        ("flags", ctypes.c_uint32),
        ("least_working_set", ctypes.c_size_t),
        ("greatest_working_set", ctypes.c_size_t),
        ("processes", ctypes.c_uint32),
        ("affinity", ctypes.c_size_t),
        ("priority", ctypes.c_uint32),
        ("scheduling", ctypes.c_uint32),
    ]


class ExtendedLimits(ctypes.Structure):
    """`JOBOBJECT_EXTENDED_LIMIT_INFORMATION`."""

    _fields_ = [
        ("basic", _BasicLimits),
        ("counters", ctypes.c_uint64 * 6),
        ("memory", ctypes.c_size_t * 4),
    ]


class MemoryStatus(ctypes.Structure):
    """`MEMORYSTATUSEX`."""

    _fields_ = [
        ("size", ctypes.c_uint32),
        ("load", ctypes.c_uint32),
        ("total", ctypes.c_uint64),
        ("others", ctypes.c_uint64 * 6),
    ]


def _kernel32() -> Any:
    return ctypes.WinDLL("kernel32")  # type: ignore[attr-defined]  # Windows alone has it


def _call(name: str, returns: Any, *arguments: Any) -> Any:
    """Call a function of the system. Handles are passed as `c_void_p`: as an `int`, they would be cut to 32 bits."""
    function = getattr(_kernel32(), name)
    function.restype = returns
    return function(*arguments)


class Descendants:
    """A job of the system, which contains the process and every process that it starts from now on.

    The system kills them when the job is closed, so also when this process dies.
    """

    def __init__(self, process: "Popen[Any]") -> None:
        self._process = process
        self._job = ctypes.c_void_p(_call("CreateJobObjectW", ctypes.c_void_p, None, None))
        limits = ExtendedLimits()
        limits.basic.flags = _KILL_ON_CLOSE
        size = ctypes.sizeof(limits)
        _call("SetInformationJobObject", ctypes.c_int, self._job, _EXTENDED_LIMITS, ctypes.byref(limits), size)
        handle = ctypes.c_void_p(int(process._handle))  # type: ignore[attr-defined]
        _call("AssignProcessToJobObject", ctypes.c_int, self._job, handle)

    def kill(self) -> None:
        """Kill them all. Later calls do nothing."""
        job, self._job = self._job, ctypes.c_void_p()
        if job:
            _call("TerminateJobObject", ctypes.c_int, job, 1)
            _call("CloseHandle", ctypes.c_int, job)
        with suppress(OSError):
            self._process.kill()  # if the process could not be assigned to a job


@contextmanager
def children_ignore_interrupts() -> Iterator[None]:
    """Start processes in this block so that Ctrl-C never reaches them. Meanwhile, this process ignores Ctrl-C."""
    _call("SetConsoleCtrlHandler", ctypes.c_int, None, 1)  # inherited by the processes
    try:
        yield
    finally:
        _call("SetConsoleCtrlHandler", ctypes.c_int, None, 0)


def lock(handle: int) -> None:
    """Lock an open file until it is closed; raise `OSError` if another process has locked it."""
    msvcrt: Any = import_module("msvcrt")
    msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)


def move(source: Path, target: Path) -> None:
    """Move a file to `target`, and replace what is there. Windows refuses this while a process has `target` open, so
    try again for `MOVE_SECONDS`."""
    deadline = time.monotonic() + MOVE_SECONDS
    while True:
        try:
            source.replace(target)
            return
        except PermissionError:
            if time.monotonic() > deadline:
                raise
        time.sleep(0.01)


def machine_memory() -> int | None:
    """Return the memory of the machine in bytes; None if unknown."""
    status = MemoryStatus(size=ctypes.sizeof(MemoryStatus))
    if not _call("GlobalMemoryStatusEx", ctypes.c_int, ctypes.byref(status)):
        return None
    return int(status.total)
