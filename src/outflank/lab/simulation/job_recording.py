"""Recordings of a search's jobs on one node: the cost and result of each job, and the table entries that it used."""

import statistics
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from outflank.boards import Board
from outflank.distributed.cluster import Cluster
from outflank.distributed.engines.inside_engine import InsideFabric
from outflank.distributed.head import Tuning
from outflank.distributed.node import Entries, Node, NodeSetup
from outflank.distributed.node_messages import Ended, Job, Joined, NodeEvent, NodeReport, Reported
from outflank.errors import OutflankError
from outflank.kernels.bits import U64
from outflank.kernels.memory import address_of, read_word, write_word
from outflank.lab.measuring.search_log import log_result
from outflank.search.probes import note_lookup, note_node
from outflank.search.request import Limits, Stop
from outflank.search.results import Result
from outflank.search.table import EXACT, LOWER, UPPER, WRITERS, depth_of, stamp, writer_of
from outflank.search.worker import Worker

# A probe that records which job wrote the table entries that a search hits. Every job stamps its entries with its
# number modulo `WRITERS`. So hits on a job's own entries can be excluded, and the writer of any other entry is known.
# Entries of other jobs can also be hidden from a search, as if they were in the table of another machine.

DEPTHS = 32
VALUE, MOVE, KINDS = 0, 1, 2
"""Kinds of table hits, and the number of kinds. An entry of equal depth may give the value, an entry of another depth
only the first move."""

_WRITER, _HIDDEN_BELOW, _TOUCHED, _HIDES, _NODES, _COUNTS = 0, 1, 2, 3, 8, 8 + DEPTHS
_ROOM = WRITERS * DEPTHS * KINDS


class Witness(NamedTuple):
    """Probe that counts table hits on other jobs' entries, by job, remaining depth and kind, and hides some entries."""

    memory: int


@note_node.register(Witness)
def _(probe, depth, moves):
    write_word(probe.memory, _NODES + depth, read_word(probe.memory, _NODES + depth) + U64(1))


@note_lookup.register(Witness)
def _(probe, depth, data):
    if data == U64(0):
        return data
    writer = writer_of(data)
    if writer == read_word(probe.memory, _WRITER):
        return data
    entry_depth = depth_of(data)
    kind = VALUE if entry_depth == depth else MOVE
    if entry_depth < np.int64(read_word(probe.memory, _HIDDEN_BELOW)) and read_word(probe.memory, _HIDES + kind) != U64(
        0
    ):
        return U64(0)
    index = (np.int64(writer) * DEPTHS + depth) * KINDS + kind
    count = read_word(probe.memory, _COUNTS + index)
    write_word(probe.memory, _COUNTS + index, count + U64(1))
    if count == U64(0):
        touched = np.int64(read_word(probe.memory, _TOUCHED))
        write_word(probe.memory, _COUNTS + _ROOM + touched, U64(index))
        write_word(probe.memory, _TOUCHED, U64(touched + 1))
    return data


