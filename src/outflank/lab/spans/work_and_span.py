"""Work and span of a search: its total work, and its longest chain of dependent work.

The events of a divided search with one worker are a tree walked in order. The work between two events is a strand. The
offered moves of a frame (a split point) are parallel to each other, in the batches in which they were taken, and
everything else is sequential. So the tree is a series-parallel graph. Its work is the sum of all strands. Its span is
the longest path, a lower bound on the time with any number of workers. In nodes, both are the same on every machine; in
nanoseconds, they depend on the measurement.

The burdened span includes the cost of sharing. A worker that joins a frame invites the next one, so job k of a frame,
counted from 0, starts k migrations later. The cost of a migration is measured in nanoseconds (`burden_of`), and assumed
in nodes (`BURDEN_NODES`).
"""

import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from outflank.games.rules import Game, Position
from outflank.kernels.compiler import Samples, inner, kernel
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
"""Phases of a split point: its first moves, the shared moves, and the moves that are searched again in order."""

# Fields of a frame on the stack: its phase, its parallel jobs so far, the moves left in the current job, and whether a
# job is current; then clock, burdened clock and strands, when its moves were offered and at the end of its latest job.
_PHASE, _JOBS, _MORE, _BUSY, _FORK, _LATEST = 0, 1, 2, 3, 4, 7
_SIZE = 10
MOST_FRAMES = 256
"""Greatest number of split points on one line. It is more than the plies of any search."""

BURDEN_NODES = 10.0
"""Cost of a steal (migration) in nodes. Cilkview assumes 15 000 instructions, and a node in the programs of reports
002 and 004 takes some 1 500 to 2 000. The cost is the same for every scheme and machine, so that estimates are
comparable."""

_WORK, _SPAN, _BURDENED, _SPAN_STRANDS, _STRANDS, _SPAWNS, _FRAMES, _ROOTS, _ATOMICS = range(9)


@dataclass(frozen=True, slots=True, kw_only=True)
class Spans:
    """The figures that cilkview reports for a program, but in nodes or nanoseconds instead of instructions."""

    work: float
    span: float
    burdened_span: float
    spawns: int
    """Number of finished jobs (one move, or a batch of moves) that were offered to other workers."""
    strands: int
    """Number of strands. A strand is a piece of work without a fork or a join."""
    span_strands: int
    """Number of strands on the longest path of dependent work."""
    frames: int
    """Number of divided nodes, not counting roots."""
    regions: int
    """Number of roots searched. Each root enters the parallel region once."""
    atomics: int
    """Number of read-modify-write operations of the workers on shared memory."""

    @property
    def parallelism(self) -> float:
        """Work divided by span, an upper bound on the speed-up with any number of workers."""
        return self.work / self.span if self.span else 1.0

    @property
    def burdened_parallelism(self) -> float:
        """Work divided by burdened span. It is below 1 if sharing costs more than it gains."""
        return self.work / self.burdened_span if self.burdened_span else 1.0

    def __add__(self, other: "Spans") -> "Spans":
        """Return the sum of the figures of two searches that run one after the other."""
        return Spans(**{name: getattr(self, name) + getattr(other, name) for name in self.__dataclass_fields__})

    def slowest_speedup(self, workers: int) -> float:
        """Return the lower estimate of speed-up by the formula of Cilkview and Cilkscale.

        The formula counts the burdened span 1.7 times, and allows at most 95 % of `workers`. These tools also print
        estimates below 1. Ours is at least 1, because a worker that shares nothing is as fast as one worker alone.
        """
        if workers == 1 or not self.work:
            return 1.0
        estimate = 1 / (1 / workers + (1 - 1 / workers) * 1.7 / self.burdened_parallelism)
        return max(1.0, min(0.95 * workers, estimate))

    def fastest_speedup(self, workers: int) -> float:
        """Return the upper bound on speed-up: the lesser of the number of workers and the parallelism."""
        return min(float(workers), self.parallelism)


NO_SPANS = Spans(
    work=0.0, span=0.0, burdened_span=0.0, spawns=0, strands=0, span_strands=0, frames=0, regions=0, atomics=0
)


def spans_of(events: npt.NDArray[np.int64], *, unit: str = "nanoseconds", burden: float = 0.0) -> Spans:
    """Return work and span of one worker's events in `unit`, nanoseconds or nodes. `burden` is the cost of a steal."""
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
    """Yield the span of each root, and the mean number of running strands in each of `parts` equal parts of the span.

    Processors are unlimited, and every strand begins as soon as it can.
    """
    for root in np.split(events, np.flatnonzero(events[:, KIND] == STARTED)[1:]):
        span = spans_of(root, unit=unit).span
        if span:
            bins = np.zeros(parts)
            width = span / parts
            stack = np.zeros((MOST_FRAMES, _SIZE))
            fold(root, TIME if unit == "nanoseconds" else NODES, 0.0, stack, np.zeros(9), bins, width)
            yield span, [float(total) / width for total in bins]


