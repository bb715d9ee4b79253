"""Spawn and sync, and how idle workers find tasks.

A spawned child goes to the deque of its parent's worker, and the parent runs on. If the child is still there when the
parent syncs, the parent runs it. If a thief has taken it, the parent's worker helps: it steals from the thief, whose
tasks are all descendants of that child (leapfrogging, Wagner and Calder 1993). So all tasks on a worker's stack are on
one path of the tree of tasks, and the stack is never deeper than the stack of the serial program.
"""

from typing import NamedTuple

import numpy as np

from outflank.errors import OutflankError
from outflank.forkjoin.calling import call, call_entry, checked_arguments, entry_of, put_arguments, result_in
from outflank.forkjoin.declared_types import Result, Value
from outflank.forkjoin.recording import BEGIN, END, JOINED, SPAWN, SYNC, note
from outflank.forkjoin.shared_state import (
    DONE,
    FRAME_BYTES,
    OFFERED,
    Hand,
    Run,
    frame_at,
    hand_of,
    run_of,
)
from outflank.forkjoin.tasks import Task
from outflank.forkjoin.worker import Worker
from outflank.kernels.atomics import fetch_add, load, store
from outflank.kernels.bits import U64, Int
from outflank.kernels.compiler import inlined, inner, never_inlined, unlikely
from outflank.kernels.deque import EMPTY, LOST, pop, push, steal
from outflank.kernels.waiting import nanoseconds, pause, sleep_on, wake, yield_core

PAUSES, YIELDS = 64, 128
"""Number of failed attempts before an idle worker yields its core, and before it sleeps."""

NAP = 2000
"""Longest sleep in microseconds: the most that a lost wake-up costs."""

ALL_SLEEPERS = 1 << 30


class Child(NamedTuple):
    """A spawned task, for `sync`."""

    task: Task
    address: int
    """Address of the task's frame; 0 if no frame was left: then the parent runs the task when it syncs."""
    arguments: tuple[Value, ...]
    """Arguments of the task after the worker."""


class Stopped(OutflankError):
    """The run was stopped before its first task returned."""


@inlined
def spawn(worker: Worker, task: Task, *arguments: object) -> Child:
    """Offer a call of `task` to the other workers, and return at once. `sync` returns the result of the call."""
    hand = worker.hand
    checked = checked_arguments(task, arguments)
    if unlikely(load(hand, "stop", "relaxed") != 0):  # race: a worker that sees it late stops at its next spawn
        raise Stopped("the run was stopped")
    hand.spawns += 1
    address = hand.free
    if unlikely(address == 0):
        if hand.fresh == hand.end:
            hand.shortages += 1
            return Child(task, address, checked)
        address = hand.fresh
        hand.fresh += FRAME_BYTES
    else:
        hand.free = frame_at(address).link
    frame = frame_at(address)
    frame.entry = entry_of(task, worker)
    store(frame, "state", OFFERED, "relaxed")
    put_arguments(frame, checked)
    note(worker.probe, SPAWN, address, hand)
    push(hand, address)  # there is always room: a deque holds as many as there are frames
    wake_sleepers(run_of(hand), 1)
    return Child(task, address, checked)


@inlined
def sync(worker: Worker, child: Child) -> Result:
    """Return the result of a spawned call: run it here, or wait until the worker that stole it has finished.

    Every child must be synced once, by the task that spawned it. Syncing the newest child first is fastest.
    """
    hand, address = worker.hand, child.address
    hand.syncs += 1
    if unlikely(address == 0):
        return call(child.task, worker, child.arguments)
    note(worker.probe, SYNC, address, hand)
    permit = pop(hand)
    frame = frame_at(address)
    if unlikely(permit != address):
        complete(worker, address, permit)
        result = result_in(child.task, frame)
    else:
        note(worker.probe, BEGIN, address, hand)
        result = call(child.task, worker, child.arguments)
        note(worker.probe, END, address, hand)
    note(worker.probe, JOINED, address, hand)
    frame.link = hand.free
    hand.free = address
    return result


