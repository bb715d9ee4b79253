"""What threads of a device have to do, and how they share it when there is too little.

Each takes the next ending of a list. A long one is divided into its moves, and those again, by the thread that has it:
the most promising move first, which that thread goes on with; when it has a value, the next in a null window. After
some of them all others are tried at once, if there are threads that have nothing to do. Whoever brings the
last value of those that are being tried goes on with the next, or takes the best up to where the ending came from. It
is the search of `parallel/` once more, for a hundred thousand threads that have no stack to wait in.

What is tried at once is often of no use, for one of the moves is good enough: without a table, drawn endings of 14 free
cells that were divided down to 10 had 3 to 5 times the nodes after one elder, 1.9 times after two, and 1.2 times after
three (a count by the same search on a CPU). But threads that have nothing to do cost nothing: on an H200 a thousand
such endings took 2.4 s after three serial moves, and 1.4 s after one. A row is free again as soon as its part has its
value: where each was used but once, 8 million of them were too few for 16,384 such endings, of which the rest was
searched by a thread each: that took 5 s instead of 2.
"""

from typing import Any, NamedTuple

import numpy as np

from outflank.games.endings import NO_SCORE, free_cells, freedom, handed_over, open_cells, put, soonest
from outflank.games.rules import pack, unpack
from outflank.gpu.compiling import device_kernel
from outflank.gpu.device import cuda
from outflank.gpu.memory import HIGHEST, LOWEST, keep
from outflank.gpu.ordering import CELL, EMPTY, FIELD, LISTED, left_to_opponent, with_move
from outflank.gpu.threads import atomic_load, exchange, fence, fetch_add, fetch_max
from outflank.kernels.bits import U64, bit_at, lowest, popcount
from outflank.kernels.compiler import inner

ZERO, ONE = U64(0), U64(1)

TAKEN, WRITTEN, OPEN, NODES, LENT, RETURNED = 0, 1, 2, 3, 4, 5
"""The places of a tally: how many jobs threads have asked for, and how many there have been; how many of those that
were asked for have no value yet; positions entered; rows that parts have been given, and that are free again."""

TALLIES = 6

SPARE = 8
"""One row of so many stays free: of a million that is more than there are threads to ask for one at the same time."""

NOBODY = 0
"""What stands where no job is waiting, or no row is free; otherwise it is the row's number and one."""


class Jobs(NamedTuple):
    """What there is to solve, a row each: first what was asked for, then what that is divided into."""

    words: Any
    windows: Any
    values: Any
    parents: Any
    """The job that each is a move of; -1: it was asked for."""
    order: Any
    """Of one that is divided, its moves in order (`ordering.py`), as far as they have not been tried."""
    left: Any
    """All of these, as bits."""
    tried: Any
    """How many others there are."""
    best: Any
    """The best value of its moves so far, at most its window's upper end."""
    pending: Any
    """How many of its moves are being tried."""
    waiting: Any
    """Parts of jobs that a thread may take, in a ring: the one with the number that it has drawn."""
    free: Any
    """Rows for parts, in a ring."""


class Plan(NamedTuple):
    """How jobs are divided."""

    asked_for: Any
    """How many there are at first."""
    undivided: Any
    """The first of them, so many, are begun by a thread for itself, be they long."""
    short: Any
    """With so many free cells or fewer, any is."""
    budget: Any
    """Nodes after which one that a thread has begun is divided nevertheless, if others have nothing to do."""
    serial_moves: Any
    """Moves of a job that are tried one after the other before all others at once."""


@inner
def is_moot(jobs: Any, job: Any) -> Any:
    """Whether nobody asks any more for the moves of a job: one of them is as good as can matter, or that holds for a
    job that this is a part of."""
    while job >= 0:
        if atomic_load(jobs.best, job) >= jobs.windows[job, 1]:
            return True
        job = np.int64(jobs.parents[job])
    return False


