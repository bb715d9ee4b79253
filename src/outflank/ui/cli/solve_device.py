"""`outflank solve --device gpu`: what a device can solve is solved at once, before anything is told."""

import warnings
from collections.abc import Sequence
from functools import partial
from typing import Any

from outflank.boards import Board
from outflank.errors import InvalidOption, OutflankError
from outflank.gpu.choosing import DeviceAsked
from outflank.gpu.troubles import DeviceTrouble
from outflank.search.contract import Stop
from outflank.search.results import Result
from outflank.ui.cli.common import diagnostics
from outflank.ui.cli.interrupting import interruptibly
from outflank.ui.cli.progress import progress_line
from outflank.words import how_many

REFUSED = {
    "--proof": "is written from what a search keeps, and a device keeps nothing",
    "--save": "keeps what is proved of one position, and a device proves all at once",
    "--cluster": "solves on other machines, and a device is one of this machine",
    "--time": "is for each position, and a device solves all at once",
    "--nodes": "are for each position, and a device solves all at once",
}
"""Options that make no sense on a device, and why."""


def check_beside_device(**given: object) -> None:
    """Refuse options that make no sense on a device, by their names."""
    for name, value in given.items():
        option = f"--{name}"
        if value is not None and option in REFUSED:
            raise OutflankError(f"{option} {REFUSED[option]}: leave out --device, or {option}")


def solved_at_once(
    boards: Sequence[Board[Any]], device: DeviceAsked, stop: Stop, *, wld: bool, every_move: bool, quiet: bool
) -> tuple[dict[int, Result], DeviceTrouble | None]:
    """The results of those boards that a device can solve, by their numbers, from 1; it is told who solves the others.

    Ctrl-C calls `stop`, and what is not proved by then says so. So it is where the device is lost, and nobody may go on
    for it: that comes with the results. If nothing is proved by then, it is raised.
    """
    from outflank.gpu.by_moves import short_ones, solve_boards  # imports CUDA
    from outflank.gpu.endings import MOST_FREE

    try:
        short = short_ones(boards)
    except InvalidOption as cannot:
        if device == "gpu":
            raise
        warnings.warn(f"{cannot}: the CPU goes on", RuntimeWarning, stacklevel=2)
        return {}, None
    if len(short) < len(boards):
        longer = how_many(len(boards) - len(short), "position")
        diagnostics().print(f"outflank: {longer} with more than {MOST_FREE} free cells: for the CPU, after the others")
    with progress_line(quiet=quiet) as tell:

        def told(done: int, total: int) -> None:
            tell(f"{done:,} of {how_many(total, 'ending')} solved")

        solve = partial(solve_boards, device=device, wld=wld, every_move=every_move, stop=stop, progress=told)
        lost: DeviceTrouble | None = None
        try:
            found = interruptibly(lambda: solve([boards[number] for number in short]), stop)
        except DeviceTrouble as trouble:
            lost, found = trouble, trouble.found  # type: ignore[attr-defined]  # see `solve_boards`
            if not any(result.exact for result in found):
                raise
    return {number + 1: result for number, result in zip(short, found, strict=True)}, lost
