"""The messages between the head and the nodes of a cluster. They hold only numbers, tuples of numbers and text."""

from dataclasses import dataclass
from typing import Self

from outflank.search.worker import COUNTERS


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A subtree that one node searches."""

    ticket: int
    """Number of the job, greater than that of every job before."""
    era: int
    """Generation of table entries: a node whose table is of an earlier era clears it first."""
    first: int
    """First of the two words of the position."""
    second: int
    depth: int
    ply: int
    alpha: int
    beta: int
    send_from: int = 0
    """Least depth of the entries that the node replicates, where the policy does not set one."""
    deepen: bool = False
    """Whether to search all smaller depths first: the job only fills the table, and its value is not used."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobResult:
    """The result of a job."""

    ticket: int
    valid: bool
    """Whether the job has a value; if not, it was stopped."""
    value: int
    """Value of the position, with the promise of alpha-beta for the job's window."""
    line: tuple[int, ...]
    """Principal variation from the position on, as far as it is known; after a cutoff, the move that caused it."""
    seconds: float
    """Duration of the search."""
    counts: tuple[int, ...]
    """Counters of the job, in the order of the worker's `COUNTERS`."""

    def count(self, name: str) -> int:
        """Return the counter of this name."""
        return self.counts[COUNTERS.index(name)]

    @classmethod
    def unsearched(cls, ticket: int) -> Self:
        """Return the result of a job that was stopped before it began."""
        return cls(ticket=ticket, valid=False, value=0, line=(), seconds=0.0, counts=(0,) * len(COUNTERS))


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeReport:
    """Statistics of a node in the current search."""

    nodes: int = 0
    busy_seconds: float = 0.0
    """Time during which the node had a job."""
    entries_sent: int = 0
    """Entries sent to each other node."""
    entries_dropped: int = 0
    """Entries dropped because the ring was full, or because no peer accepted them in time."""
    entries_received: int = 0
    entries_kept: int = 0
    """Received entries that were stored: the table had nothing better."""
    messages: int = 0
    """Messages with entries that were sent."""
    bytes_sent: int = 0
    bytes_received: int = 0
    broadcast_seconds: float = 0.0
    """Time spent on sending entries."""
    waited_seconds: float = 0.0
    """Time that workers waited for the delivery of entries, under a policy that waits."""
    table_lookups: int = 0
    table_hits: int = 0
    foreign_hits: int = 0
    """Hits on entries that came from another node."""
    foreign_cuts: int = 0
    """Foreign hits that gave a cutoff; the others only gave the move to try first."""
    memory_bytes: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Joined:
    """A node is ready for jobs."""

    node: int
    where: str
    """Machine and process of the node."""
    workers: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Left:
    """A node is lost, with the job that it had."""

    node: int
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """A job has ended."""

    node: int
    result: JobResult


@dataclass(frozen=True, slots=True, kw_only=True)
class Reported:
    """A node is alive, with its statistics."""

    node: int
    report: NodeReport


NodeEvent = Joined | Left | Ended | Reported