@never_inlined
def complete(worker: Worker, address: int, permit: Int) -> None:
    """Run or await the child at `address`. `permit` is the newest permit, which the caller has taken from its deque."""
    frame = frame_at(address)
    # The child is done if a thief has run it, or if this worker ran it while it synced another child.
    while load(frame, "state") != DONE:
        if permit == EMPTY:
            help_thief(worker, address)
            return
        # The permit is for a younger child, which is synced later, or, after all younger ones, for this child.
        run_frame(worker, permit)
        if permit == address:
            return
        permit = np.int64(pop(worker.hand))
    if permit != EMPTY:
        push(worker.hand, permit)  # another child, which is synced later


@inner
def run_frame(worker: Worker, address: Int) -> None:
    """Run the task in a frame."""
    frame = frame_at(address)
    note(worker.probe, BEGIN, address, worker.hand)
    call_entry(frame.entry, worker, address)
    note(worker.probe, END, address, worker.hand)
    store(frame, "state", DONE)


@inner
def help_thief(worker: Worker, address: int) -> None:
    """Wait for a stolen child, and meanwhile steal from its thief."""
    hand, frame = worker.hand, frame_at(address)
    run = run_of(hand)
    fails, since = np.int64(0), nanoseconds()
    while True:
        thief = load(frame, "state")
        if thief == DONE:
            break
        if thief != OFFERED and steal_from(worker, run, thief, since):
            fails, since = np.int64(0), nanoseconds()
        else:
            fails = back_off(run, hand, fails)
    hand.idle_ns += nanoseconds() - since


@inner
def steal_from(worker: Worker, run: Run, victim: Int, since: Int) -> bool:
    """Steal a task from a worker and run it. Return whether there was one. The thief has been idle since `since`."""
    hand = worker.hand
    permit: Int = np.int64(LOST)
    while permit == LOST:
        hand.tries += 1
        permit = np.int64(steal(hand_of(run, victim)))
    if permit == EMPTY:
        return False
    hand.steals += 1
    store(frame_at(permit), "state", hand.id)
    hand.idle_ns += nanoseconds() - since
    run_frame(worker, permit)
    wake_sleepers(run, ALL_SLEEPERS)
    return True


@inner
def back_off(run: Run, hand: Hand, fails: Int) -> Int:
    """Wait a little, longer after more failed attempts. Return the new number of failed attempts."""
    if load(hand, "stop", "relaxed") != 0:  # race: a worker that sees it late looks again
        raise Stopped("the run was stopped")
    if fails < PAUSES:
        pause()
    elif fails < YIELDS:
        yield_core()
    else:
        before = load(run, "wake")
        fetch_add(run, "sleepers", 1)  # race: a worker that sees it late wakes none, and the nap is short
        if load(run, "over") == 0:
            sleep_on(run, "wake", before, NAP)
        fetch_add(run, "sleepers", -1)  # race: a worker that sees it late wakes another in vain
        return np.int64(PAUSES)
    return fails + 1


@inner
def wake_sleepers(run: Run, count: int) -> None:
    """Wake up to `count` workers. No fence: a sleeper that misses the call soon looks again."""
    if unlikely(load(run, "sleepers", "relaxed") > 0):  # race: a worker that sees it late wakes none
        fetch_add(run, "wake", 1)
        wake(run, "wake", count)


@inner
def draw(hand: Hand, limit: int) -> Int:
    """Return a random number below `limit` (xorshift)."""
    word = hand.random
    word ^= word << U64(13)
    word ^= word >> U64(7)
    word ^= word << U64(17)
    hand.random = word
    return np.int64((word >> U64(20)) % U64(limit))


@inner
def steal_until_over(worker: Worker) -> None:
    """Steal tasks from random workers and run them, until the first task has returned."""
    hand = worker.hand
    run = run_of(hand)
    fails, since = np.int64(0), nanoseconds()
    while load(run, "over") == 0:
        victim = draw(hand, run.count - 1)
        if victim >= hand.id:
            victim += 1
        if steal_from(worker, run, victim, since):
            fails, since = np.int64(0), nanoseconds()
        else:
            fails = back_off(run, hand, fails)
    hand.idle_ns += nanoseconds() - since
