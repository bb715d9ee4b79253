"""Processor time of another process: what it has had, and what it would have had if nothing else had kept it waiting.

Measured from outside, for every process in the same way, and only on Linux: elsewhere nothing is known.
"""

import os
import sys
import time
from contextlib import nullcontext, suppress
from dataclasses import dataclass

from outflank.machine import usable_cores

_CHILDREN_TIMES = slice(13, 15)
"""`cutime` and `cstime` among the fields of `/proc/PID/stat` that follow the name: the 16th and 17th of all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessorUse:
    """What one side of a game used while it was thinking."""

    thinking_seconds: float = 0.0
    """Wall clock, from questions to answers."""
    cpu_seconds: float = 0.0
    """Processor time of its process and of the processes that this has started."""
    entitled_seconds: float = 0.0
    """Processor time that it would have had with nothing to wait for: what it had and what its threads waited for a
    processor, at most the wall clock times the cores."""

    def __add__(self, other: "ProcessorUse") -> "ProcessorUse":
        return ProcessorUse(
            thinking_seconds=self.thinking_seconds + other.thinking_seconds,
            cpu_seconds=self.cpu_seconds + other.cpu_seconds,
            entitled_seconds=self.entitled_seconds + other.entitled_seconds,
        )

    @property
    def share(self) -> float:
        """The part of what it was entitled to that it had: 1 where it never waited."""
        return self.cpu_seconds / self.entitled_seconds if self.entitled_seconds > 0 else 1.0


@dataclass(frozen=True, slots=True)
class ProcessorReading:
    """What a process has used by a moment."""

    cpu_seconds: float
    threads: dict[int, tuple[int, int]]
    """Nanoseconds that each thread which is alive has run, and has waited for a processor while it could have run."""

    def until(self, later: "ProcessorReading", thinking_seconds: float) -> ProcessorUse:
        """Return what was used between this reading and a later one, `thinking_seconds` of wall clock apart."""
        cpu = max(0.0, later.cpu_seconds - self.cpu_seconds)
        ran, served = 0, 0.0
        for thread, (run_after, wait_after) in later.threads.items():
            run_before, wait_before = self.threads.get(thread, (0, 0))
            run, wait = run_after - run_before, wait_after - wait_before
            if run > 0:
                # By what each ran: one that only hands on messages may wait long, and wants next to nothing.
                ran, served = ran + run, served + run * run / (run + max(0, wait))
        # Threads that have ended took their waiting with them: those that are left stand for them.
        wanted = cpu * ran / served if served > 0 else cpu
        most = thinking_seconds * usable_cores()
        return ProcessorUse(
            thinking_seconds=thinking_seconds, cpu_seconds=cpu, entitled_seconds=max(cpu, min(wanted, most))
        )


def processor_reading(pid: int) -> ProcessorReading | None:
    """Read what a process and its descendants have used so far; None where it is gone, or the system does not tell."""
    if sys.platform != "linux":
        return None
    try:
        reading = _of_one(pid)
    except (OSError, ValueError, IndexError):
        return None
    for child in _children(pid):
        below = processor_reading(child)
        if below is not None:  # else it has ended meanwhile
            reading = ProcessorReading(reading.cpu_seconds + below.cpu_seconds, {**reading.threads, **below.threads})
    return reading


def _of_one(pid: int) -> ProcessorReading:
    # The clock of a process, in nanoseconds; `clock_getcpuclockid` of C makes its number so, and Python has none.
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
    found: list[int] = []
    with suppress(OSError):
        for thread in os.listdir(f"/proc/{pid}/task"):
            with suppress(OSError):
                found += [int(word) for word in _text(f"/proc/{pid}/task/{thread}/children").split()]
    return found


def _text(path: str) -> str:
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()