@kernel
def fold(events, unit, burden, stack, totals, bins, width):
    """Walk the events once, with a stack of open split points and a clock for unlimited processors, and fill `totals`.

    If `bins` is not empty, the time of each strand is added to the bins, each `width` wide, in which it runs.
    """
    top = -1
    now, burdened, strands = 0.0, 0.0, 0.0
    for index in range(events.shape[0]):
        kind = events[index, KIND]
        if kind == STARTED:
            top = 0
            stack[0, :] = 0.0
            totals[_ROOTS] += 1
            totals[_STRANDS] += 1
            now, burdened, strands = 0.0, 0.0, 1.0
            continue
        if top < 0:
            continue  # between two roots
        frame = stack[top]
        parallel = frame[_PHASE] == PARALLEL
        if parallel and kind == TAKEN:
            if frame[_BUSY] == 0.0:
                # The worker that opened the frame starts job 0 at once. Job k starts k migrations later.
                now, burdened, strands = frame[_FORK], frame[_FORK + 1] + burden * frame[_JOBS], frame[_FORK + 2] + 1.0
                frame[_JOBS] += 1
                frame[_BUSY] = 1.0
                totals[_STRANDS] += 1
                totals[_ATOMICS] += 1
            frame[_MORE] = np.float64(events[index, DETAIL] >> MORE_SHIFT)
        elif parallel and kind in (IN_TURN, CLOSED):
            # The parallel jobs end here, and the strand after the join begins.
            finish_job(frame, now, burdened, strands, totals)
            now, burdened, strands = frame[_LATEST], frame[_LATEST + 1], frame[_LATEST + 2] + 1.0
            totals[_STRANDS] += 1
        strand = np.float64(events[index, unit] - events[index - 1, unit])
        totals[_WORK] += strand
        if bins.shape[0] > 0:
            add_to_bins(bins, now / width, (now + strand) / width, width)
        now += strand
        burdened += strand
        if kind == OPENED:
            top += 1
            stack[top, :] = 0.0
            totals[_FRAMES] += 1
        elif kind == DONE:
            totals[_ATOMICS] += 1
            if parallel and frame[_MORE] == 0.0:
                finish_job(frame, now, burdened, strands, totals)
        elif kind == OFFERED:
            frame[_PHASE] = PARALLEL
            frame[_FORK], frame[_FORK + 1], frame[_FORK + 2] = now, burdened, strands
            frame[_LATEST], frame[_LATEST + 1], frame[_LATEST + 2] = now, burdened, strands
        elif kind in (IN_TURN, CLOSED):
            totals[_ATOMICS] += 2
            frame[_PHASE] = TAIL
            if kind == CLOSED:
                if top == 0:
                    totals[_SPAN] += now
                    totals[_BURDENED] += burdened
                    totals[_SPAN_STRANDS] += strands
                top -= 1


@inner
def finish_job(frame, now, burdened, strands, totals):
    """Finish the current parallel job of a split point, if there is one, and update the latest end of its jobs."""
    if frame[_BUSY] == 0.0:
        return
    frame[_BUSY], frame[_MORE] = 0.0, 0.0
    totals[_SPAWNS] += 1
    if now > frame[_LATEST] or frame[_JOBS] == 1.0:
        frame[_LATEST], frame[_LATEST + 2] = now, strands
    frame[_LATEST + 1] = max(frame[_LATEST + 1], burdened)


@inner
def add_to_bins(bins, begin, end, width):
    """Add the time of a strand to the bins in which it runs. `begin` and `end` are in bin widths."""
    index = int(begin)
    while index < end and index < bins.shape[0]:
        bins[index] += (min(end, index + 1.0) - max(begin, np.float64(index))) * width
        index += 1


@fold.sample
def _fold_sample(game: Game, position: Position, every: bool) -> Samples:
    yield np.zeros((0, WORDS), np.int64), 0, 0.0, np.zeros((MOST_FRAMES, _SIZE)), np.zeros(9), np.zeros(0), 1.0


def migrations(events: npt.NDArray[np.int64]) -> list[int]:
    """Return the nanoseconds of each steal.

    A steal begins once there are a permit and an idle worker. It ends when the worker takes a move.
    """
    offered: dict[int, tuple[int, int]] = {}  # frame -> time and worker of its last offered permit
    seeking: dict[int, int] = {}
    stolen: dict[int, tuple[int, int]] = {}  # worker -> time at which its steal could begin, and the frame
    durations = []
    for time, _, kind, frame, _, worker, *_ in events.tolist():
        if kind == SEEKING:
            seeking[worker] = time
        elif kind == FOUND:
            when, owner = offered.get(frame, (0, worker))
            if owner != worker and worker in seeking:
                stolen[worker] = (max(when, seeking[worker]), frame)
            offered[frame] = (time, worker)
        elif kind == OFFERED:
            offered[frame] = (time, worker)
        elif kind == TAKEN and worker in stolen:
            began, stolen_frame = stolen.pop(worker)
            if stolen_frame == frame:
                durations.append(time - began)
    return durations


def burden_of(recordings: Sequence[npt.NDArray[np.int64]]) -> tuple[float, int]:
    """Return the median nanoseconds of a steal in the recordings, and the number of steals."""
    durations = [duration for events in recordings for duration in migrations(events)]
    return (statistics.median(durations), len(durations)) if durations else (0.0, 0)
