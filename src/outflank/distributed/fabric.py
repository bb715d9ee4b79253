"""The transport of searches between the head and the nodes of a cluster: an interface that every engine implements."""

from typing import Protocol

from outflank.distributed.node import Entries, NodeSetup
from outflank.distributed.node_messages import Job, NodeEvent
from outflank.errors import OutflankError


class HeadLost(OutflankError):
    """Raised when the head of a cluster can reach no node, or lacks a node without which the search cannot go on."""


class Fabric(Protocol):
    """The nodes of a cluster, as the head sees them. A node's number is never reused.

    Table entries are sent from node to node, not through the head; see `Carry`.
    """

    @property
    def name(self) -> str:
        """Name of the cluster engine."""

    @property
    def job_seconds(self) -> float:
        """Target duration of a job, in seconds, at which the cost of its messages is negligible."""

    @property
    def steal_seconds(self) -> float | None:
        """Least expected search time, in seconds, of a move that one node sends to another. None: nodes of this engine
        cannot send each other moves."""

    @property
    def keeps_nodes(self) -> bool:
        """Whether no message and no node is lost during a search. If a node dies nevertheless, the search fails."""

    @property
    def bytes_carried(self) -> int:
        """Number of bytes that the head has exchanged with the nodes: at least all jobs, all table entries that `fill`
        has sent, and all results."""

    def use(self, count: int | None) -> None:
        """Limit the number of nodes from the next search on; None: use all nodes."""

    def prepare(self, setup: NodeSetup) -> None:
        """Prepare the nodes for a new search, which replaces an earlier search. A node sends `Joined` when it is ready.

        Nodes that join later are prepared too.
        """

    @property
    def expected(self) -> int:
        """Number of nodes that should take part in the prepared search, as far as it is known."""

    def fill(self, node: int, era: int, entries: Entries) -> None:
        """Send table entries of the head to a node, which stores them. They arrive before a job that is submitted
        later, or soon after it. A node in another era than `era` ignores them."""

    def submit(self, node: int, job: Job) -> None:
        """Send a job to a node, which searches its jobs in the order in which they were sent. It answers each with
        `Ended`, or there is a `Left` event if the node is lost."""

    def stop(self, node: int, ticket: int) -> None:
        """Tell a node to stop a job, or not to begin it. The node still sends `Ended` for it."""

    def ask(self) -> None:
        """Ask every node to report its statistics now. Otherwise nodes report about once a second."""

    def wait(self, seconds: float) -> list[NodeEvent]:
        """Wait for events, at most `seconds`, and return them as soon as there is at least one.

        Every healthy node sends a report about once a second. Raises `HeadLost`.
        """

    def note(self, text: str) -> None:
        """Set the text with the best move so far, which is printed if this process is killed."""

    def close(self) -> None:
        """Release the nodes."""
