"""`outflank search`: the program's main job."""

import contextlib
import queue
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any

import click
from rich import box
from rich.console import Console
from rich.live import Live
from rich.table import Table as Grid

from outflank.boards import Board
from outflank.errors import OutflankError
from outflank.games.evaluation import WON, evaluations
from outflank.machine import can_pin, usable_cores
from outflank.search.algorithms import ALGORITHMS
from outflank.search.contract import Comparison, Limits, Result, Stop, WorkerStatistics
from outflank.search.deepening import MONTE_CARLO, iterate, iterate_alone
from outflank.search.division import schemes
from outflank.ui.cli.common import (
    PositionCommand,
    describe,
    diagnostics,
    one_board,
    output,
    position_options,
    print_json,
)
from outflank.ui.cli.show import draw

Item = Result | BaseException | None
"""What the searching thread hands over: a result, what went wrong, or that it has ended."""

USUAL_SECONDS = 5.0
"""How long a search takes that is given no limit."""


@click.command("search", cls=PositionCommand)
@position_options
@click.option("--depth", type=int, help="Plies to look ahead.")
@click.option("--time", "seconds", type=float, help=f"Seconds to think.  [{USUAL_SECONDS:g}, if nothing else is given]")
@click.option("--nodes", type=int, help="Positions to enter.")
@click.option("--algorithm", default="pvs", show_default=True, help=f"One of {', '.join((*ALGORITHMS, *MONTE_CARLO))}.")
@click.option("--evaluation", help="By name; a wrong one lists those there are.  [the game's best]")
@click.option("--ordering", help="By name; a wrong one lists those there are.  [the game's best]")
@click.option("--table-bits", type=int, default=20, show_default=True, help="32 · 2^BITS bytes for the table; 0: none.")
@click.option(
    "--table-depth",
    type=click.Choice(["equal", "at-least"]),
    default="equal",
    show_default=True,
    help="Which entries of the table may end a search; at-least is for players.",
)
@click.option("--canonical", is_flag=True, help="Let symmetric positions share an entry of the table.")
@click.option(
    "--passes",
    type=click.Choice(["free", "ply", "evaluated"]),
    default="free",
    show_default=True,
    help="What a pass costs: nothing, a ply, or the node is evaluated at once.",
)
@click.option("--quiet", type=int, default=0, show_default=True, help="Plies of pushes off the board beyond the depth.")
@click.option(
    "--ties",
    type=click.Choice(["first", "lowest", "highest"]),
    default="first",
    show_default=True,
    help="Which of several equal moves is taken.",
)
@click.option(
    "--share-alpha/--no-share-alpha",
    default=True,
    help="Whether a root move is searched only as far as it could be better than those before.  [share-alpha]",
)
@click.option("--deepen/--no-deepen", default=True, help="Whether shallower searches come first.  [deepen]")
@click.option("--pivot", type=click.Choice(["carried", "reset"]), default="carried", help="Where MTD(f) starts.")
@click.option("--step", type=click.Choice(["1", "2"]), default="1", show_default=True, help="Plies between iterations.")
@click.option("--aspiration", type=int, help="Half the width of the first window about the last value.")
@click.option("--workers", type=int, help="Threads that search.  [one per core; one for Monte-Carlo]")
@click.option("--parallel", metavar="SCHEME", help=f"How they share the work: {', '.join(schemes())}.  [the best]")
@click.option("--threshold", type=int, help="Plies left at which a part is no longer divided.  [the scheme's own]")
@click.option("--levels", type=int, help="Plies from the root that are divided.  [the scheme's own]")
@click.option(
    "--schedule",
    default="one",
    show_default=True,
    help="How moves are handed out: by one, rows of the board, a number at a time, or static (in advance).",
)
@click.option("--pin", is_flag=True, help="Keep each worker on a core of its own.")
@click.option("--pace", type=int, default=0, help="Nodes after which a worker lets another have its core.  [never]")
@click.option("--compare", "comparing", is_flag=True, help="Search again with one worker, and show what sharing cost.")
@click.option(
    "--moves", type=int, default=1, show_default=True, help="How many of the best moves to find the values of."
)
@click.option("--exact", is_flag=True, help="Play out to the end: nothing is estimated.")
@click.option("--seed", type=int, default=1, show_default=True, help="For Monte-Carlo.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object per iteration, and a last one.")
def command(
    depth: int | None,
    seconds: float | None,
    nodes: int | None,
    table_bits: int,
    step: str,
    schedule: str,
    comparing: bool,
    as_json: bool,
    **rest: Any,
) -> int:
    """Find the best move of a position, the start of Othello if none is given.

    Ctrl-C ends the search and prints the best so far.

    \b
      outflank search
      outflank search f5d6c3d3c4 --depth 12
      outflank search --game abalone --time 10 --moves 3
      outflank search --size 4 --exact
      outflank search --depth 14 --parallel jamboree --workers 2 --compare
    """
    names = ("text", "position", "file", "game", "size", "layout", "scoring")
    board = one_board(**{name: rest.pop(name) for name in names})
    if seconds is None and depth is None and nodes is None and not rest["exact"]:
        seconds = USUAL_SECONDS
    if comparing and rest["algorithm"] in MONTE_CARLO:
        raise OutflankError(f"--compare needs a depth to compare at: {rest['algorithm']} has none")
    limits = Limits(depth=depth, seconds=seconds, nodes=nodes)
    stop = Stop()
    rest |= {"table_bits": table_bits or None, "step": int(step)}
    rest["schedule"] = int(schedule) if schedule.isdigit() else schedule
    results = iterate(board, limits, stop=stop, **rest)
    _warn(rest)
    if as_json:
        return _show_json(board, results, stop, rest if comparing else None)
    return _show(board, results, stop, rest, comparing)


