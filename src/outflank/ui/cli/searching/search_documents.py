"""Documents that `outflank search --json` prints."""

from typing import Any

from msgspec import UNSET, Struct, UnsetType

from outflank.boards import Board
from outflank.distributed.cluster_statistics import ClusterStatistics, NodeStatistics
from outflank.search.results import Comparison, Result, WorkerStatistics
from outflank.ui.cli.shared.json_documents import ValuedLine
from outflank.validation.documents import Document


class IterationDocument(Document, frozen=True, kw_only=True, tag="outflank/search-iteration/1"):
    """The result of a search at one depth."""

    value: int | None
    """Value in points for the side to move; null: nothing was searched, or a proof is not finished."""
    move: str | None
    pv: list[str]
    """The principal variation."""
    depth: int
    selectivity: int
    """Confidence of selective pruning, in per cent; 100: no selective pruning."""
    nodes: int
    leaves: int
    seconds: float
    exact: bool
    """Whether the value is the final score under perfect play."""
    lower: int | None
    """Lower bound of the value, as far as it is known."""
    upper: int | None
    stopped: bool
    moves: list[ValuedLine]
    """The best moves."""
    unit: str
    points_per_unit: float
    """Number of points in one unit."""

    @staticmethod
    def fields_of(result: Result) -> dict[str, Any]:
        """Return the fields that iterations and the whole search share."""
        return {
            "value": result.value,
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
                ValuedLine(move=str(entry.move), value=entry.value, line=list(map(str, entry.line)))
                for entry in result.best
            ],
            "unit": result.scale.unit,
            "points_per_unit": result.scale.points,
        }


class ComparisonDocument(Struct, frozen=True, kw_only=True):
    """The same search with one worker, and the speed-up over it."""

    nodes: int
    seconds: float
    speed_up: float
    efficiency: float
    search_overhead: float

    @classmethod
    def of(cls, comparison: Comparison) -> "ComparisonDocument":
        """Return a comparison, rounded to four decimals."""
        return cls(
            nodes=comparison.alone.nodes,
            seconds=round(comparison.alone.seconds, 6),
            speed_up=round(comparison.speed_up, 4),
            efficiency=round(comparison.efficiency, 4),
            search_overhead=round(comparison.search_overhead, 4),
        )


class ClusterSearchDocument(Struct, frozen=True, kw_only=True):
    """Statistics of a cluster in a search."""

    engine: str
    replication: str
    threshold: int
    """Remaining plies at which a subtree was a job for one node, in the last iteration."""
    seconds: float
    nodes: tuple[NodeStatistics, ...]
    losses: tuple[str, ...]
    head_bytes: int
    """Bytes of jobs and their results at the head."""
    useful_seconds: float
    """Mean per node."""
    overhead_seconds: float
    steal_success: float
    """Share of steal attempts that succeeded."""
    bytes_transferred: int
    messages: int
    """Messages with table entries, of all nodes."""
    broadcast_seconds: float
    replicated_hits: int
    """Positions that were cut off by an entry from another node."""
    replicated_sorts: int
    """Positions where an entry from another node only gave the first move to try."""

    @classmethod
    def of(cls, statistics: ClusterStatistics) -> "ClusterSearchDocument":
        """Return the statistics of all nodes together, and of each."""
        sums = ("messages", "broadcast_seconds", "replicated_hits", "replicated_sorts")
        shared_fields = {name: getattr(statistics, name) for name in cls.__struct_fields__ if name not in sums}
        return cls(**shared_fields, **{name: statistics.total(name) for name in sums})


class SearchDocument(IterationDocument, frozen=True, kw_only=True, tag="outflank/search/1"):
    """The result of a whole search, and its cost."""

    position: str
    nodes_per_second: int
    table_bytes: int
    table_lookups: int
    table_hits: int
    scheme: str | None
    device: str
    """Where Monte-Carlo played its games: `cpu`, `gpu`, or `gpu+cpu` if the GPU was lost and the CPU took over.
    Other searches run on the CPU."""
    worker_bytes: int
    idle_share: float
    workers: tuple[WorkerStatistics, ...]
    cluster: ClusterSearchDocument | UnsetType = UNSET
    """Only on a cluster."""
    compare: ComparisonDocument | UnsetType = UNSET
    """Only with `--compare`."""

    @classmethod
    def of(cls, board: Board, result: Result, **extra: Any) -> "SearchDocument":
        """Return the document of a board's search."""
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
