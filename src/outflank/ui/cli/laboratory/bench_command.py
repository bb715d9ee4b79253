"""`outflank bench`: search a fixed set of positions, and count the nodes."""

import click

from outflank.lab.measuring.bench_searches import SEARCHES, BenchSearch, run_bench
from outflank.search.request import Stop
from outflank.ui.cli.shared.interrupting import INTERRUPTED, stopping_at_ctrl_c
from outflank.ui.cli.shared.position_options import output, print_json, scaled
from outflank.ui.cli.shared.progress_line import print_result, progress_line


@click.command("bench")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object per search, and a last one.")
def command(as_json: bool) -> int:
    """Search a fixed set of positions with one worker, and print the number of nodes.

    The total number of nodes is a signature: it is the same on every machine, and changes only if other
    nodes are searched. A change that only makes the code faster leaves the signature the same.

    \b
      outflank bench
      outflank bench --json
    """
    from outflank.ui.cli.shared.json_documents import BenchDocument, BenchSearchDocument

    console, stop = output(), Stop()
    width = max(len(entry.name) for entry in SEARCHES)
    nodes, seconds, finished = 0, 0.0, 0
    with stopping_at_ctrl_c(stop), progress_line(quiet=as_json) as show_progress:

        def begin(entry: BenchSearch) -> None:
            show_progress(f"{finished} of {len(SEARCHES)} searches, {entry.name}")

        for entry, result in run_bench(SEARCHES, stop=stop, begin=begin):
            nodes, seconds, finished = nodes + result.nodes, seconds + result.seconds, finished + 1
            if as_json:
                print_json(BenchSearchDocument(search=entry.name, nodes=result.nodes, seconds=round(result.seconds, 6)))
            else:
                print_result(f"{entry.name:<{width}} {result.nodes:>12,} nodes {result.seconds:7.2f} s")
    complete = finished == len(SEARCHES)
    speed = nodes / seconds if seconds else 0.0
    if as_json:
        total = BenchDocument(complete=complete, nodes=nodes, seconds=round(seconds, 6), nodes_per_second=round(speed))
        print_json(total)
    else:
        ended = "" if complete else f", interrupted after {finished} of {len(SEARCHES)} searches"
        console.print(f"{nodes} nodes in {seconds:.2f} s, {scaled(speed)} nodes/s{ended}")
    return 0 if complete else INTERRUPTED
