"""Work and span of a fork-join program of a user, from the events of one worker (`outflank.forkjoin.Recording`).

A spawned task is parallel to its parent's work between spawn and sync. Everything else is sequential. The time
between two events is a strand of the task that runs then. The cost of an event is subtracted from it. This cost is the
median time between the end of a task and the completion of its sync, where nothing else happens. In the unit `strands`,
each strand counts as 1, so that work and span are the same on every machine.

In the burdened span, each spawned task begins one steal later.
"""

import statistics
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from outflank.forkjoin.recording import BEGIN, END, FRAME_ADDRESS, JOINED, KIND, SPAWN, SYNC, TIME, WORKER_ID
from outflank.lab.spans.work_and_span import Spans

Events = npt.NDArray[np.int64]


def task_spans(events: Events, *, unit: str = "nanoseconds", burden: float = 0.0) -> Spans:
    """Return work and span of one worker's events in `unit`, nanoseconds or strands; a steal costs `burden`."""
    kinds = events[:, KIND]
    # In the unit `strands`, a strand that ends at a spawn, a sync or the end of a task counts as 1.
    lengths = strand_lengths(events) if unit == "nanoseconds" else np.isin(kinds, (SPAWN, SYNC, END)).astype(float)
    work, spawns, strands = 0.0, 0, 1
    # Clocks for unlimited processors: of the tasks on the stack, and of other tasks by frame.
    now = [0.0, 0.0, 1]  # of the running task: clock, burdened clock, and strands on the longest path
    callers: list[list[float]] = []
    spawned: dict[int, list[float]] = {}
    ended: dict[int, list[float]] = {}
    for kind, frame, length in zip(kinds.tolist(), events[:, FRAME_ADDRESS].tolist(), lengths.tolist(), strict=True):
        if kind == JOINED:  # the time since the end of the child is part of the next strand
            child = ended.pop(frame)
            if child[0] > now[0]:
                now[0], now[2] = child[0], child[2]
            now[1] = max(now[1], child[1])
            now[2] += 1
        work += length
        now[0] += length
        now[1] += length
        if kind == SPAWN:
            spawns += 1
            strands += 3  # the child, the parent until the sync, and the parent after the sync
            spawned[frame] = [now[0], now[1] + burden, now[2] + 1]
            now[2] += 1
        elif kind == BEGIN and frame:
            callers.append(now)
            now = spawned.pop(frame)
        elif kind == END and frame:
            ended[frame] = now
            now = callers.pop()
    return Spans(
        work=work,
        span=now[0],
        burdened_span=now[1],
        spawns=spawns,
        strands=strands,
        span_strands=int(now[2]),
        frames=spawns,
        regions=1,
        atomics=2 * spawns,
    )


def strand_lengths(events: Events) -> npt.NDArray[np.float64]:
    """Return the nanoseconds before each event, without the cost of the event."""
    times, kinds, frames = events[:, TIME], events[:, KIND], events[:, FRAME_ADDRESS]
    lengths = np.diff(times, prepend=times[:1]).astype(np.float64)
    follows = (kinds[1:] == JOINED) & (kinds[:-1] == END) & (frames[1:] == frames[:-1])
    cost = float(np.median(lengths[1:][follows])) if follows.any() else 0.0
    return np.maximum(lengths - cost, 0.0)


def fastest_task_strands(recordings: Sequence[Events]) -> Events:
    """Return the events of equal recordings with one worker, with each strand at its least time."""
    first = recordings[0]
    same = [events for events in recordings if len(events) == len(first) and (events[:, KIND] == first[:, KIND]).all()]
    events = first.copy()
    lengths = [np.diff(recording[:, TIME], prepend=recording[:1, TIME]) for recording in same]
    events[:, TIME] = np.cumsum(np.min(lengths, axis=0))
    return events


def steal_nanoseconds(events: Events) -> list[int]:
    """Return the nanoseconds of each steal.

    A steal begins once there are a spawned task and an idle worker. It ends when the task begins.
    """
    spawned: dict[int, tuple[int, int]] = {}  # frame -> time and worker of the spawn
    last: dict[int, int] = {}  # worker -> time of its last event
    durations = []
    for time, kind, frame, worker in events[:, (TIME, KIND, FRAME_ADDRESS, WORKER_ID)].tolist():
        if kind == SPAWN:
            spawned[frame] = (time, worker)
        elif kind == BEGIN and frame:
            when, parent = spawned[frame]
            if parent != worker:
                durations.append(time - max(when, last.get(worker, when)))
        last[worker] = time
    return durations


def steal_cost(recordings: Sequence[Events]) -> tuple[float, int]:
    """Return the median nanoseconds of a steal in recordings with several workers, and the number of steals."""
    durations = [duration for events in recordings for duration in steal_nanoseconds(events)]
    return (statistics.median(durations), len(durations)) if durations else (0.0, 0)


RUNS, WAITS = "runs tasks", "waits for a thief"
"""Activities of a worker. Between its intervals it is idle."""


def top_intervals(events: Events) -> Iterator[tuple[int, str, int, int]]:
    """Yield (worker, activity, begin, end) for each stretch of a worker's time, in nanoseconds from the first event."""
    origin = int(events[0, TIME]) if len(events) else 0
    spawner: dict[int, int] = {}  # frame -> worker that spawned its task
    depth: dict[int, int] = {}  # worker -> tasks on its stack
    begun: dict[int, int] = {}  # worker -> begin of its current stretch
    syncing: dict[int, int] = {}  # worker -> time of the sync that was its last event
    for when, kind, frame, worker in events[:, (TIME, KIND, FRAME_ADDRESS, WORKER_ID)].tolist():
        now = when - origin
        synced = syncing.pop(worker, None)
        if synced is not None and not (kind == BEGIN and spawner[frame] == worker):
            yield worker, RUNS, begun[worker], synced
            yield worker, WAITS, synced, now
            begun[worker] = now
        if kind == SPAWN:
            spawner[frame] = worker
        elif kind == SYNC:
            syncing[worker] = now
        elif kind == BEGIN:
            if depth.get(worker, 0) == 0:
                begun[worker] = now
            depth[worker] = depth.get(worker, 0) + 1
        elif kind == END:
            depth[worker] -= 1
            if depth[worker] == 0:
                yield worker, RUNS, begun[worker], now
