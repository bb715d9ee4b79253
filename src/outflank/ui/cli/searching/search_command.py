"""`outflank search`: find the best move of positions."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console, Group
from rich.live import Live

from outflank.boards import Board
from outflank.distributed.launchers import refuse_copies
from outflank.distributed.replication import POLICIES
from outflank.errors import OutflankError
from outflank.machine import usable_cores
from outflank.placement import can_bind, topology
from outflank.search.keywords import SearchArguments
from outflank.search.request import Limits, Options, Stop
from outflank.search.request_checks import MONTE_CARLO
from outflank.search.results import Comparison, Result
from outflank.search.whole_search import iterate, iterate_alone
from outflank.ui.cli.searching.search_view import (
    cluster_conclusion,
    conclusion,
    iteration_grid,
    live_view,
    node_grid,
    statistics_of,
    worker_grid,
)
from outflank.ui.cli.shared.board_view import draw
from outflank.ui.cli.shared.device_option import device_option
from outflank.ui.cli.shared.game_options import PositionCommand
from outflank.ui.cli.shared.interrupting import INTERRUPTED
from outflank.ui.cli.shared.position_options import boards, diagnostics, output, position_options, print_json
from outflank.ui.cli.shared.search_options import (
    CLUSTER_SCHEMES,
    FIELDS,
    cluster_option,
    parallel_option,
    search_options,
)
from outflank.ui.cli.shared.search_thread import LatestProgress, ResultsUntilLoss, cluster_failure, results_from_thread
from outflank.validation.text import from_words, how_many
from outflank.validation.values import kinds_of

if TYPE_CHECKING:
    from outflank.distributed.cluster import Cluster
    from outflank.parallel.events import EventRecording

DEFAULT_SECONDS = 5.0
"""Time limit in seconds of a search if the user gave no limit."""


@click.command("search", cls=PositionCommand)
@position_options
@search_options("depth")
@search_options("seconds", usual=f"{DEFAULT_SECONDS:g}, without any other limit")
@search_options("nodes", "algorithm", "evaluation", "ordering", "table_bits", "table_depth", "canonical", "passes")
@search_options("quiescence", "selectivity", "ties", "share_alpha", "deepen")
@search_options("pivot", show_default=False)
@search_options("step", "aspiration", "workers")
@parallel_option
@search_options("threshold", "levels", "schedule")
@search_options("pin", metavar="HOW")
@search_options("interleave", "pace")
@cluster_option("Search")
@click.option(
    "--replicate",
    default=None,
    metavar="POLICY",
    help=f"Which table entries nodes exchange: {', '.join(POLICIES)}; with settings: async:depth=8,batch=100.  [async]",
)
@click.option(
    "--compare", "comparing", is_flag=True, help="Search again with one worker, and print speed-up and overhead."
)
@click.option(
    "--trace",
    "trace_file",
    metavar="FILE",
    help="Write what each worker does, and when, for trace viewers such as Perfetto.",
)
@click.option(
    "--steps",
    "steps_file",
    metavar="FILE",
    help="Instead of searching as usual, search a small tree by plain alpha-beta or minimax, and write every node, to "
    "be stepped through in the browser.",
)
@click.option("--show-workers", is_flag=True, help="Print statistics of each worker.")
@search_options("moves", "exact", "wld", "seed")
@device_option(FIELDS["device"].metadata["help"])
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object per iteration, and one for the result.")
def command(
    depth: int | None,
    seconds: float | None,
    nodes: int | None,
    table_bits: int,
    schedule: str,
    pin: str,
    where: str | None,
    replicate: str | None,
    comparing: bool,
    trace_file: str | None,
    steps_file: str | None,
    as_json: bool,
    **options: Any,
) -> int:
    """Find the best move of each given position. The default is the start of a game.

    Ctrl-C ends the search and prints the best move so far. The status is 1 if nothing was searched, or --exact proved
    no score.

    \b
      outflank search
      outflank search f5d6c3d3c4 --depth 12
      outflank search --game {last} --time 10 --moves 3
      outflank search --size 4 --exact
      outflank search positions.obf --exact --json
      outflank search --depth 14 --parallel jamboree --workers 2 --compare
      outflank search --depth 14 --workers 2 --trace search.json
      outflank search --size 6 --depth 4 --steps steps.json
      outflank search --depth 18 --cluster local:2
    """
    refuse_copies(where)
    options.pop("show_workers")  # read by `_print_tables` from the context
    position_arguments = ("text", "position", "file", "game", "game_options", "number")
    positions = boards(**{name: options.pop(name) for name in position_arguments})
    if seconds is None and depth is None and nodes is None and not options["exact"] and steps_file is None:
        seconds = DEFAULT_SECONDS
    if comparing and options["algorithm"] in MONTE_CARLO:
        raise OutflankError(f"--compare needs a depth to compare at: {options['algorithm']} has none")
    limits = Limits(depth=depth, seconds=seconds, nodes=nodes)
    options["table_bits"] = table_bits or None
    options["pin"] = from_words(kinds_of(Options)["pin"], pin.replace(",", "+"), "pin")
    options["schedule"] = from_words(kinds_of(Options)["schedule"], schedule, "schedule")

    if steps_file is not None:
        from outflank.ui.cli.searching.search_trace import write_steps

        for option, value in (("--cluster", where), ("--trace", trace_file), ("--time", seconds), ("--nodes", nodes)):
            if value is not None:
                raise OutflankError(f"--steps records a small search to a depth, without {option}")
        write_steps(steps_file, positions, depth, options)
        return 0
    if trace_file is not None:
        from outflank.ui.cli.searching.search_trace import check_traceable, traced

        check_traceable(positions, options, where)

    def search(board: Board, cluster: "Cluster | None", recording: "EventRecording | None" = None) -> int:
        stop, latest, until_loss = Stop(), LatestProgress(), ResultsUntilLoss()
        watch = latest if not as_json and output().is_terminal else None
        if cluster is None:
            iterations = iterate(board, limits, stop=stop, instrument=recording, watch=watch, **options)
            results = until_loss.results(iterations)
            if board is positions[0]:
                _warn_of_useless_options(options)
        else:
            results = cluster.iterate(
                board, limits, stop=stop, replication=replicate or "async", watch=watch, **options
            )
        status = _print_results(board, results, stop, options, cluster, comparing, as_json, latest)
        until_loss.check()
        return status

    if where is None:
        if replicate is not None:
            raise OutflankError("--replicate is for clusters: say which with --cluster")
        if options["parallel"] in CLUSTER_SCHEMES:
            raise OutflankError(f"--parallel {options['parallel']} is for clusters: say which with --cluster")
        if trace_file is not None:
            with traced(trace_file, positions[0]) as recording:
                return search(positions[0], None, recording)
        return _search_all(positions, lambda board: search(board, None), as_json)
    from outflank.distributed.cluster import check_options, connect

    check_options(replication=replicate or "async", parallel=options["parallel"], algorithm=options["algorithm"])
    with connect(where, workers=options["workers"]) as cluster:
        return _search_all(positions, lambda board: search(board, cluster), as_json)


def _search_all(positions: list[Board], search: Callable[[Board], int], as_json: bool) -> int:
    """Search the positions in turn, and return the highest exit status. Ctrl-C ends all searches, with status 130."""
    worst = 0
    for number, board in enumerate(positions, 1):
        if len(positions) > 1 and not as_json:
            output().print(f"{'' if number == 1 else chr(10)}position {number:,} of {len(positions):,}")
        status = search(board)
        if status == INTERRUPTED:
            return status
        worst = max(worst, status)
    return worst


def _print_results(
    board: Board,
    results: Iterator[Result],
    stop: Stop,
    options: SearchArguments,
    cluster: "Cluster | None",
    comparing: bool,
    as_json: bool,
    latest: LatestProgress,
) -> int:
    if as_json:
        return _print_documents(board, results, stop, options, cluster, comparing)
    return _print_tables(board, results, stop, options, cluster, comparing, latest)


def _warn_of_useless_options(options: SearchArguments) -> None:
    """Warn about options that have no effect on this machine, and if there are more workers than cores."""
    cores = usable_cores()
    if options["workers"] is not None and options["workers"] > cores:
        word = "core" if cores == 1 else "cores"
        diagnostics().print(f"warning: {options['workers']} workers on {cores:g} {word}: they will take turns")
    if options["pin"] != "none" and not can_bind():
        diagnostics().print("warning: --pin does nothing here: this system does not bind threads to processors")
    if options["interleave"] and len(topology().nodes) == 1:
        diagnostics().print("warning: --interleave does nothing here: this machine has one memory node")


def _print_documents(
    board: Board,
    results: Iterator[Result],
    stop: Stop,
    options: SearchArguments,
    cluster: "Cluster | None",
    comparing: bool,
) -> int:
    from outflank.ui.cli.searching.search_documents import (
        ClusterSearchDocument,
        ComparisonDocument,
        IterationDocument,
        SearchDocument,
    )

    last = None
    for result in results_from_thread(results, stop, cluster):
        if result is not None:
            last = result
            print_json(IterationDocument(**IterationDocument.fields_of(last)))
    assert last is not None
    statistics = statistics_of(cluster) if cluster is not None else None
    extra: dict[str, Any] = {} if statistics is None else {"cluster": ClusterSearchDocument.of(statistics)}
    if comparing and not stop.called:
        comparison = _comparison(board, last, stop, options)
        extra["compare"] = ComparisonDocument.of(comparison)
    print_json(SearchDocument.of(board, last, **extra))
    return _status(stop, cluster, last, options)


def _status(stop: Stop, cluster: "Cluster | None", last: Result, options: SearchArguments) -> int:
    """Return the exit status: 130 after Ctrl-C, 1 if the cluster failed or a value or proof is missing, otherwise 0."""
    failure = cluster_failure(cluster)
    if failure is not None:
        diagnostics().print(f"outflank: {failure}; this is the best so far")
        return 1
    if stop.called:
        return INTERRUPTED
    return 1 if last.value is None or (options["exact"] and not last.exact) else 0


def _comparison(board: Board, together: Result, stop: Stop, options: SearchArguments) -> Comparison:
    """Search again with one worker, and compare the result with the parallel result `together`.

    Ctrl-C ends the second search too.
    """
    alone = None
    for result in results_from_thread(iterate_alone(board, together, stop=stop, **options), stop):
        alone = result or alone
    assert alone is not None
    return Comparison(alone=alone, together=together)


def _print_tables(
    board: Board,
    results: Iterator[Result],
    stop: Stop,
    options: SearchArguments,
    cluster: "Cluster | None",
    comparing: bool,
    latest: LatestProgress,
) -> int:
    console = output()
    rows: list[Result] = []
    with _live(console) as live:
        for result in results_from_thread(results, stop, cluster):
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
        is_over = last.move is None  # the board shows the result of a finished game
        live.update("" if is_over else iteration_grid(rows))
    if not is_over:
        if not console.is_terminal:
            console.print(iteration_grid(rows))
        console.print()
    draw(console, board)
    lines = conclusion(board, last, options)
    for line in ["", *lines] if lines else []:
        console.print(line)
    if cluster is not None:
        _print_cluster(console, cluster)
    elif last.scheme is not None and click.get_current_context().params["show_workers"]:
        console.print(worker_grid(last))
    if comparing and not stop.called:
        comparison = _comparison(board, last, stop, options)
        if stop.called:
            console.print("The comparison was stopped.")
        else:
            console.print(f"one worker: {how_many(comparison.alone.nodes, 'node')}, {comparison.alone.seconds:.2f} s")
            console.print(
                f"speed-up {comparison.speed_up:.2f}, efficiency {comparison.efficiency:.2f}, "
                f"search overhead {comparison.search_overhead:+.1%}"
            )
    return _status(stop, cluster, last, options)


def _print_cluster(console: Console, cluster: "Cluster") -> None:
    statistics = statistics_of(cluster)
    if statistics is not None:
        if statistics.total("jobs"):
            console.print(node_grid(statistics))
        for line in cluster_conclusion(statistics):
            console.print(line)


@contextmanager
def _live(console: Console) -> Iterator[Live]:
    """Yield a live view for the table of iterations. It is started only on a terminal."""
    live = Live(console=console, refresh_per_second=8, vertical_overflow="visible")
    if not console.is_terminal:
        yield live
        return
    with live:
        yield live