def _warn(options: dict[str, Any]) -> None:
    """Tell of what was asked for and will not help."""
    cores = usable_cores()
    if options["workers"] is not None and options["workers"] > cores:
        word = "core" if cores == 1 else "cores"
        diagnostics().print(f"warning: {options['workers']} workers on {cores:g} {word}: they will take turns")
    if options["pin"] and not can_pin():
        diagnostics().print("warning: --pin does nothing here: this system does not bind threads to cores")


def _results(results: Iterator[Result], stop: Stop) -> Iterator[Result]:
    """The results as they come, searched in another thread.

    A kernel does not see Ctrl-C; this thread does, and calls `stop`.
    """
    arrived: queue.Queue[Item] = queue.Queue()

    def work() -> None:
        try:
            for result in results:
                arrived.put(result)
            arrived.put(None)
        except BaseException as error:
            arrived.put(error)

    # A handler and not an exception: Ctrl-C may come while this thread is printing.
    before = signal.signal(signal.SIGINT, lambda *_: stop())
    try:
        threading.Thread(target=work, daemon=True).start()
        while (item := _next(arrived)) is not None:
            if isinstance(item, BaseException):
                raise item
            yield item
    finally:
        signal.signal(signal.SIGINT, before)


def _next(arrived: "queue.Queue[Item]") -> "Item":
    """Wait in short steps, so that signals are seen on every system."""
    while True:
        with contextlib.suppress(queue.Empty):
            return arrived.get(timeout=0.2)


def _show_json(board: Board[Any], results: Iterator[Result], stop: Stop, compared: dict[str, Any] | None) -> int:
    last = None
    for last in _results(results, stop):
        print_json("search-iteration", **_fields(last))
    assert last is not None
    comparison = {}
    if compared is not None and not stop.called:
        beside = _compared(board, last, stop, compared)
        comparison = {
            "compare": {
                "nodes": beside.alone.nodes,
                "seconds": round(beside.alone.seconds, 6),
                "speed_up": round(beside.speed_up, 4),
                "efficiency": round(beside.efficiency, 4),
                "search_overhead": round(beside.search_overhead, 4),
            }
        }
    print_json("search", position=board.to_text(), **_fields(last), **_statistics(last), **comparison)
    return 130 if stop.called else 0


def _compared(board: Board[Any], together: Result, stop: Stop, options: dict[str, Any]) -> Comparison:
    """The same search with one worker, where Ctrl-C is seen too."""
    alone = None
    for alone in _results(iterate_alone(board, together, stop=stop, **options), stop):  # noqa: B007  # the last is wanted
        pass
    assert alone is not None
    return Comparison(alone=alone, together=together)


def _fields(result: Result) -> dict[str, Any]:
    return {
        "value": result.value,
        "move": str(result.move) if result.move else None,
        "pv": [str(move) for move in result.pv],
        "depth": result.depth,
        "nodes": result.nodes,
        "leaves": result.leaves,
        "seconds": round(result.seconds, 6),
        "exact": result.exact,
        "stopped": result.stopped,
        "moves": [{"move": str(entry.move), "value": entry.value} for entry in result.best],
    }