class WitnessMemory:
    """The memory of a `Witness`: its settings and counts."""

    def __init__(self, hidden_below: int, hides: Collection[int]) -> None:
        self._words = np.zeros(_COUNTS + 2 * _ROOM, np.uint64)
        self._words[_HIDDEN_BELOW] = hidden_below
        for kind in hides:
            self._words[_HIDES + kind] = 1
        self.probe = Witness(address_of(self._words))

    def begin(self, number: int, worker: Worker) -> None:
        """Begin a job: stamp its number on all entries that the worker writes from now on."""
        writer = number % WRITERS
        self._words[_WRITER] = writer
        worker.age = stamp(writer)

    def take(self) -> npt.NDArray[np.int64]:
        """Return and reset the table hits since the last call, as rows of writer, remaining depth, kind and count."""
        count = int(self._words[_TOUCHED])
        indices = self._words[_COUNTS + _ROOM :][:count].astype(np.int64)
        counts = self._words[_COUNTS:][indices].astype(np.int64)
        self._words[_COUNTS:][indices] = 0
        self._words[_TOUCHED] = 0
        return np.stack((indices // (KINDS * DEPTHS), indices // KINDS % DEPTHS, indices % KINDS, counts), axis=1)

    @property
    def nodes(self) -> list[int]:
        """Number of nodes searched, by remaining depth."""
        return [int(count) for count in self._words[_NODES:_COUNTS]]


EVERYTHING = 255
"""A depth greater than the depth of any table entry. If entries below it are hidden, no job sees entries of other
jobs."""


@dataclass(frozen=True, slots=True)
class Use:
    """A job's table hits of one kind, at nodes with `depth` plies left, on entries that the job `writer` wrote."""

    writer: int
    """Index in the recording of the job that wrote the entries."""
    depth: int
    nodes: float
    """Estimated number of tree nodes that the entries saved."""
    hits: int


@dataclass(frozen=True, slots=True)
class JobRecord:
    """A job with the result and the cost of its search."""

    job: Job
    value: int
    line: tuple[int, ...]
    nodes: int
    estimates: int
    """Number of leaves with an evaluation. Ends of games are not counted."""
    hits: npt.NDArray[np.int64]
    """Table hits on other jobs' entries, as rows of job, remaining depth, kind and count."""

    @property
    def bound(self) -> int:
        """Kind of bound that `value` is: `LOWER`, `UPPER` or `EXACT`."""
        return LOWER if self.value >= self.job.beta else UPPER if self.value <= self.job.alpha else EXACT

    def answers(self, job: Job) -> bool:
        """Return whether `value` is also a valid result of `job`, which may have another window."""
        bound = self.bound
        return (
            bound == EXACT
            or (bound == LOWER and self.value >= job.beta)
            or (bound == UPPER and self.value <= job.alpha)
        )


class Bench(InsideFabric):
    """A cluster of one node that runs each job when it is submitted, and records its cost."""

    name = "bench"

    def __init__(self, hidden_below: int = 0, hides: Collection[int] = (VALUE, MOVE)) -> None:
        super().__init__(1)
        self.done: list[JobRecord] = []
        self.gaps: list[float] = []
        """Seconds that the head took between the end of each job and the start of the next."""
        self.node_seconds = 0.0
        self.notes = WitnessMemory(hidden_below, hides)
        self.node: Node | None = None
        self._ended: float | None = None

    def prepare(self, setup: NodeSetup) -> None:
        self.node = Node(setup, lambda era, entries, *, wait: (0, 0))
        self.node.root.probe = self.notes.probe
        self._events.put(Joined(node=0, where="this process", workers=1))

    def fill(self, node: int, era: int, entries: Entries) -> None:
        pass  # entries of the head belong to no job; nearly all iterations are divided

    def submit(self, node: int, job: Job) -> None:
        assert self.node is not None
        began = time.perf_counter()
        if self._ended is not None:
            self.gaps.append(began - self._ended)
        number = len(self.done)
        self.notes.begin(number, self.node.root.worker)
        outcome = self.node.search(job)
        hits = self.notes.take()
        # There may be more jobs than stamps. The writer is the latest earlier job with the entry's stamp.
        hits[:, 0] += (number - 1 - hits[:, 0]) // WRITERS * WRITERS
        if outcome.valid:
            nodes, estimates = outcome.count("nodes"), outcome.count("estimates")
            self.done.append(JobRecord(job, outcome.value, outcome.line, nodes, estimates, hits))
            self.node_seconds += outcome.seconds
        self._events.put(Ended(node=0, result=outcome))
        self._ended = time.perf_counter()

    def stop(self, node: int, ticket: int) -> None:
        pass  # no job is running between calls

    def wait(self, seconds: float) -> list[NodeEvent]:
        return super().wait(0.0) or [Reported(node=0, report=NodeReport())]

    def close(self) -> None:
        if self.node is not None:
            self.node.close()


class RecordedJobs:
    """The recorded jobs of a search on one node, from which the search on more nodes is simulated."""

    def __init__(self, bench: Bench, result: Result, *, without: Sequence[int] | None = None) -> None:
        self.result, self.done = result, bench.done
        self.nodes = sum(record.nodes for record in bench.done)
        self.node_seconds = bench.node_seconds
        self.head_seconds = statistics.median(bench.gaps or [0.0])
        """Seconds that the head takes per job. It is the median, because other processes interfere at times."""
        self.entries = [0, 0, *bench.notes.nodes[2:]]
        """Number of table entries written, by depth. Each node with at least two plies left writes one."""
        self.hits = np.zeros((KINDS, DEPTHS), np.int64)
        """Number of table hits on entries of other jobs, by kind and remaining depth."""
        for record in self.done:
            np.add.at(self.hits, (record.hits[:, 2], record.hits[:, 1]), record.hits[:, 3])
        self.below = _mean_below(self.nodes, bench.notes.nodes)
        """Mean number of tree nodes in a subtree, by remaining depth."""
        self.without = tuple(without or (self.nodes,) * KINDS)
        """For each kind, the number of tree nodes of a search in which no job sees other jobs' entries of that kind."""
        self.weights = [0.0] * KINDS
        """Share of a subtree that a table hit saves, by kind of hit."""
        for kind, nodes in enumerate(self.without):
            hit_nodes = float(self.hits[kind] @ self.below)
            self.weights[kind] = max(0.0, (nodes - self.nodes) / hit_nodes) if hit_nodes else 0.0
        self.uses = [
            [
                Use(int(job), int(depth), self._saved_nodes(kind, depth) * int(count), int(count))
                for job, depth, kind, count in record.hits
            ]
            for record in self.done
        ]
        self._bench = bench
        self._by_key: dict[tuple[int, int, int], list[int]] = {}
        self._by_depth_and_bound: dict[tuple[int, int], list[int]] = {}
        self._answers: dict[tuple[int, ...], int] = {}
        for index, record in enumerate(self.done):
            self._by_key.setdefault(_key(record.job), []).append(index)
            self._by_depth_and_bound.setdefault((record.job.depth, record.bound), []).append(index)

    def _saved_nodes(self, kind: int, depth: int) -> float:
        return float(self.weights[kind] * self.below[depth])

    def lost_below(self, depth: int) -> float:
        """Return the estimated number of additional tree nodes if no job sees other jobs' entries below `depth`."""
        kinds = range(KINDS)
        return sum(
            int(self.hits[kind, left]) * self._saved_nodes(kind, left)
            for kind in kinds
            for left in range(min(depth, DEPTHS))
        )

    def places(self, job: Job) -> list[int]:
        """Return the indices of recorded jobs with a valid result for `job`. Those with the same window come first."""
        indices = [index for index in self._by_key.get(_key(job), ()) if self.done[index].answers(job)]
        window = job.alpha, job.beta
        return sorted(indices, key=lambda index: (self.done[index].job.alpha, self.done[index].job.beta) != window)

    def answer(self, job: Job) -> int:
        """Return the value of a job that was not recorded. It is searched with the current table.

        A value outside the window is clamped to it, because how far outside it lies depends on the table's content, and
        so on earlier requests.
        """
        key = (*_key(job), job.alpha, job.beta)
        if key not in self._answers:
            assert self._bench.node is not None
            value = self._bench.node.search(job).value
            self._answers[key] = min(max(value, job.alpha), job.beta)
        return self._answers[key]

    def similar_job(self, job: Job, value: int, seed: int) -> int:
        """Return the index of a random recorded job of similar cost: nearest depth, and same bound if possible."""
        bound = LOWER if value >= job.beta else UPPER if value <= job.alpha else EXACT
        depths = sorted({depth for depth, _ in self._by_depth_and_bound}, key=lambda depth: abs(depth - job.depth))
        for depth in depths:
            for side in (bound, LOWER, UPPER, EXACT):
                if candidates := self._by_depth_and_bound.get((depth, side)):
                    return Random(f"{seed} {_key(job)} {job.alpha} {job.beta}").choice(candidates)
        raise AssertionError("nothing was recorded")


def _key(job: Job) -> tuple[int, int, int]:
    return job.first, job.second, job.depth


def _mean_below(nodes: int, by_depth: list[int]) -> npt.NDArray[np.float64]:
    """Return the mean nodes of a subtree, with its root, by remaining depth. `by_depth` does not count leaves."""
    sizes = np.zeros(len(by_depth))
    remaining = nodes
    for depth in range(len(by_depth) - 1, 0, -1):
        if by_depth[depth]:
            sizes[depth] = remaining / by_depth[depth]
        remaining -= by_depth[depth]
    return sizes


def record(
    board: Board,
    depth: int,
    threshold: int,
    *,
    without: Sequence[int] | None = None,
    hidden_below: int = 0,
    hides: Collection[int] = (VALUE, MOVE),
    stop: Stop | None = None,
    **options: Any,
) -> RecordedJobs:
    """Search a board with one node and one worker, in jobs of `threshold` plies, and record the cost of each job.

    No job sees other jobs' entries that have a depth below `hidden_below` and a kind in `hides`. `without` holds the
    node counts of two searches, one with all values hidden and one with all moves hidden. These counts calibrate the
    savings of a hit.
    """
    if depth >= DEPTHS:
        raise OutflankError(f"depth {depth}: a recording goes to {DEPTHS - 1} at most")
    bench = Bench(hidden_below, hides)
    cluster = Cluster(bench, tuning=Tuning(alone_seconds=0.0, jobs_ahead=False))
    result = cluster.search(
        board, Limits(depth=depth), stop=stop, workers=1, threshold=threshold, replication="none", **options
    )
    return RecordedJobs(bench, log_result(board, result, options), without=without)


def calibrated(board: Board, depth: int, threshold: int, *, stop: Stop | None = None, **options: Any) -> RecordedJobs:
    """Run three searches, and return a recording in which the savings of table hits are calibrated."""
    without = [
        record(board, depth, threshold, hidden_below=EVERYTHING, hides=(kind,), stop=stop, **options).nodes
        for kind in range(KINDS)
    ]
    return record(board, depth, threshold, without=without, stop=stop, **options)
