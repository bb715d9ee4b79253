"""Times at which a core of this machine ran nothing: the host of a virtual machine had taken it away.

Each core is watched by a process that sleeps for a millisecond at a time, at a real-time priority that no other program
here can preempt: whatever delays it delays them all. Linux's count of stolen time says how much it was in all, not when
and for how long. Only a user who may set that priority (root) can watch.
"""

import os
import subprocess
import sys
import threading
import time
from types import TracebackType
from typing import Self

PRIORITY = 50
SLEEP_SECONDS = 0.001
SHORTEST_SECONDS = 0.002
"""Stalls that are shorter are not reported: a sleep ends that late on its own."""


class StallMonitor:
    """Collects the stalls of all cores of this process. `with` begins and ends it; where it may not, it has none."""

    def __init__(self) -> None:
        self._stalls: list[tuple[float, float]] = []
        self._watchers: list[subprocess.Popen[str]] = []

    def __enter__(self) -> Self:
        if not _may_watch():
            return self
        for core in sorted(os.sched_getaffinity(0)):
            command = [sys.executable, "-m", "benchmarks.stalls", str(core)]
            watcher = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True)
            threading.Thread(target=self._read, args=(watcher,), daemon=True).start()
            self._watchers.append(watcher)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        for watcher in self._watchers:
            watcher.kill()
            watcher.wait()

    @property
    def is_watching(self) -> bool:
        """Whether stalls are seen at all."""
        return bool(self._watchers)

    def note(self, began: float, ended: float) -> None:
        """Add a stall."""
        self._stalls.append((began, ended))

    def longest_seconds(self, began: float, ended: float) -> float:
        """Return the longest stall of a core between two times of `time.perf_counter`, which all processes share."""
        return max((0.0, *(min(end, ended) - max(begin, began) for begin, end in self._stalls)))

    def count(self, seconds: float) -> int:
        """Return how many stalls were longer than that."""
        return sum(end - begin > seconds for begin, end in self._stalls)

    def _read(self, watcher: "subprocess.Popen[str]") -> None:
        assert watcher.stdout is not None
        for line in watcher.stdout:
            began, ended = map(float, line.split())
            self.note(began, ended)


def _may_watch() -> bool:
    if not hasattr(os, "sched_setscheduler"):
        return False
    before = os.sched_getscheduler(0), os.sched_getparam(0)
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(PRIORITY))
    except PermissionError:
        return False
    os.sched_setscheduler(0, *before)
    return True


def watch(core: int) -> None:
    """Print when each stall of a core began and ended, for ever."""
    os.sched_setaffinity(0, {core})
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(PRIORITY))
    last = time.perf_counter()
    while True:
        time.sleep(SLEEP_SECONDS)
        now = time.perf_counter()
        if now - last - SLEEP_SECONDS > SHORTEST_SECONDS:
            print(last + SLEEP_SECONDS, now, flush=True)
            now = time.perf_counter()
        last = now


if __name__ == "__main__":
    watch(int(sys.argv[1]))
