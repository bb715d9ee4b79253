"""How all searches of a server share its cores: one alone has them all, several take turns on one each.

A search that can be interrupted and taken up again (`Sliced`) is run for a slice, and waits for its next turn behind
the others. What cannot, such as a computer's move, is done in a thread of its own that has leased cores for the time;
one core is always left to the others then, so that those hear something every second. What takes minutes, such as an
experiment, is held instead: one at a time, and leases are given beside it, or no computer would move meanwhile.
"""

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol, TypeVar

from outflank.search.contract import Stop

ROUND_SECONDS = 0.7
"""In which everybody has a turn, as far as slices can be made short enough."""

SHORTEST, LONGEST = 0.010, 0.1
"""Seconds of a slice: below, taking a search up again (1.6 ms) takes too much of it."""


T = TypeVar("T")

LEARNING = 0.05
"""The part of the last turn in what turns are expected to be late by: on a busy machine slices are the shorter."""


class Sliced(Protocol):
    """A search in slices."""

    def run(self, workers: int, stop: Stop, *, alone: bool) -> bool:
        """Search by so many workers until `stop` is called, or to the end; whether there is more to do.

        Nobody else searches where it is `alone`: that may last, and wants to be told of.
        """


class Turn:
    """A slice under way."""

    def __init__(self, workers: int, *, alone: bool) -> None:
        self.workers, self.alone = workers, alone
        self.stop, self.began = Stop(), time.monotonic()
        self.due: float | None = None
        """When it was to end; None: nobody has said so."""
        self.dropped = False


class Turns:
    """The cores of a server."""

    def __init__(self, cores: int) -> None:
        self.cores = cores
        self._changed = threading.Condition()
        self._waiting: deque[Sliced] = deque()
        self._running: dict[Sliced, Turn] = {}
        self._leased: list[int] = []
        self._asking: deque[Stop] = deque()  # for a lease, in that order
        self._held = 0  # what takes minutes and is under way
        self._wishing: deque[Stop] = deque()  # to be held, in that order
        self._late = SHORTEST / 2  # by which turns end after they are due, of late
        self._closed = False
        self._threads: list[threading.Thread] = []

    # --- slices ---

    def add(self, search: Sliced) -> None:
        """Let a search have turns from now on."""
        with self._changed:
            self._waiting.append(search)
            while len(self._threads) <= self.cores:  # the last one looks at the clock
                work = self._keep_time if not self._threads else self._serve
                thread = threading.Thread(target=work, name=f"outflank-turn-{len(self._threads)}", daemon=True)
                self._threads.append(thread)
                thread.start()
            self._changed.notify_all()

    def drop(self, search: Sliced) -> None:
        """Let it have no more turns; what it is at ends at once."""
        with self._changed:
            if search in self._waiting:
                self._waiting.remove(search)
            turn = self._running.get(search)
            if turn is not None:
                turn.dropped = True
                turn.stop()
            self._changed.notify_all()

    def under_way(self) -> int:
        """Searches that have turns, or work on leased cores, and what is held."""
        with self._changed:
            return len(self._waiting) + len(self._running) + len(self._leased) + self._held

    def _serve(self) -> None:
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
                        late = min(LONGEST, max(0.0, time.monotonic() - turn.due))
                        self._late += LEARNING * (late - self._late)
                    if more and not turn.dropped and not self._closed:
                        self._waiting.append(search)
                    self._changed.notify_all()
            del search, turn  # no reference must outlive the turn

    def _has_room(self) -> bool:
        """Whether somebody waits for a core, and there is one."""
        return bool(self._waiting) and self._in_slices() < self._for_slices()

    def _in_slices(self) -> int:
        return sum(turn.workers for turn in self._running.values())

    def _for_slices(self) -> int:
        """Cores that are not leased; one always, and no more beside what is held."""
        return 1 if self._held else max(1, self.cores - sum(self._leased))

    def _is_alone(self) -> bool:
        return not self._waiting and not self._running and not self._has_others()

    def _has_others(self) -> bool:
        """Whether cores are used, or asked for, otherwise than in slices."""
        return bool(self._leased or self._asking or self._held)

    def _slice(self) -> float:
        """How long a turn may last while others wait."""
        several = len(self._waiting) + len(self._running)
        return max(SHORTEST, min(LONGEST, ROUND_SECONDS * self._for_slices() / max(several, 1) - self._late))

    def _keep_time(self) -> None:
        """End turns that have lasted long enough: because others wait, or because there are more cores now."""
        with self._changed:
            while not self._closed:
                now, longest = time.monotonic(), self._slice()
                due = None
                for turn in self._running.values():
                    if not turn.stop.called and self._should_end(turn):
                        left = turn.began + longest - now
                        if left <= 0:
                            turn.due = turn.began + longest
                            turn.stop()
                        else:
                            due = left if due is None else min(due, left)
                self._changed.wait(due)

    def _should_end(self, turn: Turn) -> bool:
        if self._waiting or self._in_slices() > self._for_slices():
            return True
        return not turn.alone and len(self._running) == 1 and not self._has_others()

    # --- leases ---

    @contextmanager
    def lease(self, stop: Stop) -> Iterator[int]:
        """Cores for what cannot be interrupted, and how many; once `stop` is called nobody waits for them."""

        def take() -> int:
            workers = self.cores if self._is_alone() else 1
            self._leased.append(workers)
            return workers

        workers = self._in_line(self._asking, stop, self._can_lease, take)
        try:
            yield workers
        finally:
            with self._changed:
                self._leased.remove(workers)
                self._changed.notify_all()

    @contextmanager
    def hold(self, stop: Stop) -> Iterator[None]:
        """For what takes minutes: one after the other, beside leases; once `stop` is called nobody waits."""

        def take() -> None:
            self._held += 1

        self._in_line(self._wishing, stop, lambda: not self._held, take)
        try:
            yield
        finally:
            with self._changed:
                self._held -= 1
                self._changed.notify_all()

    def _in_line(self, line: deque[Stop], stop: Stop, can: Callable[[], bool], take: Callable[[], T]) -> T:
        """Wait for one's turn in a line, and take what is waited for there."""
        stop.add_listener(self._wake)  # not while the cores are held: who calls it holds it, and wants them
        try:
            with self._changed:
                line.append(stop)
                self._changed.notify_all()
                while not self._closed and not stop.called and not (line[0] is stop and can()):
                    self._changed.wait()
                line.remove(stop)
                taken = take()
                self._changed.notify_all()
                return taken
        finally:
            stop.remove_listener(self._wake)

    def _can_lease(self) -> bool:
        slices = bool(self._waiting or self._running)
        return not self._leased or sum(self._leased) < self.cores - slices

    def _wake(self) -> None:
        with self._changed:
            self._changed.notify_all()

    def close(self) -> None:
        """End all of it."""
        with self._changed:
            self._closed = True
            self._waiting.clear()
            for turn in self._running.values():
                turn.stop()
            self._changed.notify_all()
        for thread in self._threads:
            thread.join(2.0)
