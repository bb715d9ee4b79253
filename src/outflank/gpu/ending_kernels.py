"""The GPU kernel that computes the exact scores of many endgame positions at once.

Each thread searches a position of its own by alpha-beta with scouts (null windows), without recursion: its stack lies
in local memory, and the whole search is one loop. Each round of the loop has the same steps: choose a move, make it,
compute the moves that follow. So the threads of a warp execute the same instructions, though their trees differ.

Variants were measured on an H200 with 132 multiprocessors, with 4 million positions of 10 free cells at once. In
millions of positions per second:

- 1.1 if a thread leaves all finished nodes in one round, while the other threads of its warp wait;
- 1.5 if a thread leaves one finished node per round;
- 2.0 without special code for the last two cells, for which most threads had to wait;
- 2.4 with 32-bit numbers, if moves are computed only when many threads of a warp need them (1.8 if they are computed in
  every round);
- 2.5 if a thread may leave two nodes per round.

Sorting moves from 6 or 8 free cells on instead of 7 was 5 % slower. The kernel takes 72 registers per thread, or 128 if
the compiler does not see that no state of a job survives its end. 12 blocks of 64 threads share a multiprocessor. Their
stacks, 576 bytes each, are read from the multiprocessor's caches.

Longer endgames are divided among threads (`jobs.py`), because one thread takes 3 to 10 microseconds per node, and the
other threads would wait for it. Possible savings of nodes were counted on a CPU, with the same search, on random
positions of 14 free cells (268 thousand steps of the search each):

- 30 % with a table (`device_table.py`) that is probed from 7 free cells on (35 % from 6 on, 25 % from 8 on);
- 10 % if, among moves of equal mobility, moves in odd regions come first (4 % with 10 free cells);
- another 16 % with consecutive null windows, beginning at 0, instead of the whole window;
- 5 to 8 % with bounds by stable discs;
- 2 % if all children are looked up before a move is tried.

The table and the order of moves are implemented. On the GPU, 145 positions of 13 to 15 free cells took 0.19 s without
the table, 0.16 s if the table is probed from 8 free cells on, and 0.15 s from 7 on. 262,144 positions of 12 free cells
took 1.47 s without the table (before rows of jobs were reused) and 1.43 s with it: if all threads have work, probing
costs most of the time that it saves.
"""

import numpy as np

from outflank.games.endings import (
    NO_SCORE,
    BatchTables,
    free_cells,
    freedom,
    handed_over,
    last_score,
    open_cells,
    put,
    soonest,
)
from outflank.games.rules import Game, pack, score, unpack
from outflank.gpu.compiling import device_kernel
from outflank.gpu.device import DeviceArray, cuda
from outflank.gpu.device_table import HIGHEST, LOWEST, look_up, store_bounds
from outflank.gpu.device_threads import LANES, atomic_load, fetch_add, idle, warp_count
from outflank.gpu.jobs import (
    CELL,
    EMPTY,
    FIELD,
    LISTED,
    NODES,
    OPEN,
    TAKEN,
    Jobs,
    Plan,
    deliver,
    divide,
    has_idle,
    is_moot,
    left_to_opponent,
    row_for_part,
    waiting_job,
    with_move,
)
from outflank.kernels.bits import U64, bit_at, lowest, popcount

MOST_FREE = 16
"""Greatest number of free cells of a position that can be solved. A thread's stack has as many elements."""

TRY_ALL = 5
"""Number of free cells up to which every free cell is tried as a move: computing the legal moves would cost as much."""

SORT_FROM = 7
"""Least number of free cells in positions for which moves are sorted."""

TABLE_FROM = 7
"""Least number of free cells in positions that are stored in the transposition table."""

QUICK = 10
"""Number of free cells up to which a position is solved without the table. The table would save 10 % of the nodes, but
cost as much time."""

UNSOLVED = -128
"""Score of a position that has too many free cells, or is not solved yet."""

POLL_MASK = 15
"""An idle thread polls for a job when `rounds & POLL_MASK` is 0."""

CHECK_MASK = 255
"""A thread checks whether its job is pointless or should be divided when its node count `& CHECK_MASK` is 0."""

NONE = NO_SCORE
"""Value of a node before any of its moves has been searched."""

ZERO, ONE = U64(0), U64(1)

I32 = np.int32
"""Type of all small numbers. A GPU computes with 32 bits, and numbers of 64 bits cost twice as much."""

CHOOSES, WEIGHS, ASKS, GOES = 0, 1, 2, 3
"""Next step of a thread: choose a move, compute its mobility for sorting, compute the child's moves, or descend."""

BEGINS, ENDS, DIVIDES = 4, 5, 6
"""Steps of a thread between two jobs: begin a job, deliver the value of a job, divide a job among other threads."""

