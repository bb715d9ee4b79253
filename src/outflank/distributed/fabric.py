"""The transport between the head and the nodes of a cluster: the interface that every engine implements."""

from typing import Protocol

from outflank.distributed.node import NodeSetup
from outflank.distributed.node_messages import Job, NodeEvent
from outflank.errors import OutflankError


class HeadLost(OutflankError):
    """The part of the cluster that connects the head with the nodes has failed."""


class Fabric(Protocol):
    """The nodes of a cluster, seen from the head. Nodes are numbered, and numbers are never reused.

    Table entries go directly from node to node, not through the head: see `Carry`.
    """

    @property
    def name(self) -> str:
        """Name of the engine."""

    @property
    def job_seconds(self) -> float:
        """Duration of a job at which the cost of its messages is negligible."""

    @property
    def bytes_carried(self) -> int:
        """Total bytes of jobs and results to and from the head."""

    def use(self, count: int | None) -> None:
        """Limit the number of nodes that take part, from the next search on; None: all of them."""

    def prepare(self, setup: NodeSetup) -> None:
        """Prepare the nodes for the jobs of a search, which replaces any earlier one; each ready node sends `Joined`.

        Nodes that join later are prepared too.
        """

    @property
    def expected(self) -> int:
        """Number of nodes that should take part in the prepared search, as far as is known."""

    def submit(self, node: int, job: Job) -> None:
        """Send a job to a node. The reply is `Ended` with the result, or `Left` if the node is lost."""

    def stop(self, node: int, ticket: int) -> None:
        """Tell a node to cancel a job. The job still sends its `Ended`."""

    def ask(self) -> None:
        """Make every node report now instead of at its next heartbeat, about once a second."""

    def wait(self, seconds: float) -> list[NodeEvent]:
        """Return the events that have arrived, as soon as there is one, but after `seconds` at the latest.

        Every healthy node sends a heartbeat about once a second. Raises `HeadLost`.
        """

    def note(self, text: str) -> None:
        """Set the text that is printed if this process is killed: the best move so far."""

    def close(self) -> None:
        """Release the nodes."""
