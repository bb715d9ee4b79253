"""Traces of parallel searches: the workers' events as intervals of activity, and their export to trace viewers."""

import json
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from outflank.lab.experiment_report import Cell, Sample
from outflank.lab.measuring.search_samples import number
from outflank.parallel.events import (
    CLOSED,
    CODE,
    CODE_SHIFT,
    DONE,
    FOUND,
    GIVEN_UP,
    HOME,
    OFFERED,
    OPENED,
    STARTED,
    TAKEN,
)
from outflank.validation.documents import JsonObject

SEARCH, SPAWN, STEAL, ABORT, SCHEDULE, IDLE = "search", "spawn", "steal", "abort", "schedule", "idle"
KINDS = (SEARCH, SPAWN, STEAL, ABORT, SCHEDULE, IDLE)
"""Activities of a worker: searching a subtree alone; opening a split point and offering its moves; joining a split
point of another worker; searching a part that is then aborted; taking moves, delivering values and leaving split
points; being idle."""


def intervals(events: npt.NDArray[np.int64], *, origin: int | None = None, turn: int | None = None) -> Iterator[Sample]:
    """Yield the interval between each two successive events of a worker, with its kind and its line of moves.

    Times are relative to the first event, or to `origin`. With `turn`, lines of moves start with this turn number.
    """
    if not len(events):
        return
    origin = int(events[0, 0]) if origin is None else origin
    paths: dict[int, tuple[str, ...]] = {}  # frame (split point) -> the line of moves that leads to it
    job: dict[int, tuple[str, ...]] = {}  # worker -> the line of its current job
    last: dict[int, tuple[int, int, int]] = {}  # worker -> time, nodes and kind of its last event
    for time, nodes, kind, frame, detail, worker, *_ in events.tolist():
        previous = last.get(worker)
        last[worker] = (time, nodes, kind)
        if kind == STARTED:
            paths[frame] = (f"depth {detail}" if turn is None else f"turn {turn}",)
            job[worker] = paths[frame]
            continue  # the time before is not part of the search
        line = job.get(worker, ())
        if kind == TAKEN:
            line = job[worker] = (*paths.get(frame, ()), str(detail >> CODE_SHIFT & CODE))
        elif kind == OPENED:
            paths[frame] = line
        elif kind == CLOSED:
            line = job[worker] = paths.get(frame, ())
        if previous is None:
            continue
        activity = _kind(kind, previous[2], nodes - previous[1])
        yield {
            "worker": worker,
            "kind": activity,
            "begin_us": (previous[0] - origin) / 1000,
            "end_us": (time - origin) / 1000,
            "nodes": nodes - previous[1],
            "line": " ".join(line) if activity != IDLE else "",
        }


def _kind(event: int, before: int, nodes: int) -> str:
    """Return the kind of activity between the events `before` and `event`."""
    if event in (FOUND, HOME):
        return IDLE
    if event in (OPENED, OFFERED):
        return SPAWN
    if event == TAKEN:
        return STEAL if before == FOUND else SCHEDULE
    if event in (DONE, GIVEN_UP) and nodes > 0:
        return SEARCH if event == DONE else ABORT
    return SCHEDULE


def merge_short(samples: Iterable[Sample], least_us: float) -> list[Sample]:
    """Merge each interval shorter than `least_us` microseconds with the preceding interval of the same worker.

    A merged interval has the kind of its longest part, so the times by kind are no longer exact.
    """
    lanes: dict[Cell, list[Sample]] = {}
    longest: dict[Cell, float] = {}
    for sample in samples:
        lane = lanes.setdefault(sample["worker"], [])
        length = number(sample["end_us"]) - number(sample["begin_us"])
        previous = lane[-1] if lane else None
        adjoining = previous is not None and previous["end_us"] == sample["begin_us"]
        if previous is not None and adjoining and min(length, longest[sample["worker"]]) < least_us:
            longer = previous if longest[sample["worker"]] >= length else sample
            lane[-1] = {
                **longer,
                "begin_us": previous["begin_us"],
                "end_us": sample["end_us"],
                "nodes": number(previous["nodes"]) + number(sample["nodes"]),
            }
            longest[sample["worker"]] = max(longest[sample["worker"]], length)
        else:
            lane.append(dict(sample))
            longest[sample["worker"]] = length
    return [sample for lane in lanes.values() for sample in lane]


def chrome_trace(samples: Sequence[Sample]) -> str:
    """Return the intervals in the JSON format of trace viewers (chrome://tracing, Perfetto)."""
    events: list[JsonObject] = [
        {"name": "thread_name", "ph": "M", "pid": 1, "tid": worker, "args": {"name": f"worker {worker}"}}
        for worker in sorted({int(number(sample["worker"])) for sample in samples})
    ]
    events += [
        {
            "name": sample["kind"],
            "cat": sample["kind"],
            "ph": "X",
            "pid": 1,
            "tid": sample["worker"],
            "ts": sample["begin_us"],
            "dur": number(sample["end_us"]) - number(sample["begin_us"]),
            "args": {"line": sample["line"], "nodes": sample["nodes"]},
        }
        for sample in samples
    ]
    busy = 0
    for when, change in sorted(_changes(samples)):
        busy += change
        events.append({"name": "busy workers", "ph": "C", "pid": 1, "ts": when, "args": {"busy": busy}})
    return json.dumps({"traceEvents": events, "displayTimeUnit": "ms"}) + "\n"


def _changes(samples: Sequence[Sample]) -> Iterator[tuple[float, int]]:
    """Yield pairs of a time and a change: 1 if a worker becomes busy at this time, -1 if it becomes idle."""
    for sample in samples:
        if sample["kind"] != IDLE:
            yield number(sample["begin_us"]), 1
            yield number(sample["end_us"]), -1


def folded_stacks(samples: Sequence[Sample]) -> str:
    """Return the intervals as folded stacks for flame-graph programs: line of moves, kind, microseconds."""
    totals: dict[str, float] = {}
    for sample in samples:
        stack = ";".join((*_stack(sample), str(sample["kind"])))
        totals[stack] = totals.get(stack, 0.0) + number(sample["end_us"]) - number(sample["begin_us"])
    return "".join(f"{stack} {round(total)}\n" for stack, total in sorted(totals.items()) if round(total))


def _stack(sample: Sample) -> tuple[str, ...]:
    return tuple(line_steps(str(sample["line"])))


def line_steps(text: str) -> list[str]:
    """Split a line of moves into steps: the iteration (`depth 9`) or the turn (`turn 3`), if given, and the moves."""
    words = text.split()
    return [" ".join(words[:2]), *words[2:]] if words[:1] in (["depth"], ["turn"]) else words
