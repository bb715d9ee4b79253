"""Sharing of a server's cores: a single search has all cores; several searches take turns, on one core each.

A search that can be interrupted and resumed (`Sliced`) runs for a slice of time, then waits behind the other searches.
A job that cannot be interrupted, such as a computer's move, runs in its own thread on leased cores. One core always
remains for slices, so that the users of these searches see progress every second. A job that takes minutes, such as an
experiment, *holds* the server: while it runs, all slices together have one core, and other jobs that would hold the
server wait. Cores can still be leased, because otherwise no computer would move meanwhile.
"""

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol, TypeVar

from outflank.search.request import Stop

ROUND_SECONDS = 0.7
"""Seconds in which every search has a turn, unless slices would then be shorter than `SHORTEST` seconds."""

SHORTEST, LONGEST = 0.010, 0.1
"""Shortest and longest slice of time in seconds. Resuming a search takes 1.6 ms, too much time in a shorter slice."""


T = TypeVar("T")

LATENESS_WEIGHT = 0.05
"""Weight of the last turn in the moving average of the delay with which turns end. Slices are shortened by the
average."""


class Sliced(Protocol):
    """A search that runs in slices of time."""

    def run(self, workers: int, stop: Stop, *, alone: bool) -> bool:
        """Search with `workers` threads until `stop` is called or to the end, and return whether there is more to do.

        If `alone`, there is no other search. The slice may then be long, and should report its progress.
        """


class Turn:
    """A slice of time in which a search is running."""

    def __init__(self, workers: int, *, alone: bool) -> None:
        self.workers, self.alone = workers, alone
        self.stop, self.began = Stop(), time.monotonic()
        self.due: float | None = None
        """Time at which the slice should have ended, or None if the scheduler did not stop it."""
        self.dropped = False


