"""What threads of a device have to do, and how they share it when there is too little.

Each takes the next ending of a list. When none is left that was asked for, and an ending has taken long, it is divided
among those that have nothing to do: its most promising move first; when that has a value, all others at once are asked
whether they are better. Whoever brings the last value takes it up to where the ending came from. It is the search of
`parallel/` once more, for a hundred thousand threads that have no stack to wait in.
"""

from typing import Any, NamedTuple

import numpy as np

from outflank.games.endings import freedom, open_cells, put
from outflank.games.rules import pack, unpack
from outflank.gpu.compiling import device_kernel
from outflank.gpu.device import cuda
from outflank.gpu.threads import added, fence, raised, seen
from outflank.kernels.bits import U64, bit_at, lowest, popcount
from outflank.kernels.compiler import inner

ZERO, ONE = U64(0), U64(1)

TAKEN, WRITTEN, OPEN, NODES = 0, 1, 2, 3
"""The places of a tally."""


class Jobs(NamedTuple):
    """What there is to solve: first what was asked for, then what that was divided into."""

    words: Any
    windows: Any
    values: Any
    parents: Any
    """The job that each is a move of; -1: it was asked for."""
    ready: Any
    """Whether it has been written."""
    firsts: Any
    """Of one that was divided, the cell of the move that is tried before the others."""
    best: Any
    """The best value of its moves so far."""
    pending: Any
    """How many of its moves have no value yet; -1: its first move has none."""


@inner
def is_cut(jobs: Any, job: Any) -> Any:
    """Whether one of its moves is as good as can matter."""
    return seen(jobs.pending, job) >= 0 and seen(jobs.best, job) >= jobs.windows[job, 1]


@inner
def _write(game: Any, jobs: Any, place: Any, child: Any, parent: Any, low: Any, high: Any) -> None:
    """A move of a job, asked in a window of the job's."""
    jobs.words[place, 0], jobs.words[place, 1] = pack(game, child)
    jobs.windows[place, 0], jobs.windows[place, 1] = -high, -low
    jobs.parents[place] = parent
    jobs.pending[place] = -1
    fence()
    added(jobs.ready, place, 1)


@inner
def divided(game: Any, tables: Any, jobs: Any, tally: Any, job: Any) -> Any:
    """Whether there was room to let others do a job: its most promising move first."""
    position = unpack(game, jobs.words[job, 0], jobs.words[job, 1])
    todo = open_cells(game, tables, position)
    if todo == ZERO or seen(tally, WRITTEN) >= len(jobs.ready):
        return False
    place = np.int64(added(tally, WRITTEN, 1))
    if place >= len(jobs.ready):
        return False
    least, first = np.int64(1 << 10), ZERO
    while todo != ZERO:
        cell = U64(lowest(todo))
        todo &= todo - ONE
        child, _ = put(game, tables, position, cell)
        can = np.int64(freedom(game, tables, open_cells(game, tables, child)))
        if can < least:
            least, first = can, cell
    jobs.firsts[job] = first
    child, _ = put(game, tables, position, first)
    _write(game, jobs, place, child, job, jobs.windows[job, 0], jobs.windows[job, 1])
    return True


@inner
def _others_written(game: Any, tables: Any, jobs: Any, tally: Any, job: Any, alpha: Any) -> Any:
    """Ask whether any other move of a job is better; how many there are, or -1 where there was no room for them."""
    position = unpack(game, jobs.words[job, 0], jobs.words[job, 1])
    todo = open_cells(game, tables, position) & ~bit_at(jobs.firsts[job])
    number = popcount(todo)
    if number == 0:
        return number
    place = np.int64(added(tally, WRITTEN, number))
    if place + number > len(jobs.ready):
        return -1
    added(jobs.pending, job, number + 1)
    while todo != ZERO:
        child, _ = put(game, tables, position, U64(lowest(todo)))
        todo &= todo - ONE
        _write(game, jobs, place, child, job, alpha, alpha + 1)
        place += 1
    return number


@inner
def delivered(game: Any, tables: Any, jobs: Any, tally: Any, job: Any, value: Any) -> Any:
    """Bring a value up to what it is of use for; the job that the thread must do next, or -1."""
    while True:
        parent = np.int64(jobs.parents[job])
        if parent < 0:
            jobs.values[job] = value
            fence()
            added(tally, OPEN, -1)
            return np.int64(-1)
        value = -value
        low, high = np.int64(jobs.windows[parent, 0]), np.int64(jobs.windows[parent, 1])
        if seen(jobs.pending, parent) < 0:  # its first move
            jobs.best[parent] = value
            fence()
            if value < high:
                number = _others_written(game, tables, jobs, tally, parent, max(low, value))
                if number > 0:
                    return np.int64(-1)
                if number < 0:
                    jobs.windows[parent, 0] = max(low, value)
                    return parent
        else:
            asked_low, asked_high = -np.int64(jobs.windows[job, 1]), -np.int64(jobs.windows[job, 0])
            if value > asked_low and value < high and asked_high < high:
                jobs.windows[job, 0], jobs.windows[job, 1] = -high, -(value - 1)
                jobs.pending[job] = -1
                fence()
                return job
            raised(jobs.best, parent, value)
            fence()
            if added(jobs.pending, parent, -1) != 1:
                return np.int64(-1)
            fence()
            value = np.int64(seen(jobs.best, parent))
        job = parent


@device_kernel
def prepare(jobs: Any, tally: Any, asked_for: Any) -> None:
    """Make jobs ready: so many are asked for."""
    for job in range(cuda.grid(1), len(jobs.ready), cuda.gridsize(1)):
        jobs.ready[job] = 0
        jobs.pending[job] = -1
        if job < asked_for:
            jobs.parents[job] = -1
    if cuda.grid(1) == 0:
        tally[TAKEN], tally[WRITTEN], tally[OPEN], tally[NODES] = 0, asked_for, asked_for, 0
