"""The jobs of a GPU's threads in an endgame solver, and the division of jobs if there are fewer jobs than threads.

Each thread takes the next position of a list. If the position takes long to search, the thread divides it: each move
becomes a job of its own, called a part, and long parts are divided again. The thread searches the most promising move
itself, and then the next move in a null window. After some moves, all remaining moves are tried at once, if there are
idle threads. The thread that delivers the last missing value continues with the next move, or passes the best value on
to the parent. This is the search of `parallel/`, for a hundred thousand threads that have no stack to wait in.

Trying moves at once is often wasted work, because one of the moves causes a cutoff. Random positions of 14 free cells
were divided down to 10 free cells, without a table. Compared with an undivided search, they took 3 to 5 times as many
nodes with one serial move, 1.9 times with two, and 1.2 times with three (counted with the same search on a CPU). But
idle threads cost nothing: on an H200 a thousand of these positions took 2.4 s with three serial moves, and 1.4 s with
one.

A part occupies a row of the arrays until it has its value. When each row was used only once, 8 million rows were too
few for 16,384 of these positions: the remaining positions were searched by one thread each, and the batch took 5 s
instead of 2.
"""

from typing import NamedTuple

import numpy as np

from outflank.games.endings import NO_SCORE, BatchTables, free_cells, freedom, handed_over, open_cells, put, soonest
from outflank.games.rules import Game, Position, Value, pack, unpack
from outflank.gpu.compiling import device_kernel
from outflank.gpu.device import DeviceArray, cuda
from outflank.gpu.device_table import HIGHEST, LOWEST, store_bounds
from outflank.gpu.device_threads import atomic_load, exchange, fence, fetch_add, fetch_max
from outflank.kernels.bits import U64, Int, Word, bit_at, lowest, multiply, popcount
from outflank.kernels.compiler import inner

# A sorted list of moves is two words of 6-bit fields: the cells, and the opponent's mobility after each move, in
# ascending order.

ZERO, ONE, FIELD, CELL = U64(0), U64(1), U64(6), U64(63)

LISTED = 10
"""Capacity of a sorted list of moves: the number of 6-bit fields in a word. Further moves are tried after the list."""

LIST = U64((1 << 6 * LISTED) - 1)
GUARDS = U64(sum(32 << 6 * index for index in range(LISTED)))
FIELDS = U64(sum(1 << 6 * index for index in range(LISTED)))

EMPTY = U64(sum(31 << 6 * index for index in range(LISTED)))
"""The mobility word of an empty list of moves. Each field holds 31, more than any sort key (at most `MOST_LEFT`)."""

MOST_LEFT = 30


@inner
def _inserted(fields: Word, place: Int, field: Word) -> Word:
    """Return the list `fields` with `field` inserted at `place`."""
    below = (ONE << (FIELD * place)) - ONE
    return ((fields & below) | ((fields & ~below) << FIELD) | (field << (FIELD * place))) & LIST


@inner
def left_to_opponent(free_to_move: Int, late: bool) -> Word:
    """Return a move's sort key: the opponent's mobility `free_to_move`; of equal moves, `late` ones come last."""
    return min(U64(2) * U64(free_to_move) + U64(late), U64(MOST_LEFT))


@inner
def with_move(listed: Word, lefts: Word, count: Int, cell: Int, left: Word) -> tuple[Word, Word, Word]:
    """Insert a move into the sorted list of `count` moves; return the new words of cells and of mobilities, and the
    cell that no longer fits, as a bit (0 if all fit)."""
    place = U64(popcount(((GUARDS | multiply(left, FIELDS)) - lefts) & GUARDS))
    out = U64(0)
    if count == LISTED:
        out = bit_at(cell)
        if place < LISTED:
            out = bit_at((listed >> (FIELD * U64(LISTED - 1))) & CELL)
    if place < LISTED:
        listed, lefts = _inserted(listed, place, cell), _inserted(lefts, place, left)
    return listed, lefts, out


TAKEN, WRITTEN, OPEN, NODES, LENT, RETURNED = 0, 1, 2, 3, 4, 5
"""Indices of the counters in the array `tally`: tickets that threads have drawn for jobs; jobs that were offered;
requested positions without a value; tree nodes visited; rows that were lent to parts; rows that were returned."""

TALLIES = 6

SPARE = 8
"""One of every `SPARE` rows for parts stays free. If there are a million rows, more rows stay free than threads can
request at the same time."""

