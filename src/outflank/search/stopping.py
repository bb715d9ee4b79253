"""Stopping of searches: node limits, deadlines, and the bell and lifelines that tell workers to give up.

A user stops the whole search: `Stop` and Ctrl-C call `Root.stop`, which calls `halt`. A worker that reaches the node
limit or the deadline (`report_nodes`) also calls `halt`. A worker whose cut-off makes the work of some other workers
pointless (`parallel/`) stops only these workers.

- A search has one *bell*. To stop all workers, its `stop` is set; to stop some workers, the lifelines of their work are
  marked. In both cases the bell is then rung (`ring`).
- A worker polls at each node (`poll_stop`). Unless the bell has rung since the last poll, a poll is one read of a word
  that stays in every core's cache. If the bell has rung, the worker checks whether its work is still wanted
  (`check_lifeline`).
- A *lifeline* is the record on which a piece of work depends: four words (`LIFELINE`) that say whether all of this work
  is pointless, from which place on it is not wanted now, and on which other lifeline this lifeline depends. Each frame
  of the divided search begins with a lifeline.
- A worker whose work is not wanted sets its own `aborted`. From then on its value is worthless: each level of its
  recursion returns at once and stores nothing in the table. Python above the kernels raises `Stopped`.

Workers compare the clock with the deadline themselves, in compiled code. A timer thread would first have to be
scheduled and to get the interpreter's lock, which took 30 ms and more on a busy machine. A pause is a time in which the
system keeps a worker off its core. A worker stops before the deadline, by the length of its longest pause in this
search, since another pause may come.

No ring is missed: a worker that sees a ring also sees everything published before it, and a worker reads the number of
rings before it reads the lifelines. It sees a later ring at one of the next nodes.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np

from outflank.games.rules import Game, Position
from outflank.kernels.atomics import fetch_add, load, store
from outflank.kernels.bits import U64, Int
from outflank.kernels.compiler import Samples, inner, interpreted, kernel, never_inlined, unlikely
from outflank.kernels.memory import read_word, record_at
from outflank.kernels.record_types import Field, Record, Records, allocate, record_type
from outflank.kernels.waiting import nanoseconds, yield_core

POLL_NODES = 4096
"""Maximum number of nodes between two checks of the node limit: a few hundred microseconds."""

FEWEST_NODES = 64
"""Minimum number of nodes between two checks of the node limit, however near the limit is."""

POLL_NS = 250_000
"""Intended maximum time between two reads of the clock, in nanoseconds. With a slow evaluation `FEWEST_NODES` nodes may
take longer. A read takes about 25 ns."""

PAUSE_NS = 2_000_000
"""Time between two reads of the clock, in nanoseconds, above which the worker is assumed to have been off its core. The
game's own endgame kernels do not read the clock for up to a millisecond. A slow evaluation may be mistaken for a
pause."""

ENDLESS = 1 << 62

BELL = record_type(
    {
        "rung": np.int64,  # number of rings: how often some worker's work has become pointless
        "stop": np.int64,  # not 0: all workers must stop
        "nodes": np.int64,  # nodes that all workers have reported
        "node_limit": np.int64,
        "deadline": np.int64,  # time at which all workers stop, by the clock of `nanoseconds`
        "workers": np.int64,  # number of workers
    },
    own_lines=("rung", "stop", "nodes"),
)
"""The record that tells the workers of a search to stop. They read `rung` at every node: as long as no worker writes to
it, its cache line stays in every core's cache and a read costs next to nothing."""

STOP_FIELDS: dict[str, Field] = {
    "bell": np.int64,  # address of the search's bell
    "heard": np.int64,  # how often the bell had rung at this worker's last poll
    "lifeline": np.int64,  # address of the first lifeline of a chain; 0: none
    "place": np.int64,  # this worker's place on that lifeline: the index of its move
    "aborted": np.int64,  # not 0: the last search was stopped, and its value is worthless
    "poll_at": np.int64,  # node count at which to read the clock, or to report nodes
    "report_at": np.int64,  # node count at which to report nodes to the bell
    "reported_nodes": np.int64,  # nodes reported to the bell so far
    "uncounted": np.int64,  # not 0: no nodes are reported
    "poll_step": np.int64,  # nodes between two reads of the clock
    "polled_ns": np.int64,  # time of the last read of the clock; 0: unknown, so that the next read measures no pause
    "longest_pause_ns": np.int64,  # longest time that this worker was off its core
    "pace": np.int64,  # nodes between two yields of the core; 0: never
    "yield_at": np.int64,  # node count at which to yield the core
}
"""Fields of a worker's record that serve to stop it."""

LIFELINE = ("cut", "above", "held", "index")
"""Words of a lifeline. `cut`: not 0 once all work that depends on the lifeline is pointless. `above`: address of the
lifeline above, on which this lifeline depends; 0: none. `held`: the first place whose work is not wanted now, like the
work of all later places; 0: all places are wanted. `index`: this lifeline's place on the lifeline above."""

_CUT, _ABOVE, _HELD, _INDEX = range(len(LIFELINE))


class Stopped(Exception):
    """The search was stopped; its unfinished part is worthless."""


def begin(bell: Record, workers: Records, node_limit: int | None) -> None:
    """Reset the record `bell` and the workers. They can then search until they are stopped, or have searched
    `node_limit` nodes together."""
    bell.stop = bell.nodes = 0
    bell.node_limit = ENDLESS if node_limit is None else node_limit
    bell.deadline = ENDLESS
    for name in (
        "aborted",
        "reported_nodes",
        "poll_at",
        "report_at",
        "uncounted",
        "polled_ns",
        "longest_pause_ns",
        "yield_at",
    ):
        workers[name] = 0
    workers["poll_step"] = FEWEST_NODES  # until the time of a node is known


