"""Recordings of searches with one worker, several of each, so that noise of the clock can be removed.

A search with one worker has the same events every time. So each strand counts with its least time in all recordings: a
strand that was preempted in one recording was probably not preempted in another. The node counts of recordings must be
equal, which is checked.
"""

import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache

import numpy as np
import numpy.typing as npt

from outflank.kernels.compiler import interpreted
from outflank.lab.experiment_boards import default_board
from outflank.lab.measuring.search_log import search, without_logging
from outflank.lab.spans.work_and_span import NO_SPANS, Spans, burden_of, moments_of, spans_of
from outflank.parallel.events import KIND, NODES, TIME, EventRecording
from outflank.search.request import Limits
from outflank.search.results import Result

try:
    from resource import RUSAGE_SELF, getrusage
except ImportError:  # on Windows, which does not count context switches
    getrusage = None  # type: ignore[assignment]  # a function elsewhere

UNITS = ("nodes", "nanoseconds")

ROOM = 1 << 21
"""Greatest number of events recorded in one search. They take 112 MiB."""

Events = npt.NDArray[np.int64]


def _involuntary_switches() -> int:
    return getrusage(RUSAGE_SELF).ru_nivcsw if getrusage is not None else 0


@dataclass(slots=True)
class Cost:
    """Time of one recording, and the part of it in which the process had no processor."""

    seconds: float = 0.0
    processor_seconds: float = 0.0
    system_seconds: float = 0.0
    """Part of the processor time that the operating system took."""
    switches: int = 0
    """Number of involuntary context switches."""

    @property
    def lost_share(self) -> float:
        """Share of the time in which the process had no processor. It is inexact if the process clock is coarse."""
        return max(0.0, 1 - self.processor_seconds / self.seconds) if self.seconds else 0.0

    def next_of(self, searches: Iterator[Result]) -> Result | None:
        """Run the next search, add its cost, and return its result. Return None after the last search."""
        began, processor, switches = time.perf_counter(), time.process_time(), _involuntary_switches()
        system = os.times().system
        result = next(searches, None)
        self.seconds += time.perf_counter() - began
        self.processor_seconds += time.process_time() - processor
        self.system_seconds += os.times().system - system
        self.switches += _involuntary_switches() - switches
        return result


@dataclass(slots=True)
class RecordingResult:
    """The combined recordings of a search, or of all searches in a game."""

    costs: list[Cost]
    """Cost of each of the recordings that are combined."""
    totals: dict[str, Spans] = field(default_factory=lambda: dict.fromkeys(UNITS, NO_SPANS))
    """Work and span of the recorded searches, in each unit of `UNITS`."""
    moments: list[tuple[float, list[float]]] = field(default_factory=list)
    """For each root, its span in nodes and the mean number of running strands in each part of the span."""
    nodes: int = 0
    lost: int = 0
    """Number of events that were dropped because the buffer was full."""
    unlike: int = 0
    """Number of searches whose recordings differ."""


def record_searches(
    searches: Callable[[EventRecording], Iterator[Result]], times: int, *, burdens: dict[str, float], parts: int = 0
) -> RecordingResult:
    """Record the searches `times` times, and compute work and span. `burdens` are the costs of a steal by unit."""
    recording = EventRecording(ROOM)
    total = RecordingResult(costs=[Cost() for _ in range(times)])
    rounds = [searches(recording) for _ in range(times)]
    while True:
        recordings: list[Events] = []
        for cost, search_results in zip(total.costs, rounds, strict=True):
            result = cost.next_of(search_results)
            if result is not None:
                recordings.append(recording.take())
                total.nodes += result.nodes
        if len(recordings) < times:
            break
        events, same = fastest_strands(recordings)
        total.unlike += not same
        for unit in UNITS:
            total.totals[unit] += spans_of(events, unit=unit, burden=burdens[unit])
        if parts:
            total.moments += moments_of(events, parts)
    total.nodes //= times
    total.lost = recording.lost
    return total


def fastest_strands(recordings: list[Events]) -> tuple[Events, bool]:
    """Return the events, with each strand at its least time, and whether all recordings have the same events.

    If they differ, the events are those of the first recording, unchanged.
    """
    first = recordings[0]
    for recording in recordings[1:]:
        if len(recording) != len(first) or (recording[:, (NODES, KIND)] != first[:, (NODES, KIND)]).any():
            return first, False
    strands = np.min(
        [np.diff(recording_events[:, TIME], prepend=recording_events[:1, TIME]) for recording_events in recordings],
        axis=0,
    )
    events = first.copy()
    events[:, TIME] = np.cumsum(strands)
    return events, True


@cache
def measured_burden() -> tuple[float, int]:
    """Return the median nanoseconds of a steal between two workers on this machine, and the number of steals."""
    return burden_of(shared_recordings())


@cache
def shared_recordings() -> list[Events]:
    """Return the events of short, finely divided searches with two workers, for the costs of sharing."""
    recordings = []
    count, depth = (2, 2) if interpreted() else (40, 5)
    for _ in range(count):
        recording = EventRecording()
        with without_logging():
            search(
                default_board(),
                Limits(depth=depth),
                algorithm="minimax",
                evaluation="discs",
                deepen=False,
                parallel="fork-join",
                workers=2,
                threshold=max(0, depth - 3),
                instrument=recording,
            )
        recordings.append(recording.take())
    return recordings