EMPTY_PLACE = 0
"""Content of an empty element of a ring buffer. Other elements hold the number of a row plus one."""


class Jobs(NamedTuple):
    """Arrays with a row for each job: first the requested positions, then the parts that they are divided into."""

    words: DeviceArray
    windows: DeviceArray
    values: DeviceArray
    parents: DeviceArray
    """Row of the parent job, of which this job is one move; -1 for a requested position."""
    order: DeviceArray
    """Untried moves of a divided job, as a list sorted by the opponent's mobility."""
    left: DeviceArray
    """Untried moves of a divided job, as a bit set of cells."""
    tried: DeviceArray
    """Number of a divided job's moves that have been tried or are being tried."""
    best: DeviceArray
    """Best value of the job's moves so far, capped at the upper end of the job's window."""
    pending: DeviceArray
    """Number of the job's moves that threads are searching or will search."""
    waiting: DeviceArray
    """Ring buffer of parts that threads may take. A thread takes the part at the index given by its ticket."""
    free: DeviceArray
    """Ring buffer of free rows for parts."""


class Plan(NamedTuple):
    """How the jobs of a batch are divided."""

    requested: Int
    """Number of requested positions."""
    undivided: Int
    """Number of positions at the head of the list that are searched by one thread each at first, even if long."""
    short: Int
    """Number of free cells up to which a job is searched by one thread at first."""
    budget: Int
    """Number of tree nodes after which an undivided job is divided, if other threads are idle."""
    serial_moves: Int
    """Number of a job's moves that are tried one after the other before all others are tried at once."""


@inner
def is_moot(jobs: Jobs, job: Int) -> bool:
    """Return whether searching a job's moves is pointless, because the job or an ancestor has a cutoff."""
    while job >= 0:
        if atomic_load(jobs.best, job) >= jobs.windows[job, 1]:
            return True
        job = np.int64(jobs.parents[job])
    return False


@inner
def has_idle(tally: DeviceArray, parts: Int) -> bool:
    """Return whether at least `parts` threads are idle."""
    return atomic_load(tally, TAKEN) >= atomic_load(tally, WRITTEN) + parts


@inner
def waiting_job(jobs: Jobs, ticket: Int) -> Int:
    """Return the job for a thread's `ticket`, or -1 if no job has been offered for it yet."""
    place = ticket & (len(jobs.waiting) - 1)
    if atomic_load(jobs.waiting, place) == EMPTY_PLACE:
        return np.int64(-1)
    job = np.int64(exchange(jobs.waiting, place, EMPTY_PLACE)) - 1
    fence()
    return job


@inner
def _offer(jobs: Jobs, tally: DeviceArray, job: Int) -> None:
    """Offer a job to all threads. If its place in the ring buffer still holds an older job, offer that job again."""
    mark = job + 1
    while mark != EMPTY_PLACE:
        place = np.int64(fetch_add(tally, WRITTEN, 1)) & (len(jobs.waiting) - 1)
        mark = np.int64(exchange(jobs.waiting, place, mark))


@inner
def row_for_part(jobs: Jobs, tally: DeviceArray) -> Int:
    """Return a free row for a part, or -1 if too few rows are left."""
    if atomic_load(tally, LENT) + len(jobs.free) // SPARE > atomic_load(tally, RETURNED):
        return np.int64(-1)
    # The element may be empty: another thread was faster, or a returned row is not yet written there. Then the row is
    # lost, but no two threads get the same row.
    place = np.int64(fetch_add(tally, LENT, 1)) & (len(jobs.free) - 1)
    return np.int64(exchange(jobs.free, place, EMPTY_PLACE)) - 1


@inner
def _return_row(jobs: Jobs, tally: DeviceArray, row: Int) -> None:
    """Put the row of a finished part back into the ring buffer of free rows."""
    fence()
    place = np.int64(fetch_add(tally, RETURNED, 1)) & (len(jobs.free) - 1)
    exchange(jobs.free, place, row + 1)


@inner
def _write(game: Game, jobs: Jobs, row: Int, child: Position, parent: Int, low: Value, high: Value) -> None:
    """Write `child`, the position after a move of the job `parent`, to `row`. `low` and `high` are the child's window,
    seen from the parent's side."""
    jobs.words[row, 0], jobs.words[row, 1] = pack(game, child)
    jobs.windows[row, 0], jobs.windows[row, 1] = -high, -low
    jobs.parents[row] = parent