def _statistics(result: Result) -> dict[str, Any]:
    return {
        "nodes_per_second": round(result.nodes_per_second),
        "table_bytes": result.table_bytes,
        "table_lookups": result.lookups,
        "table_hits": result.hits,
        "scheme": result.scheme,
        "worker_bytes": result.worker_bytes,
        "idle_share": round(result.idle_share, 4),
        "workers": [asdict(worker) for worker in result.workers],
    }


def _show(board: Board[Any], results: Iterator[Result], stop: Stop, options: dict[str, Any], comparing: bool) -> int:
    console = output()
    rows: list[Result] = []
    with _live(console) as live:
        for result in _results(results, stop):
            if rows and result.depth == rows[-1].depth and result.stopped:
                rows[-1] = result
            else:
                rows.append(result)
            live.update(_grid(rows))
    last = rows[-1]
    if not console.is_terminal:
        console.print(_grid(rows))
    console.print()
    draw(console, board)
    console.print()
    for line in _conclusion(board, last, options):
        console.print(line)
    if last.scheme is not None:
        console.print(_worker_grid(last))
    if comparing and not stop.called:
        beside = _compared(board, last, stop, options)
        if stop.called:
            console.print("The comparison was stopped.")
        else:
            console.print(f"one worker: {beside.alone.nodes:,} nodes, {beside.alone.seconds:.2f} s")
            console.print(
                f"speed-up {beside.speed_up:.2f}, efficiency {beside.efficiency:.2f}, "
                f"search overhead {beside.search_overhead:+.1%}"
            )
    return 130 if stop.called else 0


@contextmanager
def _live(console: Console) -> Iterator[Live]:
    """The table while it grows, where there is a terminal."""
    live = Live(console=console, refresh_per_second=8, vertical_overflow="visible")
    if not console.is_terminal:
        yield live
        return
    with live:
        yield live


def _grid(results: list[Result]) -> Grid:
    grid = Grid(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in ("depth", "value", "time", "nodes", "nodes/s"):
        grid.add_column(name, justify="right", no_wrap=True)
    grid.add_column("principal variation", overflow="fold")
    for result in results[-30:]:
        mark = "=" if result.exact else ""
        grid.add_row(
            f"{result.depth}{'…' if result.stopped else ''}",
            f"{worth(result)}{mark}",
            f"{result.seconds:.2f} s",
            f"{result.nodes:,}",
            f"{result.nodes_per_second / 1e6:.1f} M",
            " ".join(map(str, result.pv)),
        )
    return grid


MOST_COLUMNS = 6
"""Workers shown one by one."""


def _worker_grid(result: Result) -> Grid:
    """What the workers did: all together, and each; of many, the least and the most."""
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
        each = [count(worker) for worker in workers]
        shown = (sum(each), *(each if few else (min(each), max(each))))
        grid.add_row(name, *(f"{number:,}" if isinstance(number, int) else f"{number:,.2f}" for number in shown))
    return grid


def worth(result: Result) -> str:
    """A value in words where it is a finished game's."""
    if abs(result.value) > WON:
        return f"{'won' if result.value > 0 else 'lost'} by {abs(result.value) - WON}"
    return f"{result.value:+d}"


def _conclusion(board: Board[Any], last: Result, options: dict[str, Any]) -> list[str]:
    if last.move is None:
        return [f"The game is over: {worth(last)} for {board.turn}."]
    certainty = "proved to the end" if last.exact else f"depth {last.depth}" + (", stopped" if last.stopped else "")
    unit = "the final score" if options["exact"] else options["evaluation"] or next(iter(evaluations(board.game)))
    how = f"{certainty}, {options['algorithm']}" + ("" if options["algorithm"] in MONTE_CARLO else f", {unit}")
    lines = [f"{describe(board)}: {board.turn} plays {last.move}, worth {worth(last)} ({how})"]
    if len(last.best) > 1:
        lines += [f"  {entry.move}  {entry.value:+d}" for entry in last.best]
    speed = f"{last.nodes_per_second / 1e6:.1f} M nodes/s"
    lines.append(f"{last.nodes:,} nodes, {last.leaves:,} leaves, {last.seconds:.2f} s, {speed}")
    if last.scheme is not None:
        memory = f", {last.worker_bytes / 2**20:.1f} MiB" if last.worker_bytes else ""
        lines.append(f"{last.scheme}, {len(last.workers)} workers{memory}, idle {last.idle_share:.1%} of their time")
    if last.table_bytes:
        share = 100 * last.hits / last.lookups if last.lookups else 0.0
        lines.append(f"table {last.table_bytes / 2**20:.0f} MiB, {last.lookups:,} look-ups, {share:.1f} % known")
    return lines
