"""JSON documents that `outflank search --json` prints."""

from typing import Any

from msgspec import UNSET, Struct, UnsetType

from outflank.boards import Board
from outflank.distributed.cluster_statistics import ClusterStatistics, NodeStatistics
from outflank.search.results import Comparison, Result, WorkerStatistics
from outflank.ui.cli.shared.json_documents import ValuedLine
from outflank.validation.documents import Document


class IterationDocument(Document, frozen=True, kw_only=True, tag="outflank/search-iteration/1"):
    """Result of a search at one depth."""

    value: int | None
    """Value in points for the side to move. It is null if nothing was searched or a proof is not finished."""
    value_in_units: float | None
    """Value in `unit`s, such as discs. It is null if `value` is null or only says who wins."""
    move: str | None
    pv: list[str]
    """Principal variation."""
    depth: int
    selectivity: int
    """Confidence of selective pruning in per cent. 100 means that nothing was pruned selectively."""
    nodes: int
    leaves: int
    seconds: float
    exact: bool
    """Whether the value is the final score under perfect play."""
    lower: int | None
    """Proved lower bound of the value, or null."""
    upper: int | None
    stopped: bool
    moves: list[ValuedLine]
    """Best moves, each with its value and principal variation."""
    unit: str
    points_per_unit: float
    """Number of points of `value` in one `unit` (such as a disc)."""

    @staticmethod
    def fields_of(result: Result) -> dict[str, Any]:
        """Return the fields that the documents of an iteration and of a whole search share."""
        return {
            "value": result.value,
            "value_in_units": rounded(result.value_in_units),
            "move": str(result.move) if result.move else None,
            "pv": [str(move) for move in result.pv],
            "depth": result.depth,
            "selectivity": result.selectivity,
            "nodes": result.nodes,
            "leaves": result.leaves,
            "seconds": round(result.seconds, 6),
            "exact": result.exact,
            "lower": result.lower,
            "upper": result.upper,
            "stopped": result.stopped,
            "moves": [
                ValuedLine(
                    move=str(entry.move),
                    value=entry.value,
                    value_in_units=rounded(result.scale.in_units(entry.value)),
                    line=list(map(str, entry.line)),
                )
                for entry in result.best
            ],
            "unit": result.scale.unit,
            "points_per_unit": result.scale.points,
        }


def rounded(number: float | None) -> float | None:
    """Return a value in units with four decimals."""
    return None if number is None else round(number, 4)


class ComparisonDocument(Struct, frozen=True, kw_only=True):
    """Cost of the same search with one worker, and the speed-up of the parallel search."""

    nodes: int
    seconds: float
    speed_up: float
    efficiency: float
    search_overhead: float

    @classmethod
    def of(cls, comparison: Comparison) -> "ComparisonDocument":
        """Return the document of a comparison. Ratios have four decimals."""
        return cls(
            nodes=comparison.alone.nodes,
            seconds=round(comparison.alone.seconds, 6),
            speed_up=round(comparison.speed_up, 4),
            efficiency=round(comparison.efficiency, 4),
            search_overhead=round(comparison.search_overhead, 4),
        )


class ClusterSearchDocument(Struct, frozen=True, kw_only=True):
    """Statistics of a cluster during a search."""

    engine: str
    replication: str
    threshold: int
    """Remaining depth in plies at which a subtree became a job for one cluster node, in the last iteration."""
    seconds: float
    nodes: tuple[NodeStatistics, ...]
    losses: tuple[str, ...]
    head_bytes: int
    """Number of bytes of jobs that the cluster's head sent, and of results that it received."""
    useful_seconds: float
    """Mean time in seconds that a node spent on jobs."""
    overhead_seconds: float
    steal_success: float
    """Share of steal attempts that succeeded."""
    bytes_transferred: int
    messages: int
    """Number of messages with transposition table entries, summed over the nodes that sent them."""
    broadcast_seconds: float
    replicated_hits: int
    """Number of positions in which a transposition table entry from another cluster node caused a cutoff."""
    replicated_sorts: int
    """Number of positions in which a table entry from another cluster node only gave the first move to try."""

    @classmethod
    def of(cls, statistics: ClusterStatistics) -> "ClusterSearchDocument":
        """Return the document of a cluster's statistics, with sums and with the statistics of each node."""
        sums = ("messages", "broadcast_seconds", "replicated_hits", "replicated_sorts")
        shared_fields = {name: getattr(statistics, name) for name in cls.__struct_fields__ if name not in sums}
        return cls(**shared_fields, **{name: statistics.total(name) for name in sums})


class SearchDocument(IterationDocument, frozen=True, kw_only=True, tag="outflank/search/1"):
    """Result and cost of a whole search."""

    position: str
    nodes_per_second: int
    table_bytes: int
    table_lookups: int
    table_hits: int
    scheme: str | None
    device: str
    """Device that ran the playouts of a Monte-Carlo search: `cpu`, `gpu`, or `gpu+cpu` if the GPU was lost and the CPU
    took over. Other searches run on the CPU."""
    worker_bytes: int
    idle_share: float
    workers: tuple[WorkerStatistics, ...]
    cluster: ClusterSearchDocument | UnsetType = UNSET
    """Statistics of the cluster, if the search ran on one."""
    compare: ComparisonDocument | UnsetType = UNSET
    """Comparison with the same search by one worker, with `--compare`."""

    @classmethod
    def of(cls, board: Board, result: Result, **extra: Any) -> "SearchDocument":
        """Return the JSON document of a search."""
        return cls(
            position=board.to_text(),
            **cls.fields_of(result),
            nodes_per_second=round(result.nodes_per_second),
            table_bytes=result.table_bytes,
            table_lookups=result.lookups,
            table_hits=result.hits,
            scheme=result.scheme,
            device=result.device,
            worker_bytes=result.worker_bytes,
            idle_share=round(result.idle_share, 4),
            workers=result.workers,
            **extra,
        )