@inner
def _try_next(game: Game, tables: BatchTables, jobs: Jobs, tally: DeviceArray, plan: Plan, job: Int, row: Int) -> bool:
    """Start jobs for further moves, the most promising one in this thread's `row`; return False if no move is left."""
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
    jobs.pending[job] = number  # the last value cannot be delivered before this thread has searched its own move
    offered = np.int64(0)
    while number > 0 and row >= 0:
        cell = order & CELL
        order >>= FIELD
        if left & bit_at(cell) == ZERO:  # the sorted list is exhausted
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
def divide(game: Game, tables: BatchTables, jobs: Jobs, tally: DeviceArray, plan: Plan, job: Int, row: Int) -> Int:
    """Divide a job; return `row`, which then holds this thread's next part, or -1 if the game is over."""
    position = unpack(game, jobs.words[job, 0], jobs.words[job, 1])
    moves = open_cells(game, tables, position)
    passes = moves == ZERO
    if passes:
        position = handed_over(game, position)
        if open_cells(game, tables, position) == ZERO:
            _return_row(jobs, tally, row)
            return np.int64(-1)
    jobs.best[job] = NO_SCORE
    jobs.left[job] = moves
    if passes:
        jobs.pending[job] = 1
        _write(game, jobs, row, position, job, np.int64(jobs.windows[job, 0]), np.int64(jobs.windows[job, 1]))
        return row
    soon = soonest(game, tables, free_cells(game, tables, position), moves)
    listed, mobilities, count = ZERO, EMPTY, 0
    while moves != ZERO:
        cell = U64(lowest(moves))
        moves &= moves - ONE
        child, _ = put(game, tables, position, cell)
        mobility = freedom(game, tables, open_cells(game, tables, child))
        listed, mobilities, _ = with_move(
            listed, mobilities, count, cell, left_to_opponent(mobility, soon & bit_at(cell) == ZERO)
        )
        count = min(count + 1, LISTED)
    jobs.order[job], jobs.tried[job] = listed, 0
    _try_next(game, tables, jobs, tally, plan, job, row)
    return row


@inner
def deliver(
    game: Game,
    tables: BatchTables,
    table: DeviceArray,
    jobs: Jobs,
    tally: DeviceArray,
    plan: Plan,
    job: Int,
    value: Value,
) -> Int:
    """Deliver a job's value to its parent and ancestors; return the job that the thread must search next, or -1.

    The value of a pointless job (`is_moot`) may be wrong. The parent caps it at the upper end of the parent's window,
    which is a correct bound for a parent that already has a cutoff.
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
        window_low, window_high = -np.int64(jobs.windows[job, 1]), -np.int64(jobs.windows[job, 0])
        if value > window_low and value < high and window_high < high:
            jobs.windows[job, 0], jobs.windows[job, 1] = -high, -(value - 1)
            return job
        fetch_max(jobs.best, parent, min(value, high))
        fence()
        if fetch_add(jobs.pending, parent, -1) != 1:
            _return_row(jobs, tally, job)
            return np.int64(-1)
        fence()
        best = np.int64(atomic_load(jobs.best, parent))
        if not is_moot(jobs, np.int64(jobs.parents[parent])):
            if best < high and _try_next(game, tables, jobs, tally, plan, parent, job):
                return job
            low, most = (best, HIGHEST) if best >= high else (LOWEST, best)
            store_bounds(table, jobs.words[parent, 0], jobs.words[parent, 1], low, most)
        _return_row(jobs, tally, job)
        value, job = best, parent


@device_kernel
def prepare(jobs: Jobs, tally: DeviceArray, requested: Int, first_row: Int) -> None:
    """Initialise the jobs: `requested` positions, and rows from `first_row` on for their parts."""
    for job in range(cuda.grid(1), requested, cuda.gridsize(1)):
        jobs.parents[job] = -1
    for place in range(cuda.grid(1), len(jobs.waiting), cuda.gridsize(1)):
        jobs.waiting[place] = EMPTY_PLACE
    for place in range(cuda.grid(1), len(jobs.free), cuda.gridsize(1)):
        jobs.free[place] = first_row + place + 1
    if cuda.grid(1) == 0:
        tally[TAKEN], tally[WRITTEN], tally[OPEN], tally[NODES] = 0, requested, requested, 0
        tally[LENT], tally[RETURNED] = 0, len(jobs.free)
