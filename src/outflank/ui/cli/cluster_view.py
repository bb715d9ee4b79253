"""What a user sees of a cluster: its nodes while they search, and what they did."""

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table as Grid
from rich.text import Text

from outflank.distributed.cluster import Cluster
from outflank.distributed.statistics import ClusterStatistics, cluster_statistics
from outflank.ui.cli.common import scaled
from outflank.words import how_many

MOST_ROWS = 16
"""Nodes shown one by one."""


def statistics_of(cluster: Cluster) -> ClusterStatistics | None:
    """What the nodes have done in the search under way, or the last one."""
    return cluster_statistics(cluster.head) if cluster.head is not None else None


def live_view(cluster: Cluster) -> RenderableType:
    """The nodes as they are now."""
    found = statistics_of(cluster)
    if found is None or not found.nodes:
        return Text("waiting for the nodes…")
    return Group(node_grid(found), *map(Text, found.losses[-3:]))


def node_grid(found: ClusterStatistics) -> Grid:
    """A row for each node, and one for all."""
    grid = Grid(box=box.SIMPLE_HEAD, pad_edge=False)
    grid.add_column("node", no_wrap=True)
    for name in ("nodes/s", "jobs", "steals", "sent", "received", "bytes", "idle"):
        grid.add_column(name, justify="right", no_wrap=True)
    for node in found.nodes[:MOST_ROWS]:
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
    if len(found.nodes) > MOST_ROWS:
        grid.add_row(f"… and {len(found.nodes) - MOST_ROWS} more")
    if len(found.nodes) > 1:
        speed = found.total("nodes") / max(found.seconds, 1e-9)
        grid.add_row(
            "all",
            scaled(speed),
            *(f"{found.total(name):,}" for name in ("jobs", "steals_won", "entries_sent", "entries_received")),
            _bytes(found.total("bytes_sent")),
            f"{found.idle_share:.0%}",
        )
    return grid


def conclusion(found: ClusterStatistics) -> list[str]:
    """Report 000's statistics, in words."""
    lines = [
        f"{how_many(len(found.nodes), 'node')} on {found.engine}, replication {found.replication}, "
        f"jobs of {how_many(found.threshold, 'ply', 'plies')}, {_bytes(found.total('memory_bytes'))} of memory",
        f"a node: useful {found.useful_seconds:.2f} s, parallel overhead {found.overhead_seconds:.2f} s, "
        f"total {found.seconds:.2f} s",
        f"steals: {found.total('steals_won'):,} of {found.total('steals_tried'):,} tried ({found.steal_success:.1%}); "
        f"jobs: {found.total('jobs'):,}, not wanted any more: {found.total('wasted_jobs'):,}",
        f"transferred: {_bytes(found.bytes_transferred)}, of these entries: {_bytes(found.total('bytes_sent'))}",
    ]
    if found.total("messages"):
        lines.append(
            f"replicated entries: {how_many(found.total('replicated_hits'), 'hit')}, "
            f"{how_many(found.total('replicated_sorts'), 'sort')}; "
            f"{how_many(found.total('messages'), 'message')}, "
            f"{found.total('broadcast_seconds'):.2f} s of broadcasting, "
            f"{found.total('waited_seconds'):.2f} s of waiting, {found.total('entries_dropped'):,} dropped"
        )
    slowest = max((node.slowest_stop_seconds for node in found.nodes), default=0.0)
    if found.total("stops"):
        lines.append(f"stopped: {how_many(found.total('stops'), 'job')}, the slowest after {1e3 * slowest:.1f} ms")
    lines += [f"lost: {loss}" for loss in found.losses]
    return lines


def _bytes(count: int) -> str:
    size = float(count)
    for unit in ("B", "KiB", "MiB"):
        if size < 1024:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:.1f} GiB"
