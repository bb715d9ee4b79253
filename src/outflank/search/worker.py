"""The record of one searching worker: its options, counters and stacks.

Everything that does not select compiled code is a field here, read at run time. Only the types
of game, evaluation and probe make another compilation.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from outflank.games.hints import FEATURES, STAGES
from outflank.games.rules import MOVE
from outflank.kernels.atomics import fetch_add, load, store
from outflank.kernels.bits import U64
from outflank.kernels.compiler import inner, kernel
from outflank.kernels.memory import read_word, record_at
from outflank.kernels.record_types import allocate, record_type
from outflank.kernels.waiting import yield_core

ROOM = 1 << 14
"""Moves on the line that a worker is in."""

PLIES = 128
"""The longest line."""

CODES = 1 << 13
"""Codes of moves that the history keeps apart; larger ones share."""

PASS_FREE, PASS_PLY, PASS_EVALUATES = 0, 1, 2
"""What a pass costs: nothing, a ply, or the node is evaluated at once."""

SORT_NONE, SORT_BEST, SORT_ALL = 0, 1, 2
"""How moves are ordered: as generated, the most promising one first, or all of them, each when it is its turn."""

SORT_INSERTION, SORT_BACKWARDS, SORT_MERGE, SORT_HEAP = 3, 4, 5, 6
"""All of them before the first is tried: see `sorting`."""

POLL_NODES = 4096
"""Nodes between two looks at the limit of nodes: some hundred microseconds."""

FEWEST_NODES = 64
"""Nodes between two looks, however near the limit is."""

ENDLESS = 1 << 62

BELL = record_type(
    {
        "rung": np.int64,  # how often somebody's work has become pointless
        "stop": np.int64,  # not 0: everybody's has
        "nodes": np.int64,  # what all workers have entered, as far as they have told
        "node_limit": np.int64,
        "workers": np.int64,  # who ring and hear it
    },
    apart=("rung", "stop", "nodes"),
)
"""What tells the workers of a search to stop. They look at `rung` at every node: as long as nobody
writes to it, the line stays in every core's cache and a look costs next to nothing."""

WORKER = record_type(
    {
        # when to stop
        "bell": np.int64,  # address of the search's
        "heard": np.int64,  # how often it had rung when this worker last looked
        "lifeline": np.int64,  # address of the first of a chain of them; 0: none
        "place": np.int64,  # this worker's place on it
        "aborted": np.int64,  # the last search was stopped: its value is worthless
        "poll_at": np.int64,  # nodes at which to tell the bell of them
        "told": np.int64,  # nodes that the bell knows of
        "pace": np.int64,  # nodes between two times that the core is given up; 0: never
        # counters
        "nodes": np.int64,  # positions entered, leaves included
        "leaves": np.int64,  # positions evaluated
        "estimates": np.int64,  # leaves that were not the end of a game
        "lookups": np.int64,
        "hits": np.int64,  # positions the table knew
        "cuts": np.int64,  # and those it made an end of
        "foreign_hits": np.int64,  # those of the hits that another node of a cluster had found
        "foreign_cuts": np.int64,
        "cutoffs": np.int64,  # nodes ended by a move that was too good
        "first_cutoffs": np.int64,  # and those where it was the first move tried
        # options
        "pass_rule": np.int64,
        "quiet": np.int64,  # plies of noisy moves beyond the depth
        "scout": np.int64,  # principal variation search
        "table": np.int64,  # address of the table; 0: none
        "table_shift": np.int64,
        "table_from": np.int64,  # depth from which it is asked
        "at_least": np.int64,  # entries of greater depth may end a search too
        "canonical": np.int64,  # symmetric positions share an entry
        "age": np.int64,
        "outbox": np.int64,  # address of the ring for entries that others are told of; 0: none
        "send_from": np.int64,  # depth from which they are told
        "send_within": np.int64,  # and the ply up to which
        "sorting": np.int64,
        "sort_from": np.int64,  # depth from which moves are ordered
        "killers": np.int64,  # whether each is used
        "history": np.int64,
        "jitter": np.int64,  # not 0: moves that look alike are tried in another order, one for each number
        "staged": np.int64,  # whether the weights change with the stage of the game
        "weights": (np.int64, (STAGES, FEATURES)),
        # stacks and memories
        "line_length": (np.int64, PLIES),
        "line": (MOVE, (PLIES, PLIES)),
        "killer": (MOVE, (PLIES, 2)),
        "moves": (MOVE, ROOM),
        "scores": (np.int64, ROOM),
        "past": (np.int64, CODES),
    },
)

COUNTERS = (
    "nodes",
    "leaves",
    "estimates",
    "lookups",
    "hits",
    "cuts",
    "foreign_hits",
    "foreign_cuts",
    "cutoffs",
    "first_cutoffs",
)
"""The fields that count."""


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


@inner
def alive(bell: Any, lifeline: Any, place: Any) -> Any:
    """Whether the search goes on, and what hangs at `place` on `lifeline` is still wanted.

    A lifeline is four words: not 0 once all that hangs on it is pointless; the address of the next lifeline,
    0 for none; the place from which on what hangs on it is not wanted now, 0 for none; and its own place on
    the next one. A place below 0 is always wanted.
    """
    if load(bell, "stop") != 0:
        return False
    # What is seen late is told again by the bell. And a lifeline may be another one's by now, if one on the way to it
    # was cut meanwhile: whatever it says then, what hangs on the one that was cut is not wanted.
    while lifeline != 0:
        unwanted = np.int64(read_word(lifeline, 2))  # race: what is seen late, the bell tells again
        # race: what is seen late, the bell tells again
        if read_word(lifeline, 0) != U64(0) or (unwanted != 0 and place >= unwanted):
            return False
        place = np.int64(read_word(lifeline, 3))  # race: another one's only below a cut
        lifeline = np.int64(read_word(lifeline, 1))  # race: another one's only below a cut
    return True


@inner
def heed(worker: Any) -> Any:
    """The bell has rung: give up if it was for this worker."""
    bell = record_at(worker.bell, BELL)
    # First how often it rang, then for whom: whoever rings later is heard the next time.
    worker.heard = load(bell, "rung")
    if not alive(bell, worker.lifeline, worker.place):
        worker.aborted = 1


@inner
def report_nodes(worker: Any) -> Any:
    """Tell the bell how many nodes were entered; the one who reaches the limit stops everybody."""
    bell = record_at(worker.bell, BELL)
    fresh = worker.nodes - worker.told
    worker.told = worker.nodes
    total = fetch_add(bell, "nodes", fresh, "relaxed") + fresh  # race: a sum, which publishes nothing else
    if total >= bell.node_limit:
        halt(bell)
    step = min(POLL_NODES, max((bell.node_limit - total) // bell.workers, FEWEST_NODES))
    if worker.pace > 0:
        step = min(step, worker.pace)
        yield_core()
    worker.poll_at = worker.nodes + step


@inner
def poll_stop(worker: Any) -> Any:
    """Whether what this worker does is wanted no more."""
    if worker.nodes >= worker.poll_at:
        report_nodes(worker)
    # race: heard at one of the next nodes, and `heed` then takes over what was published
    if load(record_at(worker.bell, BELL), "rung", "relaxed") != worker.heard:
        heed(worker)
    return worker.aborted != 0
