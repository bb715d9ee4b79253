"""Terminal view of a search: a table of its iterations, statistics of its workers, and its result in words."""

import shutil
from collections.abc import Callable
from typing import TYPE_CHECKING

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table as Grid
from rich.text import Text

from outflank.boards import Board
from outflank.distributed.cluster_statistics import ClusterStatistics, cluster_statistics
from outflank.games.evaluation import evaluations
from outflank.games.scores import Scale
from outflank.search.keywords import SearchArguments
from outflank.search.request_checks import MONTE_CARLO
from outflank.search.results import MoveValue, Progress, Result, WorkerStatistics
from outflank.ui.cli.shared.position_options import describe, scaled
from outflank.validation.text import how_many

if TYPE_CHECKING:
    from outflank.distributed.cluster import Cluster


MOST_ROWS = 16
"""Maximum number of cluster nodes that get a row of their own."""


def statistics_of(cluster: "Cluster") -> ClusterStatistics | None:
    """Return the statistics of the cluster's current or last search, or None before the first search."""
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


def cluster_conclusion(stats: ClusterStatistics) -> list[str]:
    """Return statistics of a search on a cluster in words. The published report 000 gives the same statistics."""
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


LINE_MOVES = 10
"""Maximum number of moves printed of each principal variation if several best moves are listed."""


def iteration_grid(results: list[Result], progress: Progress | None = None) -> Grid:
    """Return a table with a row for each of the last 30 finished iterations, and one for the running iteration."""
    grid = Grid(box=box.SIMPLE_HEAD, pad_edge=False)
    unit = results[-1].scale.unit if results else "value"
    for name in ("depth", unit, "time", "nodes", "nodes/s"):
        grid.add_column(name, justify="right", no_wrap=True)
    grid.add_column("principal variation", overflow="fold")
    for result in results[-30:]:
        mark = "=" if result.exact else ""
        grid.add_row(
            f"{result.depth}{_selectivity(result)}{'…' if result.stopped else ''}",
            "" if result.value is None else f"{result.scale.text(result.value, exact=result.exact, bare=True)}{mark}",
            f"{result.seconds:.2f} s",
            f"{result.nodes:,}",
            scaled(result.nodes_per_second),
            " ".join(map(str, result.pv)),
        )
    if progress is not None:
        scale = results[-1].scale if results else None
        lower_bound = "" if progress.value is None or scale is None else _lower_bound(progress, progress.value, scale)
        grid.add_row(
            "end?" if progress.proving else f"{progress.depth}?",
            lower_bound,
            f"{progress.seconds:.2f} s",
            f"{progress.nodes:,}",
            scaled(progress.nodes_per_second),
            progress_text(progress),
        )
    return _fitted(grid)


def _selectivity(result: Result) -> str:
    return f"@{result.selectivity}%" if result.selectivity < 100 else ""


WIDTH_FOR_NODES = 72
"""Terminal width below which the table of iterations leaves out the node counts, because moves need the space."""


def _fitted(grid: Grid) -> Grid:
    if shutil.get_terminal_size().columns < WIDTH_FOR_NODES:
        grid.columns = [column for column in grid.columns if column.header not in ("nodes", "nodes/s")]
    return grid


def _lower_bound(progress: Progress, value: int, scale: Scale) -> str:
    return f">= {value:+d}" if progress.proving else f">= {scale.text(value, bare=True)}"


def progress_text(progress: Progress) -> str:
    """Return the state of a running iteration in words: the move that is searched, and the best move so far."""
    move = f": {progress.move}" if progress.move is not None else ""
    best = f", {progress.best} is best so far" if progress.best is not None else ""
    return f"move {progress.moves_begun} of {progress.move_count}{move}{best}" if progress.move_count else "…"


MOST_COLUMNS = 6
"""Maximum number of workers for which each worker has a column of its own."""


