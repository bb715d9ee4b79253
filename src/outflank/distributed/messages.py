"""What the head and the nodes of a cluster tell each other. Numbers and tuples of numbers alone."""

from dataclasses import dataclass
from typing import Self

from outflank.search.worker import COUNTERS


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A part of the tree that one node searches."""

    ticket: int
    """Its number: greater than that of every job before."""
    era: int
    """Which entries count: a node that has lived in an earlier one forgets its table first."""
    first: int
    """The position's two words."""
    second: int
    depth: int
    ply: int
    alpha: int
    beta: int
    send_from: int = 0
    """Plies left of the entries that the others are told of, where the policy does not say."""
    deepen: bool = False
    """Whether to search all smaller depths first: it is to fill the table, and nobody waits for the value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobResult:
    """What came of a job."""

    ticket: int
    valid: bool
    """Whether there is a value; if not, the job was stopped."""
    value: int
    """With alpha-beta's promise for the job's window."""
    line: tuple[int, ...]
    """The best moves from the position on, as far as they are known; where there is a cut-off, what made it."""
    seconds: float
    """How long it was searched."""
    counts: tuple[int, ...]
    """What was counted meanwhile: the worker's `COUNTERS`, in their order."""

    def count(self, name: str) -> int:
        """One of the counts."""
        return self.counts[COUNTERS.index(name)]

    @classmethod
    def unsearched(cls, ticket: int) -> Self:
        """Of a job that was stopped before it began."""
        return cls(ticket=ticket, valid=False, value=0, line=(), seconds=0.0, counts=(0,) * len(COUNTERS))


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeReport:
    """What a node has done in this search."""

    nodes: int = 0
    busy_seconds: float = 0.0
    """With a job in hand."""
    entries_sent: int = 0
    """To each of the others."""
    entries_dropped: int = 0
    """For which there was no room, or nobody to take them in time."""
    entries_received: int = 0
    entries_kept: int = 0
    """Those received that the table did not know better."""
    messages: int = 0
    """With entries, sent."""
    bytes_sent: int = 0
    bytes_received: int = 0
    broadcast_seconds: float = 0.0
    """Spent on sending entries."""
    waited_seconds: float = 0.0
    """Of the search's time: until entries were delivered, where a policy waits for that."""
    table_lookups: int = 0
    table_hits: int = 0
    foreign_hits: int = 0
    """Hits of entries that came from another node."""
    foreign_cuts: int = 0
    """Those of them that made an end of a node; the others put a move first."""
    memory_bytes: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Joined:
    """A node can take jobs."""

    node: int
    where: str
    """The machine it runs on, and its process."""
    workers: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Left:
    """A node is gone, with what it had in hand."""

    node: int
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """A job has come to its end."""

    node: int
    result: JobResult


@dataclass(frozen=True, slots=True, kw_only=True)
class Reported:
    """A node is alive, and tells how it is."""

    node: int
    report: NodeReport


NodeEvent = Joined | Left | Ended | Reported
