"""The work-stealing runtime: nothing is lost, nothing is done twice, nobody is left behind."""

import signal
import sys
import threading
import time

import numpy as np
import pytest

from outflank.kernels.atomics import exchange, fetch_add, load
from outflank.kernels.compiler import interpreted, kernel
from outflank.kernels.deque import EMPTY, pop, push, steal
from outflank.kernels.memory import address_of, write_word
from outflank.kernels.record_types import allocate, record_type
from outflank.kernels.waiting import nanoseconds, pause, sleep_on, wake, yield_core
from outflank.kernels.workers import run_workers
from outflank.parallel.shared_state import (
    CAPACITY,
    CREW,
    FRAME,
    HAND,
    frame_at,
    frame_bytes,
    hand_of,
    move_at,
    rank_at,
    release,
    take_frame,
)

TASKS = 300 if interpreted() else 200_000
FEED = record_type({"over": np.int64, "wake": np.int64}, own_lines=("over", "wake"))


@kernel
def own(hand, seen, feed, tasks):
    """Push tasks and take some back, now two, now three at a time."""
    task = 1
    while task <= tasks:
        full = False
        for _ in range(1 + task % 3):
            if task <= tasks and push(hand, task):
                task += 1
            else:
                full = True
        if full or task % 7 < 4:
            taken = pop(hand)
            if taken != EMPTY:
                fetch_add(seen, taken, 1)
    while True:
        taken = pop(hand)
        if taken == EMPTY:
            break
        fetch_add(seen, taken, 1)
    fetch_add(feed, "over", 1)


@kernel
def thieve(hand, seen, feed, tasks):
    """Steal until the owner is done."""
    while load(feed, "over") == 0:
        taken = steal(hand)
        if taken > 0:
            fetch_add(seen, taken, 1)
        else:
            yield_core()


@kernel
def part(index, hand, seen, feed, tasks):
    if index == 0:
        own(hand, seen, feed, tasks)
    else:
        thieve(hand, seen, feed, tasks)


@pytest.mark.parametrize("workers", [1, 2, 3, 4, 8])
def test_every_task_is_taken_exactly_once(workers):
    for _ in range(1 if interpreted() else 3):
        hand, feed = allocate(HAND, 1)[0], allocate(FEED, 1)[0]
        seen = np.zeros(TASKS + 1, np.int64)
        run_workers(part, [(index, hand, seen, feed, TASKS) for index in range(workers)], stop=lambda: None)
        assert (seen[1:] == 1).all()
        assert hand.top == hand.bottom


def test_a_full_deque_takes_no_more():
    hand = allocate(HAND, 1)[0]
    assert all(push(hand, task) for task in range(1, CAPACITY + 1))
    assert not push(hand, 999)
    assert steal(hand) == 1
    assert pop(hand) == CAPACITY
    assert push(hand, 999)


def test_an_empty_deque_gives_nothing():
    hand = allocate(HAND, 1)[0]
    assert pop(hand) == EMPTY
    assert steal(hand) == EMPTY


# --- frames ---


POOL = 6


def crew_of(workers: int):
    """A crew with small pools, built by hand."""
    size = frame_bytes(4)
    crew, hands = allocate(CREW, 1)[0], allocate(HAND, workers)
    memory = np.zeros(workers * POOL * size + 128, np.uint8)
    start = address_of(memory) + -address_of(memory) % 128
    crew.hands, crew.count = address_of(hands), workers
    for worker in range(workers):
        hands[worker].id = worker
        for number in range(POOL):
            address = start + (worker * POOL + number) * size
            frame = frame_at(address)
            frame.owner, frame.link = worker, hands[worker].free
            hands[worker].free = address
    return crew, hands, memory


@kernel
def trade(crew, hand, box, rounds):
    """Take frames and leave each in a box, giving back whatever another worker has left there."""
    for turn in range(rounds):
        frame = take_frame(hand)
        if frame == 0:
            yield_core()
        found = exchange(box, (turn * 5 + hand.id) % len(box), frame)
        if found != 0:
            release(crew, hand, found)


@pytest.mark.parametrize("workers", [1, 2, 4])
def test_frames_come_back_to_their_owners(workers):
    crew, hands, _memory = crew_of(workers)
    box = np.zeros(5, np.int64)
    rounds = 200 if interpreted() else 100_000
    run_workers(trade, [(crew, hand, box, rounds) for hand in hands], stop=lambda: None)
    for frame in box:
        if frame:
            release(crew, hands[0], int(frame))
    for worker, hand in enumerate(hands):
        owned = set()
        while (frame := int(take_frame(hand))) != 0:
            assert int(frame_at(frame).owner) == worker
            owned.add(frame)
        assert len(owned) == POOL
    assert int(hands["shortages"].sum()) > 0


def test_a_frames_rows_hold_moves_with_their_ranks():
    _crew, hands, _memory = crew_of(1)
    frame = int(hands[0].free)
    write_word(frame + FRAME.itemsize, 2, np.uint64(1234 | 77 << 16))
    assert (int(move_at(frame, 2)), int(rank_at(frame, 2))) == (1234, 77)
    assert address_of(hands) == int(_crew.hands)
    assert int(hand_of(_crew, 0).id) == 0


# --- waiting ---


@kernel
def wait_for(feed, microseconds):
    began = nanoseconds()
    pause()
    yield_core()
    sleep_on(feed, "wake", np.int64(0), microseconds)
    return nanoseconds() - began


@kernel
def announce(feed):
    fetch_add(feed, "wake", 1)
    wake(feed, "wake", 1)


def test_a_sleeper_wakes_by_itself_and_does_not_sleep_when_there_is_news():
    feed = allocate(FEED, 1)[0]
    assert wait_for(feed, 20_000) >= 15_000_000
    announce(feed)
    assert wait_for(feed, 60_000_000) < 30_000_000_000


@pytest.mark.compiled
@pytest.mark.skipif(sys.platform != "linux", reason="other systems sleep for the whole time")
def test_a_sleeper_is_woken():
    feed = allocate(FEED, 1)[0]
    slept = []
    wait_for(feed, 1)  # compiled now, not while the other thread waits
    announce(allocate(FEED, 1)[0])
    thread = threading.Thread(target=lambda: slept.append(wait_for(feed, 60_000_000)))
    thread.start()
    while thread.is_alive():
        announce(feed)
        thread.join(0.05)
    assert slept[0] < 30_000_000_000


def test_a_field_that_numpy_would_hide_is_refused():
    with pytest.raises(ValueError, match="hidden"):
        record_type({"take": np.int64})


# --- interrupts ---


@pytest.mark.interpreted_only
@pytest.mark.usefixtures("foreground")
def test_an_interrupted_run_waits_for_its_workers():
    stopped, ended = threading.Event(), []

    def work(seconds):
        stopped.wait()
        time.sleep(seconds)
        ended.append(seconds)

    timer = threading.Timer(0.05, signal.raise_signal, (signal.SIGINT,))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        run_workers(work, [(0.1,), (0.0,)], stop=stopped.set)
    assert ended == [0.0, 0.1]
    timer.join()
