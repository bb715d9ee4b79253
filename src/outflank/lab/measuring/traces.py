"""Traces of parallel searches: the workers' events as intervals of activity, and their export to trace viewers."""

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter

import numpy as np
import numpy.typing as npt

from outflank.boards import Board
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


def with_notation(samples: Iterable[Sample], board: Board) -> Iterator[Sample]:
    """Yield the intervals with their lines of moves in notation.

    The lines begin at `board`, or at a turn of the game from there.
    """
    known: dict[str, str] = {}  # a part of the tree has several intervals
    for sample in samples:
        line = str(sample["line"])
        if line not in known:
            known[line] = _in_notation(line, board)
        yield {**sample, "line": known[line]}


def _in_notation(line: str, board: Board) -> str:
    first, *codes = line_steps(line) or [""]
    start = board.copy()
    if first.startswith("turn ") and int(first.split()[1]) % 2 == 0:
        start.turn = start.turn.other
    return " ".join((first, *map(str, start.line(map(int, codes)))))


def trace_lines(samples: Iterable[Sample]) -> Iterator[str]:
    """Yield the lines of a file with the intervals for trace viewers (chrome://tracing, Perfetto), an event each."""
    workers: set[int] = set()
    changes: list[tuple[float, int]] = []  # times at which a worker becomes busy (1) or idle (-1)
    yield '{"displayTimeUnit": "ms", "traceEvents": [' + json.dumps(_metadata("process_name", 0, "outflank"))
    for sample in samples:
        begin, end = number(sample["begin_us"]), number(sample["end_us"])
        workers.add(int(number(sample["worker"])))
        if sample["kind"] != IDLE:
            changes += [(begin, 1), (end, -1)]
        yield ",\n" + json.dumps(
            {
                "name": sample["kind"],
                "cat": sample["kind"],
                "ph": "X",
                "pid": 1,
                "tid": sample["worker"],
                "ts": begin,
                "dur": end - begin,
                "args": {"line": sample["line"], "nodes": sample["nodes"]},
            }
        )
    for worker in sorted(workers):
        yield ",\n" + json.dumps(_metadata("thread_name", worker, f"worker {worker}"))
    busy = 0
    for when, group in groupby(sorted(changes), key=itemgetter(0)):
        change = sum(change for _, change in group)
        busy += change
        if change:
            yield ",\n" + json.dumps({"name": "busy workers", "ph": "C", "pid": 1, "ts": when, "args": {"busy": busy}})
    yield "\n]}\n"


def _metadata(name: str, worker: int, value: str) -> JsonObject:
    return {"name": name, "ph": "M", "pid": 1, "tid": worker, "args": {"name": value}}


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
