"""Searches under a deterministic scheduler that watches every access to shared memory."""

import threading
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

import numpy as np

from outflank.boards import Board
from outflank.errors import OutflankError
from outflank.kernels.compiler import interpreted
from outflank.kernels.observers import watched_by
from outflank.lab.races.clocks import History
from outflank.lab.races.findings import RaceFindings, races_of, together
from outflank.lab.races.places import Names, Touches
from outflank.lab.races.scheduler import Abandoned, Scheduler
from outflank.lab.search_log import search
from outflank.search.checking import MONTE_CARLO
from outflank.search.contract import Limits, Options
from outflank.search.division import select_scheme
from outflank.search.table import Table

T = TypeVar("T")

STEPS = 2_000_000
"""Most accesses and waits of a search. Searches of a few thousand nodes take some hundred thousand."""

TABLE_BITS = 6
"""Default table size: in a small table, accesses collide more often."""


class Watcher:
    """An observer that schedules the threads of one run and records their accesses."""

    def __init__(self, seed: str, steps: int, table: Table | None = None) -> None:
        self.scheduler = Scheduler(seed, steps)
        self._names = Names(table)
        self._touches = Touches()
        self.history = History(name=self._names.at)

    @property
    def threads(self) -> list[str]:
        """Names of the strands; the first is the leader."""
        return ["leader", *(strand.thread.name for strand in self.scheduler.strands[1:])]

    # --- notifications from kernels ---

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

    def placed(self, address: int, dtype: np.dtype[Any]) -> None:
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
    """Run `body` under a watcher; return its result, or None and the reason why it did not finish."""
    with watched_by(watcher):
        try:
            return body(), None
        except Abandoned:
            return None, f"no end within {watcher.scheduler.most_steps:,} steps"
        except Exception as failure:  # perhaps the effect of a race, which it must not hide
            return None, f"{type(failure).__name__}: {failure}"
        finally:
            watcher.scheduler.abandon()


def check(
    board: Board[Any],
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
    """Search `board` under `schedules` schedules, and return the races of all of them.

    Kernels must run in the interpreter: set `NUMBA_DISABLE_JIT=1`. The schedules are drawn from `seed`, and the same
    seed gives the same findings. All runs are sequentially consistent: effects of weaker memory appear as the race that
    allows them, not as a wrong value. A search stopped by `nodes` has no value to compare. The options are those of
    `search`.
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
    assert expected is not None  # only its depth limits the search
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
