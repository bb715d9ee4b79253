"""How a search is stopped, from a user's `Stop` to the worker that gives up: the bell, and the lifelines.

Everybody may want workers to stop: the user the whole search (`Stop`, Ctrl-C: all call `Root.stop`, which is `halt`),
the worker that reaches the limit of nodes or the deadline the same (`report_nodes`), and a worker whose value makes the
work of others pointless, some of them (a cut-off in `parallel/`).

- A search has one *bell*. Who stops everybody sets its `stop`; who stops some marks what they work for; both `ring`.
- A worker polls at each node (`poll_stop`). As long as the bell has not rung since it last looked, that is one read of
  a word that stays in every core's cache. If it has, the worker asks whether what it does is still wanted (`heed`):
  the whole search, and all that hangs on its *lifeline*.
- A lifeline is what a piece of work hangs on: four words (`LIFELINE`) that say whether all that hangs on it is
  pointless, from which place on it is not wanted now, and on what it hangs itself. The frames of the divided search
  begin with them.
- Who finds that it is not wanted sets its own `aborted`. From there on its value is worthless: each level of its
  recursion returns at once and writes nothing into the table. Python above the kernels raises `Stopped`.

Workers compare the clock with the deadline themselves, in compiled code: the thread of a timer has to be scheduled and
to get the interpreter's lock first, which took 30 ms and more on a busy machine. A worker stops before the deadline by
its longest pause in this search (the time that the system kept it off its core), since another may come.

Why nothing is missed: what is published before a ring is seen by whoever hears the ring, and a worker notes how often
the bell has rung before it looks for whom. Who rings later is heard at one of the next nodes.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from outflank.kernels.atomics import fetch_add, load, store
from outflank.kernels.bits import U64
from outflank.kernels.branches import unlikely
from outflank.kernels.compiler import apart, inner, interpreted, kernel
from outflank.kernels.memory import read_word, record_at
from outflank.kernels.record_types import allocate, record_type
from outflank.kernels.waiting import nanoseconds, yield_core

POLL_NODES = 4096
"""Nodes between two looks at the limit of nodes, at most: some hundred microseconds."""

FEWEST_NODES = 64
"""Nodes between two looks, however near the limit is."""

POLL_NS = 250_000
"""Nanoseconds between two reads of the clock, at most, unless `FEWEST_NODES` take longer: evaluations may be slow. A
read takes some 25 ns."""

PAUSE_NS = 2_000_000
"""Nanoseconds between two reads from which on the worker is taken to have been off its core: endings that a game solves
by kernels of its own, without reading the clock, take up to a millisecond. Slow evaluations may be mistaken for it."""

ENDLESS = 1 << 62

BELL = record_type(
    {
        "rung": np.int64,  # how often somebody's work has become pointless
        "stop": np.int64,  # not 0: everybody's has
        "nodes": np.int64,  # what all workers have entered, as far as they have told
        "node_limit": np.int64,
        "deadline": np.int64,  # time at which everybody stops, by the clock of `nanoseconds`
        "workers": np.int64,  # who ring and hear it
    },
    apart=("rung", "stop", "nodes"),
)
"""What tells the workers of a search to stop. They look at `rung` at every node: as long as nobody
writes to it, the line stays in every core's cache and a look costs next to nothing."""

HEARING: dict[str, Any] = {
    "bell": np.int64,  # address of the search's
    "heard": np.int64,  # how often it had rung when this worker last looked
    "lifeline": np.int64,  # address of the first of a chain of them; 0: none
    "place": np.int64,  # this worker's place on it
    "aborted": np.int64,  # the last search was stopped: its value is worthless
    "poll_at": np.int64,  # nodes at which to look at the clock, or to tell the bell of them
    "tell_at": np.int64,  # nodes at which to tell the bell of them
    "told": np.int64,  # nodes that the bell knows of
    "uncounted": np.int64,  # not 0: the bell is told of no nodes
    "poll_step": np.int64,  # nodes between two looks at the clock
    "polled_ns": np.int64,  # time of the last look; 0: this worker has not been working since
    "longest_pause_ns": np.int64,  # longest time between two looks: how long it was off its core
    "pace": np.int64,  # nodes between two times that the core is given up; 0: never
    "yield_at": np.int64,  # nodes at which to give it up
}
"""What each worker's record has of this."""

LIFELINE = ("cut", "above", "held", "index")
"""The words of a lifeline, in this order: not 0 once all that hangs on it is pointless; the address of the next
lifeline, 0 for none; the place from which on what hangs on it is not wanted now, 0 for none; and its own place on the
next one."""

_CUT, _ABOVE, _HELD, _INDEX = range(len(LIFELINE))


class Stopped(Exception):
    """The search was told to end; what it was at is worthless."""


def begin(bell: Any, workers: Any, node_limit: int | None) -> None:
    """Let the workers search until somebody stops them, or until they have entered so many nodes. No deadline."""
    bell.stop = bell.nodes = 0
    bell.node_limit = ENDLESS if node_limit is None else node_limit
    bell.deadline = ENDLESS
    for name in ("aborted", "told", "poll_at", "tell_at", "uncounted", "polled_ns", "longest_pause_ns", "yield_at"):
        workers[name] = 0
    workers["poll_step"] = FEWEST_NODES  # until it is known how long a node takes