@inner
def has_idle(tally: Any, parts: Any) -> Any:
    """Whether so many threads have nothing to do."""
    return atomic_load(tally, TAKEN) >= atomic_load(tally, WRITTEN) + parts


@inner
def waits_at(jobs: Any, ticket: Any) -> Any:
    """The job for a thread that has drawn a number, or -1 as long as there is none."""
    place = ticket & (len(jobs.waiting) - 1)
    if atomic_load(jobs.waiting, place) == NOBODY:
        return np.int64(-1)
    job = np.int64(exchange(jobs.waiting, place, NOBODY)) - 1
    fence()
    return job


@inner
def _offer(jobs: Any, tally: Any, job: Any) -> None:
    """Let anybody take a job. Where one waits still that came a whole ring before it, that one is offered again."""
    mark = job + 1
    while mark != NOBODY:
        place = np.int64(fetch_add(tally, WRITTEN, 1)) & (len(jobs.waiting) - 1)
        mark = np.int64(exchange(jobs.waiting, place, mark))


@inner
def row_for_part(jobs: Any, tally: Any) -> Any:
    """A row for a part, or -1: there are few left."""
    if atomic_load(tally, LENT) + len(jobs.free) // SPARE > atomic_load(tally, RETURNED):
        return np.int64(-1)
    # Others may have been faster, or the row not be there yet: then it is lost, but nobody has it twice.
    place = np.int64(fetch_add(tally, LENT, 1)) & (len(jobs.free) - 1)
    return np.int64(exchange(jobs.free, place, NOBODY)) - 1


@inner
def _give_back(jobs: Any, tally: Any, row: Any) -> None:
    """A part's row, of which nobody has any more use."""
    fence()
    place = np.int64(fetch_add(tally, RETURNED, 1)) & (len(jobs.free) - 1)
    exchange(jobs.free, place, row + 1)


@inner
def _write(game: Any, jobs: Any, row: Any, child: Any, parent: Any, low: Any, high: Any) -> None:
    """A move of a job, asked in a window of the job's."""
    jobs.words[row, 0], jobs.words[row, 1] = pack(game, child)
    jobs.windows[row, 0], jobs.windows[row, 1] = -high, -low
    jobs.parents[row] = parent


@inner
def _next_tried(game: Any, tables: Any, jobs: Any, tally: Any, plan: Any, job: Any, row: Any) -> Any:
    """Have further moves of a job tried, the most promising of them in a row that the thread has for itself; False:
    there is none."""
    left = jobs.left[job]
    if left == ZERO:
        return False
    position = unpack(game, jobs.words[job, 0], jobs.words[job, 1])
    order, tried = jobs.order[job], np.int64(jobs.tried[job])
    low, high = np.int64(jobs.windows[job, 0]), np.int64(jobs.windows[job, 1])
    if tried > 0:
        low = max(low, np.int64(atomic_load(jobs.best, job)))
        high = low + 1
    number = np.int64(popcount(left))
    if tried < plan.serial_moves or not has_idle(tally, number - 1):
        number = np.int64(1)
    jobs.pending[job] = number  # nobody brings the last value before this thread has done its own
    offered = np.int64(0)
    while number > 0 and row >= 0:
        cell = order & CELL
        order >>= FIELD
        if left & bit_at(cell) == ZERO:  # the list is at its end
            cell = U64(lowest(left))
        left &= ~bit_at(cell)
        child, _ = put(game, tables, position, cell)
        _write(game, jobs, row, child, job, low, high)
        if offered > 0:
            fence()
            _offer(jobs, tally, row)
        offered += 1
        number -= 1
        if number > 0:
            row = row_for_part(jobs, tally)
    jobs.left[job], jobs.order[job], jobs.tried[job] = left, order, tried + offered
    if number > 0:
        fetch_add(jobs.pending, job, -number)
    return True


