"""What differs between systems: Windows' half runs on Linux too, with a shim in place of the calls of Windows."""

import ctypes
import errno
import fcntl
import inspect
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import outflank
from outflank import machine, systems
from outflank.errors import InvalidOption, OutflankError
from outflank.formats import files
from outflank.formats.files import file_lock, write_whole
from outflank.protocols import client
from outflank.search.table import check_bits
from outflank.systems import posix, windows

pytestmark = [
    pytest.mark.interpreted_only,
    pytest.mark.skipif(sys.platform == "win32", reason="the shim makes POSIX calls"),
]

GIBIBYTE = 1 << 30


class Kernel32:
    """The calls of Windows. A job kills process groups, whose leaders have been assigned to it."""

    def __init__(self) -> None:
        self.jobs: dict[int, list[int]] = {}
        self.limits: list[int] = []
        self.interrupts_ignored: list[int] = []
        # Functions, not methods: a caller declares the type of the result as an attribute.
        self.CreateJobObjectW = lambda *_: self._create()
        self.SetInformationJobObject = lambda *arguments: self._limit(*arguments)
        self.AssignProcessToJobObject = lambda job, process: self.jobs[job.value].append(process.value)
        self.TerminateJobObject = lambda job, status: self._kill(job)
        self.CloseHandle = lambda job: self.jobs.pop(job.value)
        self.SetConsoleCtrlHandler = lambda handler, ignored: self.interrupts_ignored.append(ignored)
        self.GlobalMemoryStatusEx = lambda status: self._memory(status)

    def _create(self) -> int:
        number = (1 << 40) + len(self.jobs)  # a handle has 64 bits
        self.jobs[number] = []
        return number

    def _limit(self, job: Any, kind: int, limits: Any, size: int) -> None:
        assert (kind, size) == (9, ctypes.sizeof(windows.ExtendedLimits))
        self.limits.append(limits._obj.basic.flags)

    def _kill(self, job: Any) -> None:
        for leader in self.jobs[job.value]:
            os.killpg(leader, signal.SIGKILL)

    def _memory(self, status: Any) -> int:
        assert status._obj.size == ctypes.sizeof(windows.MemoryStatus)
        status._obj.total = 3 * GIBIBYTE
        return 1


@pytest.fixture
def kernel32(monkeypatch):
    shim = Kernel32()
    monkeypatch.setattr(windows, "_kernel32", lambda: shim)
    monkeypatch.setattr(subprocess.Popen, "_handle", property(lambda process: process.pid), raising=False)
    return shim


@pytest.fixture
def msvcrt(monkeypatch):
    def locking(handle: int, mode: int, count: int) -> None:
        assert (mode, count) == (2, 1)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise PermissionError(errno.EACCES, "Permission denied") from None

    monkeypatch.setitem(sys.modules, "msvcrt", SimpleNamespace(LK_NBLCK=2, locking=locking))


def test_both_systems_define_the_same_names() -> None:
    for name in systems.__all__:
        ours, theirs = getattr(posix, name), getattr(windows, name)
        assert type(ours) is type(theirs), name
        if callable(ours):
            assert inspect.signature(ours) == inspect.signature(theirs), name


def test_the_structures_of_windows_have_its_sizes() -> None:
    assert ctypes.sizeof(windows.MemoryStatus) == 64
    assert ctypes.sizeof(windows.ExtendedLimits) == 144
    assert windows.ExtendedLimits.basic.offset + type(windows.ExtendedLimits().basic).flags.offset == 16


def test_nothing_else_starts_or_locks_in_a_way_of_one_system() -> None:
    own_way = re.compile("start_new_session|creationflags|killpg|msvcrt|WinDLL|SC_PHYS_PAGES")
    package = Path(outflank.__file__).parent
    found = {path.relative_to(package).parts[0] for path in package.rglob("*.py") if own_way.search(path.read_text())}
    assert found == {"systems"}


