"""`outflank search`: the program's main job."""

import contextlib
import queue
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click
from rich import box
from rich.console import Console
from rich.live import Live
from rich.table import Table as Grid

from outflank.boards import Board
from outflank.errors import OutflankError
from outflank.games.evaluation import WON, evaluations
from outflank.search.algorithms import ALGORITHMS
from outflank.search.contract import Limits, Result, Stop
from outflank.search.deepening import MONTE_CARLO, iterate
from outflank.ui.cli.common import PositionCommand, describe, one_board, output, position_options, print_json
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
@click.option("--workers", type=int, default=1, show_default=True, help="Threads that search; one, in this version.")
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
    workers: int,
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
    """
    if workers != 1:
        raise OutflankError(f"--workers {workers}: this version searches with one")
    names = ("text", "position", "file", "game", "size", "layout", "scoring")
    board = one_board(**{name: rest.pop(name) for name in names})
    if seconds is None and depth is None and nodes is None and not rest["exact"]:
        seconds = USUAL_SECONDS
    limits = Limits(depth=depth, seconds=seconds, nodes=nodes)
    stop = Stop()
    results = iterate(board, limits, stop=stop, table_bits=table_bits or None, step=int(step), **rest)
    return _show_json(board, results, stop) if as_json else _show(board, results, stop, rest)


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


def _show_json(board: Board[Any], results: Iterator[Result], stop: Stop) -> int:
    last = None
    for last in _results(results, stop):
        print_json("search-iteration", **_fields(last))
    assert last is not None
    print_json("search", position=board.to_text(), **_fields(last), **_statistics(last))
    return 130 if stop.called else 0


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
    }


def _show(board: Board[Any], results: Iterator[Result], stop: Stop, options: dict[str, Any]) -> int:
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
    if last.table_bytes:
        share = 100 * last.hits / last.lookups if last.lookups else 0.0
        lines.append(f"table {last.table_bytes / 2**20:.0f} MiB, {last.lookups:,} look-ups, {share:.1f} % known")
    return lines
