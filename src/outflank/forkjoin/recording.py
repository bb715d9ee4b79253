"""Recording of a run's events: which worker spawned, began, ended and synced which task, and when.

A run with a `Recording` notes an event at each spawn, sync, and begin and end of a spawned task. Without one, this code
is not compiled. An event costs some thirty nanoseconds, so record programs whose tasks are longer than that.
"""

from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from outflank.forkjoin.shared_state import Hand
from outflank.kernels.bits import U64
from outflank.kernels.generic import generic, missing
from outflank.kernels.memory import address_of, read_word, write_word
from outflank.kernels.waiting import nanoseconds

SPAWN, BEGIN, END, SYNC, JOINED = range(5)
"""Kinds of event: a task is spawned; it begins; it ends; its parent begins to sync it; the sync is complete. The first
task of a run begins and ends in frame 0 and is neither spawned nor synced."""

NAMES = ("spawn", "begin", "end", "sync", "joined")

TIME, KIND, FRAME_ADDRESS, WORKER_ID = range(4)
"""Words of an event: time in nanoseconds, kind, address of the task's frame, and worker. A frame is used again after
its sync. A task for which no frame was left is neither offered to others nor recorded: it counts as work of its
parent."""

WORDS = 4
_COUNT, _LOST, _HEADER = 0, 1, 8


Probe: TypeAlias = Any
"""A `NamedTuple` that receives the events of a worker; its type selects the compiled code."""


class Silent(NamedTuple):
    """A probe that records nothing."""


class Recorder(NamedTuple):
    """A probe that records events until its memory is full."""

    address: int
    capacity: int


@generic
def note(probe: Probe, kind: int, frame: int, hand: Hand) -> None:
    """Record an event of `kind` for the task in the frame at address `frame`."""
    raise missing(note, probe)


@note.register(Silent)
def _(probe, kind, frame, hand):
    pass


@note.register(Recorder)
def _(probe, kind, frame, hand):
    count = np.int64(read_word(probe.address, _COUNT))
    if count >= probe.capacity:
        write_word(probe.address, _LOST, read_word(probe.address, _LOST) + U64(1))
        return
    place = _HEADER + WORDS * count
    write_word(probe.address, place + TIME, U64(nanoseconds()))
    write_word(probe.address, place + KIND, U64(kind))
    write_word(probe.address, place + FRAME_ADDRESS, U64(frame))
    write_word(probe.address, place + WORKER_ID, U64(hand.id))
    write_word(probe.address, _COUNT, U64(count + 1))


class Recording:
    """Recording of the events of a run: pass it to `measure`, then read `events`."""

    def __init__(self, capacity: int = 1 << 20) -> None:
        self.capacity = capacity
        """Maximum number of events (32 bytes each) of one worker."""
        self.lost = 0
        """Number of events for which there was no room."""
        self.events: npt.NDArray[np.int64] = np.zeros((0, WORDS), np.int64)
        """Events of the last run, a row of `WORDS` words for each, sorted by time; each worker's events are in the
        order in which they were recorded."""
        self._words: list[npt.NDArray[np.int64]] = []

    def probes(self, count: int) -> list[Recorder]:
        """Return the probes of `count` workers, for a new run."""
        # Not `zeros`: its pages would be faulted in, some 100 µs for a huge page, in the middle of the run.
        self._words = [np.full(_HEADER + WORDS * self.capacity, 0, np.int64) for _ in range(count)]
        return [Recorder(address_of(words), self.capacity) for words in self._words]

    def finish(self) -> None:
        """Collect the events of all workers, once they have ended."""
        self.lost = sum(int(words[_LOST]) for words in self._words)
        rows = [words[_HEADER : _HEADER + WORDS * int(words[_COUNT])].reshape(-1, WORDS) for words in self._words]
        events = np.concatenate(rows)
        self.events = events[np.argsort(events[:, TIME], kind="stable")]
        self._words = []
