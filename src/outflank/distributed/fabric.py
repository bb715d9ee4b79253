"""What carries a search to the nodes of a cluster: the one interface that every engine implements."""

from typing import Protocol

from outflank.distributed.messages import Job, NodeEvent
from outflank.distributed.node import NodeSetup
from outflank.errors import OutflankError


class HeadLost(OutflankError):
    """The part of the cluster without which nothing reaches the nodes is gone."""


class Fabric(Protocol):
    """The nodes of a cluster, seen from the head. Nodes are numbered, and no number is used twice.

    What a node finds out goes from it to the other nodes without passing here: see `Carry`.
    """

    @property
    def name(self) -> str:
        """The engine."""

    @property
    def job_seconds(self) -> float:
        """How long jobs should take, so that carrying them costs next to nothing."""

    @property
    def bytes_carried(self) -> int:
        """Of jobs and what came of them, to and from the head, so far."""

    def use(self, count: int | None) -> None:
        """Let no more nodes than these take part, from the next search on; None: all there are."""

    def prepare(self, setup: NodeSetup) -> None:
        """Make the nodes ready for the jobs of a search, in place of any before; `Joined` tells of each that is.

        A node that comes later is made ready too.
        """

    @property
    def expected(self) -> int:
        """How many nodes should take part in the search that was prepared, as far as one can know."""

    def submit(self, node: int, job: Job) -> None:
        """Give a node a job. `Ended` tells what came of it, or `Left` that the node is gone."""

    def stop(self, node: int, ticket: int) -> None:
        """Tell a node that a job is not wanted any more. It still ends."""

    def ask(self) -> None:
        """Have every node report at once, and not only about once a second."""

    def wait(self, seconds: float) -> list[NodeEvent]:
        """What has happened, as soon as anything has, but after so long at the latest.

        Every node that is well is heard of about once a second. Raises `HeadLost`.
        """

    def note(self, text: str) -> None:
        """What to say should this process be killed: the best so far."""

    def close(self) -> None:
        """Let the nodes go."""
