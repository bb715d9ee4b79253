"""How workers wait on other systems: their calls, supplied by a shim, in a search on this one."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from outflank import OthelloBoard, search
from outflank.folders import cache_folder
from outflank.kernels import system_waits

PROGRAM = """
import ctypes, json, sys, time
from collections import Counter

from llvmlite import binding

from outflank import OthelloBoard, search
from outflank.forkjoin import run, spawn, sync, task
from outflank.folders import cache_folder
from outflank.kernels import system_waits

calls, kept = Counter(), []


def supply(name, function, returns, *arguments):
    def called(*values):
        calls[name] += 1
        return function(*values)

    kept.append(ctypes.CFUNCTYPE(returns, *arguments)(called))
    binding.add_symbol(name, ctypes.cast(kept[-1], ctypes.c_void_p).value)


def write(address, value):
    address[0] = value
    return 1


if sys.argv[1] == "windows":
    system_waits.HERE = system_waits.Windows()
    words = ctypes.POINTER(ctypes.c_int64)
    supply("SwitchToThread", lambda: time.sleep(0) or 1, ctypes.c_int)
    supply("Sleep", lambda milliseconds: time.sleep(milliseconds / 1000), None, ctypes.c_uint32)
    # A clock of ten million ticks a second, as Windows has it.
    supply("QueryPerformanceCounter", lambda at: write(at, time.perf_counter_ns() // 100), ctypes.c_int, words)
    supply("QueryPerformanceFrequency", lambda at: write(at, 10_000_000), ctypes.c_int, words)
elif sys.argv[1] == "posix":
    system_waits.HERE = system_waits.Posix()
    supply("sched_yield", lambda: time.sleep(0) or 0, ctypes.c_int)
    supply("usleep", lambda microseconds: time.sleep(microseconds / 1e6) or 0, ctypes.c_int, ctypes.c_uint32)
"""

SEARCH = """
board = OthelloBoard.start(6)
results = [search(board, depth=depth, workers=2, parallel="ybw", evaluation="mobility") for depth in (7, 8, 9)]
limited = search(board, seconds=0.3, workers=2, parallel="ybw", evaluation="mobility")
found = {"values": [result.value for result in results], "seconds": limited.seconds}
"""

SAY = """
print(json.dumps(found | {"calls": calls}))
"""

FORK_JOIN = """
@task
def odd_bits(worker, first: int, count: int, grain: int) -> int:
    if count <= grain:
        total = 0
        for number in range(first, first + count):
            total += (number ^ total >> 3) & 1
        return total
    half = count // 2
    left = spawn(worker, odd_bits, first, half, grain)
    right = odd_bits(worker, first + half, count - half, grain)
    return sync(worker, left) + right

# One task, while the other worker waits; then many.
found = {"values": [run(odd_bits, 0, 64_000_000, grain, workers=2) for grain in (64_000_000, 1_000_000)]}
"""


def found_on(system: str, program: str, folder: Path) -> dict[str, Any]:
    """Run a program with the calls of a system, and kernels that were compiled with them."""
    file = folder / f"{system}.py"
    file.write_text(PROGRAM + program + SAY)
    environment = {**os.environ, "OUTFLANK_CACHE_DIR": str(folder / system)}
    done = subprocess.run([sys.executable, str(file), system], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def keep_kernels_that_do_not_wait(folder: Path) -> None:
    """Copy all that is compiled, and the same on every system, to a cache of a test's own."""
    waits = (b"sched_yield", b"usleep", b"syscall", b"clock_gettime")
    for file in cache_folder().glob("kernels/*/*.kernel"):
        if not any(call in file.read_bytes() for call in waits):
            into = folder / file.relative_to(cache_folder())
            into.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, into)


@pytest.mark.compiled
@pytest.mark.slow(20)
def test_a_search_with_the_calls_of_windows_finds_the_same_values(tmp_path) -> None:
    """Its clock is another one as well."""
    names: dict[str, Any] = {"OthelloBoard": OthelloBoard, "search": search}
    exec(SEARCH, names)
    here: dict[str, Any] = names["found"]
    keep_kernels_that_do_not_wait(tmp_path / "windows")
    windows = found_on("windows", SEARCH, tmp_path)
    assert here["values"] == windows["values"]
    assert {"SwitchToThread", "Sleep", "QueryPerformanceCounter", "QueryPerformanceFrequency"} == set(windows["calls"])
    for found in (here, windows):
        assert 0.1 < found["seconds"] < 5


@pytest.mark.compiled
@pytest.mark.slow(8)
def test_tasks_with_the_calls_of_posix_find_the_same_values(tmp_path) -> None:
    """Of a search, whose workers wait as those of tasks do, most is not compiled for this."""
    here, posix = (found_on(system, FORK_JOIN, tmp_path) for system in ("here", "posix"))
    assert here["values"] == posix["values"]
    assert {"sched_yield", "usleep"} == set(posix["calls"])


@pytest.mark.interpreted_only
@pytest.mark.parametrize(
    ("system", "processor", "kind"),
    [
        ("linux", "x86_64", system_waits.Linux),
        ("linux", "aarch64", system_waits.Linux),
        ("linux", "riscv64", system_waits.Posix),
        ("darwin", "arm64", system_waits.Posix),
        ("win32", "AMD64", system_waits.Windows),
    ],
)
def test_the_calls_are_those_of_the_system(monkeypatch, system, processor, kind) -> None:
    monkeypatch.setattr(system_waits.sys, "platform", system)
    monkeypatch.setattr(system_waits.platform, "machine", lambda: processor)
    assert type(system_waits._chosen()) is kind