def worker_grid(result: Result) -> Grid:
    """Return a table of worker statistics, with a column for the sum and one for each worker.

    If there are more than `MOST_COLUMNS` workers, the minimum and the maximum replace the workers' columns.
    """
    workers = result.workers
    counts: dict[str, Callable[[WorkerStatistics], float]] = {
        "nodes": lambda worker: worker.nodes,
        "  of these given up": lambda worker: worker.wasted_nodes,
        "seconds busy": lambda worker: round(worker.useful_seconds, 2),
        "seconds idle": lambda worker: round(worker.idle_seconds, 2),
        "moves offered": lambda worker: worker.spawned,
        "moves searched of those": lambda worker: worker.executed,
        "  offered by others": lambda worker: worker.stolen,
        "steals tried": lambda worker: worker.steals_tried,
        "steals won": lambda worker: worker.steals_won,
        "aborts sent": lambda worker: worker.aborts_sent,
        "aborts obeyed": lambda worker: worker.aborts_obeyed,
        "table hits": lambda worker: worker.table_hits,
        "cut-offs": lambda worker: worker.cutoffs,
        "  by the first move": lambda worker: worker.first_cutoffs,
    }
    grid = Grid(box=box.SIMPLE_HEAD, pad_edge=False)
    grid.add_column("workers")
    few = len(workers) <= MOST_COLUMNS
    for name in ("all", *(map(str, range(len(workers))) if few else ("least", "most"))):
        grid.add_column(name, justify="right", no_wrap=True)
    for name, count in counts.items():
        numbers = [count(worker) for worker in workers]
        cells = (sum(numbers), *(numbers if few else (min(numbers), max(numbers))))
        grid.add_row(name, *(f"{number:,}" if isinstance(number, int) else f"{number:,.2f}" for number in cells))
    return grid


def _answer(board: Board, last: Result, options: SearchArguments) -> str:
    """Return a sentence with the best move, its value, and whether the value is proved, estimated or only bounded."""
    plays = f"{board.turn} plays {last.move}"
    if last.value is None and not last.proved_text:
        return f"{board.turn} to move; nothing was searched, {last.move} is only a legal move"
    algorithm, proving = options["algorithm"], options["exact"]
    counted = "" if algorithm in MONTE_CARLO else options["evaluation"] or next(iter(evaluations(board.game)), "")
    # The word "worth" goes before a number, but not before "won", "lost" or "drawn".
    worth = f"worth {last.value_text}" if last.value_text[:1] in ("+", "-") else last.value_text
    if last.exact:
        proved = ("who wins" if options["wld"] else "the final score") if proving else counted
        return f"{plays}, {worth} (proved to the end, {algorithm}, {proved})"
    depth = f"depth {last.depth}{_selectivity(last)}" + (", stopped" if last.stopped else "")
    details = ", ".join(filter(None, (depth, algorithm, counted)))
    if not proving:
        return f"{plays}, {worth} ({details})"
    known = f"{last.proved_text} is proved" if last.proved_text else "nothing is proved"
    estimate = f"estimated {last.value_text}, {details}" if last.value_text else f"stopped, {algorithm}"
    return f"{plays}; the proof was not finished, {known} ({estimate})"


def _line_text(entry: MoveValue, last: Result) -> str:
    value_text = last.scale.text(entry.value, exact=last.exact)
    rest = entry.line[1:LINE_MOVES]
    follows = f"   {' '.join(map(str, rest))}{' …' if len(entry.line) > LINE_MOVES else ''}" if rest else ""
    return f"  {entry.move}  {value_text}{follows}"


def conclusion(board: Board, last: Result, options: SearchArguments) -> list[str]:
    """Return the result of a search in words. If the game is over, there are no lines: the board shows the result."""
    if last.move is None:
        return []
    lines = [f"{describe(board)}: {_answer(board, last, options)}"]
    if len(last.best) > 1:
        lines += [_line_text(entry, last) for entry in last.best]
    speed = f"{scaled(last.nodes_per_second)} nodes/s"
    lines.append(
        f"{how_many(last.nodes, 'node')}, {how_many(last.leaves, 'leaf', 'leaves')}, {last.seconds:.2f} s, {speed}"
    )
    if last.device != "cpu":
        lines.append(f"playouts on a GPU{'' if last.device == 'gpu' else ', and by the CPU once that was lost'}")
    elif last.scheme is not None:
        memory = f", {last.worker_bytes / 2**20:.1f} MiB" if last.worker_bytes else ""
        lines.append(
            f"{last.scheme}, {how_many(len(last.workers), 'worker')}{memory}, idle {last.idle_share:.1%} of their time"
        )
    if last.table_bytes:
        share = 100 * last.hits / last.lookups if last.lookups else 0.0
        lines.append(f"table {last.table_bytes / 2**20:.0f} MiB, {last.lookups:,} look-ups, {share:.1f} % known")
    return lines
