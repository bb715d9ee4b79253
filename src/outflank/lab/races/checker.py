"""Searches under a scheduler of our own, every access to shared memory watched."""

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
from outflank.search.division import chosen_scheme
from outflank.search.table import Table

T = TypeVar("T")

STEPS = 2_000_000
"""Accesses and waits that a search may take. Those of a few thousand nodes take some hundred thousand."""

TABLE_BITS = 6
"""A small table, unless another is asked for: what is crowded meets more often."""


class Watcher:
    """Schedules the threads of one run and writes down what they do."""

    def __init__(self, seed: str, steps: int, table: Table | None = None) -> None:
        self.scheduler = Scheduler(seed, steps)
        self._names = Names(table)
        self._touches = Touches()
        self.history = History(name=self._names.at)

    @property
    def threads(self) -> list[str]:
        """Names of the strands; the first is the one that leads."""
        return ["leader", *(strand.thread.name for strand in self.scheduler.strands[1:])]

    # --- what kernels tell ---

    def turn(self, atomic: bool) -> None:
        if self.scheduler.current is not None:
            self.scheduler.turn(atomic)

    def touched(self, address: int, kind: str, order: str) -> None:
        strand = self.scheduler.current
        if strand is not None:
            self.history.touched(strand.index, self._touches.made(kind, order), address)

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
        self._names.placed(address, dtype)

    def started(self, thread: threading.Thread) -> None:
        strand = self.scheduler.current
        if strand is not None:
            self.scheduler.started(thread)
            self.history.forked(strand.index)

    def run(self, body: Callable[[], None]) -> None:
        self.scheduler.run(body)

    def joins(self, thread: threading.Thread) -> None:
        strand = self.scheduler.current
        for other in self.scheduler.strands:
            if strand is not None and other.thread is thread:
                self.scheduler.joins(other)
                self.history.joined(strand.index, other.index)


def watched(body: Callable[[], T], watcher: Watcher) -> tuple[T | None, str | None]:
    """What `body` returns when `watcher` watches it, or why it did not come to its end."""
    with watched_by(watcher):
        try:
            return body(), None
        except Abandoned:
            return None, f"no end within {watcher.scheduler.most_steps:,} steps"
        except Exception as failure:  # what a race has led to, perhaps: it must not hide the race
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
    """Search `board` under so many schedules, and find the races of all of them.

    Needs kernels that run in the interpreter: set `NUMBA_DISABLE_JIT=1`. The schedules are drawn from `seed`, and the
    same seed gives the same findings. Only sequentially consistent runs are made: what a weaker memory would do beyond
    them shows as the race that lets it, not as a wrong value. A search that `nodes` stop has no value to be compared.
    The options are those of `search`.
    """
    if not interpreted():
        raise OutflankError("races are looked for in the interpreter: set NUMBA_DISABLE_JIT=1")
    settings = {"table_bits": TABLE_BITS, **options}
    bits = settings.pop("table_bits")
    chosen = Options(**settings, parallel=parallel, workers=workers)
    chosen_scheme(chosen)  # refuses what cannot be
    if chosen.algorithm in MONTE_CARLO:
        raise OutflankError(f"{chosen.algorithm} has no value that schedules could agree on: choose a search")
    expected = search(board, Limits(depth=depth), **settings, table_bits=bits, workers=1).value
    assert expected is not None  # nothing limits it but its depth
    limits = Limits(depth=depth, nodes=nodes)
    found = []
    for number in range(schedules):
        table = None if bits is None else Table(bits)
        shared = {**settings, "table": table, "table_bits": None, "parallel": parallel, "workers": workers}
        watcher = Watcher(f"{seed}/{number}", steps, table)
        result, trouble = watched(partial(search, board, limits, **shared), watcher)
        found.append(
            RaceFindings(
                races=races_of(watcher.history.pairs, watcher.threads),
                schedules=1,
                steps=watcher.scheduler.steps,
                accesses=watcher.history.accesses,
                unfinished=() if trouble is None else (f"schedule {number} of seed {seed}: {trouble}",),
                values=() if result is None or result.stopped or result.value is None else ((result.value, expected),),
                unseen=(),
            )
        )
    return together(found)
