"""Exact scores of many endings at once: a thread of the device for each, all in step.

A thread searches by alpha-beta with scouts, without recursion: its stack lies in local memory, and all that it does is
one loop whose rounds are alike, so that the threads of a warp, each somewhere else in its own tree, share their steps:
choose a move, make it, look which moves follow. Moves are put in order in the same rounds.

What was tried, on an H200 with its 132 multiprocessors, in millions of endings a second (10 free cells, 4 million at
once): 1.1 where a thread leaves all nodes that are done before it goes on, 1.5 where it leaves one of them in a round,
for the others wait meanwhile; 2.0 without code of its own for the last two cells, which most threads had to wait for;
2.4 with numbers of 32 bits and where moves are found out only once many threads of a warp want it (1.8 without that);
2.5 where a thread may leave two nodes in a round. With moves in order from 6 or 8 free cells on instead of 7 it was 5 %
slower. It takes 80 registers a thread, so that 12 blocks of 64 threads share a multiprocessor; the stacks, 576 bytes
each, are read from its caches.
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
from outflank.gpu.jobs import NODES, OPEN, TAKEN, delivered, divided, is_cut
from outflank.gpu.threads import added, crowd, fence, idle, seen
from outflank.kernels.bits import U64, bit_at, lowest, multiply, popcount
from outflank.kernels.compiler import inner

MOST_FREE = 16
"""Cells that an ending may have free: the stack's room."""

TRIED = 5
"""With so many free cells or fewer all of them are tried: to ask which are moves would cost as much as to make them."""

SORTED = 7
"""With so many free cells or more the moves are put in order."""

UNSOLVED = -128
"""The value of an ending that is too long."""

POLLED = 15
"""Rounds, less one, between two looks of a thread that has nothing to do while others of its warp have."""

LOOKED = 255
"""Every so many nodes a thread looks whether it should go on as it does."""

NONE = NO_SCORE
"""No move has been made."""

ZERO, ONE, FIELD = U64(0), U64(1), U64(6)
LISTED = 10
"""Moves that are put in order: a word has room for the cells of so many. Any others come last."""
GUARDS = U64(sum(32 << 6 * index for index in range(LISTED)))
FIELDS = U64(sum(1 << 6 * index for index in range(LISTED)))
EMPTY = U64(sum(31 << 6 * index for index in range(LISTED)))
LIST = U64((1 << 6 * LISTED) - 1)
CELL = U64(63)

I32 = np.int32
"""Of all small numbers: a device computes with 32 bits, and 64 cost twice that."""

CHOOSES, WEIGHS, ASKS, GOES = 0, 1, 2, 3
"""What a thread does next: choose a move, see what it leaves the opponent, ask for the next node's moves, go there."""

ENOUGH = 12
"""Threads of a warp that must want to know moves before it is found out for them."""

SETTLED = 2
"""Nodes that a thread may leave in a round: where it left all that were done, the others waited for it."""

OFFSET, BYTE, NIBBLE = 128, 255, 15
HANDED, OPENED = 1, 2
"""Of a node: its side could not move, and the other does; it was asked in the whole window of the node above."""


@inner
def _inserted(fields: Any, place: Any, field: Any) -> Any:
    """The list with a field put in at a place."""
    below = (ONE << (FIELD * place)) - ONE
    return ((fields & below) | ((fields & ~below) << FIELD) | (field << (FIELD * place))) & LIST


@device_kernel
def solve_each(game: Any, tables: Any, jobs: Any, tally: Any, asked_for: Any, budget: Any) -> None:
    """The values of the first jobs, so many of them, in their windows, with alpha-beta's promise.

    `tally` has the next job that a thread takes, where the next is written, how many of those that were asked for have
    no value yet, and the nodes. Once no job is left that was asked for, those that have taken more than `budget` nodes
    are divided.
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
    depth = free = spent = I32(0)
    alpha = beta = best = low = high = I32(0)
    flags = count = opened = I32(0)
    ticket = np.int64(-1)
    begins = False
    rounds = I32(0)
    todo = listed = rest = frees = cells = cell = ZERO
    step = CHOOSES
    while True:
        # What is dear waits until many threads want it: meanwhile the others go on, but those that have nothing to do.
        rounds = I32(rounds + 1)
        wants, waits = step in (WEIGHS, ASKS), ticket >= 0
        many = crowd(wants) >= ENOUGH
        if crowd(not wants and not waits) == 0:
            many = True
        if crowd(not waits) == 0:
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
                can = U64(freedom(game, tables, cells))
                place = U64(popcount(((GUARDS | multiply(can, FIELDS)) - frees) & GUARDS))
                if count == LISTED:
                    last = cell
                    if place < LISTED:
                        last = (listed >> (FIELD * U64(LISTED - 1))) & CELL
                    rest |= bit_at(last)
                else:
                    count = I32(count + 1)
                if place < LISTED:
                    listed, frees = _inserted(listed, place, cell), _inserted(frees, place, can)
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
            step = CHOOSES
            if spent & LOOKED == 0:
                parent = jobs.parents[job]
                if parent >= 0 and is_cut(jobs, parent):
                    # Nobody asks any more: whatever is said is not better than what there is.
                    nodes += spent
                    job = delivered(game, tables, jobs, tally, job, -np.int64(seen(jobs.best, parent)))
                    begins = True
                elif spent > budget and seen(tally, TAKEN) >= asked_for and divided(game, tables, jobs, tally, job):
                    nodes += spent
                    job = np.int64(-1)
        opened = I32(0)
        for _ in range(SETTLED):
            if job < 0 or begins or todo != ZERO or (best < beta and (count != 0 or rest != ZERO)):
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
            if flags & HANDED != 0:
                value = I32(-value)
                position = handed_over(game, position)
            if depth == 0:
                nodes += spent
                job = delivered(game, tables, jobs, tally, job, np.int64(value))
                begins = True
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
        elif job < 0 or begins:
            if job < 0:
                if ticket < 0:
                    ticket = np.int64(added(tally, TAKEN, 1))
                if ticket >= asked_for and rounds & POLLED != 0:
                    continue
                if ticket < asked_for or (ticket < len(jobs.ready) and seen(jobs.ready, ticket) != 0):
                    fence()
                    job, ticket = ticket, np.int64(-1)
                elif seen(tally, OPEN) == 0:
                    break
            if job >= 0:
                begins = False
                child = unpack(game, jobs.words[job, 0], jobs.words[job, 1])
                depth, free = I32(-1), I32(popcount(free_cells(game, tables, child)) + 1)
                low, high = I32(jobs.windows[job, 0]), I32(jobs.windows[job, 1])
                opened = I32(OPENED)
                spent = I32(0)
                step = ASKS
                if free > MOST_FREE + 1:
                    job = delivered(game, tables, jobs, tally, job, np.int64(UNSOLVED))
                    step = CHOOSES
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
    added(tally, NODES, nodes)