@contextmanager
def timer(stop: Callable[[], None], seconds: float | None, workers: object) -> Iterator[None]:
    """Call `stop` after `seconds`, unless the `workers` check the deadline themselves, in compiled code."""
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
def ring(bell: Record) -> None:
    """Make every worker check whether its work is still wanted."""
    fetch_add(bell, "rung", 1)  # race: a worker that misses it at this node sees it at one of the next


@kernel
def halt(bell):
    """Stop all workers. This is a kernel because a write from Python would not be atomic."""
    store(bell, "stop", 1)
    ring(bell)


@halt.sample
def _halt_sample(game: Game, position: Position, every: bool) -> Samples:
    yield (allocate(BELL, 1)[0],)


@kernel
def set_deadline(bell, ns):
    """Stop all workers in `ns` nanoseconds. This is a kernel because the clock of kernels may differ from Python's."""
    bell.deadline = nanoseconds() + ns


@set_deadline.sample
def _set_deadline_sample(game: Game, position: Position, every: bool) -> Samples:
    yield allocate(BELL, 1)[0], 1


@inner
def is_wanted(bell: Record, lifeline: Int, place: Int) -> bool:
    """Return whether the search goes on, and the work at `place` on `lifeline` is still wanted.

    A `place` below 0 stands for the whole lifeline. Then the lifeline's own `held` is ignored.
    """
    if load(bell, "stop") != 0:
        return False
    # A late read is repeated at the next ring. If a lifeline was cut meanwhile, the lifelines above it may belong to
    # other frames by now. Their content does not matter: work that depends on the cut lifeline is not wanted anyway.
    while lifeline != 0:
        unwanted = np.int64(read_word(lifeline, _HELD))  # race: a late read is repeated at the next ring
        # race: a late read is repeated at the next ring
        if read_word(lifeline, _CUT) != U64(0) or (unwanted != 0 and place >= unwanted):
            return False
        place = np.int64(read_word(lifeline, _INDEX))  # race: may belong to another frame, but only below a cut
        lifeline = np.int64(read_word(lifeline, _ABOVE))  # race: may belong to another frame, but only below a cut
    return True


@never_inlined
def check_lifeline(worker: Record) -> None:
    """After a ring of the bell, set `aborted` if this worker's work is no longer wanted."""
    bell = record_at(worker.bell, BELL)
    # First read how often the bell rang, then the lifelines: a later ring is seen at the next poll.
    worker.heard = load(bell, "rung")
    if not is_wanted(bell, worker.lifeline, worker.place):
        worker.aborted = 1


@never_inlined
def report_nodes(worker: Record) -> None:
    """Read the clock, and at times add this worker's nodes to the search's total. Stop all workers at a limit."""
    bell = record_at(worker.bell, BELL)
    read_clock(worker)
    # Reserve the longest pause of this search: this worker may be off its core again when the deadline comes.
    if worker.polled_ns + worker.longest_pause_ns >= bell.deadline:
        halt(bell)
    if worker.uncounted == 0 and worker.nodes >= worker.report_at:
        add_nodes(bell, worker)
    step = worker.poll_step
    if worker.uncounted == 0:
        step = min(step, worker.report_at - worker.nodes)
    if worker.pace > 0:
        if worker.nodes >= worker.yield_at:
            yield_core()
            worker.yield_at = worker.nodes + worker.pace
            worker.polled_ns = 0  # the yield is no pause that the system imposed
        step = min(step, worker.yield_at - worker.nodes)
    worker.poll_at = worker.nodes + step


@inner
def add_nodes(bell: Record, worker: Record) -> None:
    """Add this worker's new nodes to the search's total in `bell`; stop all workers if the node limit is reached."""
    fresh = worker.nodes - worker.reported_nodes
    worker.reported_nodes = worker.nodes
    total = fetch_add(bell, "nodes", fresh, "relaxed") + fresh  # race: a sum, which publishes nothing else
    if total >= bell.node_limit:
        halt(bell)
    worker.report_at = worker.nodes + min(POLL_NODES, max((bell.node_limit - total) // bell.workers, FEWEST_NODES))


@inner
def read_clock(worker: Record) -> None:
    """Read the clock, update the longest pause, and adapt the number of nodes until the next read to `POLL_NS`."""
    now = nanoseconds()
    if worker.polled_ns != 0:
        pause = now - worker.polled_ns
        if pause > PAUSE_NS:
            worker.longest_pause_ns = max(worker.longest_pause_ns, pause)
        # The step is only halved: the worker may have lost its core, and then the pause does not show the cost of a
        # node.
        if pause > POLL_NS:
            worker.poll_step = max(worker.poll_step // 2, FEWEST_NODES)
        elif pause < POLL_NS // 4:
            worker.poll_step = min(worker.poll_step * 2, POLL_NODES)
    worker.polled_ns = now


@inner
def poll_stop(worker: Record) -> bool:
    """Return whether this worker's work is no longer wanted."""
    if unlikely(worker.nodes >= worker.poll_at):
        report_nodes(worker)
    # race: seen at one of the next nodes, and `check_lifeline` then acquires what was published
    if unlikely(load(record_at(worker.bell, BELL), "rung", "relaxed") != worker.heard):
        check_lifeline(worker)
    return worker.aborted != 0
