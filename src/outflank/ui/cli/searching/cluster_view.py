"""Terminal view of a cluster: its nodes during a search, and their statistics afterwards."""

from typing import TYPE_CHECKING

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table as Grid
from rich.text import Text

from outflank.distributed.cluster_statistics import ClusterStatistics, cluster_statistics
from outflank.ui.cli.shared.position_options import scaled
from outflank.validation.text import how_many

if TYPE_CHECKING:
    from outflank.distributed.cluster import Cluster

MOST_ROWS = 16
"""Maximum number of nodes that get a row of their own."""


def statistics_of(cluster: "Cluster") -> ClusterStatistics | None:
    """Return the statistics of the cluster's running search, or of its last one, or None before the first search."""
    return cluster_statistics(cluster.head) if cluster.head is not None else None


def live_view(cluster: "Cluster") -> RenderableType:
    """Return a table of the nodes as they are now, with messages about the last three lost nodes."""
    stats = statistics_of(cluster)
    if stats is None or not stats.nodes:
        return Text("waiting for the nodes…")
    return Group(node_grid(stats), *map(Text, stats.losses[-3:]))


def node_grid(stats: ClusterStatistics) -> Grid:
    """Return a table with a row for each node, and a last row for all nodes."""
    grid = Grid(box=box.SIMPLE_HEAD, pad_edge=False)
    grid.add_column("node", no_wrap=True)
    for name in ("nodes/s", "jobs", "steals", "sent", "received", "bytes", "idle"):
        grid.add_column(name, justify="right", no_wrap=True)
    for node in stats.nodes[:MOST_ROWS]:
        speed = node.nodes / max(node.useful_seconds + node.overhead_seconds, 1e-9)
        idle = node.overhead_seconds / max(node.useful_seconds + node.overhead_seconds, 1e-9)
        state = f" ({node.lost})" if node.lost else ""
        grid.add_row(
            f"{node.node}: {node.where}{state}",
            scaled(speed),
            f"{node.jobs:,}",
            f"{node.steals_won:,}",
            f"{node.entries_sent:,}",
            f"{node.entries_received:,}",
            _bytes(node.bytes_sent),
            f"{idle:.0%}",
        )
    if len(stats.nodes) > MOST_ROWS:
        grid.add_row(f"… and {len(stats.nodes) - MOST_ROWS} more")
    if len(stats.nodes) > 1:
        speed = stats.total("nodes") / max(stats.seconds, 1e-9)
        grid.add_row(
            "all",
            scaled(speed),
            *(f"{stats.total(name):,}" for name in ("jobs", "steals_won", "entries_sent", "entries_received")),
            _bytes(stats.total("bytes_sent")),
            f"{stats.idle_share:.0%}",
        )
    return grid


def conclusion(stats: ClusterStatistics) -> list[str]:
    """Return statistics of a search in words: those that the published report 000 gives for its cluster."""
    if not stats.total("jobs"):
        nodes = how_many(len(stats.nodes), "node")
        return [
            f"{nodes} on {stats.engine}: nothing was divided, because every iteration was short",
            *(f"lost: {loss}" for loss in stats.losses),
        ]
    lines = [
        f"{how_many(len(stats.nodes), 'node')} on {stats.engine}, replication {stats.replication}, "
        f"jobs of {how_many(stats.threshold, 'ply', 'plies')}, {_bytes(stats.total('memory_bytes'))} of memory",
        f"a node: useful {stats.useful_seconds:.2f} s, parallel overhead {stats.overhead_seconds:.2f} s, "
        f"total {stats.seconds:.2f} s",
        f"steals: {stats.total('steals_won'):,} of {stats.total('steals_tried'):,} tried ({stats.steal_success:.1%}); "
        f"jobs: {stats.total('jobs'):,}, not wanted any more: {stats.total('wasted_jobs'):,}",
        f"transferred: {_bytes(stats.bytes_transferred)}, of these entries: {_bytes(stats.total('bytes_sent'))}",
    ]
    if stats.total("messages"):
        lines.append(
            f"replicated entries: {how_many(stats.total('replicated_hits'), 'hit')}, "
            f"{how_many(stats.total('replicated_sorts'), 'sort')}; "
            f"{how_many(stats.total('messages'), 'message')}, "
            f"{stats.total('broadcast_seconds'):.2f} s of broadcasting, "
            f"{stats.total('waited_seconds'):.2f} s of waiting, {stats.total('entries_dropped'):,} dropped"
        )
    slowest = max((node.slowest_stop_seconds for node in stats.nodes), default=0.0)
    if stats.total("stops"):
        lines.append(f"stopped: {how_many(stats.total('stops'), 'job')}, the slowest after {1e3 * slowest:.1f} ms")
    lines += [f"lost: {loss}" for loss in stats.losses]
    return lines


def _bytes(count: int) -> str:
    size = float(count)
    for unit in ("B", "KiB", "MiB"):
        if size < 1024:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:.1f} GiB"
