"""The fork-join graph of a recorded search: strands, the groups of jobs that they fork, and the strand after each join.

A strand is a piece of work without a fork or a join. It ends with the fork of a group (the offered moves of a split
point), with the end of its job, or with the end of the root. The last job of a group to end is followed by the strand
after the group's join. The graph comes from the events of a search with one worker, which walks the tree in order.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from outflank.games.rules import Game, Position
from outflank.kernels.compiler import Samples, kernel
from outflank.parallel.events import (
    CLOSED,
    DETAIL,
    DONE,
    IN_TURN,
    KIND,
    MORE_SHIFT,
    NODES,
    OFFERED,
    OFFERS,
    OPENED,
    STARTED,
    TAKEN,
    TIME,
    WORDS,
)

Words = npt.NDArray[np.int64]

NONE = -1
"""Mark of a missing strand: the last job of a group has no next job."""

END = -(1 << 62)
"""Mark of the strand that ends the root, in place of the group that it forks or joins."""

MOST_FRAMES = 256
"""Greatest number of split points on one line. It is more than the plies of any search."""

SERIAL, PARALLEL, TAIL = 0, 1, 2
"""Phases of a split point: its first moves, the offered moves, and the moves that are searched again in order."""

# Fields of a split point on the stack: its phase, group, latest job, moves left in this job, and whether it is running.
_PHASE, _GROUP, _JOB, _MORE, _BUSY, _SIZE = 0, 1, 2, 3, 4, 5


@dataclass(frozen=True, slots=True, eq=False)
class Graph:
    """The fork-join graph of one root. Strands are numbered in the order in which one worker runs them."""

    work: npt.NDArray[np.float64]
    """Work of each strand, in nanoseconds or in nodes."""
    offers: Words
    """Number of split points that each strand offers: split points inside it, and the one that it forks as a group."""
    then: Words
    """End of each strand: g ≥ 0 forks group g, -1 - g ends a job of group g, `END` ends the root."""
    sibling: Words
    """For the first strand of a job, the first strand of the next job of its group, or `NONE`."""
    first: Words
    """First strand of the first job of each group."""
    after: Words
    """Strand that follows the join of each group."""

    @property
    def total_work(self) -> float:
        """Work of all strands, which is the time of one worker that offers nothing."""
        return float(self.work.sum())

    @property
    def span(self) -> float:
        """Work on the longest path of dependent strands."""
        return float(longest_path(self.work, self.then, self.sibling, self.first, self.after, self.work.copy()))


def graphs_of(events: Words, *, unit: str = "nanoseconds", event_cost: float = 0.0) -> Iterator[Graph]:
    """Yield the graph of each root in the events of one worker, with work in `unit`, nanoseconds or nodes.

    `event_cost` is the cost of recording an event. It is subtracted from the work before each event.
    """
    column = TIME if unit == "nanoseconds" else NODES
    for root in np.split(events, np.flatnonzero(events[:, KIND] == STARTED)[1:]):
        groups = int((root[:, KIND] == OFFERED).sum())
        # A root begins with a strand; each job begins with a taken move, and each join is followed by a strand.
        most = 1 + groups + int((root[:, KIND] == TAKEN).sum())
        work = np.zeros(most)
        offers = np.zeros(most, np.int64)
        then, sibling = np.full(most, END), np.full(most, NONE)
        first, after = np.full(groups, NONE), np.full(groups, NONE)
        stack = np.zeros((MOST_FRAMES, _SIZE), np.int64)
        count, forks = build_graph(root, column, float(event_cost), stack, work, offers, then, sibling, first, after)
        yield Graph(work[:count], offers[:count], then[:count], sibling[:count], first[:forks], after[:forks])


@kernel
def build_graph(events, unit, event_cost, stack, work, offers, then, sibling, first, after):
    """Walk the events of one root with a stack of open split points, and fill the arrays of its graph.

    Return the number of strands and the number of groups.
    """
    top, strands, groups, current = -1, 0, 0, 0
    for index in range(events.shape[0]):
        kind = events[index, KIND]
        if kind == STARTED:
            top, strands, current = 0, 1, 0
            stack[0, :] = 0
            continue
        if top < 0:
            continue  # after the root
        frame = stack[top]
        if frame[_PHASE] == PARALLEL:
            if kind == TAKEN:
                if frame[_GROUP] == NONE:
                    then[current] = frame[_GROUP] = groups
                    groups += 1
                if frame[_BUSY] == 0:
                    current, strands = strands, strands + 1
                    if frame[_JOB] == NONE:
                        first[frame[_GROUP]] = current
                    else:
                        sibling[frame[_JOB]] = current
                    frame[_JOB], frame[_BUSY] = current, 1
                frame[_MORE] = events[index, DETAIL] >> MORE_SHIFT
            elif kind in (IN_TURN, CLOSED) and frame[_GROUP] != NONE:
                if frame[_BUSY] != 0:  # a cut-off: the rest of the job is not searched
                    then[current] = -1 - frame[_GROUP]
                current, strands = strands, strands + 1
                after[frame[_GROUP]] = current
        work[current] += max(0.0, events[index, unit] - events[index - 1, unit] - event_cost)
        offers[current] += events[index, OFFERS] - events[index - 1, OFFERS]
        if kind == OPENED:
            top += 1
            stack[top, :] = 0
        elif kind == DONE:
            if frame[_PHASE] == PARALLEL and frame[_MORE] == 0:
                then[current] = -1 - frame[_GROUP]
                frame[_BUSY] = 0
        elif kind == OFFERED:
            # The group is forked when its first move is taken. If the split point has no moves left, there is no group.
            frame[_PHASE], frame[_GROUP], frame[_JOB], frame[_BUSY] = PARALLEL, NONE, NONE, 0
        elif kind in (IN_TURN, CLOSED):
            frame[_PHASE] = TAIL
            if kind == CLOSED:
                top -= 1
    return strands, groups


@kernel
def longest_path(work, then, sibling, first, after, longest):
    """Return the work on the longest path of a graph.

    `longest` begins as a copy of `work`, and receives the longest path from each strand to the end of its job.
    """
    for strand in range(work.shape[0] - 1, -1, -1):  # backwards: what follows a strand has a greater number
        group = then[strand]
        if group >= 0:
            job, most = first[group], 0.0
            while job != NONE:
                most = max(most, longest[job])
                job = sibling[job]
            longest[strand] += most + longest[after[group]]
    return longest[0]


@build_graph.sample
def _build_graph_sample(game: Game, position: Position, every: bool) -> Samples:
    words = np.zeros(0, np.int64)
    stack = np.zeros((MOST_FRAMES, _SIZE), np.int64)
    yield np.zeros((0, WORDS), np.int64), 0, 0.0, stack, np.zeros(0), words, words, words, words, words


@longest_path.sample
def _longest_path_sample(game: Game, position: Position, every: bool) -> Samples:
    words = np.full(1, END)
    yield np.zeros(1), words, words, words, words, np.zeros(1)
