"""`outflank warm`: compile all kernels ahead of their first use, here or for other machines."""

from pathlib import Path

import click

from outflank.kernels import cache
from outflank.ui.cli.shared.position_options import diagnostics, output, print_json
from outflank.warm import build_wheel, warm


@click.command("warm")
@click.option("--all", "every", is_flag=True, help="Compile for every evaluation, not only for the default ones.")
@click.option(
    "--wheel",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Write a wheel outflank-kernels there, with kernels for all machines with this system and version of Python.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per kernel, or one for the wheel.")
def command(every: bool, wheel: Path | None, as_json: bool) -> None:
    """Compile every kernel ahead of its first use, and list which were compiled and which were in the cache."""
    if wheel is not None:
        _write_wheel(wheel, every, as_json)
        return
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
        console.print(f"{len(events)} kernels ready, {compiled} compiled, {seconds:.1f} s; cache: {cache.generation()}")


def _write_wheel(directory: Path, every: bool, as_json: bool) -> None:
    wheel = build_wheel(directory, every=every, report=diagnostics().print)
    if as_json:
        from outflank.ui.cli.shared.json_documents import WheelDocument

        print_json(
            WheelDocument(
                path=str(wheel.path), processors=wheel.processors, omitted=wheel.omitted, kernels=wheel.kernels
            )
        )
        return
    console = output()
    if wheel.omitted:
        console.print(f"left out, because this processor cannot run them: kernels for {', '.join(wheel.omitted)}")
    size = wheel.path.stat().st_size / 1e6
    console.print(f"{wheel.path}: {wheel.kernels} kernels for {', '.join(wheel.processors)}, {size:.1f} MB")
