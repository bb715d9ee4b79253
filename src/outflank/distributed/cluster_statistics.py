"""Statistics of a search on a cluster, per node and in total, including all statistics of the published report 000."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from outflank.distributed.head import Head


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeStatistics:
    """Statistics of one node of a cluster. Its field `nodes` counts tree nodes."""

    node: int
    where: str
    workers: int
    lost: str | None
    """Reason why the node was lost; None if it was not lost."""
    nodes: int
    useful_seconds: float
    """Time during which the node had a job, minus its workers' average wait for the delivery of table entries."""
    overhead_seconds: float
    """Time as a member of the cluster, minus `useful_seconds`: the node looked for work or waited for messages."""
    jobs: int
    wasted_jobs: int
    """Number of jobs that were no longer needed when they ended."""
    wasted_nodes: int
    steals_tried: int
    steals_won: int
    stops: int
    slowest_stop_seconds: float
    """Longest time from the head's message that stops a job to the end of that job."""
    entries_sent: int
    entries_received: int
    entries_kept: int
    entries_dropped: int
    messages: int
    bytes_sent: int
    broadcast_seconds: float
    waited_seconds: float
    table_lookups: int
    table_hits: int
    replicated_hits: int
    """Number of cutoffs from table entries that another node had sent."""
    replicated_sorts: int
    """Number of hits on another node's entries that gave only a move to try first."""
    memory_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterStatistics:
    """Statistics of a search on a cluster, with those of all its nodes."""

    engine: str
    replication: str
    threshold: int
    """Remaining depth at which a subtree became a job of one node in the last iteration, in plies."""
    seconds: float
    nodes: tuple[NodeStatistics, ...]
    losses: tuple[str, ...]
    head_bytes: int
    """Number of bytes that the head exchanged with the nodes, in jobs, table entries and results. On MPI, other
    messages of the head count too."""

    def total(self, name: str) -> Any:
        """Return the sum of the field `name` over all nodes."""
        return sum(getattr(node, name) for node in self.nodes)

    @property
    def useful_seconds(self) -> float:
        """Average time that a node spent on jobs, in seconds."""
        return float(self.total("useful_seconds") / max(len(self.nodes), 1))

    @property
    def overhead_seconds(self) -> float:
        """Average time that a node did not spend on jobs, in seconds."""
        return float(self.total("overhead_seconds") / max(len(self.nodes), 1))

    @property
    def steal_success(self) -> float:
        """Fraction of steal attempts that succeeded."""
        return float(self.total("steals_won") / max(self.total("steals_tried"), 1))

    @property
    def bytes_transferred(self) -> int:
        """Number of bytes in all messages, between nodes and to and from the head."""
        return int(self.head_bytes + self.total("bytes_sent"))

    @property
    def idle_share(self) -> float:
        """Fraction of the nodes' time that was not spent on jobs."""
        both = self.useful_seconds + self.overhead_seconds
        return self.overhead_seconds / both if both > 0 else 0.0


def cluster_statistics(head: "Head") -> ClusterStatistics:
    """Return the statistics of the search that `head` leads, up to now."""
    from outflank.distributed.splits import TreePlace  # imported late: documents with statistics do not need it

    nodes = []
    for number, member in list(head.members.items()):
        place = head.places.get(number, TreePlace())
        report = member.report
        present_seconds = head.present_seconds(member)
        # The node's own report, unlike the head's record, includes a job that is still running.
        steals = head.setup.nodes_divide
        busy = min(report.busy_seconds if steals else max(member.useful_seconds, report.busy_seconds), present_seconds)
        useful = max(0.0, busy - report.waited_seconds / max(member.workers, 1))
        nodes.append(
            NodeStatistics(
                node=number,
                where=member.where,
                workers=member.workers,
                lost=member.gone or ("silent" if member.silent else None),
                nodes=report.nodes if steals else max(member.counts["nodes"], report.nodes),
                useful_seconds=useful,
                overhead_seconds=present_seconds - useful,
                jobs=member.jobs,
                wasted_jobs=member.wasted_jobs,
                wasted_nodes=member.wasted_nodes,
                steals_tried=report.steals_tried if steals else place.tried,
                steals_won=report.steals_won if steals else place.stolen,
                stops=member.stops,
                slowest_stop_seconds=member.slowest_stop_seconds,
                entries_sent=report.entries_sent,
                entries_received=report.entries_received,
                entries_kept=report.entries_kept,
                entries_dropped=report.entries_dropped,
                messages=report.messages,
                bytes_sent=report.bytes_sent,
                broadcast_seconds=report.broadcast_seconds,
                waited_seconds=report.waited_seconds,
                table_lookups=report.table_lookups,
                table_hits=report.table_hits,
                replicated_hits=report.foreign_cuts,
                replicated_sorts=report.foreign_hits - report.foreign_cuts,
                memory_bytes=report.memory_bytes,
            )
        )
    return ClusterStatistics(
        engine=head.fabric.name,
        replication=str(head.replication),
        threshold=head.threshold,
        seconds=head.seconds,
        nodes=tuple(nodes),
        losses=tuple(head.losses),
        head_bytes=head.fabric.bytes_carried - head.bytes_before,
    )
