"""Runs: a first task, the workers that run it, and their statistics."""

import re
import time
from dataclasses import dataclass
from functools import cache
from types import FunctionType

import numpy as np

from outflank.errors import InvalidOption, OutflankError
from outflank.forkjoin.calling import call_entry, checked_arguments, entry_of, put_arguments, result_in
from outflank.forkjoin.declared_types import REFUSED, NotATask, Result
from outflank.forkjoin.recording import BEGIN, END, Probe, Recording, Silent, note
from outflank.forkjoin.scheduling import ALL_SLEEPERS, steal_until_over
from outflank.forkjoin.shared_state import FRAME, FRAME_BYTES, FRAMES, HAND, RUN, Hand, frame_at, run_of
from outflank.forkjoin.tasks import Task, Unbound, bound, task_of
from outflank.forkjoin.worker import make_worker
from outflank.kernels import observers
from outflank.kernels.atomics import fetch_add, store
from outflank.kernels.compiler import dispatcher_for, inner, interpreted, raise_explanation
from outflank.kernels.lowering import Dispatcher
from outflank.kernels.memory import address_of
from outflank.kernels.record_types import Record, allocate
from outflank.kernels.waiting import wake
from outflank.kernels.workers import run_workers
from outflank.machine import MOST_WORKERS, usable_cores


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerStatistics:
    """Statistics of one worker in a run."""

    spawns: int
    """Tasks that the worker spawned."""
    steals: int
    """Tasks that the worker stole from others."""
    tries: int
    """Attempts to steal, successful ones included."""
    shortages: int
    """Spawned tasks that were not offered to others, because all frames were in use."""
    idle_seconds: float
    """Time that the worker spent without a task."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The result of a run, its time and the statistics of its workers."""

    value: Result
    """Result of the first task."""
    seconds: float
    """Wall clock from the start of the workers' threads to the end of the last one."""
    workers: tuple[WorkerStatistics, ...]

    @property
    def spawns(self) -> int:
        """Tasks that were spawned."""
        return sum(worker.spawns for worker in self.workers)

    @property
    def steals(self) -> int:
        """Tasks that were stolen: run by a worker other than the one that spawned them."""
        return sum(worker.steals for worker in self.workers)


def run(task: Task, *arguments: object, workers: int | None = None, data: object = ()) -> Result:
    """Run a task with these arguments on `workers` workers, by default one per core; return its result.

    All tasks share `data`, for example a tuple of arrays, and read it as `worker.data`.
    """
    return measure(task, *arguments, workers=workers, data=data).value


def measure(
    task: Task, *arguments: object, workers: int | None = None, data: object = (), recording: Recording | None = None
) -> Outcome:
    """Run a task as `run` does; return its result with statistics, and record the events if there is a `recording`."""
    task = task_of(task)
    count = max(1, int(usable_cores())) if workers is None else workers
    if not isinstance(count, int) or not 1 <= count <= MOST_WORKERS:
        raise InvalidOption(f"workers={count!r}: a number from 1 to {MOST_WORKERS:,}")
    memory = _Memory(count)
    frame = frame_at(memory.first_frame)
    put_arguments(frame, checked_arguments(task, arguments))
    probes = [Silent()] * count if recording is None else recording.probes(count)
    shared = _watched(data)
    calls = [
        (memory.hands[number], shared, probes[number], memory.first_frame if number == 0 else 0)
        for number in range(count)
    ]
    kernel = _kernel_of(task)
    if not isinstance(kernel, FunctionType):
        _compile(kernel, calls[0])
    began = time.perf_counter()
    run_workers(kernel, calls, stop=memory.stop)
    seconds = time.perf_counter() - began
    if recording is not None:
        recording.finish()
    hands = memory.hands
    unsynced = int(np.sum(hands["spawns"]) - np.sum(hands["syncs"]))
    if unsynced:
        what = "1 spawned task was" if unsynced == 1 else f"{unsynced:,} spawned tasks were"
        raise OutflankError(f"{task.__name__}: {what} never synced; sync every child")
    statistics = tuple(
        WorkerStatistics(
            spawns=int(hands["spawns"][number]),
            steals=int(hands["steals"][number]),
            tries=int(hands["tries"][number]),
            shortages=int(hands["shortages"][number]),
            idle_seconds=int(hands["idle_ns"][number]) / 1e9,
        )
        for number in range(count)
    )
    return Outcome(value=result_in(task, frame), seconds=seconds, workers=statistics)


class _Memory:
    """The records of a run."""

    def __init__(self, count: int) -> None:
        self.hands = allocate(HAND, count)
        self._runs, self._frames = allocate(RUN, 1), allocate(FRAME, count * FRAMES + 1)
        self.first_frame = address_of(self._frames)
        """Address of the frame of the first task."""
        run = self._runs[0]
        run.workers, run.count = address_of(self.hands), count
        self.hands["id"] = np.arange(count)
        self.hands["run"] = address_of(self._runs)
        self.hands["random"] = [(number + 1) * 0x9E3779B97F4A7C15 % 2**63 for number in range(count)]
        self.hands["fresh"] = self.first_frame + FRAME_BYTES * (1 + FRAMES * np.arange(count))
        self.hands["end"] = self.hands["fresh"] + FRAME_BYTES * FRAMES

    def stop(self) -> None:
        """Make all workers give up."""
        for number in range(len(self.hands)):
            store(self.hands[number], "stop", 1)
        _close(self._runs[0])


def _watched(data: object) -> object:
    """Return `data` with arrays that report their accesses, if an observer is installed."""
    if observers.observer is None:
        return data
    if isinstance(data, np.ndarray):
        return observers.WatchedArray.over(data)
    if isinstance(data, tuple):
        parts = [_watched(part) for part in data]
        return data._make(parts) if hasattr(data, "_make") else tuple(parts)
    return data


# --- the kernel of a run ---


@inner
def _close(run: Record) -> None:
    """End a run: wake the workers that sleep."""
    store(run, "over", 1)
    fetch_add(run, "wake", 1)
    wake(run, "wake", ALL_SLEEPERS)


TASK: Unbound = None
"""The first task of a run. Each kernel has its own copy of `work`, with its own task."""


def work(hand: Hand, data: object, probe: Probe, address: int) -> None:
    """Run the first task, whose arguments are in the frame at `address`. If `address` is 0, help other workers until
    the first task has returned."""
    worker = make_worker(hand, data, probe)
    if address != 0:
        note(probe, BEGIN, 0, hand)
        call_entry(entry_of(TASK, worker), worker, address)
        note(probe, END, 0, hand)
        _close(run_of(hand))
    else:
        steal_until_over(worker)


@cache
def _kernel_of(task: Task) -> "Dispatcher | FunctionType":
    """Return the kernel that runs a task and all the tasks that it may spawn; in the interpreter, a plain function."""
    function = bound(work, "work", task.py_func, TASK=task)
    return function if interpreted() else dispatcher_for(function, task.name)


def _compile(kernel: Dispatcher, arguments: tuple[object, ...]) -> None:
    """Compile a kernel for these arguments, if necessary, before the run is timed."""
    from numba import typeof

    try:
        kernel.compile(tuple(map(typeof, arguments)))
    except Exception as error:
        if match := re.search(f"{REFUSED}(.*)", str(error)):
            raise NotATask(match[1]) from None
        raise_explanation(error)
        raise
