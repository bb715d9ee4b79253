"""Exact scores of many endings at once: a thread of the device for each, all in step.

A thread searches by alpha-beta with scouts, without recursion: its stack lies in local memory, and all that it does is
one loop whose rounds are alike, so that the threads of a warp, each somewhere else in its own tree, share their steps:
choose a move, make it, look which moves follow. Moves are put in order in the same rounds.

What was tried, on an H200 with its 132 multiprocessors, in millions of endings a second (10 free cells, 4 million at
once): 1.1 where a thread leaves all nodes that are done before it goes on, 1.5 where it leaves one of them in a round,
for the others wait meanwhile; 2.0 without code of its own for the last two cells, which most threads had to wait for;
2.4 with numbers of 32 bits and where moves are found out only once many threads of a warp want it (1.8 without that);
2.5 where a thread may leave two nodes in a round. With moves in order from 6 or 8 free cells on instead of 7 it was 5 %
slower. It takes 72 registers a thread, 128 where the compiler does not see that nothing of a job is left when it ends;
12 blocks of 64 threads share a multiprocessor. The stacks, 576 bytes each, are read from its caches.

Longer endings are divided (`jobs.py`): a thread takes three to ten microseconds for a node, so that time is spent by
those that wait. What else would save nodes was counted on a CPU, by the same search of drawn endings of 14 free cells,
268 thousand steps each: a table (`memory.py`) asked from 7 free cells on takes 30 % off, from 6 on 35 % and from 8 on
25 %; the moves of odd regions first among those that leave the opponent as much, 10 %, and 4 % with 10 free cells; null
windows one after the other, from 0 on, instead of the whole window another 16 %; bounds by stable discs 5 to 8 %;
positions after a move looked up before any is tried 2 %. The table and the order are built. On the device 145 endings
of 13 to 15 free cells took 0.19 s without the table, 0.16 s where it is asked from 8 free cells on, and 0.15 s from 7
on; 262,144 of 12 free cells 1.47 s without it (before rows were used again) and 1.43 s with it: to look things up costs
most of what it saves, where all threads have work.
"""

from typing import Any

import numpy as np

from outflank.games.endings import (
    NO_SCORE,
    free_cells,
    freedom,
    handed_over,
    last_score,
    open_cells,
    put,
    soonest,
)
from outflank.games.rules import pack, score, unpack
from outflank.gpu.compiling import device_kernel
from outflank.gpu.device import cuda
from outflank.gpu.jobs import NODES, OPEN, TAKEN, delivered, divided, has_idle, is_moot, row_for_part, waits_at
from outflank.gpu.memory import HIGHEST, LOWEST, keep, recalled
from outflank.gpu.ordering import CELL, EMPTY, FIELD, LISTED, left_to_opponent, with_move
from outflank.gpu.threads import LANES, atomic_load, fetch_add, idle, warp_count
from outflank.kernels.bits import U64, bit_at, lowest, popcount

MOST_FREE = 16
"""Cells that an ending may have free: the stack's room."""

TRIED = 5
"""With so many free cells or fewer all of them are tried: to ask which are moves would cost as much as to make them."""

SORTED = 7
"""With so many free cells or more the moves are put in order."""

KEPT_FROM = 7
"""With so many free cells or more, what is known of positions is kept in the table."""

QUICK = 10
"""Endings of so many free cells or fewer do without: a tenth of their nodes would be saved, and cost as much."""

UNSOLVED = -128
"""The value of an ending that is too long."""

POLLED = 15
"""Rounds, less one, between two looks of a thread that has nothing to do while others of its warp have."""

LOOKED = 255
"""Every so many nodes a thread looks whether it should go on as it does."""

NONE = NO_SCORE
"""No move has been made."""

ZERO, ONE = U64(0), U64(1)

I32 = np.int32
"""Of all small numbers: a device computes with 32 bits, and 64 cost twice that."""

CHOOSES, WEIGHS, ASKS, GOES = 0, 1, 2, 3
"""What a thread does next: choose a move, see what it leaves the opponent, ask for the next node's moves, go there."""

BEGINS, ENDS, DIVIDES = 4, 5, 6
"""The same between two jobs: begin one, bring the value of one to where it is of use, have others help with one."""

ENOUGH = 12
"""Threads of a warp's 32, or as large a part of those that have work, that must want to know moves before it is found
out for them."""

SETTLED = 2
"""Nodes that a thread may leave in a round: where it left all that were done, the others waited for it."""

OFFSET, BYTE, NIBBLE = 128, 255, 15
HANDED, OPENED = 1, 2
"""Of a node: its side could not move, and the other does; it was asked in the whole window of the node above."""