@contextmanager
def timer(stop: Callable[[], None], seconds: float | None, workers: Any) -> Iterator[None]:
    """Call `stop` after so many seconds, unless the `workers` read the deadline by themselves, in compiled code."""
    if seconds is None or (getattr(workers, "reads_deadline", False) and not interpreted()):
        yield
        return
    alarm = threading.Timer(seconds, stop)
    alarm.daemon = True
    alarm.start()
    try:
        yield
    finally:
        alarm.cancel()


@inner
def ring(bell: Any) -> Any:
    """Make every worker look whether what it does is still wanted."""
    fetch_add(bell, "rung", 1)  # race: who does not hear it at this node hears it at one of the next


@kernel
def halt(bell):
    """Stop everybody. A kernel, for Python's own writes are not atomic beside those of kernels."""
    store(bell, "stop", 1)
    ring(bell)


@halt.sample
def _halt_sample(game: Any, position: Any, every: bool) -> Iterator[tuple[Any, ...]]:
    yield (allocate(BELL, 1)[0],)


@kernel
def set_deadline(bell, ns):
    """Stop everybody in so many nanoseconds. A kernel, for its clock need not be Python's on every system."""
    bell.deadline = nanoseconds() + ns


@set_deadline.sample
def _set_deadline_sample(game: Any, position: Any, every: bool) -> Iterator[tuple[Any, ...]]:
    yield allocate(BELL, 1)[0], 1


@inner
def alive(bell: Any, lifeline: Any, place: Any) -> Any:
    """Whether the search goes on, and what hangs at `place` on `lifeline` is still wanted.

    A place below 0 is always wanted.
    """
    if load(bell, "stop") != 0:
        return False
    # What is seen late is told again by the bell. And a lifeline may be another one's by now, if one on the way to it
    # was cut meanwhile: whatever it says then, what hangs on the one that was cut is not wanted.
    while lifeline != 0:
        unwanted = np.int64(read_word(lifeline, _HELD))  # race: what is seen late, the bell tells again
        # race: what is seen late, the bell tells again
        if read_word(lifeline, _CUT) != U64(0) or (unwanted != 0 and place >= unwanted):
            return False
        place = np.int64(read_word(lifeline, _INDEX))  # race: another one's only below a cut
        lifeline = np.int64(read_word(lifeline, _ABOVE))  # race: another one's only below a cut
    return True


@apart
def heed(worker: Any) -> Any:
    """The bell has rung: give up if it was for this worker."""
    bell = record_at(worker.bell, BELL)
    # First how often it rang, then for whom: whoever rings later is heard the next time.
    worker.heard = load(bell, "rung")
    if not alive(bell, worker.lifeline, worker.place):
        worker.aborted = 1


@apart
def report_nodes(worker: Any) -> Any:
    """Read the clock, and at times add this worker's nodes to the bell's; stop all workers where a limit is reached."""
    bell = record_at(worker.bell, BELL)
    look_at_clock(worker)
    # The longest pause of this search is kept back: this worker may be off its core again when the deadline comes.
    if worker.polled_ns + worker.longest_pause_ns >= bell.deadline:
        halt(bell)
    if worker.uncounted == 0 and worker.nodes >= worker.tell_at:
        tell_nodes(bell, worker)
    step = worker.poll_step
    if worker.uncounted == 0:
        step = min(step, worker.tell_at - worker.nodes)
    if worker.pace > 0:
        if worker.nodes >= worker.yield_at:
            yield_core()
            worker.yield_at = worker.nodes + worker.pace
            worker.polled_ns = 0  # what others did meanwhile is no pause of the system's making
        step = min(step, worker.yield_at - worker.nodes)
    worker.poll_at = worker.nodes + step


@inner
def tell_nodes(bell: Any, worker: Any) -> Any:
    """Add this worker's new nodes to the bell's; stop all workers where the limit is reached."""
    fresh = worker.nodes - worker.told
    worker.told = worker.nodes
    total = fetch_add(bell, "nodes", fresh, "relaxed") + fresh  # race: a sum, which publishes nothing else
    if total >= bell.node_limit:
        halt(bell)
    worker.tell_at = worker.nodes + min(POLL_NODES, max((bell.node_limit - total) // bell.workers, FEWEST_NODES))


@inner
def look_at_clock(worker: Any) -> Any:
    """Update the time of the last read and the longest pause; adapt the nodes until the next read to `POLL_NS`."""
    now = nanoseconds()
    if worker.polled_ns != 0:
        pause = now - worker.polled_ns
        if pause > PAUSE_NS:
            worker.longest_pause_ns = max(worker.longest_pause_ns, pause)
        # By halves: the pause may also be preemption, which says nothing about the cost of a node.
        if pause > POLL_NS:
            worker.poll_step = max(worker.poll_step // 2, FEWEST_NODES)
        elif pause < POLL_NS // 4:
            worker.poll_step = min(worker.poll_step * 2, POLL_NODES)
    worker.polled_ns = now


@inner
def poll_stop(worker: Any) -> Any:
    """Whether what this worker does is wanted no more."""
    if unlikely(worker.nodes >= worker.poll_at):
        report_nodes(worker)
    # race: heard at one of the next nodes, and `heed` then takes over what was published
    if unlikely(load(record_at(worker.bell, BELL), "rung", "relaxed") != worker.heard):
        heed(worker)
    return worker.aborted != 0