class Turns:
    """The scheduler of a server's cores."""

    def __init__(self, cores: int) -> None:
        self.cores = cores
        self._changed = threading.Condition()
        self._waiting: deque[Sliced] = deque()
        self._running: dict[Sliced, Turn] = {}
        self._leased: list[int] = []
        self._lease_queue: deque[Stop] = deque()  # jobs that wait for a lease, in this order
        self._holds = 0  # number of running jobs that hold the server
        self._hold_queue: deque[Stop] = deque()  # jobs that wait to hold the server, in this order
        self._lateness = SHORTEST / 2  # moving average of the delay with which turns end
        self._closed = False
        self._threads: list[threading.Thread] = []

    # --- slices ---

    def add(self, search: Sliced) -> None:
        """Add a search, which has turns on the cores from now on."""
        with self._changed:
            self._waiting.append(search)
            while len(self._threads) <= self.cores:  # one more than cores: the first one ends turns
                work = self._end_turns if not self._threads else self._run_turns
                thread = threading.Thread(target=work, name=f"outflank-turn-{len(self._threads)}", daemon=True)
                self._threads.append(thread)
                thread.start()
            self._changed.notify_all()

    def drop(self, search: Sliced) -> None:
        """Remove a search. Its current turn ends at once."""
        with self._changed:
            if search in self._waiting:
                self._waiting.remove(search)
            turn = self._running.get(search)
            if turn is not None:
                turn.dropped = True
                turn.stop()
            self._changed.notify_all()

    def under_way(self) -> int:
        """Return the total number of searches that run in slices, of leases, and of holds."""
        with self._changed:
            return len(self._waiting) + len(self._running) + len(self._leased) + self._holds

    def _run_turns(self) -> None:
        while True:
            with self._changed:
                while not self._closed and not self._has_room():
                    self._changed.wait()
                if self._closed:
                    return
                search = self._waiting.popleft()
                alone = self._is_alone()
                turn = self._running[search] = Turn(self.cores if alone else 1, alone=alone)
                self._changed.notify_all()
            more = False
            try:
                more = search.run(turn.workers, turn.stop, alone=turn.alone)
            finally:
                with self._changed:
                    del self._running[search]
                    if turn.due is not None:
                        lateness = min(LONGEST, max(0.0, time.monotonic() - turn.due))
                        self._lateness += LATENESS_WEIGHT * (lateness - self._lateness)
                    if more and not turn.dropped and not self._closed:
                        self._waiting.append(search)
                    self._changed.notify_all()
            del search, turn  # no reference must outlive the turn

    def _has_room(self) -> bool:
        """Return whether a search waits for a core, and a core is free."""
        return bool(self._waiting) and self._cores_in_slices() < self._cores_for_slices()

    def _cores_in_slices(self) -> int:
        return sum(turn.workers for turn in self._running.values())

    def _cores_for_slices(self) -> int:
        """Return the number of cores for slices: one during a hold, otherwise the cores without lease, at least one."""
        return 1 if self._holds else max(1, self.cores - sum(self._leased))

    def _is_alone(self) -> bool:
        return not self._waiting and not self._running and not self._has_leases_or_holds()

    def _has_leases_or_holds(self) -> bool:
        """Return whether cores are leased or held, or a job waits for a lease."""
        return bool(self._leased or self._lease_queue or self._holds)

    def _slice_seconds(self) -> float:
        """Return the longest time of a turn, in seconds, while other searches wait."""
        searches = len(self._waiting) + len(self._running)
        return max(SHORTEST, min(LONGEST, ROUND_SECONDS * self._cores_for_slices() / max(searches, 1) - self._lateness))

    def _end_turns(self) -> None:
        """End turns that have lasted long enough, if other searches wait or the number of free cores has changed."""
        with self._changed:
            while not self._closed:
                now, longest = time.monotonic(), self._slice_seconds()
                next_check = None
                for turn in self._running.values():
                    if not turn.stop.called and self._should_end(turn):
                        left = turn.began + longest - now
                        if left <= 0:
                            turn.due = turn.began + longest
                            turn.stop()
                        else:
                            next_check = left if next_check is None else min(next_check, left)
                self._changed.wait(next_check)

    def _should_end(self, turn: Turn) -> bool:
        if self._waiting or self._cores_in_slices() > self._cores_for_slices():
            return True
        return not turn.alone and len(self._running) == 1 and not self._has_leases_or_holds()

    # --- leases ---

    @contextmanager
    def lease(self, stop: Stop) -> Iterator[int]:
        """Lease cores for a job that cannot be interrupted, and yield their number. A call of `stop` ends the wait."""

        def take() -> int:
            workers = self.cores if self._is_alone() else 1
            self._leased.append(workers)
            return workers

        workers = self._wait_in_queue(self._lease_queue, stop, self._can_lease, take)
        try:
            yield workers
        finally:
            with self._changed:
                self._leased.remove(workers)
                self._changed.notify_all()

    @contextmanager
    def hold(self, stop: Stop) -> Iterator[None]:
        """Wait until no other job holds the server, then hold it for a job that takes minutes, such as an experiment.

        Cores can still be leased meanwhile. A call of `stop` ends the wait.
        """

        def take() -> None:
            self._holds += 1

        self._wait_in_queue(self._hold_queue, stop, lambda: not self._holds, take)
        try:
            yield
        finally:
            with self._changed:
                self._holds -= 1
                self._changed.notify_all()

    def _wait_in_queue(
        self, queue: deque[Stop], stop: Stop, is_available: Callable[[], bool], take: Callable[[], T]
    ) -> T:
        """Wait in `queue` until `is_available()`, or until `stop` is called. Then call `take` and return its result."""
        # Add the listener before `_changed` is locked. Otherwise a deadlock is possible: `add_listener` takes the lock
        # of `stop`, and a thread that calls `stop` holds the lock of `stop` while it waits for `_changed` in `_wake`.
        stop.add_listener(self._wake)
        try:
            with self._changed:
                queue.append(stop)
                self._changed.notify_all()
                while not self._closed and not stop.called and not (queue[0] is stop and is_available()):
                    self._changed.wait()
                queue.remove(stop)
                result = take()
                self._changed.notify_all()
                return result
        finally:
            stop.remove_listener(self._wake)

    def _can_lease(self) -> bool:
        slices = bool(self._waiting or self._running)
        return not self._leased or sum(self._leased) < self.cores - slices

    def _wake(self) -> None:
        with self._changed:
            self._changed.notify_all()

    def close(self) -> None:
        """End all turns, and stop the scheduler's threads."""
        with self._changed:
            self._closed = True
            self._waiting.clear()
            for turn in self._running.values():
                turn.stop()
            self._changed.notify_all()
        for thread in self._threads:
            thread.join(2.0)
