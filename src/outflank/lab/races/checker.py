"""The race check: searches under a deterministic scheduler that records every access to shared memory."""

import sys
import threading
from bisect import bisect_right, insort
from collections.abc import Callable
from functools import partial
from types import CodeType
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from outflank.boards import Board
from outflank.errors import OutflankError
from outflank.forkjoin.shared_state import FRAME as TASK_FRAME
from outflank.forkjoin.shared_state import HAND as TASK_HAND
from outflank.forkjoin.shared_state import RUN as TASK_RUN
from outflank.kernels import atomics, memory, observers, waiting
from outflank.kernels.compiler import interpreted
from outflank.kernels.observers import watched_by
from outflank.lab.measuring.search_log import search
from outflank.lab.races.declared import SourceLine
from outflank.lab.races.findings import RaceFindings, races_of, together
from outflank.lab.races.scheduler import Abandoned, Scheduler
from outflank.lab.races.vector_clocks import History, Touch
from outflank.parallel.shared_state import CREW, FRAME, HAND
from outflank.search.division import select_scheme
from outflank.search.request import Limits, Options
from outflank.search.request_checks import MONTE_CARLO
from outflank.search.stopping import BELL
from outflank.search.table import Table
from outflank.search.worker import WORKER

TWINS = frozenset(str(module.__file__) for module in (atomics, memory, waiting, observers))
"""Source files of the Python versions of memory primitives, which access memory for their callers."""

ROWS = ("words",)  # field names of the rows that follow a frame

RECORDS: dict[tuple[str, ...] | None, str] = {
    CREW.names: "crew",
    HAND.names: "hand",
    FRAME.names: "frame",
    ROWS: "frame",
    WORKER.names: "worker",
    TASK_RUN.names: "run",
    TASK_HAND.names: "hand",
    TASK_FRAME.names: "frame",
    BELL.names: "bell",
}


class Touches:
    """A cache of the memory accesses at each source line."""

    def __init__(self) -> None:
        self._known: dict[tuple[CodeType, int, str, str], Touch] = {}

    def current(self, kind: str, order: str) -> Touch:
        """Return the memory access in progress. Its source line is the line of the innermost caller outside `TWINS`."""
        frame = sys._getframe(2)
        while frame.f_code.co_filename in TWINS:
            assert frame.f_back is not None
            frame = frame.f_back
        # Finding the line is slow, so it is done once per instruction.
        key = frame.f_code, frame.f_lasti, kind, order
        touch = self._known.get(key)
        if touch is None:
            place = SourceLine(frame.f_code.co_filename, frame.f_lineno)
            touch = self._known[key] = Touch(place, kind, order)
        return touch


class Names:
    """Names of memory addresses: fields of records, rows after a split point's record, the transposition table."""

    def __init__(self, table: Table | None) -> None:
        self._table = range(0) if table is None else range(table.address, table.address + table.nbytes)
        self._arrays: list[tuple[range, int, str]] = []  # addresses, bytes of an element, name
        self._starts: list[int] = []
        self._types: dict[int, np.dtype[np.void]] = {}

    def add_record(self, address: int, dtype: np.dtype[np.void]) -> None:
        """Register the fields of the record at `address`."""
        if address not in self._types:
            insort(self._starts, address)
        self._types[address] = dtype

    def add_array(self, name: str, array: npt.NDArray[np.generic]) -> None:
        """Register the elements of a contiguous array."""
        start = memory.address_of(array)
        self._arrays.append((range(start, start + array.nbytes), array.itemsize, name))

    def at(self, address: int) -> str:
        """Return the name of the memory at an address."""
        if address in self._table:
            return "table"
        for addresses, size, name in self._arrays:
            if address in addresses:
                return f"{name}[{(address - addresses.start) // size}]"
        index = bisect_right(self._starts, address) - 1
        if index < 0:
            return "a word"
        dtype = self._types[self._starts[index]]
        kind = RECORDS.get(dtype.names, "record")
        offset = address - self._starts[index]
        for name, field in (dtype.fields or {}).items():
            if field[1] <= offset < field[1] + field[0].itemsize:
                return f"{kind}.{name}"
        return f"{kind}.words"


T = TypeVar("T")

STEPS = 2_000_000
"""Greatest number of accesses and waits in a search. A search of a few thousand nodes takes some hundred thousand."""

TABLE_BITS = 6
"""Default number of index bits of the transposition table. In a small table, accesses collide more often."""