# --- processes ---

PARENT = """
import subprocess, sys
child = subprocess.Popen([sys.executable, "-S", "-c", "import time; time.sleep(60)"])
print(child.pid, flush=True)
input()
"""


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
@pytest.mark.parametrize("system", [posix, windows])
def test_the_children_of_a_program_end_with_it(system, kernel32, monkeypatch) -> None:
    monkeypatch.setattr(client, "Descendants", system.Descendants)
    program = client.ExternalProgram([sys.executable, "-S", "-c", PARENT])
    child = int(program.receive(time.monotonic() + 60))
    assert is_alive(child)
    program.end()
    deadline = time.monotonic() + 10
    while is_alive(child) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not is_alive(child)
    if system is windows:
        assert kernel32.limits == [0x2000]  # the job ends with its last handle, so with this process
        assert kernel32.jobs == {}


def test_a_process_without_a_job_is_killed_all_the_same(kernel32) -> None:
    kernel32.AssignProcessToJobObject = lambda job, process: 0
    process = subprocess.Popen([sys.executable, "-S", "-c", "input()"], stdin=subprocess.PIPE)
    with process:
        descendants = windows.Descendants(process)
        descendants.kill()
        assert process.wait() == -signal.SIGKILL
        descendants.kill()


def test_no_interrupt_reaches_a_child_of_either_system(kernel32) -> None:
    with windows.children_ignore_interrupts():
        assert kernel32.interrupts_ignored == [1]
    assert kernel32.interrupts_ignored == [1, 0]
    with posix.children_ignore_interrupts():
        assert signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ())
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())
    assert windows.CHILD_OPTIONS == {"creationflags": 0x200}


# --- memory ---


def test_a_table_larger_than_memory_is_refused_on_windows_too(kernel32, monkeypatch) -> None:
    monkeypatch.setattr(machine, "machine_memory", windows.machine_memory)
    monkeypatch.setattr(machine, "_container_memory", lambda: None)
    check_bits(26)
    with pytest.raises(InvalidOption, match="a table of 27 bits needs 4,294,967,296 bytes: this machine has 3,221,225"):
        check_bits(27)
    kernel32.GlobalMemoryStatusEx = lambda status: 0
    assert machine.usable_memory() is None


# --- files ---


def test_a_lock_of_windows_refuses_the_second(tmp_path, msvcrt, monkeypatch) -> None:
    monkeypatch.setattr(files, "lock", windows.lock)
    monkeypatch.setattr(files, "REMOVES_OPEN_FILES", windows.REMOVES_OPEN_FILES)
    for _ in range(2):
        with (
            file_lock(tmp_path / "a", "busy"),
            pytest.raises(OutflankError, match="busy"),
            file_lock(tmp_path / "a", "busy"),
        ):
            pass
    assert list(tmp_path.iterdir()) == []


class OpenFiles:
    """Windows' answer while a process has the target open: for `refusals` attempts."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, refusals: int) -> None:
        self.left, really = refusals, Path.replace

        def replace(path: Path, target: Path) -> Path:
            if self.left:
                self.left -= 1
                raise PermissionError(errno.EACCES, "Access is denied")
            return really(path, target)

        monkeypatch.setattr(Path, "replace", replace)


def test_a_file_that_is_open_is_replaced_once_it_is_closed(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(files, "move", windows.move)
    path = tmp_path / "a"
    path.write_text("old")
    open_files = OpenFiles(monkeypatch, refusals=3)
    write_whole(path, "new")
    assert (path.read_text(), open_files.left) == ("new", 0)
    monkeypatch.setattr(windows, "MOVE_SECONDS", 0.05)
    OpenFiles(monkeypatch, refusals=1000)
    with pytest.raises(PermissionError):
        write_whole(path, "newer")
    assert [(each.name, each.read_text()) for each in tmp_path.iterdir()] == [("a", "new")]
