"""What one node did with the jobs of a search: what each cost, what came of it, and whose entries it used."""

import statistics
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np
import numpy.typing as npt

from outflank.boards import Board
from outflank.distributed.cluster import Cluster
from outflank.distributed.engines.inside.search import InsideFabric
from outflank.distributed.head import Tuning
from outflank.distributed.messages import Ended, Job, Joined, NodeEvent, NodeReport, Reported
from outflank.distributed.node import Node, NodeSetup
from outflank.errors import OutflankError
from outflank.lab.search_log import noted
from outflank.lab.simulation_witness import DEPTHS, KINDS, MOVE, VALUE, Notes
from outflank.search.contract import Limits, Stop
from outflank.search.results import Result
from outflank.search.table import EXACT, LOWER, UPPER, WRITERS

EVERYTHING = 255
"""A depth that no entry has: all entries of other jobs are hidden below it."""


@dataclass(frozen=True, slots=True)
class Use:
    """What a job had from another one's entries, at nodes of one depth."""

    writer: int
    """The other job's place in the recording."""
    depth: int
    nodes: float
    """About what it would have entered without them."""
    hits: int
    """How many there were."""


@dataclass(frozen=True, slots=True)
class Done:
    """A job as it was searched."""

    job: Job
    value: int
    line: tuple[int, ...]
    nodes: int
    estimates: int
    """Leaves whose value is not the end of a game."""
    hits: npt.NDArray[np.int64]
    """On other jobs' entries: rows of the job, the depth left, the kind, and how many."""

    @property
    def bound(self) -> int:
        """What the value is of the position's."""
        return LOWER if self.value >= self.job.beta else UPPER if self.value <= self.job.alpha else EXACT

    def tells(self, job: Job) -> bool:
        """Whether its value answers what is asked for in another window."""
        bound = self.bound
        return (
            bound == EXACT
            or (bound == LOWER and self.value >= job.beta)
            or (bound == UPPER and self.value <= job.alpha)
        )


class Bench(InsideFabric):
    """A cluster of one node that does a job as soon as it has it, and writes down what it took."""

    name = "bench"

    def __init__(self, hidden_below: int = 0, hides: Collection[int] = (VALUE, MOVE)) -> None:
        super().__init__(1)
        self.done: list[Done] = []
        self.gaps: list[float] = []
        """Seconds between a job's end and the next one's begin: the head's."""
        self.node_seconds = 0.0
        self.notes = Notes(hidden_below, hides)
        self.node: Node | None = None
        self._ended: float | None = None

    def prepare(self, setup: NodeSetup) -> None:
        self.node = Node(setup, lambda era, entries, *, wait: (0, 0))
        self.node.root.probe = self.notes.probe
        self._events.put(Joined(node=0, where="this process", workers=1))

    def submit(self, node: int, job: Job) -> None:
        assert self.node is not None
        began = time.perf_counter()
        if self._ended is not None:
            self.gaps.append(began - self._ended)
        number = len(self.done)
        self.notes.begin(number, self.node.root.worker)
        outcome = self.node.search(job)
        hits = self.notes.take()
        # The latest job of that number before this one: there may have been more jobs than numbers.
        hits[:, 0] += (number - 1 - hits[:, 0]) // WRITERS * WRITERS
        if outcome.valid:
            nodes, estimates = outcome.count("nodes"), outcome.count("estimates")
            self.done.append(Done(job, outcome.value, outcome.line, nodes, estimates, hits))
            self.node_seconds += outcome.seconds
        self._events.put(Ended(node=0, result=outcome))
        self._ended = time.perf_counter()

    def stop(self, node: int, ticket: int) -> None:
        pass  # there is never one under way

    def wait(self, seconds: float) -> list[NodeEvent]:
        return super().wait(0.0) or [Reported(node=0, report=NodeReport())]

    def close(self) -> None:
        if self.node is not None:
            self.node.close()


