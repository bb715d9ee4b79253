"""What `outflank search --json` prints."""

from typing import Any

from msgspec import UNSET, Struct, UnsetType

from outflank.boards import Board
from outflank.distributed.statistics import ClusterStatistics, NodeStatistics
from outflank.documents import Document
from outflank.search.results import Comparison, Result, WorkerStatistics
from outflank.ui.cli.documents import ValuedLine


class IterationDocument(Document, frozen=True, kw_only=True, tag="outflank/search-iteration/1"):
    """What a search has found at a depth."""

    value: int | None
    """In points, for the side to move; null where nothing was searched, or a proof is not finished."""
    move: str | None
    pv: list[str]
    """The principal variation."""
    depth: int
    selectivity: int
    """Per cent of the guesses that should be right by which nodes were spared; 100: none was made."""
    nodes: int
    leaves: int
    seconds: float
    exact: bool
    """Whether the value is the final score under perfect play."""
    lower: int | None
    """What the value is at least, as far as it is known."""
    upper: int | None
    stopped: bool
    moves: list[ValuedLine]
    """The best ones."""
    unit: str
    points_per_unit: float
    """So many points make one of the unit."""

    @staticmethod
    def fields_of(result: Result) -> dict[str, Any]:
        """What every iteration and the whole search tell."""
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
    """The same search with one worker."""

    nodes: int
    seconds: float
    speed_up: float
    efficiency: float
    search_overhead: float

    @classmethod
    def of(cls, beside: Comparison) -> "ComparisonDocument":
        """In four decimals."""
        return cls(
            nodes=beside.alone.nodes,
            seconds=round(beside.alone.seconds, 6),
            speed_up=round(beside.speed_up, 4),
            efficiency=round(beside.efficiency, 4),
            search_overhead=round(beside.search_overhead, 4),
        )


class ClusterSearchDocument(Struct, frozen=True, kw_only=True):
    """What a cluster did in a search."""

    engine: str
    replication: str
    threshold: int
    """Plies left at which a part was a job of one node, in the last iteration."""
    seconds: float
    nodes: tuple[NodeStatistics, ...]
    losses: tuple[str, ...]
    head_bytes: int
    """Of jobs and what came of them."""
    useful_seconds: float
    """Of a node, on average."""
    overhead_seconds: float
    steal_success: float
    """The part of the attempts to steal that found something."""
    bytes_transferred: int
    messages: int
    """With entries, of all nodes."""
    broadcast_seconds: float
    replicated_hits: int
    """Positions that a table knew from another node, and that were ended by it."""
    replicated_sorts: int
    """Those where it only told which move to try first."""

    @classmethod
    def of(cls, found: ClusterStatistics) -> "ClusterSearchDocument":
        """All nodes together, and each."""
        sums = ("messages", "broadcast_seconds", "replicated_hits", "replicated_sorts")
        same = {name: getattr(found, name) for name in cls.__struct_fields__ if name not in sums}
        return cls(**same, **{name: found.total(name) for name in sums})


class SearchDocument(IterationDocument, frozen=True, kw_only=True, tag="outflank/search/1"):
    """What a search has found in the end, and what it took."""

    position: str
    nodes_per_second: int
    table_bytes: int
    table_lookups: int
    table_hits: int
    scheme: str | None
    device: str
    """Where the games of Monte-Carlo were played: `cpu`, `gpu`, or `gpu+cpu` if the GPU was lost on the way and the CPU
    went on. Other searches are the CPU's."""
    worker_bytes: int
    idle_share: float
    workers: tuple[WorkerStatistics, ...]
    cluster: ClusterSearchDocument | UnsetType = UNSET
    """On a cluster."""
    compare: ComparisonDocument | UnsetType = UNSET
    """With `--compare`."""

    @classmethod
    def of(cls, board: Board[Any], result: Result, **more: Any) -> "SearchDocument":
        """The search of a board."""
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
            **more,
        )
