"""The messages between the head and the nodes of a cluster, which contain only numbers, tuples of numbers and text."""

from dataclasses import dataclass
from typing import Self

from outflank import __version__
from outflank.search.worker import COUNTERS


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A subtree that one node searches, with its window and depth."""

    ticket: int
    """Number of the job, greater than the numbers of all earlier jobs."""
    era: int
    """Generation of table entries. A node clears its table before it searches a job of a later era."""
    first: int
    """First of the two words of the packed position; `second` is the other."""
    second: int
    depth: int
    ply: int
    alpha: int
    beta: int
    send_from: int = 0
    """Least depth of the table entries that the node sends to others, if the replication policy does not set one."""
    least: int = 0
    """Least depth of a move that one node sends to another, if nodes divide jobs themselves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobResult:
    """The result of a job."""

    ticket: int
    valid: bool
    """Whether the job has a value. If not, it was stopped."""
    value: int
    """Value of the position: exact inside the job's window, otherwise a bound on that side."""
    line: tuple[int, ...]
    """Principal variation from the job's position, as far as known; after a cutoff, only the move that caused it."""
    seconds: float
    """Duration of the search of the job, in seconds."""
    counts: tuple[int, ...]
    """Counters of the job's search, in the order of `COUNTERS`."""

    def count(self, name: str) -> int:
        """Return the counter `name` of the job."""
        return self.counts[COUNTERS.index(name)]

    @classmethod
    def unsearched(cls, ticket: int) -> Self:
        """Return the result of a job that was stopped before it began."""
        return cls(ticket=ticket, valid=False, value=0, line=(), seconds=0.0, counts=(0,) * len(COUNTERS))


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeReport:
    """Statistics of a node in the current search. The field `nodes` counts tree nodes."""

    nodes: int = 0
    busy_seconds: float = 0.0
    """Seconds during which the node had a job."""
    entries_sent: int = 0
    """Number of table entries sent; an entry sent to several nodes counts once."""
    entries_dropped: int = 0
    """Number of entries not sent, because the ring buffer was full or the receiver had not received earlier ones."""
    entries_received: int = 0
    entries_kept: int = 0
    """Number of received table entries that were stored, because the node's table had nothing better."""
    messages: int = 0
    """Number of messages sent that carried table entries."""
    bytes_sent: int = 0
    bytes_received: int = 0
    broadcast_seconds: float = 0.0
    """Seconds spent on sending table entries."""
    waited_seconds: float = 0.0
    """Seconds that all workers together waited for the delivery of entries, if the replication policy waits."""
    table_lookups: int = 0
    table_hits: int = 0
    foreign_hits: int = 0
    """Number of table hits on entries that came from another node."""
    foreign_cuts: int = 0
    """Number of `foreign_hits` that gave a cutoff. The others gave only a move to try first."""
    cutoffs: int = 0
    first_cutoffs: int = 0
    steals_tried: int = 0
    """Number of times that the node asked another node for work, or returned a result, which also asks for work. It is
    0 if nodes do not steal from each other: the head then counts the nodes' steals itself (`TreePlace`)."""
    steals_won: int = 0
    memory_bytes: int = 0


# --- between nodes that steal from each other ---


@dataclass(frozen=True, slots=True, kw_only=True)
class StolenMove:
    """A position that a node searches for another node, its victim, with its window and depth."""

    ticket: int
    """Number of the move, unique in its victim's search."""
    first: int
    second: int
    depth: int
    ply: int
    alpha: int
    beta: int
    expected: int
    """Expected result of the position, if it becomes a split point (`parallel.shared_state.OPEN`, `CUT`, `ALL`)."""
    least: int
    """Least number of plies left of moves that others may steal."""
    send_from: int


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkWanted:
    """A thief asks for work. The answer is `WorkGiven`."""

    era: int
    thief: int


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkGiven:
    """A victim gives a thief a move, or None if it has none now."""

    era: int
    victim: int
    move: StolenMove | None


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkDone:
    """A thief returns the result of a move. The answer is `WorkGiven` with the next move."""

    era: int
    thief: int
    ticket: int
    valid: bool
    """Whether the move has a value. If not, its search was given up."""
    value: int
    line: tuple[int, ...]
    counts: tuple[int, ...]
    """Counts of the thief, and of nodes that stole from it, in the order of `COUNTERS`. Each count is sent only
    once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkUnwanted:
    """A victim tells a thief that the result of a move is no longer needed. The thief still sends `WorkDone`."""

    era: int
    victim: int
    ticket: int


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkGoesOn:
    """A thief tells a victim that it is still searching moves: a heartbeat."""

    era: int
    thief: int
    tickets: tuple[int, ...]


# --- between nodes that divide the table ---


@dataclass(frozen=True, slots=True, kw_only=True)
class PositionWanted:
    """A node asks the home of a position for the position's value. The answer is `PositionDone`."""

    era: int
    asker: int
    ticket: int
    """Number of the request, unique in the asker's search."""
    first: int
    second: int
    depth: int
    ply: int
    alpha: int
    beta: int
    least: int
    """Least number of plies left of moves that are sent to their homes. A position with more plies left is divided."""
    order: int
    """Place of the move among its brothers. A home searches older brothers first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PositionDone:
    """A home returns the value of a position."""

    era: int
    ticket: int
    valid: bool
    """Whether the answer has a value. It has none if the request was withdrawn."""
    value: int
    line: tuple[int, ...]
    counts: tuple[int, ...]
    """Counts of the search of the position, in the order of `COUNTERS`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PositionUnwanted:
    """A node withdraws a request. The home still sends `PositionDone`, unless it has sent it already."""

    era: int
    asker: int
    ticket: int


PeerMessage = (
    WorkWanted | WorkGiven | WorkDone | WorkUnwanted | WorkGoesOn | PositionWanted | PositionDone | PositionUnwanted
)
"""A message from a node to another."""


# --- events of the head ---


@dataclass(frozen=True, slots=True, kw_only=True)
class Joined:
    """Event: a node is ready for jobs."""

    node: int
    where: str
    """Machine and process of the node."""
    workers: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Left:
    """Event: a node is lost, together with its job."""

    node: int
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """Event: a job of a node has ended."""

    node: int
    result: JobResult


@dataclass(frozen=True, slots=True, kw_only=True)
class Reported:
    """Event: a node is alive, and has sent its statistics."""

    node: int
    report: NodeReport


NodeEvent = Joined | Left | Ended | Reported


def version_error(version: str) -> str | None:
    """Return why a node with this version of outflank cannot be used; None if the version is that of this process."""
    return None if version == __version__ else f"it has outflank {version}, and this is {__version__}"