class RecordedJobs:
    """The jobs of a search as one node did them, and what they tell of the same search by others."""

    def __init__(self, bench: Bench, found: Result, *, without: Sequence[int] | None = None) -> None:
        self.found, self.done = found, bench.done
        self.nodes = sum(done.nodes for done in bench.done)
        self.node_seconds = bench.node_seconds
        self.head_seconds = statistics.median(bench.gaps or [0.0])
        """What a job takes the head: the median, for the machine has other things to do now and then."""
        self.entries = [0, 0, *bench.notes.nodes[2:]]
        """Entries written, by their depth: a node with two plies left or more writes one."""
        self.hits = np.zeros((KINDS, DEPTHS), np.int64)
        """On entries of other jobs, by the kind and the depth left."""
        for done in self.done:
            np.add.at(self.hits, (done.hits[:, 2], done.hits[:, 1]), done.hits[:, 3])
        self.below = _mean_below(self.nodes, bench.notes.nodes)
        """Nodes below one, by the depth that it has left."""
        self.without = tuple(without or (self.nodes,) * KINDS)
        """Nodes of a search in which no job sees others' entries of a kind."""
        self.weights = [0.0] * KINDS
        """The part of the nodes below that a hit saves, by its kind."""
        for kind, nodes in enumerate(self.without):
            saved = float(self.hits[kind] @ self.below)
            self.weights[kind] = max(0.0, (nodes - self.nodes) / saved) if saved else 0.0
        self.uses = [
            [
                Use(int(job), int(depth), self._worth(kind, depth) * int(count), int(count))
                for job, depth, kind, count in done.hits
            ]
            for done in self.done
        ]
        self._bench = bench
        self._places: dict[tuple[int, int, int], list[int]] = {}
        self._alike: dict[tuple[int, int], list[int]] = {}
        self._answers: dict[tuple[int, ...], int] = {}
        for index, done in enumerate(self.done):
            self._places.setdefault(_key(done.job), []).append(index)
            self._alike.setdefault((done.job.depth, done.bound), []).append(index)

    def _worth(self, kind: int, depth: int) -> float:
        return float(self.weights[kind] * self.below[depth])

    def lost_below(self, depth: int) -> float:
        """Nodes that are entered besides if no job has another's entries of less depth."""
        kinds = range(KINDS)
        return sum(
            int(self.hits[kind, left]) * self._worth(kind, left) for kind in kinds for left in range(min(depth, DEPTHS))
        )

    def places(self, job: Job) -> list[int]:
        """The recorded jobs that tell what another one asks for, those in its own window first."""
        found = [index for index in self._places.get(_key(job), ()) if self.done[index].tells(job)]
        window = job.alpha, job.beta
        return sorted(found, key=lambda index: (self.done[index].job.alpha, self.done[index].job.beta) != window)

    def answer(self, job: Job) -> int:
        """What a job that was never recorded is worth: it is searched, with all that is known by now.

        Only the side of the window on which the value lies is told, if it is outside: how far outside depends on what
        the table holds, and so on what was asked before.
        """
        asked = (*_key(job), job.alpha, job.beta)
        if asked not in self._answers:
            assert self._bench.node is not None
            value = self._bench.node.search(job).value
            self._answers[asked] = min(max(value, job.alpha), job.beta)
        return self._answers[asked]

    def alike(self, job: Job, value: int, seed: int) -> int:
        """A recorded job of about the cost that another must have had: as deep, and as successful; drawn."""
        bound = LOWER if value >= job.beta else UPPER if value <= job.alpha else EXACT
        depths = sorted({depth for depth, _ in self._alike}, key=lambda depth: abs(depth - job.depth))
        for depth in depths:
            for side in (bound, LOWER, UPPER, EXACT):
                if found := self._alike.get((depth, side)):
                    return Random(f"{seed} {_key(job)} {job.alpha} {job.beta}").choice(found)
        raise AssertionError("nothing was recorded")


def _key(job: Job) -> tuple[int, int, int]:
    return job.first, job.second, job.depth


def _mean_below(nodes: int, by_depth: list[int]) -> npt.NDArray[np.float64]:
    """Nodes below one with so much depth left, itself included; leaves are not among those counted by depth."""
    found = np.zeros(len(by_depth))
    left = nodes
    for depth in range(len(by_depth) - 1, 0, -1):
        if by_depth[depth]:
            found[depth] = left / by_depth[depth]
        left -= by_depth[depth]
    return found


def record(
    board: Board[Any],
    depth: int,
    threshold: int,
    *,
    without: Sequence[int] | None = None,
    hidden_below: int = 0,
    hides: Collection[int] = (VALUE, MOVE),
    stop: Stop | None = None,
    **options: Any,
) -> RecordedJobs:
    """Search a board with one node and one worker, in jobs of `threshold` plies, and write down what they took.

    With `hidden_below`, no job sees entries of less depth that others have made, of the kinds that it `hides`.
    `without` is what such a search enters with all values hidden, and with all moves: by them the recording judges
    what a hit is worth.
    """
    if depth >= DEPTHS:
        raise OutflankError(f"depth {depth}: a recording goes to {DEPTHS - 1} at most")
    bench = Bench(hidden_below, hides)
    cluster = Cluster(bench, tuning=Tuning(alone_seconds=0.0))
    found = cluster.search(
        board, Limits(depth=depth), stop=stop, workers=1, threshold=threshold, replication="none", **options
    )
    return RecordedJobs(bench, noted(board, found, options), without=without)


def calibrated(
    board: Board[Any], depth: int, threshold: int, *, stop: Stop | None = None, **options: Any
) -> RecordedJobs:
    """A recording that knows what hits are worth: three searches, one after the other."""
    without = [
        record(board, depth, threshold, hidden_below=EVERYTHING, hides=(kind,), stop=stop, **options).nodes
        for kind in range(KINDS)
    ]
    return record(board, depth, threshold, without=without, stop=stop, **options)
