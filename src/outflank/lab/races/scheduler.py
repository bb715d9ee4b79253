"""A deterministic scheduler: threads run one at a time, and a seed determines which one.

The scheduler may switch threads at every memory access. The time between two switches is random, with a mean that is
fixed per schedule: some schedules switch at nearly every atomic, others let one thread run far ahead. Occasionally an
interrupted thread is held back for long, as if the system had given its core to another program. The values that it has
read are then stale. Waiting threads rest for a few steps; sleeping threads sleep until they are woken, at most for a
random time. Nothing depends on the clock or on addresses, so the same seed gives the same run.
"""

import random
import threading
from collections.abc import Callable
from dataclasses import dataclass

PLAIN, ATOMIC = 1, 12
"""Costs of a plain and of an atomic access. Threads switch when costs reach a limit, and so most often at atomics."""

MEANS = (6, 30, 120, 600)
"""Mean sums of costs between two switches of threads. A schedule uses one of these means."""

HELD_BACK, LONGEST = (0.0, 0.02, 0.1), 6000
"""Probabilities that an interrupted thread is held back (a schedule uses one of them), and the most steps it waits."""

RESTS, NAPS = {"pause": 20, "yield": 60}, (100, 1500)
"""Greatest number of steps of a rest, by kind of wait, and the least and the greatest number of steps of a sleep."""


class Abandoned(BaseException):
    """Raised in every thread of a run that is abandoned."""


@dataclass(slots=True, eq=False)
class Strand:
    """A thread that the scheduler controls."""

    index: int
    thread: threading.Thread
    gate: threading.Lock
    """Lock on which the thread waits for its turn."""
    resting_until: int = 0
    asleep_on: int = 0
    """Address of the word on which the thread sleeps, or 0 if it is awake."""
    awaited: "Strand | None" = None
    """Thread that this thread is joining, or None."""
    ended: bool = False


class Scheduler:
    """The scheduler of one run. Its first thread is the one that creates it."""

    def __init__(self, seed: str, steps: int) -> None:
        self._random = random.Random(seed)
        self._mean = self._random.choice(MEANS)
        self._held_back = self._random.choice(HELD_BACK)
        self.most_steps = steps
        self.steps = 0
        """Number of accesses and waits in the run so far."""
        self._now = 0  # steps, plus the time that was skipped while all threads rested
        self._gates: dict[threading.Thread, threading.Lock] = {}
        thread = threading.current_thread()
        self.strands = [Strand(0, thread, self._gate(thread))]
        self._running = self.strands[0]
        self._ident = threading.get_ident()
        self._members = {self._ident}
        self._run_left = self._random_run()
        self.abandoned = False

    @property
    def current(self) -> Strand | None:
        """The `Strand` of the calling thread, or None if that thread is not part of this run."""
        if self.abandoned and threading.get_ident() in self._members:
            raise Abandoned
        return self._running if threading.get_ident() == self._ident else None

    # --- threads ---

    def _gate(self, thread: threading.Thread) -> threading.Lock:
        """Return the lock of a thread. The thread itself may request it before its parent does."""
        gate = threading.Lock()
        gate.acquire()
        return self._gates.setdefault(thread, gate)

    def started(self, thread: threading.Thread) -> Strand:
        """Add a thread that the running thread has started. It waits for its turn."""
        strand = Strand(len(self.strands), thread, self._gate(thread))
        self.strands.append(strand)
        return strand

    def run(self, body: Callable[[], None]) -> None:
        """Run a started thread: wait for its turn, call `body`, and switch to another thread."""
        self._gate(threading.current_thread()).acquire()
        strand = self._running
        self._ident = threading.get_ident()
        self._members.add(self._ident)
        try:
            if not self.abandoned:
                body()
        except Abandoned:
            pass
        finally:
            strand.ended = True
            if not self.abandoned:
                self._hand_over(strand)

    def joins(self, strand: Strand) -> None:
        """Let the running thread wait until the thread of `strand` has ended."""
        self._running.awaited = strand
        if not strand.ended:
            self._interrupt()
        self._running.awaited = None

    def abandon(self) -> None:
        """End all other threads at their next access or wait, and join them."""
        self._give_up()
        for strand in self.strands[1:]:
            threading.Thread.join(strand.thread)

    def _give_up(self) -> None:
        self.abandoned = True
        current = threading.current_thread()
        for strand in self.strands:
            if strand.thread is not current and strand.gate.locked():
                strand.gate.release()

    # --- points at which threads may switch ---

    def turn(self, atomic: bool) -> None:
        """Count an access of the running thread, and switch threads if the cost of its accesses has reached a limit."""
        self.steps += 1
        self._now += 1
        self._run_left -= ATOMIC if atomic else PLAIN
        if self._run_left <= 0:
            if self._held_back > 0 and self._random.random() < self._held_back:
                self._running.resting_until = self._now + int(LONGEST ** self._random.random())
            self._interrupt()

    def rests(self, kind: str) -> None:
        """Let the running thread rest for a few steps."""
        self.turn(True)
        self._running.resting_until = self._now + self._random.randrange(RESTS[kind])
        self._interrupt()

    def sleeps(self, address: int) -> None:
        """Let the running thread sleep on the word at `address` until it is woken, at most for a random time."""
        strand = self._running
        strand.asleep_on = address
        strand.resting_until = self._now + self._random.randrange(*NAPS)
        self._interrupt()
        strand.asleep_on = 0

    def wakes(self, address: int, count: int) -> None:
        """Wake up to `count` threads that sleep on the word at `address`."""
        self.turn(True)
        sleepers = [strand for strand in self.strands if strand.asleep_on == address]
        for strand in self._random.sample(sleepers, min(count, len(sleepers))):
            strand.asleep_on = 0
            strand.resting_until = 0

    def _random_run(self) -> int:
        return 1 + int(self._random.expovariate(1 / self._mean))

    def _interrupt(self) -> None:
        """Switch to a random thread, and return when it is this thread's turn again."""
        strand = self._running
        if self.steps > self.most_steps:
            self._give_up()
            raise Abandoned
        self._run_left = self._random_run()
        if self._hand_over(strand):
            try:
                strand.gate.acquire()
            except BaseException:  # the user's interrupt, after which the others would wait forever
                self._give_up()
                raise
            self._ident = threading.get_ident()
            if self.abandoned:
                raise Abandoned

    def _hand_over(self, strand: Strand) -> bool:
        """Select the next thread at random. Return whether it is another thread than the one of `strand`."""
        runnable = [
            candidate
            for candidate in self.strands
            if not candidate.ended and (candidate.awaited is None or candidate.awaited.ended)
        ]
        ready = [candidate for candidate in runnable if candidate.resting_until <= self._now]
        if not ready:
            # All threads rest, so skip time until the first is ready.
            self._now = min(candidate.resting_until for candidate in runnable)
            ready = [candidate for candidate in runnable if candidate.resting_until <= self._now]
        next_strand = self._random.choice(ready)
        if next_strand is strand:
            return False
        self._running = next_strand
        next_strand.gate.release()
        return True
