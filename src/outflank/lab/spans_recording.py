"""Searches of one worker, recorded: several times each, so that what a clock saw can be told from chance.

A search by one worker is the same every time, event by event. So each strand is taken at its least time of all
recordings: whoever was preempted in one of them was not, with luck, at the same place in another. In nodes the
recordings must be equal, and that is checked.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache

import numpy as np
import numpy.typing as npt

from outflank.lab.boards import usual_board
from outflank.lab.search_log import search, unnoted
from outflank.lab.spans import NO_SPANS, Spans, burden_of, moments_of, spans_of
from outflank.parallel.events import KIND, NODES, TIME, EventRecording
from outflank.search.contract import Limits
from outflank.search.results import Result

try:
    from resource import RUSAGE_SELF, getrusage
except ImportError:  # Windows, which does not count them
    getrusage = None  # type: ignore[assignment]  # a function elsewhere

UNITS = ("nodes", "nanoseconds")

ROOM = 1 << 21
"""Events of one search: 96 MiB."""

Events = npt.NDArray[np.int64]


def _involuntary() -> int:
    return getrusage(RUSAGE_SELF).ru_nivcsw if getrusage is not None else 0


@dataclass(slots=True)
class Cost:
    """What one recording took, and how much of its time it had no processor."""

    seconds: float = 0.0
    processor_seconds: float = 0.0
    switches: int = 0
    """How often the system took the processor away."""

    @property
    def lost_share(self) -> float:
        """The part of its time that it had no processor; clocks of processes tick coarsely on some systems."""
        return max(0.0, 1 - self.processor_seconds / self.seconds) if self.seconds else 0.0

    def next_of(self, searches: Iterator[Result]) -> Result | None:
        """One more search, its cost added."""
        began, processor, switches = time.perf_counter(), time.process_time(), _involuntary()
        found = next(searches, None)
        self.seconds += time.perf_counter() - began
        self.processor_seconds += time.process_time() - processor
        self.switches += _involuntary() - switches
        return found


@dataclass(slots=True)
class Recorded:
    """What the recordings of a search, or of all searches of a game, come to."""

    costs: list[Cost]
    """Of each recording."""
    totals: dict[str, Spans] = field(default_factory=lambda: dict.fromkeys(UNITS, NO_SPANS))
    """By unit."""
    moments: list[tuple[float, list[float]]] = field(default_factory=list)
    """In nodes, as `moments_of` gives them, root by root."""
    nodes: int = 0
    lost: int = 0
    """Events for which there was no room."""
    unlike: int = 0
    """Searches that were not the same in all recordings."""


def recorded(
    searches: Callable[[EventRecording], Iterator[Result]],
    times: int,
    *,
    burdens: dict[str, float],
    parts: int = 0,
) -> Recorded:
    """Record the searches so many times, and fold them. `burdens` is what a migration takes, in each unit."""
    recording = EventRecording(ROOM)
    found = Recorded(costs=[Cost() for _ in range(times)])
    rounds = [searches(recording) for _ in range(times)]
    while True:
        taken: list[Events] = []
        for cost, each in zip(found.costs, rounds, strict=True):
            result = cost.next_of(each)
            if result is not None:
                taken.append(recording.take())
                found.nodes += result.nodes
        if len(taken) < times:
            break
        events, same = least_of(taken)
        found.unlike += not same
        for unit in UNITS:
            found.totals[unit] += spans_of(events, unit=unit, burden=burdens[unit])
        if parts:
            found.moments += moments_of(events, parts)
    found.nodes //= times
    found.lost = recording.lost
    return found


def least_of(recordings: list[Events]) -> tuple[Events, bool]:
    """The same events with every strand at its least time, and whether they are the same in all recordings."""
    first = recordings[0]
    for other in recordings[1:]:
        if len(other) != len(first) or (other[:, (NODES, KIND)] != first[:, (NODES, KIND)]).any():
            return first, False
    strands = np.min([np.diff(each[:, TIME], prepend=each[:1, TIME]) for each in recordings], axis=0)
    events = first.copy()
    events[:, TIME] = np.cumsum(strands)
    return events, True


@cache
def measured_burden() -> tuple[float, int]:
    """Nanoseconds that a migration takes here, and how many were seen: two workers on small parts of a tree."""
    recordings = []
    for _ in range(40):
        recording = EventRecording()
        with unnoted():  # not what the experiment is about
            search(
                usual_board(),
                Limits(depth=5),
                algorithm="minimax",
                evaluation="discs",
                deepen=False,
                parallel="fork-join",
                workers=2,
                threshold=2,
                instrument=recording,
            )
        recordings.append(recording.take())
    return burden_of(recordings)
