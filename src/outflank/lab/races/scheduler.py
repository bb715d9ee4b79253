"""Threads that run one at a time; who goes on where is drawn from a seed.

Every access to memory is a place where another thread may go on. How long a thread goes on before that is drawn
anew each time, with a mean that is the schedule's own: some schedules change threads at nearly every atomic, others let
one run far ahead. Now and then the thread that is interrupted is held back for long, as by a system that gives its
core to another program: what it has read is old when it goes on. Threads that wait rest a little; sleepers sleep
until they are woken, or for some time. Nothing depends on the clock or on addresses: the same seed gives the same run.
"""

import random
import threading
from collections.abc import Callable
from dataclasses import dataclass

PLAIN, ATOMIC = 1, 12
"""How much of its time an access takes a thread: most changes fall on atomics, of which there are fewer."""

MEANS = (6, 30, 120, 600)
"""Mean times that a thread goes on, one for each kind of schedule."""

HELD_BACK, LONGEST = (0.0, 0.02, 0.1), 6000
"""How likely an interrupted thread is held back, one for each kind of schedule; and for how many steps at most."""

RESTS, NAPS = {"pause": 20, "yield": 60}, (100, 1500)
"""For how many steps a thread waits at most; and how many a sleeper sleeps at least and at most."""


class Abandoned(BaseException):
    """Raised in every thread of a run that is given up."""


@dataclass(slots=True, eq=False)
class Strand:
    """A thread under the scheduler."""

    index: int
    thread: threading.Thread
    gate: threading.Lock
    """Locked while it has to wait."""
    resting_until: int = 0
    asleep_on: int = 0
    """The address that it sleeps on; 0: none."""
    awaited: "Strand | None" = None
    """Whose end it waits for."""
    ended: bool = False


class Scheduler:
    """The threads of one run, the one that makes it the first."""

    def __init__(self, seed: str, steps: int) -> None:
        self._random = random.Random(seed)
        self._mean = self._random.choice(MEANS)
        self._held_back = self._random.choice(HELD_BACK)
        self.most_steps = steps
        self.steps = 0
        """Accesses and waits so far."""
        self._now = 0  # steps, and the time that passed while all rested
        self._gates: dict[threading.Thread, threading.Lock] = {}
        here = threading.current_thread()
        self.strands = [Strand(0, here, self._gate(here))]
        self._runs = self.strands[0]
        self._ident = threading.get_ident()
        self._members = {self._ident}
        self._left = self._drawn_run()
        self.abandoned = False

    @property
    def current(self) -> Strand | None:
        """The strand that asks; None: a thread that is not of this run."""
        if self.abandoned and threading.get_ident() in self._members:
            raise Abandoned
        return self._runs if threading.get_ident() == self._ident else None

    # --- threads ---

    def _gate(self, thread: threading.Thread) -> threading.Lock:
        """The gate of a thread: it may ask for it before the one who started it has."""
        fresh = threading.Lock()
        fresh.acquire()
        return self._gates.setdefault(thread, fresh)

    def started(self, thread: threading.Thread) -> Strand:
        """The running thread has started another, which waits for its turn."""
        strand = Strand(len(self.strands), thread, self._gate(thread))
        self.strands.append(strand)
        return strand

    def run(self, body: Callable[[], None]) -> None:
        """What a started thread does: wait for its turn, do `body`, let others go on."""
        self._gate(threading.current_thread()).acquire()
        strand = self._runs
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
        """The running thread waits for the end of another."""
        self._runs.awaited = strand
        if not strand.ended:
            self._interrupt()
        self._runs.awaited = None

    def abandon(self) -> None:
        """Let every other thread end where it is, and wait until they have."""
        self._give_up()
        for strand in self.strands[1:]:
            threading.Thread.join(strand.thread)

    def _give_up(self) -> None:
        self.abandoned = True
        here = threading.current_thread()
        for strand in self.strands:
            if strand.thread is not here and strand.gate.locked():
                strand.gate.release()

    # --- places where another may go on ---

    def turn(self, atomic: bool) -> None:
        """The running thread is about to touch memory."""
        self.steps += 1
        self._now += 1
        self._left -= ATOMIC if atomic else PLAIN
        if self._left <= 0:
            if self._held_back > 0 and self._random.random() < self._held_back:
                self._runs.resting_until = self._now + int(LONGEST ** self._random.random())
            self._interrupt()

    def rests(self, how: str) -> None:
        """The running thread waits a little."""
        self.turn(True)
        self._runs.resting_until = self._now + self._random.randrange(RESTS[how])
        self._interrupt()

    def sleeps(self, address: int) -> None:
        """The running thread sleeps."""
        strand = self._runs
        strand.asleep_on = address
        strand.resting_until = self._now + self._random.randrange(*NAPS)
        self._interrupt()
        strand.asleep_on = 0

    def wakes(self, address: int, count: int) -> None:
        """Wake some of those who sleep on an address."""
        self.turn(True)
        sleepers = [strand for strand in self.strands if strand.asleep_on == address]
        for strand in self._random.sample(sleepers, min(count, len(sleepers))):
            strand.asleep_on = 0
            strand.resting_until = 0

    def _drawn_run(self) -> int:
        return 1 + int(self._random.expovariate(1 / self._mean))

    def _interrupt(self) -> None:
        """Let the thread that is drawn go on; come back when it is this one's turn again."""
        strand = self._runs
        if self.steps > self.most_steps:
            self._give_up()
            raise Abandoned
        self._left = self._drawn_run()
        if self._hand_over(strand):
            try:
                strand.gate.acquire()
            except BaseException:  # the user's interruption: the others would wait for this thread for ever
                self._give_up()
                raise
            self._ident = threading.get_ident()
            if self.abandoned:
                raise Abandoned

    def _hand_over(self, strand: Strand) -> bool:
        """Draw who goes on; whether it is another one."""
        able = [one for one in self.strands if not one.ended and (one.awaited is None or one.awaited.ended)]
        ready = [one for one in able if one.resting_until <= self._now]
        if not ready:
            # All rest: time passes until the first of them is ready.
            self._now = min(one.resting_until for one in able)
            ready = [one for one in able if one.resting_until <= self._now]
        chosen = self._random.choice(ready)
        if chosen is strand:
            return False
        self._runs = chosen
        chosen.gate.release()
        return True
