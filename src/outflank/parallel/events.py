"""Recording of workers' events at split points, for measurements of a divided search.

A search with an `EventRecording` records the steps of each worker at split points as events. With any other probe,
this code is not compiled. Below the split points nothing is recorded, so that the measured search is hardly
slower: an event costs some thirty nanoseconds, a job some hundred microseconds.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from outflank.kernels.bits import U64
from outflank.kernels.generic import generic, missing
from outflank.kernels.memory import address_of, read_word, write_word
from outflank.kernels.waiting import nanoseconds
from outflank.parallel.shared_state import Hand, frame_at
from outflank.search.probes import DepthCounts, Probe, Silent, note_lookup, note_node
from outflank.search.worker import Worker

STARTED, OPENED, OFFERED, TAKEN, DONE, GIVEN_UP, IN_TURN, CLOSED, LEFT, SEEKING, FOUND, HOME = range(12)
"""Kinds of event: a root is begun; a split point is opened for the current job; its other moves are offered; a move is
taken; a move is done, or given up; moves that beat their scouts are searched in turn; a split point is complete, or
left to the workers still inside; a worker looks for a permit; a worker has found one; a worker ends."""

NAMES = (
    "started",
    "opened",
    "offered",
    "taken",
    "done",
    "given up",
    "in turn",
    "closed",
    "left",
    "seeking",
    "found",
    "home",
)

TIME, NODES, KIND, FRAME_ADDRESS, DETAIL, WORKER_ID, OFFERS = range(7)
"""Words of an event: time in nanoseconds, number of tree nodes that the worker has entered so far, kind, address of the
split point, detail, worker, and number of split points that the worker has offered so far, recorded or not. The detail
of a taken move has the move's index in the low bits, the move's code from bit `CODE_SHIFT` on, and from bit
`MORE_SHIFT` on the number of later moves taken together with it. The detail of an opened root or split point is its
depth."""

WORDS = 7
CODE_SHIFT, MORE_SHIFT = 16, 32
CODE = (1 << MORE_SHIFT - CODE_SHIFT) - 1
_COUNT, _LOST, _OFFERS, _HEADER = 0, 1, 2, 8


class Recorder(NamedTuple):
    """A probe that records events until its memory is full."""

    address: int
    capacity: int
    least_depth: int


@note_node.register(Recorder)
def _(probe, depth, moves):
    pass


@note_lookup.register(Recorder)
def _(probe, depth, data):
    return data


@generic
def note_event(probe: Probe, kind: int, frame: int, detail: int, hand: Hand, worker: Worker) -> None:
    """Record an event of `kind` at the split point `frame`; the meaning of `detail` depends on the kind."""
    raise missing(note_event, probe)


@note_event.register(Silent)
def _(probe, kind, frame, detail, hand, worker):
    pass


@note_event.register(DepthCounts)
def _(probe, kind, frame, detail, hand, worker):
    pass


@note_event.register(Recorder)
def _(probe, kind, frame, detail, hand, worker):
    if kind == OFFERED:
        write_word(probe.address, _OFFERS, read_word(probe.address, _OFFERS) + U64(1))
    if frame != 0 and frame_at(frame).depth < probe.least_depth:
        return
    count = np.int64(read_word(probe.address, _COUNT))
    if count >= probe.capacity:
        write_word(probe.address, _LOST, read_word(probe.address, _LOST) + U64(1))
        return
    place = _HEADER + WORDS * count
    write_word(probe.address, place + TIME, U64(nanoseconds()))
    write_word(probe.address, place + NODES, U64(worker.nodes))
    write_word(probe.address, place + KIND, U64(kind))
    write_word(probe.address, place + FRAME_ADDRESS, U64(frame))
    write_word(probe.address, place + DETAIL, U64(detail))
    write_word(probe.address, place + WORKER_ID, U64(hand.id))
    write_word(probe.address, place + OFFERS, read_word(probe.address, _OFFERS))
    write_word(probe.address, _COUNT, U64(count + 1))


class EventRecording:
    """Recording of the events of a search: pass it as the search's `instrument`, then `take` the events."""

    def __init__(self, capacity: int = 1 << 18, *, least_depth: int = 0) -> None:
        self.capacity = capacity
        """Maximum number of events (56 bytes each) of one worker in the search of one root."""
        self.least_depth = least_depth
        """Least depth of the split points whose events are recorded. Use it with one worker only: another worker may
        reuse the memory of a split point before its depth is read."""
        self._words = np.zeros(_HEADER + WORDS * capacity, np.int64)
        self.probe = Recorder(address_of(self._words), capacity, least_depth)
        self._saved: list[npt.NDArray[np.int64]] = []
        self.lost = 0
        """Number of events for which there was no room."""

    def alike(self) -> "EventRecording":
        """Return a new recording for another worker."""
        return EventRecording(self.capacity, least_depth=self.least_depth)

    def absorb(self, other: "EventRecording") -> None:
        """Add the events of another recording, and clear it."""
        self._saved += [self._empty(), other._empty()]
        self.lost += other.lost
        other.lost = 0

    def _empty(self) -> npt.NDArray[np.int64]:
        count = int(self._words[_COUNT])
        self.lost += int(self._words[_LOST])
        self._words[:_HEADER] = 0
        return self._words[_HEADER : _HEADER + WORDS * count].reshape(count, WORDS).copy()

    def take(self) -> npt.NDArray[np.int64]:
        """Return and remove the events so far, a row of `WORDS` words for each, sorted by time; each worker's events
        are in the order in which they were recorded."""
        events = np.concatenate([*self._saved, self._empty()])
        self._saved = []
        return events[np.argsort(events[:, TIME], kind="stable")]