@inner
def divided(game: Any, tables: Any, jobs: Any, tally: Any, plan: Any, job: Any, row: Any) -> Any:
    """Divide a job: the move of it that the thread must do next, in a row that it has for it; -1: the game is over."""
    position = unpack(game, jobs.words[job, 0], jobs.words[job, 1])
    moves = open_cells(game, tables, position)
    passes = moves == ZERO
    if passes:
        position = handed_over(game, position)
        if open_cells(game, tables, position) == ZERO:
            _give_back(jobs, tally, row)
            return np.int64(-1)
    jobs.best[job] = NO_SCORE
    jobs.left[job] = moves
    if passes:
        jobs.pending[job] = 1
        _write(game, jobs, row, position, job, np.int64(jobs.windows[job, 0]), np.int64(jobs.windows[job, 1]))
        return row
    soon = soonest(game, tables, free_cells(game, tables, position), moves)
    listed, lefts, count = ZERO, EMPTY, 0
    while moves != ZERO:
        cell = U64(lowest(moves))
        moves &= moves - ONE
        child, _ = put(game, tables, position, cell)
        can = freedom(game, tables, open_cells(game, tables, child))
        listed, lefts, _ = with_move(listed, lefts, count, cell, left_to_opponent(can, soon & bit_at(cell) == ZERO))
        count = min(count + 1, LISTED)
    jobs.order[job], jobs.tried[job] = listed, 0
    _next_tried(game, tables, jobs, tally, plan, job, row)
    return row


@inner
def delivered(game: Any, tables: Any, table: Any, jobs: Any, tally: Any, plan: Any, job: Any, value: Any) -> Any:
    """Bring a value up to what it is of use for; the job that the thread must do next, or -1.

    Where nobody asks for it any more (`is_moot`) it may be any value: no more than the window's upper end is kept,
    which is true of a job that has a move as good as that, whatever others say.
    """
    while True:
        parent = np.int64(jobs.parents[job])
        if parent < 0:
            jobs.values[job] = value
            fence()
            fetch_add(tally, OPEN, -1)
            return np.int64(-1)
        value = -value
        high = np.int64(jobs.windows[parent, 1])
        asked_low, asked_high = -np.int64(jobs.windows[job, 1]), -np.int64(jobs.windows[job, 0])
        if value > asked_low and value < high and asked_high < high:
            jobs.windows[job, 0], jobs.windows[job, 1] = -high, -(value - 1)
            return job
        fetch_max(jobs.best, parent, min(value, high))
        fence()
        if fetch_add(jobs.pending, parent, -1) != 1:
            _give_back(jobs, tally, job)
            return np.int64(-1)
        fence()
        best = np.int64(atomic_load(jobs.best, parent))
        if not is_moot(jobs, np.int64(jobs.parents[parent])):
            if best < high and _next_tried(game, tables, jobs, tally, plan, parent, job):
                return job
            low, most = (best, HIGHEST) if best >= high else (LOWEST, best)
            keep(table, jobs.words[parent, 0], jobs.words[parent, 1], low, most)
        _give_back(jobs, tally, job)
        value, job = best, parent


@device_kernel
def prepare(jobs: Any, tally: Any, asked_for: Any, first_row: Any) -> None:
    """Make jobs ready, so many that are asked for, and rows from the first one on for their parts."""
    for job in range(cuda.grid(1), asked_for, cuda.gridsize(1)):
        jobs.parents[job] = -1
    for place in range(cuda.grid(1), len(jobs.waiting), cuda.gridsize(1)):
        jobs.waiting[place] = NOBODY
    for place in range(cuda.grid(1), len(jobs.free), cuda.gridsize(1)):
        jobs.free[place] = first_row + place + 1
    if cuda.grid(1) == 0:
        tally[TAKEN], tally[WRITTEN], tally[OPEN], tally[NODES] = 0, asked_for, asked_for, 0
        tally[LENT], tally[RETURNED] = 0, len(jobs.free)
