"""Work and span: how much there is to do, and how much of it must wait for the rest.

The events of a divided search by one worker are a tree walked in order. Its pieces between two
events are strands; a frame's moves that were offered are parallel to each other, lot by lot as they
were taken, and everything else follows in time. So the tree is a series-parallel graph, whose work is
the sum of all strands and whose span is the longest path through it: what no number of workers can be
faster than. In nodes both are the same on every machine at every time; in nanoseconds they are what a
clock saw.

The burdened span counts what sharing costs as well. In this runtime a worker that joins a frame
invites the next one, so the k-th parallel job of a frame starts k migrations later; what a
migration takes is measured in nanoseconds (`burden_of`), and assumed in nodes (`BURDEN_NODES`).
"""

import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from outflank.kernels.compiler import inner, kernel
from outflank.parallel.events import (
    CLOSED,
    DETAIL,
    DONE,
    FOUND,
    IN_TURN,
    KIND,
    MORE_SHIFT,
    NODES,
    OFFERED,
    OPENED,
    SEEKING,
    STARTED,
    TAKEN,
    TIME,
    WORDS,
)

SERIAL, PARALLEL, TAIL = 0.0, 1.0, 2.0
"""The phases of a frame: its eldest moves, those that are shared, and those searched again in turn."""

# A frame on the stack: its phase, the parallel jobs it had, the moves that follow in the job at hand, and whether there
# is one; then clock, burdened clock and strands so far, when its moves were offered and where its latest job ended.
_PHASE, _JOBS, _MORE, _BUSY, _FORK, _LATEST = 0, 1, 2, 3, 4, 7
_SIZE = 10
MOST_FRAMES = 256
"""Frames on a line: more than there are plies."""

BURDEN_NODES = 10.0
"""What a migration counts in nodes. Cilkview counts one as 15 000 instructions, and a node of the programs that it
looked at for reports 002 and 004 takes some 1 500 to 2 000. The same for every scheme and machine, so that estimates
can be compared."""

_WORK, _SPAN, _BURDENED, _SPAN_STRANDS, _STRANDS, _SPAWNS, _FRAMES, _ROOTS, _ATOMICS = range(9)


@dataclass(frozen=True, slots=True, kw_only=True)
class Spans:
    """What cilkview says of a program, in one unit (instructions there, nodes or nanoseconds here)."""

    work: float
    span: float
    burdened_span: float
    spawns: int
    """Jobs that were offered to other workers, and done: moves, or the lots that they were handed out in."""
    strands: int
    """Pieces of work without a fork or a join in them."""
    span_strands: int
    """Those on the longest path."""
    frames: int
    """Nodes that were divided, roots not counted."""
    regions: int
    """Entries to the parallel region: roots searched."""
    atomics: int
    """Read-modify-write operations on shared memory that the workers' steps made."""

    @property
    def parallelism(self) -> float:
        """Work per span: the speed-up that no number of workers can pass."""
        return self.work / self.span if self.span else 1.0

    @property
    def burdened_parallelism(self) -> float:
        """The same with what sharing costs; below 1 where sharing costs more than it gains."""
        return self.work / self.burdened_span if self.burdened_span else 1.0

    def __add__(self, other: "Spans") -> "Spans":
        """One after the other."""
        return Spans(**{name: getattr(self, name) + getattr(other, name) for name in self.__dataclass_fields__})

    def slowest_speedup(self, workers: int) -> float:
        """The lower estimate: as Cilkview and Cilkscale have it, with 1.7 spans of burden and 5 % of losses.

        At least 1, where they print less: a worker from whom nobody takes anything does all the work in its time.
        """
        if workers == 1 or not self.work:
            return 1.0
        estimate = 1 / (1 / workers + (1 - 1 / workers) * 1.7 / self.burdened_parallelism)
        return max(1.0, min(0.95 * workers, estimate))

    def fastest_speedup(self, workers: int) -> float:
        """The upper bound: the number of workers, or the parallelism."""
        return min(float(workers), self.parallelism)


NO_SPANS = Spans(
    work=0.0, span=0.0, burdened_span=0.0, spawns=0, strands=0, span_strands=0, frames=0, regions=0, atomics=0
)


def spans_of(events: npt.NDArray[np.int64], *, unit: str = "nanoseconds", burden: float = 0.0) -> Spans:
    """Work and span of one worker's events, in `nanoseconds` or `nodes`; `burden` is in the same unit."""
    totals = np.zeros(9)
    stack = np.zeros((MOST_FRAMES, _SIZE))
    fold(events, TIME if unit == "nanoseconds" else NODES, float(burden), stack, totals, np.zeros(0), 1.0)
    return Spans(
        work=float(totals[_WORK]),
        span=float(totals[_SPAN]),
        burdened_span=float(totals[_BURDENED]),
        spawns=int(totals[_SPAWNS]),
        strands=int(totals[_STRANDS]),
        span_strands=int(totals[_SPAN_STRANDS]),
        frames=int(totals[_FRAMES]),
        regions=int(totals[_ROOTS]),
        atomics=int(totals[_ATOMICS]),
    )


def moments_of(
    events: npt.NDArray[np.int64], parts: int, *, unit: str = "nodes"
) -> Iterator[tuple[float, list[float]]]:
    """For each root its span, and how many strands run in each of so many equal parts of it, on the average, where
    processors are unlimited and every strand begins as soon as it can."""
    for root in np.split(events, np.flatnonzero(events[:, KIND] == STARTED)[1:]):
        span = spans_of(root, unit=unit).span
        if span:
            bins = np.zeros(parts)
            width = span / parts
            stack = np.zeros((MOST_FRAMES, _SIZE))
            fold(root, TIME if unit == "nanoseconds" else NODES, 0.0, stack, np.zeros(9), bins, width)
            yield span, [float(each) / width for each in bins]


