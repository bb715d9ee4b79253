"""`outflank solve --device gpu`: all positions that a device can solve are solved together, before any result is
printed."""

import warnings
from collections.abc import Sequence
from functools import partial

from outflank.boards import Board
from outflank.errors import InvalidOption, OutflankError
from outflank.gpu.choosing import DeviceOption
from outflank.gpu.troubles import DeviceTrouble
from outflank.search.request import Stop
from outflank.search.results import Result
from outflank.ui.cli.shared.interrupting import run_interruptibly
from outflank.ui.cli.shared.position_options import diagnostics
from outflank.ui.cli.shared.progress_line import progress_line
from outflank.validation.text import how_many

REFUSED = {
    "--proof": "is written from what a search keeps, and a device keeps nothing",
    "--save": "keeps what is proved of one position, and a device proves all at once",
    "--cluster": "solves on other machines, and a device is one of this machine",
    "--time": "is for each position, and a device solves all at once",
    "--nodes": "are for each position, and a device solves all at once",
}
"""Options that cannot be combined with a device, and why."""


def check_device_options(**options: object) -> None:
    """Refuse options, by their names, that cannot be combined with a device."""
    for name, value in options.items():
        option = f"--{name}"
        if value is not None and option in REFUSED:
            raise OutflankError(f"{option} {REFUSED[option]}: leave out --device, or {option}")


def solve_on_device(
    boards: Sequence[Board], device: DeviceOption, stop: Stop, *, wld: bool, every_move: bool, quiet: bool
) -> tuple[dict[int, Result], DeviceTrouble | None]:
    """Return the results of those boards that a device can solve, by their numbers from 1; the CPU solves the others.

    Ctrl-C calls `stop`; positions that are not proved by then are marked so. The same holds if the device is lost and
    the CPU may not take over: the error is returned with the results, or raised if nothing was proved.
    """
    from outflank.gpu.by_moves import solvable_indices, solve_boards  # imports CUDA
    from outflank.gpu.ending_kernels import MOST_FREE

    try:
        indices = solvable_indices(boards)
    except InvalidOption as error:
        if device == "gpu":
            raise
        warnings.warn(f"{error}: the CPU goes on", RuntimeWarning, stacklevel=2)
        return {}, None
    if len(indices) < len(boards):
        others = how_many(len(boards) - len(indices), "position")
        diagnostics().print(f"outflank: {others} with more than {MOST_FREE} free cells: for the CPU, after the others")
    with progress_line(quiet=quiet) as tell:

        def report(done: int, total: int) -> None:
            tell(f"{done:,} of {how_many(total, 'ending')} solved")

        solve = partial(solve_boards, device=device, wld=wld, every_move=every_move, stop=stop, progress=report)
        loss: DeviceTrouble | None = None
        try:
            results = run_interruptibly(lambda: solve([boards[number] for number in indices]), stop)
        except DeviceTrouble as trouble:
            loss, results = trouble, trouble.partial_result
            if not any(result.exact for result in results):
                raise
    return {number + 1: result for number, result in zip(indices, results, strict=True)}, loss