ENOUGH = 12
"""Share of a warp's threads, in 32nds of the threads with work, that must need moves before the warp computes moves."""

NODES_PER_ROUND = 2
"""Number of finished nodes that a thread may leave per round. If it left all of them, the other threads of its
warp would wait for it."""

OFFSET, BYTE, NIBBLE = 128, 255, 15
PASSED, FULL_WINDOW = 1, 2
"""Flags of a node: the side to move had to pass; the node is searched in the full window of its parent."""


@device_kernel
def solve_each(game: Game, tables: BatchTables, table: DeviceArray, jobs: Jobs, tally: DeviceArray, plan: Plan) -> None:
    """Write the value of each requested position of `jobs`.

    A value inside the position's window is exact; a value outside the window is a bound on that side. `tally`
    is the array of counters; `jobs.py` defines their indices.
    """
    owns = cuda.local.array(MOST_FREE, np.uint64)
    opps = cuda.local.array(MOST_FREE, np.uint64)
    lists = cuda.local.array(MOST_FREE, np.uint64)
    rests = cuda.local.array(MOST_FREE, np.uint64)
    states = cuda.local.array(MOST_FREE, np.int32)
    nodes = np.int64(0)
    job = np.int64(-1)
    position = unpack(game, ZERO, ZERO)
    child = position
    depth = free = spent = table_from = I32(0)
    alpha = beta = best = low = high = I32(0)
    flags = count = opened = I32(0)
    ticket = np.int64(-1)
    rounds = I32(0)
    todo = listed = rest = mobilities = cells = cell = soon = ZERO
    step = CHOOSES
    while True:
        # Computing moves is expensive, so a thread waits until many threads of its warp need moves. Others go on.
        rounds = I32(rounds + 1)
        row = np.int64(-1)
        needs_moves, is_waiting = step in (WEIGHS, ASKS), ticket >= 0
        enough = warp_count(needs_moves) * LANES >= ENOUGH * warp_count(not is_waiting)
        if warp_count(not needs_moves and not is_waiting) == 0:
            enough = True
        if warp_count(not is_waiting) == 0:
            idle()
            rounds = I32(0)
        if needs_moves:
            if not enough:
                continue
            cells = open_cells(game, tables, child)
            if step == ASKS:
                step = GOES
            else:
                step = CHOOSES
                left = left_to_opponent(freedom(game, tables, cells), bit_at(cell) & soon == ZERO)
                listed, mobilities, overflow = with_move(listed, mobilities, count, cell, left)
                rest |= overflow
                count = min(I32(count + 1), I32(LISTED))
        if step == GOES:
            # Descend: push the parent on the stack, unless it is still there.
            if depth >= 0 and opened == 0:
                owns[depth], opps[depth] = pack(game, position)
                rests[depth] = rest
                if count > 0:
                    lists[depth] = listed
                states[depth] = I32(
                    (alpha + OFFSET) | ((beta + OFFSET) << 8) | ((best + OFFSET) << 16) | (count << 24) | (flags << 28)
                )
                if best != NONE:
                    low, high = I32(-alpha - 1), I32(-alpha)
                else:
                    low, high = I32(-beta), I32(-alpha)
                    opened = I32(FULL_WINDOW)
            position, flags = child, opened
            alpha, beta, best = low, high, I32(NONE)
            depth = I32(depth + 1)
            free = I32(free - 1)
            spent = I32(spent + 1)
            count = I32(0)
            mobilities = EMPTY
            todo, rest = ZERO, cells
            if free <= TRY_ALL:
                rest = free_cells(game, tables, child)
            elif free >= SORT_FROM:
                todo, rest = cells, ZERO
                soon = soonest(game, tables, free_cells(game, tables, position), todo)
            step = CHOOSES
            if free >= table_from:
                first, second = pack(game, position)
                least, most = look_up(table, first, second)
                if least >= beta or most <= alpha:
                    best = least if least >= beta else most
                    todo = rest = ZERO
            if spent & CHECK_MASK == 0:
                parent = np.int64(jobs.parents[job])
                if parent >= 0 and is_moot(jobs, parent):
                    best, step = I32(-jobs.windows[parent, 1]), ENDS
                elif spent > plan.budget and has_idle(tally, 1):
                    row = row_for_part(jobs, tally)
                    if row >= 0:
                        step = DIVIDES
        opened = I32(0)
        for _ in range(NODES_PER_ROUND):
            if job < 0 or step > GOES or todo != ZERO or (best < beta and (count != 0 or rest != ZERO)):
                break
            value = best
            if best == NONE:
                if flags & PASSED == 0:
                    step = ASKS
                    child = handed_over(game, position)
                    low, high = I32(-beta), I32(-alpha)
                    opened = I32(flags | PASSED)
                    depth = I32(depth - 1)
                    free = I32(free + 1)
                    break
                value = I32(score(game, position))
            if free >= table_from:
                first, second = pack(game, position)
                least, most = (value, I32(HIGHEST)) if value >= beta else (I32(LOWEST), value)
                store_bounds(table, first, second, least, most)
            if flags & PASSED != 0:
                value = I32(-value)
                position = handed_over(game, position)
            if depth == 0:
                best, step = value, ENDS
                break
            depth = I32(depth - 1)
            free = I32(free + 1)
            child_position, child_flags = position, flags
            position = unpack(game, owns[depth], opps[depth])
            rest, state = rests[depth], states[depth]
            alpha = I32((state & BYTE) - OFFSET)
            beta = I32(((state >> 8) & BYTE) - OFFSET)
            best = I32(((state >> 16) & BYTE) - OFFSET)
            count = I32((state >> 24) & NIBBLE)
            flags = I32((state >> 28) & 3)
            if count > 0:
                listed = lists[depth]
            value = I32(-value)
            if value > alpha and value < beta and best != NONE and child_flags & FULL_WINDOW == 0:
                step = ASKS
                child = child_position
                low, high = I32(-beta), I32(-value)
                opened = I32(FULL_WINDOW)
                break
            best = max(best, value)
            alpha = max(alpha, value)
        if step == ASKS:
            pass
        elif job < 0 or step > GOES:
            nodes += spent
            spent = I32(0)
            if step == ENDS:
                job = deliver(game, tables, table, jobs, tally, plan, job, np.int64(best))
            # No state of a job survives its end. If the compiler sees that, the lines above can use its registers.
            position = child = unpack(game, ZERO, ZERO)
            todo = listed = rest = mobilities = cells = cell = soon = ZERO
            alpha = beta = best = low = high = flags = count = depth = free = I32(0)
            opened = I32(FULL_WINDOW)
            step = BEGINS
            if job < 0:
                if ticket < 0:
                    ticket = np.int64(fetch_add(tally, TAKEN, 1))
                if ticket >= plan.requested and rounds & POLL_MASK != 0:
                    continue
                job = ticket
                if ticket >= plan.requested:
                    job = waiting_job(jobs, ticket)
                if job >= 0:
                    ticket = np.int64(-1)
                elif atomic_load(tally, OPEN) == 0:
                    break
            if job >= 0:
                child = unpack(game, jobs.words[job, 0], jobs.words[job, 1])
                depth, free = I32(-1), I32(popcount(free_cells(game, tables, child)) + 1)
                low, high = I32(jobs.windows[job, 0]), I32(jobs.windows[job, 1])
                parent, part = np.int64(jobs.parents[job]), np.int64(-1)
                table_from = I32(TABLE_FROM if parent >= 0 or free > QUICK + 1 else MOST_FREE + 1)
                if free > MOST_FREE + 1:
                    best, step = I32(UNSOLVED), ENDS
                elif row >= 0:
                    pass
                elif parent >= 0 and is_moot(jobs, parent):
                    best, step = I32(-jobs.windows[parent, 1]), ENDS
                elif free > plan.short + 1 and job >= plan.undivided:
                    least, most = look_up(table, jobs.words[job, 0], jobs.words[job, 1])
                    if least >= high or most <= low:
                        best, step = least if least >= high else most, ENDS
                    else:
                        row = row_for_part(jobs, tally)
                if row >= 0:
                    part = divide(game, tables, jobs, tally, plan, job, row)
                if part >= 0:
                    job = part
                elif step == BEGINS:
                    step = ASKS
        elif todo != ZERO or (best < beta and (count != 0 or rest != ZERO)):
            step = GOES
            if todo != ZERO:
                step = WEIGHS
                cell = U64(lowest(todo))
                todo &= todo - ONE
            elif count > 0:
                cell = listed & CELL
                listed >>= FIELD
                count = I32(count - 1)
            else:
                cell = U64(lowest(soonest(game, tables, free_cells(game, tables, position), rest)))
                rest &= ~bit_at(cell)
            child, is_legal = put(game, tables, position, cell)
            if not is_legal:
                step = CHOOSES
            elif step == GOES:
                if free <= 2:
                    step = CHOOSES
                    spent = I32(spent + 1)
                    if free == 1:
                        value = I32(-score(game, child))
                    else:
                        last_cell = U64(lowest(free_cells(game, tables, child)))
                        value = I32(-last_score(game, tables, child, last_cell))
                    best = max(best, value)
                    alpha = max(alpha, value)
                elif free - 1 > TRY_ALL:
                    step = ASKS
    fetch_add(tally, NODES, nodes)
