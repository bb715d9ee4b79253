"""The head's record of a node: its jobs and its statistics."""

from dataclasses import dataclass, field

from outflank.distributed.node_messages import Job, NodeReport
from outflank.distributed.splits import TreePlace
from outflank.search.results import WorkerStatistics
from outflank.search.worker import COUNTERS


@dataclass(slots=True)
class NodeState:
    """The head's record of a node."""

    where: str
    workers: int
    heard: float
    """Time of the last message from the node."""
    underway: dict[int, Job] = field(default_factory=dict)
    """Jobs that the node has not answered yet, by ticket. It searches them in this order."""
    stopped: dict[int, float] = field(default_factory=dict)
    """Tickets of the jobs in `underway` that the node has been told to stop, with the times of these messages."""
    filled: bool = False
    """Whether the node has been sent entries of the head's table."""
    silent: bool = False
    gone: str | None = None
    """Reason why the node is lost; None if it is not lost."""
    seen: int = -1
    """Value of `Tree.changes` when the tree last had no job for this node."""
    seen_ahead: int = -1
    """Value of `Tree.changes` when the tree last had no second job for this node."""
    jobs: int = 0
    wasted_jobs: int = 0
    useful_seconds: float = 0.0
    wasted_nodes: int = 0
    stops: int = 0
    slowest_stop_seconds: float = 0.0
    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(COUNTERS, 0))
    report: NodeReport = field(default_factory=NodeReport)
    joined: float = 0.0
    away: float = 0.0

    @property
    def is_idle(self) -> bool:
        """Whether the node needs a job: it has none, or has been told to stop the only one."""
        return len(self.underway) == len(self.stopped) <= 1 and not self.silent and self.gone is None

    @property
    def has_one_job(self) -> bool:
        """Whether the node searches a job, and has no other to begin when it ends."""
        return len(self.underway) == 1 and not self.stopped and not self.silent and self.gone is None

    @property
    def waiting_job(self) -> Job | None:
        """The last job that the node has been sent, if it is searching another; None if there is no such job."""
        return next(reversed(self.underway.values())) if len(self.underway) > 1 and not self.stopped else None

    def own_statistics(self, seconds: float) -> WorkerStatistics:
        """Return the statistics of a node that divides jobs itself, from the node's last report."""
        report = self.report
        return WorkerStatistics(
            useful_seconds=min(report.busy_seconds, seconds),
            idle_seconds=max(0.0, seconds - report.busy_seconds),
            nodes=report.nodes,
            executed=self.jobs,
            stolen=report.steals_won,
            steals_tried=report.steals_tried,
            steals_won=report.steals_won,
            aborts_obeyed=self.stops,
            table_lookups=report.table_lookups,
            table_hits=report.table_hits,
            cutoffs=report.cutoffs,
            first_cutoffs=report.first_cutoffs,
        )

    def statistics(self, place: TreePlace, seconds: float) -> WorkerStatistics:
        """Return the node's statistics in the form of one worker's. The node has been a member for `seconds`."""
        return WorkerStatistics(
            useful_seconds=self.useful_seconds,
            idle_seconds=max(0.0, seconds - self.useful_seconds),
            nodes=self.counts["nodes"],
            wasted_nodes=self.wasted_nodes,
            spawned=0,
            executed=self.jobs,
            stolen=place.stolen,
            steals_tried=place.tried,
            steals_won=place.stolen,
            aborts_sent=0,
            aborts_obeyed=self.stops,
            table_lookups=self.counts["lookups"],
            table_hits=self.counts["hits"],
            cutoffs=self.counts["cutoffs"],
            first_cutoffs=self.counts["first_cutoffs"],
        )
