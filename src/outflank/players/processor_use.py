"""Measures the processor time of another process, and the time that it would have had on an idle machine.

Every process is measured from outside, in the same way. Only Linux has the counters that this needs.
"""

import os
import sys
import time
from contextlib import nullcontext, suppress
from dataclasses import dataclass

from outflank.machine import usable_cores

_CHILDREN_TIMES = slice(13, 15)
"""Indices of `cutime` and `cstime` (fields 16 and 17 of `/proc/PID/stat`) among the fields after the process's name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessorUse:
    """Processor time that one side of a game used while it was thinking."""

    thinking_seconds: float = 0.0
    """Wall-clock time from each request for a move to its answer."""
    cpu_seconds: float = 0.0
    """Processor time of the player's process and its descendants while the player was thinking."""
    entitled_seconds: float = 0.0
    """Processor time that the player would have had on an idle machine: the time that its threads ran or waited for a
    core, at most wall-clock time × cores."""

    def __add__(self, other: "ProcessorUse") -> "ProcessorUse":
        return ProcessorUse(
            thinking_seconds=self.thinking_seconds + other.thinking_seconds,
            cpu_seconds=self.cpu_seconds + other.cpu_seconds,
            entitled_seconds=self.entitled_seconds + other.entitled_seconds,
        )

    @property
    def share(self) -> float:
        """`cpu_seconds` / `entitled_seconds`, which is 1 if no thread ever waited for a core."""
        return self.cpu_seconds / self.entitled_seconds if self.entitled_seconds > 0 else 1.0


@dataclass(frozen=True, slots=True)
class ProcessorReading:
    """Processor-time counters of a process and its descendants at one moment."""

    cpu_seconds: float
    threads: dict[int, tuple[int, int]]
    """For each living thread: nanoseconds that it has run, and nanoseconds that it has waited for a core."""

    def until(self, later: "ProcessorReading", thinking_seconds: float) -> ProcessorUse:
        """Return the processor use between this reading and a `later` one, which follows after `thinking_seconds`."""
        cpu = max(0.0, later.cpu_seconds - self.cpu_seconds)
        ran, served = 0, 0.0
        for thread, (run_after, wait_after) in later.threads.items():
            run_before, wait_before = self.threads.get(thread, (0, 0))
            run, wait = run_after - run_before, wait_after - wait_before
            if run > 0:
                # Weighted by run time: a thread that only passes messages on may wait long, but runs almost never.
                ran, served = ran + run, served + run * run / (run + max(0, wait))
        # The waiting time of threads that have ended is unknown. It is estimated from the threads that still live.
        entitled = cpu * ran / served if served > 0 else cpu
        most = thinking_seconds * usable_cores()
        return ProcessorUse(
            thinking_seconds=thinking_seconds, cpu_seconds=cpu, entitled_seconds=max(cpu, min(entitled, most))
        )


def processor_reading(pid: int) -> ProcessorReading | None:
    """Read the counters of a process and its descendants; None if it has ended or the system lacks such counters."""
    if sys.platform != "linux":
        return None
    try:
        reading = _own_reading(pid)
    except (OSError, ValueError, IndexError):
        return None
    for child in _children(pid):
        child_reading = processor_reading(child)
        if child_reading is not None:  # None: the child has ended meanwhile
            reading = ProcessorReading(
                reading.cpu_seconds + child_reading.cpu_seconds, {**reading.threads, **child_reading.threads}
            )
    return reading


def _own_reading(pid: int) -> ProcessorReading:
    # The clock of a process, in nanoseconds. Its id is computed as in C's `clock_getcpuclockid`, which Python lacks.
    cpu = time.clock_gettime((~pid << 3) | 2)
    stat = _text(f"/proc/{pid}/stat")
    ended_children = sum(map(int, stat[stat.rindex(")") + 2 :].split()[_CHILDREN_TIMES]))
    threads = {}
    for thread in os.listdir(f"/proc/{pid}/task"):
        with suppress(OSError) if thread != str(pid) else nullcontext():
            ran, waited, *_ = _text(f"/proc/{pid}/task/{thread}/schedstat").split()
            threads[int(thread)] = int(ran), int(waited)
    return ProcessorReading(cpu + ended_children / os.sysconf("SC_CLK_TCK"), threads)


def _children(pid: int) -> list[int]:
    pids: list[int] = []
    with suppress(OSError):
        for thread in os.listdir(f"/proc/{pid}/task"):
            with suppress(OSError):
                pids += [int(word) for word in _text(f"/proc/{pid}/task/{thread}/children").split()]
    return pids


def _text(path: str) -> str:
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()