@device_kernel
def solve_each(game: Any, tables: Any, table: Any, jobs: Any, tally: Any, plan: Any) -> None:
    """The values of the jobs that are asked for, in their windows, with alpha-beta's promise.

    `tally` has the next job that a thread takes, where the next is written, how many of those that were asked for have
    no value yet, and the nodes.
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
    depth = free = spent = kept_from = I32(0)
    alpha = beta = best = low = high = I32(0)
    flags = count = opened = I32(0)
    ticket = np.int64(-1)
    rounds = I32(0)
    todo = listed = rest = frees = cells = cell = soon = ZERO
    step = CHOOSES
    while True:
        # What is dear waits until many threads want it: meanwhile the others go on, but those that have nothing to do.
        rounds = I32(rounds + 1)
        row = np.int64(-1)
        wants, waits = step in (WEIGHS, ASKS), ticket >= 0
        many = warp_count(wants) * LANES >= ENOUGH * warp_count(not waits)
        if warp_count(not wants and not waits) == 0:
            many = True
        if warp_count(not waits) == 0:
            idle()
            rounds = I32(0)
        if wants:
            if not many:
                continue
            cells = open_cells(game, tables, child)
            if step == ASKS:
                step = GOES
            else:
                step = CHOOSES
                left = left_to_opponent(freedom(game, tables, cells), bit_at(cell) & soon == ZERO)
                listed, frees, out = with_move(listed, frees, count, cell, left)
                rest |= out
                count = min(I32(count + 1), I32(LISTED))
        if step == GOES:
            # Down: the node above is put away, unless it is there still.
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
                    opened = I32(OPENED)
            position, flags = child, opened
            alpha, beta, best = low, high, I32(NONE)
            depth = I32(depth + 1)
            free = I32(free - 1)
            spent = I32(spent + 1)
            count = I32(0)
            frees = EMPTY
            todo, rest = ZERO, cells
            if free <= TRIED:
                rest = free_cells(game, tables, child)
            elif free >= SORTED:
                todo, rest = cells, ZERO
                soon = soonest(game, tables, free_cells(game, tables, position), todo)
            step = CHOOSES
            if free >= kept_from:
                first, second = pack(game, position)
                least, most = recalled(table, first, second)
                if least >= beta or most <= alpha:
                    best = least if least >= beta else most
                    todo = rest = ZERO
            if spent & LOOKED == 0:
                parent = np.int64(jobs.parents[job])
                if parent >= 0 and is_moot(jobs, parent):
                    best, step = I32(-jobs.windows[parent, 1]), ENDS
                elif spent > plan.budget and has_idle(tally, 1):
                    row = row_for_part(jobs, tally)
                    if row >= 0:
                        step = DIVIDES
        opened = I32(0)
        for _ in range(SETTLED):
            if job < 0 or step > GOES or todo != ZERO or (best < beta and (count != 0 or rest != ZERO)):
                break
            value = best
            if best == NONE:
                if flags & HANDED == 0:
                    step = ASKS
                    child = handed_over(game, position)
                    low, high = I32(-beta), I32(-alpha)
                    opened = I32(flags | HANDED)
                    depth = I32(depth - 1)
                    free = I32(free + 1)
                    break
                value = I32(score(game, position))
            if free >= kept_from:
                first, second = pack(game, position)
                least, most = (value, I32(HIGHEST)) if value >= beta else (I32(LOWEST), value)
                keep(table, first, second, least, most)
            if flags & HANDED != 0:
                value = I32(-value)
                position = handed_over(game, position)
            if depth == 0:
                best, step = value, ENDS
                break
            depth = I32(depth - 1)
            free = I32(free + 1)
            asked, flagged = position, flags
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
            if value > alpha and value < beta and best != NONE and flagged & OPENED == 0:
                step = ASKS
                child = asked
                low, high = I32(-beta), I32(-value)
                opened = I32(OPENED)
                break
            best = max(best, value)
            alpha = max(alpha, value)
        if step == ASKS:
            pass
        elif job < 0 or step > GOES:
            nodes += spent
            spent = I32(0)
            if step == ENDS:
                job = delivered(game, tables, table, jobs, tally, plan, job, np.int64(best))
            # Nothing of a job is left: where the compiler sees that, the lines above have its registers.
            position = child = unpack(game, ZERO, ZERO)
            todo = listed = rest = frees = cells = cell = soon = ZERO
            alpha = beta = best = low = high = flags = count = depth = free = I32(0)
            opened = I32(OPENED)
            step = BEGINS
            if job < 0:
                if ticket < 0:
                    ticket = np.int64(fetch_add(tally, TAKEN, 1))
                if ticket >= plan.asked_for and rounds & POLLED != 0:
                    continue
                job = ticket
                if ticket >= plan.asked_for:
                    job = waits_at(jobs, ticket)
                if job >= 0:
                    ticket = np.int64(-1)
                elif atomic_load(tally, OPEN) == 0:
                    break
            if job >= 0:
                child = unpack(game, jobs.words[job, 0], jobs.words[job, 1])
                depth, free = I32(-1), I32(popcount(free_cells(game, tables, child)) + 1)
                low, high = I32(jobs.windows[job, 0]), I32(jobs.windows[job, 1])
                parent, part = np.int64(jobs.parents[job]), np.int64(-1)
                kept_from = I32(KEPT_FROM if parent >= 0 or free > QUICK + 1 else MOST_FREE + 1)
                if free > MOST_FREE + 1:
                    best, step = I32(UNSOLVED), ENDS
                elif row >= 0:
                    pass
                elif parent >= 0 and is_moot(jobs, parent):
                    best, step = I32(-jobs.windows[parent, 1]), ENDS
                elif free > plan.short + 1 and job >= plan.undivided:
                    least, most = recalled(table, jobs.words[job, 0], jobs.words[job, 1])
                    if least >= high or most <= low:
                        best, step = least if least >= high else most, ENDS
                    else:
                        row = row_for_part(jobs, tally)
                if row >= 0:
                    part = divided(game, tables, jobs, tally, plan, job, row)
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
            child, made = put(game, tables, position, cell)
            if not made:
                step = CHOOSES
            elif step == GOES:
                if free <= 2:
                    step = CHOOSES
                    spent = I32(spent + 1)
                    if free == 1:
                        value = I32(-score(game, child))
                    else:
                        other = U64(lowest(free_cells(game, tables, child)))
                        value = I32(-last_score(game, tables, child, other))
                    best = max(best, value)
                    alpha = max(alpha, value)
                elif free - 1 > TRIED:
                    step = ASKS
    fetch_add(tally, NODES, nodes)