@kernel
def fold(events, unit, burden, stack, totals, bins, width):
    """Walk the events once, with a stack of the frames that are open and a clock for unlimited processors.

    Where there are `bins`, each `width` wide, what runs at a time is added to the one it is in.
    """
    top = -1
    now, burdened, along = 0.0, 0.0, 0.0
    for number in range(events.shape[0]):
        kind = events[number, KIND]
        if kind == STARTED:
            top = 0
            stack[0, :] = 0.0
            totals[_ROOTS] += 1
            totals[_STRANDS] += 1
            now, burdened, along = 0.0, 0.0, 1.0
            continue
        if top < 0:
            continue  # between two roots
        frame = stack[top]
        parallel = frame[_PHASE] == PARALLEL
        if parallel and kind == TAKEN:
            if frame[_BUSY] == 0.0:
                # The worker that opened the frame has the first job at once; the k-th is k migrations away.
                now, burdened, along = frame[_FORK], frame[_FORK + 1] + burden * frame[_JOBS], frame[_FORK + 2] + 1.0
                frame[_JOBS] += 1
                frame[_BUSY] = 1.0
                totals[_STRANDS] += 1
                totals[_ATOMICS] += 1
            frame[_MORE] = np.float64(events[number, DETAIL] >> MORE_SHIFT)
        elif parallel and kind in (IN_TURN, CLOSED):
            # The parallel jobs end here, and the strand that goes on from them begins.
            end_job(frame, now, burdened, along, totals)
            now, burdened, along = frame[_LATEST], frame[_LATEST + 1], frame[_LATEST + 2] + 1.0
            totals[_STRANDS] += 1
        strand = np.float64(events[number, unit] - events[number - 1, unit])
        totals[_WORK] += strand
        if bins.shape[0] > 0:
            put(bins, now / width, (now + strand) / width, width)
        now += strand
        burdened += strand
        if kind == OPENED:
            top += 1
            stack[top, :] = 0.0
            totals[_FRAMES] += 1
        elif kind == DONE:
            totals[_ATOMICS] += 1
            if parallel and frame[_MORE] == 0.0:
                end_job(frame, now, burdened, along, totals)
        elif kind == OFFERED:
            frame[_PHASE] = PARALLEL
            frame[_FORK], frame[_FORK + 1], frame[_FORK + 2] = now, burdened, along
            frame[_LATEST], frame[_LATEST + 1], frame[_LATEST + 2] = now, burdened, along
        elif kind in (IN_TURN, CLOSED):
            totals[_ATOMICS] += 2
            frame[_PHASE] = TAIL
            if kind == CLOSED:
                if top == 0:
                    totals[_SPAN] += now
                    totals[_BURDENED] += burdened
                    totals[_SPAN_STRANDS] += along
                top -= 1


@inner
def end_job(frame, now, burdened, along, totals):
    """A parallel job of a frame is done, if it has one in hand: its end may be the latest."""
    if frame[_BUSY] == 0.0:
        return
    frame[_BUSY], frame[_MORE] = 0.0, 0.0
    totals[_SPAWNS] += 1
    if now > frame[_LATEST] or frame[_JOBS] == 1.0:
        frame[_LATEST], frame[_LATEST + 2] = now, along
    frame[_LATEST + 1] = max(frame[_LATEST + 1], burdened)


@inner
def put(bins, begin, end, width):
    """Add what runs from `begin` to `end`, in widths of a bin, to the bins that it is in."""
    place = int(begin)
    while place < end and place < bins.shape[0]:
        bins[place] += (min(end, place + 1.0) - max(begin, np.float64(place))) * width
        place += 1


@fold.sample
def _fold_sample(game: Any, position: Any, every: bool) -> Iterator[tuple[Any, ...]]:
    yield np.zeros((0, WORDS), np.int64), 0, 0.0, np.zeros((MOST_FRAMES, _SIZE)), np.zeros(9), np.zeros(0), 1.0


def migrations(events: npt.NDArray[np.int64]) -> list[int]:
    """Nanoseconds that passed in each steal, from when there was both a permit and a worker without work until that
    worker had a move of it."""
    offered: dict[int, tuple[int, int]] = {}  # frame: when its last permit was offered, and by whom
    seeking: dict[int, int] = {}
    stolen: dict[int, tuple[int, int]] = {}  # worker: when its steal could begin, and of which frame
    taken = []
    for time, _, kind, frame, _, worker in events.tolist():
        if kind == SEEKING:
            seeking[worker] = time
        elif kind == FOUND:
            when, who = offered.get(frame, (0, worker))
            if who != worker and worker in seeking:
                stolen[worker] = (max(when, seeking[worker]), frame)
            offered[frame] = (time, worker)
        elif kind == OFFERED:
            offered[frame] = (time, worker)
        elif kind == TAKEN and worker in stolen:
            began, where = stolen.pop(worker)
            if where == frame:
                taken.append(time - began)
    return taken


def burden_of(recordings: Sequence[npt.NDArray[np.int64]]) -> tuple[float, int]:
    """What a migration takes on this machine, in nanoseconds: the median of all that were seen, and how many."""
    every = [taken for events in recordings for taken in migrations(events)]
    return (statistics.median(every), len(every)) if every else (0.0, 0)
