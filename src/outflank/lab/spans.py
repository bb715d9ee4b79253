"""Work and span: how much there is to do, and how much of it must wait for the rest.

The events of a divided search by one worker are a tree walked in order. Its pieces between two
events are strands; a frame's moves that were offered are parallel to each other, everything else
follows in time. So the tree is a series-parallel graph, whose work is the sum of all strands and
whose span is the longest path through it: what no number of workers can be faster than.

The burdened span counts what sharing costs as well. In this runtime a worker that joins a frame
invites the next one, so the k-th parallel job of a frame starts k migrations later; what a
migration takes is measured (`burden_of`), not assumed.
"""

import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from outflank.kernels.compiler import kernel
from outflank.parallel.events import (
    CLOSED,
    DONE,
    FOUND,
    IN_TURN,
    KIND,
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

# A frame on the stack: its phase, how many parallel jobs it had; then span, burdened span and strands of what is
# behind it, of its widest parallel job (its strands are those of the longest), and of the job in hand.
_PHASE, _JOBS, _DONE, _WIDEST, _JOB = 0, 1, 2, 5, 8
_SIZE = 11
MOST_FRAMES = 256
"""Frames on a line: more than there are plies."""

_WORK, _SPAN, _BURDENED, _SPAN_STRANDS, _STRANDS, _SPAWNS, _FRAMES, _ROOTS, _ATOMICS = range(9)


@dataclass(frozen=True, slots=True, kw_only=True)
class Spans:
    """What cilkview says of a program, in one unit (instructions there, nodes or nanoseconds here)."""

    work: float
    span: float
    burdened_span: float
    spawns: int
    """Moves that were offered to other workers, and searched."""
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
        """The lower estimate: as Cilkview and Cilkscale have it, with 1.7 spans of burden and 5 % of losses."""
        if workers == 1 or not self.work:
            return 1.0
        estimate = 1 / (1 / workers + (1 - 1 / workers) * 1.7 / self.burdened_parallelism)
        return min(0.95 * workers, estimate)

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
    fold(events, TIME if unit == "nanoseconds" else NODES, float(burden), stack, totals)
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


@kernel
def fold(events, unit, burden, stack, totals):
    """Walk the events once, with a stack of the frames that are open."""
    top = -1
    for number in range(events.shape[0]):
        kind = events[number, KIND]
        if kind == STARTED:
            top = 0
            stack[0, :] = 0.0
            totals[_ROOTS] += 1
            totals[_STRANDS] += 1
            stack[0, _DONE + 2] = 1
            continue
        if top < 0:
            continue  # between two roots
        # The strand that ends here. Its share goes to the job in hand, or to the frame behind it.
        strand = np.float64(events[number, unit] - events[number - 1, unit])
        totals[_WORK] += strand
        if kind == TAKEN:
            totals[_ATOMICS] += 1 if stack[top, _PHASE] == PARALLEL else 0
            parallel = 1.0 if stack[top, _PHASE] == PARALLEL else 0.0
            totals[_STRANDS] += parallel
            stack[top, _JOB], stack[top, _JOB + 1], stack[top, _JOB + 2] = strand, strand, parallel
            continue
        if kind == OPENED:
            stack[top, _JOB] += strand
            stack[top, _JOB + 1] += strand
            top += 1
            stack[top, :] = 0.0
            totals[_FRAMES] += 1
            continue
        if kind == DONE:
            totals[_ATOMICS] += 1
            stack[top, _JOB] += strand
            stack[top, _JOB + 1] += strand
            if stack[top, _PHASE] == PARALLEL:
                totals[_SPAWNS] += 1
                # The worker that opened the frame has the first job at once; the k-th is k migrations away.
                stack[top, _JOB + 1] += burden * stack[top, _JOBS]
                stack[top, _JOBS] += 1
                if stack[top, _JOB] > stack[top, _WIDEST]:
                    stack[top, _WIDEST] = stack[top, _JOB]
                    stack[top, _WIDEST + 2] = stack[top, _JOB + 2]
                stack[top, _WIDEST + 1] = max(stack[top, _WIDEST + 1], stack[top, _JOB + 1])
            else:
                for place in range(3):
                    stack[top, _DONE + place] += stack[top, _JOB + place]
            continue
        # Everything else is the frame's own.
        stack[top, _DONE] += strand
        stack[top, _DONE + 1] += strand
        if kind == OFFERED:
            stack[top, _PHASE] = PARALLEL
        elif kind in (IN_TURN, CLOSED):
            totals[_ATOMICS] += 2
            if stack[top, _PHASE] == PARALLEL:
                # The parallel jobs end here, and the strand that goes on from them begins.
                for place in range(3):
                    stack[top, _DONE + place] += stack[top, _WIDEST + place]
                    stack[top, _WIDEST + place] = 0.0
                stack[top, _DONE + 2] += 1
                totals[_STRANDS] += 1
            stack[top, _PHASE] = TAIL
            if kind == CLOSED:
                if top == 0:
                    totals[_SPAN] += stack[0, _DONE]
                    totals[_BURDENED] += stack[0, _DONE + 1]
                    totals[_SPAN_STRANDS] += stack[0, _DONE + 2]
                else:
                    for place in range(3):
                        stack[top - 1, _JOB + place] += stack[top, _DONE + place]
                top -= 1


@fold.sample
def _fold_sample(game: Any, position: Any, every: bool) -> Iterator[tuple[Any, ...]]:
    yield np.zeros((0, WORDS), np.int64), 0, 0.0, np.zeros((MOST_FRAMES, _SIZE)), np.zeros(9)


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
