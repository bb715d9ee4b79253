"""`outflank warm`: compile all kernels ahead of their first use."""

import click

from outflank.kernels import cache
from outflank.ui.cli.shared.position_options import output, print_json
from outflank.warm import warm


@click.command("warm")
@click.option("--all", "every", is_flag=True, help="Compile for every evaluation, not only for the default ones.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per kernel.")
def command(every: bool, as_json: bool) -> None:
    """Compile every kernel ahead of its first use, and list which were compiled and which were in the cache."""
    console = output()
    seconds = 0.0
    compiled = 0
    events = []
    for event in warm(every=every):
        events.append(event)
        seconds += event.seconds
        compiled += event.how == "compiled"
        if as_json:
            from outflank.ui.cli.shared.json_documents import WarmDocument

            kernel_seconds = round(event.seconds, 3)
            print_json(WarmDocument(kernel=event.kernel, types=event.types, how=event.how, seconds=kernel_seconds))
        else:
            console.print(f"{event.how:<9} {event.seconds:6.2f} s  {event.kernel} for {' '.join(event.types)}")
    if not as_json:
        console.print(f"{len(events)} kernels ready, {compiled} compiled, {seconds:.1f} s, in {cache.generation()}")
