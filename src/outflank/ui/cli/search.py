"""`outflank search`: the program's main job."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, get_args

import click
from rich.console import Console, Group
from rich.live import Live

from outflank.boards import Board
from outflank.distributed.cluster import Cluster, check_options, connect
from outflank.distributed.launchers import refuse_copies
from outflank.distributed.replication import POLICIES
from outflank.errors import OutflankError
from outflank.machine import usable_cores
from outflank.placement import can_bind
from outflank.schema import kinds_of
from outflank.search.algorithms import ALGORITHMS
from outflank.search.checking import MONTE_CARLO
from outflank.search.contract import Limits, Options, Selectivity, Stop
from outflank.search.deepening import iterate, iterate_alone
from outflank.search.results import Comparison, Result
from outflank.topology import topology
from outflank.ui.cli.cluster_view import conclusion as cluster_conclusion
from outflank.ui.cli.cluster_view import live_view, node_grid, statistics_of
from outflank.ui.cli.common import boards, diagnostics, output, position_options, print_json
from outflank.ui.cli.device_option import device_option
from outflank.ui.cli.drawing import draw
from outflank.ui.cli.game_options import PositionCommand
from outflank.ui.cli.interrupting import INTERRUPTED
from outflank.ui.cli.search_thread import Latest, UntilLost, as_they_come, trouble_of
from outflank.ui.cli.search_view import conclusion, iteration_grid, worker_grid
from outflank.ui.cli.sharing import cluster_option, parallel_option, table_option
from outflank.words import from_words, how_many

USUAL_SECONDS = 5.0
"""How long a search takes that is given no limit."""


@click.command("search", cls=PositionCommand)
@position_options
@click.option("--depth", type=int, help="Plies to look ahead.")
@click.option("--time", "seconds", type=float, help=f"Seconds to think.  [{USUAL_SECONDS:g}, if nothing else is given]")
@click.option("--nodes", type=int, help="Positions to enter.")
@click.option("--algorithm", default="pvs", show_default=True, help=f"One of {', '.join((*ALGORITHMS, *MONTE_CARLO))}.")
@click.option("--evaluation", help="By name; a wrong one lists those there are; or patterns:FILE.  [the game's best]")
@click.option(
    "--ordering",
    help="By name, or with settings (kinds:from_depth=1); a wrong one lists those there are.  [the game's best]",
)
@table_option(20)
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
@click.option(
    "--quiescence", type=int, default=0, show_default=True, help="Plies of moves that change much beyond the depth."
)
@click.option(
    "--selectivity",
    type=click.Choice([str(each) for each in get_args(Selectivity)]),
    default="100",
    show_default=True,
    help="Per cent of the guesses that should be right by which nodes are spared; 100: none is made.",
)
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
@parallel_option
@click.option("--threshold", type=int, help="Plies left at which a part is no longer divided.  [the scheme's own]")
@click.option("--levels", type=int, help="Plies from the root that are divided.  [the scheme's own]")
@click.option(
    "--schedule",
    default="one",
    show_default=True,
    help="How moves are handed out: by one, rows of the board, a number at a time, or static (in advance).",
)
@click.option(
    "--pin",
    default="none",
    show_default=True,
    metavar="HOW",
    help="Where each worker stays: compact (side by side), spread (apart), or processors by number, like 0,2.",
)
@click.option("--interleave", is_flag=True, help="Deal the table to all memory nodes in turn.")
@click.option("--pace", type=int, default=0, help="Nodes after which a worker lets another have its core.  [never]")
@cluster_option("Search")
@click.option(
    "--replicate",
    default=None,
    metavar="POLICY",
    help=f"Which entries nodes tell each other of: {', '.join(POLICIES)}; async:depth=8,batch=100 sets more.  [async]",
)
@click.option("--compare", "comparing", is_flag=True, help="Search again with one worker, and show what sharing cost.")
@click.option("--show-workers", is_flag=True, help="Print what each worker did.")
@click.option(
    "--moves", type=int, default=1, show_default=True, help="How many of the best moves to find the values of."
)
@click.option(
    "--exact", is_flag=True, help="Prove the final score under perfect play; estimates come first.  [no limit of time]"
)
@click.option("--wld", is_flag=True, help="With --exact: prove only who wins, which takes less.")
@click.option("--seed", type=int, default=1, show_default=True, help="For Monte-Carlo.")
@device_option("Where the games of Monte-Carlo are played.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object per iteration, and a last one.")
def command(
    depth: int | None,
    seconds: float | None,
    nodes: int | None,
    table_bits: int,
    step: str,
    selectivity: str,
    schedule: str,
    pin: str,
    where: str | None,
    replicate: str | None,
    comparing: bool,
    as_json: bool,
    **rest: Any,
) -> int:
    """Find the best move of a position, the start of a game if none is given; of several, one after the other.

    Ctrl-C ends the search and prints the best so far. The status is 1 where nothing was searched, or --exact proved no
    score.

    \b
      outflank search
      outflank search f5d6c3d3c4 --depth 12
      outflank search --game {last} --time 10 --moves 3
      outflank search --size 4 --exact
      outflank search --file positions.obf --exact --json
      outflank search --depth 14 --parallel jamboree --workers 2 --compare
      outflank search --depth 18 --cluster local:2
    """
    refuse_copies(where)
    rest.pop("show_workers")  # `_show` asks for it
    names = ("text", "position", "file", "game", "game_options", "number")
    every = boards(**{name: rest.pop(name) for name in names})
    if seconds is None and depth is None and nodes is None and not rest["exact"]:
        seconds = USUAL_SECONDS
    if comparing and rest["algorithm"] in MONTE_CARLO:
        raise OutflankError(f"--compare needs a depth to compare at: {rest['algorithm']} has none")
    limits = Limits(depth=depth, seconds=seconds, nodes=nodes)
    rest |= {"table_bits": table_bits or None, "step": int(step), "selectivity": int(selectivity)}
    rest["pin"] = from_words(kinds_of(Options)["pin"], pin.replace(",", "+"), "pin")
    rest["schedule"] = from_words(kinds_of(Options)["schedule"], schedule, "schedule")

    def search(board: Board[Any], cluster: Cluster | None) -> int:
        stop, latest, until_lost = Stop(), Latest(), UntilLost()
        watch = latest if not as_json and output().is_terminal else None
        if cluster is None:
            results = until_lost.results(iterate(board, limits, stop=stop, watch=watch, **rest))
            if board is every[0]:
                _warn(rest)
        else:
            results = cluster.iterate(board, limits, stop=stop, replication=replicate or "async", watch=watch, **rest)
        status = _shown(board, results, stop, rest, cluster, comparing, as_json, latest)
        until_lost.check()
        return status

    if where is None:
        if replicate is not None:
            raise OutflankError("--replicate is for clusters: say which with --cluster")
        return _in_turn(every, lambda board: search(board, None), as_json)
    check_options(replication=replicate or "async", parallel=rest["parallel"], algorithm=rest["algorithm"])
    with connect(where, workers=rest["workers"]) as cluster:
        return _in_turn(every, lambda board: search(board, cluster), as_json)


def _in_turn(every: list[Board[Any]], search: Callable[[Board[Any]], int], as_json: bool) -> int:
    """Search one position after the other; the worst status of all, or that of Ctrl-C, which ends them all."""
    worst = 0
    for number, board in enumerate(every, 1):
        if len(every) > 1 and not as_json:
            output().print(f"{'' if number == 1 else chr(10)}position {number:,} of {len(every):,}")
        status = search(board)
        if status == INTERRUPTED:
            return status
        worst = max(worst, status)
    return worst


def _shown(
    board: Board[Any],
    results: Iterator[Result],
    stop: Stop,
    options: dict[str, Any],
    cluster: Cluster | None,
    comparing: bool,
    as_json: bool,
    latest: Latest,
) -> int:
    if as_json:
        return _show_json(board, results, stop, options, cluster, comparing)
    return _show(board, results, stop, options, cluster, comparing, latest)


def _warn(options: dict[str, Any]) -> None:
    """Tell of what was asked for and will not help."""
    cores = usable_cores()
    if options["workers"] is not None and options["workers"] > cores:
        word = "core" if cores == 1 else "cores"
        diagnostics().print(f"warning: {options['workers']} workers on {cores:g} {word}: they will take turns")
    if options["pin"] != "none" and not can_bind():
        diagnostics().print("warning: --pin does nothing here: this system does not bind threads to processors")
    if options["interleave"] and len(topology().nodes) == 1:
        diagnostics().print("warning: --interleave does nothing here: this machine has one memory node")


def _show_json(
    board: Board[Any],
    results: Iterator[Result],
    stop: Stop,
    options: dict[str, Any],
    cluster: Cluster | None,
    comparing: bool,
) -> int:
    from outflank.ui.cli.search_documents import (
        ClusterSearchDocument,
        ComparisonDocument,
        IterationDocument,
        SearchDocument,
    )

    last = None
    for result in as_they_come(results, stop, cluster):
        if result is not None:
            last = result
            print_json(IterationDocument(**IterationDocument.fields_of(last)))
    assert last is not None
    found = statistics_of(cluster) if cluster is not None else None
    more: dict[str, Any] = {} if found is None else {"cluster": ClusterSearchDocument.of(found)}
    if comparing and not stop.called:
        beside = _compared(board, last, stop, options)
        more["compare"] = ComparisonDocument.of(beside)
    print_json(SearchDocument.of(board, last, **more))
    return _status(stop, cluster, last, options)


def _status(stop: Stop, cluster: Cluster | None, last: Result, options: dict[str, Any]) -> int:
    """130 where the user ended it; 1 where the cluster did, or the limits left no time for what was asked."""
    trouble = trouble_of(cluster)
    if trouble is not None:
        diagnostics().print(f"outflank: {trouble}; this is the best so far")
        return 1
    if stop.called:
        return INTERRUPTED
    return 1 if last.value is None or (options["exact"] and not last.exact) else 0


def _compared(board: Board[Any], together: Result, stop: Stop, options: dict[str, Any]) -> Comparison:
    """The same search with one worker, where Ctrl-C is seen too."""
    alone = None
    for result in as_they_come(iterate_alone(board, together, stop=stop, **options), stop):
        alone = result or alone
    assert alone is not None
    return Comparison(alone=alone, together=together)


def _show(
    board: Board[Any],
    results: Iterator[Result],
    stop: Stop,
    options: dict[str, Any],
    cluster: Cluster | None,
    comparing: bool,
    latest: Latest,
) -> int:
    console = output()
    rows: list[Result] = []
    with _live(console) as live:
        for result in as_they_come(results, stop, cluster):
            if result is None:
                if live.is_started:
                    grid = iteration_grid(rows, latest.progress)
                    live.update(grid if cluster is None else Group(grid, live_view(cluster)))
                continue
            latest.progress = None
            if rows and result.depth == rows[-1].depth and result.stopped:
                rows[-1] = result
            else:
                rows.append(result)
            live.update(iteration_grid(rows) if cluster is None else Group(iteration_grid(rows), live_view(cluster)))
        last = rows[-1]
        over = last.move is None  # then the board says all there is
        live.update("" if over else iteration_grid(rows))
    if not over:
        if not console.is_terminal:
            console.print(iteration_grid(rows))
        console.print()
    draw(console, board)
    told = conclusion(board, last, options)
    for line in ["", *told] if told else []:
        console.print(line)
    if cluster is not None:
        _print_cluster(console, cluster)
    elif last.scheme is not None and click.get_current_context().params["show_workers"]:
        console.print(worker_grid(last))
    if comparing and not stop.called:
        beside = _compared(board, last, stop, options)
        if stop.called:
            console.print("The comparison was stopped.")
        else:
            console.print(f"one worker: {how_many(beside.alone.nodes, 'node')}, {beside.alone.seconds:.2f} s")
            console.print(
                f"speed-up {beside.speed_up:.2f}, efficiency {beside.efficiency:.2f}, "
                f"search overhead {beside.search_overhead:+.1%}"
            )
    return _status(stop, cluster, last, options)


def _print_cluster(console: Console, cluster: Cluster) -> None:
    found = statistics_of(cluster)
    if found is not None:
        console.print(node_grid(found))
        for line in cluster_conclusion(found):
            console.print(line)


@contextmanager
def _live(console: Console) -> Iterator[Live]:
    """The table while it grows, where there is a terminal."""
    live = Live(console=console, refresh_per_second=8, vertical_overflow="visible")
    if not console.is_terminal:
        yield live
        return
    with live:
        yield live