class Watcher:
    """An observer that schedules the threads of a search and records their accesses."""

    def __init__(self, seed: str, steps: int, table: Table | None = None) -> None:
        self.scheduler = Scheduler(seed, steps)
        self._names = Names(table)
        self._touches = Touches()
        self.history = History(name=self._names.at)

    @property
    def threads(self) -> list[str]:
        """Names of the threads, by index. The first is the leader."""
        return ["leader", *(strand.thread.name for strand in self.scheduler.strands[1:])]

    def add_array(self, name: str, array: npt.NDArray[np.generic]) -> None:
        """Give the elements of a contiguous array names for the findings."""
        self._names.add_array(name, array)

    # --- calls from kernels ---

    def turn(self, atomic: bool) -> None:
        if self.scheduler.current is not None:
            self.scheduler.turn(atomic)

    def touched(self, address: int, kind: str, order: str) -> None:
        strand = self.scheduler.current
        if strand is not None:
            self.history.record_access(strand.index, self._touches.current(kind, order), address)

    def rests(self, how: str) -> None:
        if self.scheduler.current is not None:
            self.scheduler.rests(how)

    def sleeps(self, address: int) -> None:
        if self.scheduler.current is not None:
            self.scheduler.sleeps(address)

    def wakes(self, address: int, count: int) -> None:
        if self.scheduler.current is not None:
            self.scheduler.wakes(address, count)

    def placed(self, address: int, dtype: np.dtype[np.void]) -> None:
        self._names.add_record(address, dtype)

    def started(self, thread: threading.Thread) -> None:
        strand = self.scheduler.current
        if strand is not None:
            self.scheduler.started(thread)
            self.history.fork(strand.index)

    def run(self, body: Callable[[], None]) -> None:
        self.scheduler.run(body)

    def joins(self, thread: threading.Thread) -> None:
        strand = self.scheduler.current
        for candidate in self.scheduler.strands:
            if strand is not None and candidate.thread is thread:
                self.scheduler.joins(candidate)
                self.history.join(strand.index, candidate.index)


def run_watched(body: Callable[[], T], watcher: Watcher) -> tuple[T | None, str | None]:
    """Run `body` under a watcher. Return its result and None, or None and the reason why it did not finish."""
    with watched_by(watcher):
        try:
            return body(), None
        except Abandoned:
            return None, f"no end within {watcher.scheduler.most_steps:,} steps"
        except Exception as failure:  # perhaps the effect of a race, which must still be reported
            return None, f"{type(failure).__name__}: {failure}"
        finally:
            watcher.scheduler.abandon()


def check(
    board: Board,
    *,
    parallel: str,
    workers: int,
    depth: int,
    seed: int = 1,
    schedules: int = 10,
    steps: int = STEPS,
    nodes: int | None = None,
    **options: Any,
) -> RaceFindings:
    """Search `board` under `schedules` interleavings of its threads, and return the races of all of them.

    Kernels must run in the interpreter: set `NUMBA_DISABLE_JIT=1`. The schedules are drawn from `seed`; the same seed
    gives the same findings. All runs are sequentially consistent, so an effect of weaker memory appears as the
    race that allows it, not as a wrong value. A search stopped by `nodes` has no value to compare. `options` are the
    options of `search`.
    """
    if not interpreted():
        raise OutflankError("races are looked for in the interpreter: set NUMBA_DISABLE_JIT=1")
    settings = {"table_bits": TABLE_BITS, **options}
    bits = settings.pop("table_bits")
    search_options = Options(**settings, parallel=parallel, workers=workers)
    select_scheme(search_options)  # raises if the options are impossible
    if search_options.algorithm in MONTE_CARLO:
        raise OutflankError(f"{search_options.algorithm} has no value that schedules could agree on: choose a search")
    expected = search(board, Limits(depth=depth), **settings, table_bits=bits, workers=1).value
    assert expected is not None  # the search has no limit but its depth
    limits = Limits(depth=depth, nodes=nodes)
    parts = []
    for index in range(schedules):
        table = None if bits is None else Table(bits)
        shared = {**settings, "table": table, "table_bits": None, "parallel": parallel, "workers": workers}
        watcher = Watcher(f"{seed}/{index}", steps, table)
        result, trouble = run_watched(partial(search, board, limits, **shared), watcher)
        parts.append(
            RaceFindings(
                races=races_of(watcher.history.pairs, watcher.threads),
                schedules=1,
                steps=watcher.scheduler.steps,
                accesses=watcher.history.accesses,
                unfinished=() if trouble is None else (f"schedule {index} of seed {seed}: {trouble}",),
                values=() if result is None or result.stopped or result.value is None else ((result.value, expected),),
                unseen=(),
            )
        )
    return together(parts)
