"""`outflank perft`: count the leaves of a game tree."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import click

from outflank.boards import Board
from outflank.errors import OutflankError
from outflank.gpu.choosing import DeviceOption, on_device
from outflank.gpu.troubles import DeviceTrouble
from outflank.machine import MOST_WORKERS, usable_cores
from outflank.search.perft import Perft, perft
from outflank.ui.cli.shared.device_option import device_option
from outflank.ui.cli.shared.game_options import PositionCommand
from outflank.ui.cli.shared.interrupting import INTERRUPTED
from outflank.ui.cli.shared.position_options import (
    describe,
    diagnostics,
    game_name,
    one_board,
    output,
    position_options,
    print_json,
    scaled,
)
from outflank.validation.text import how_many


@click.command("perft", cls=PositionCommand)
@position_options
@click.option("--depth", type=click.IntRange(0), required=True, help="Depth in plies; a pass is one.")
@click.option(
    "--workers", type=click.IntRange(1, MOST_WORKERS), default=1, show_default=True, help="Threads that count."
)
@device_option("Where leaves are counted; the number is the same.")
@click.option("--divide", is_flag=True, help="Also print the leaves below each move.")
@click.option(
    "--finished/--no-finished",
    default=True,
    help="Whether a game that ends before this depth counts as a leaf.  [finished]",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(
    depth: int, workers: int, device: DeviceOption, divide: bool, finished: bool, as_json: bool, **options: Any
) -> int:
    """Count the leaves of a game tree: the classic test of a move generator and its speed.

    POSITION is a position or a game in any notation, which is recognised automatically; without one the
    count begins at the start of a game.

    \b
      outflank perft --depth 9
      outflank perft --size 6 --depth 8
      outflank perft {choice} --depth 4 --workers 2
      outflank perft f5d6c3 --depth 6 --divide
      outflank perft --depth 13 --device gpu
    """
    if device == "gpu" and workers > 1:
        raise OutflankError(f"--workers {workers} are threads of the CPU, which counts nothing with --device gpu")
    board = one_board(**options)
    if workers > usable_cores():
        diagnostics().print(f"{workers} workers on {usable_cores():g} cores: more than can run at once", style="yellow")
    trouble: BaseException | None = None
    try:
        with _bar(enabled=not as_json) as progress:
            result = on_device(
                device,
                lambda: _on_gpu(board, depth, finished=finished, progress=progress),
                lambda: perft(board, depth, workers=workers, finished=finished, progress=progress),
            )
    except (KeyboardInterrupt, DeviceTrouble) as error:
        counted: Perft | None = getattr(error, "partial_result", None)
        if counted is None or (isinstance(error, DeviceTrouble) and not counted.leaves):
            raise  # nothing was counted yet
        result, trouble = counted, error
    by_move = {str(move): leaves for move, leaves in result.divide.items()}
    if as_json:
        from msgspec import UNSET

        from outflank.ui.cli.shared.json_documents import PerftDocument

        document = PerftDocument(
            game=game_name(board.game),
            position=board.to_text(),
            depth=depth,
            leaves=result.leaves,
            seconds=round(result.seconds, 6),
            workers=workers,
            complete=trouble is None,
            device=result.device,
            divide=by_move if divide else UNSET,
        )
        print_json(document)
    else:
        _print(board, depth, result, by_move if divide else {}, trouble)
    if isinstance(trouble, DeviceTrouble):
        raise trouble
    return 0 if trouble is None else INTERRUPTED


def _on_gpu(board: Board, depth: int, **options: Any) -> Perft:
    from outflank.gpu.counting import perft as perft_on_gpu  # imported here because it imports CUDA

    return perft_on_gpu(board, depth, **options)


def _print(board: Board, depth: int, result: Perft, by_move: dict[str, int], trouble: BaseException | None) -> None:
    console, complete = output(), trouble is None
    width = max(map(len, by_move), default=0)
    for move, leaves in by_move.items():
        console.print(f"{move:<{width}} {leaves:>16,}")
    if by_move:
        console.print()
    speed = f", {scaled(result.leaves / result.seconds)} leaves/s" if result.seconds > 0 else ""
    counted = f"{'' if complete else 'at least '}{how_many(result.leaves, 'leaf', 'leaves')}"
    if not complete and not result.leaves:
        counted, speed = "interrupted before the first of its parts was counted", ""
    console.print(f"{describe(board)}, depth {depth}: {counted}")
    device_text = "on a GPU" if result.device == "gpu" else how_many(result.workers, "worker")
    ending = "" if complete else ", not finished" if isinstance(trouble, DeviceTrouble) else ", interrupted"
    console.print(f"{result.seconds:.3f} s{speed}, {device_text}{ending}")


@contextmanager
def _bar(*, enabled: bool) -> Iterator[Callable[[int, int], None] | None]:
    """Yield a function that updates a progress bar, or None if there is no terminal."""
    console = diagnostics()
    if not (enabled and console.is_terminal):
        yield None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("counting"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("counting", total=None)

        def update(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total)

        yield update
