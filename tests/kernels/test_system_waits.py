"""How workers wait on other systems: their calls, supplied by a shim, in a search on this one."""

import json
import os
import subprocess
import sys
from typing import Any

import pytest

from outflank.kernels import system_waits

SEARCH = """
import ctypes, json, sys, time
from collections import Counter

from llvmlite import binding

from outflank import OthelloBoard, search
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

board = OthelloBoard.start(6)
started = time.perf_counter()
results = [search(board, depth=depth, workers=2, parallel="ybw", evaluation="mobility") for depth in (7, 8, 9)]
limited = search(board, seconds=0.3, workers=2, parallel="ybw", evaluation="mobility")
print(json.dumps({"values": [result.value for result in results], "seconds": limited.seconds, "calls": calls}))
"""


def searched(system: str, folder: Any) -> dict[str, Any]:
    environment = {**os.environ, "OUTFLANK_CACHE_DIR": str(folder / system)}  # kernels of no other system
    done = subprocess.run([sys.executable, "-c", SEARCH, system], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.compiled
@pytest.mark.slow(90)
def test_workers_wait_on_every_system_and_find_the_same_values(tmp_path) -> None:
    here, posix, windows = (searched(system, tmp_path) for system in ("here", "posix", "windows"))
    assert here["values"] == posix["values"] == windows["values"]
    assert {"sched_yield", "usleep"} == set(posix["calls"])
    assert {"SwitchToThread", "Sleep", "QueryPerformanceCounter", "QueryPerformanceFrequency"} == set(windows["calls"])
    for found in (here, posix, windows):
        assert 0.1 < found["seconds"] < 5


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
