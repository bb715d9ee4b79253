"""The solving of positions for `outflank solve`: on the CPU, a GPU or a cluster, with saved states and proofs."""

import warnings
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from outflank.boards import Board
from outflank.errors import InvalidOption, OutflankError
from outflank.formats.game_record import Record
from outflank.gpu.choosing import DeviceOption
from outflank.gpu.troubles import DeviceTrouble
from outflank.search.keywords import SearchArguments
from outflank.search.request import Limits, Options, Stop
from outflank.search.results import Result, Watch
from outflank.search.saving import Saving
from outflank.search.solving import default_table_bits
from outflank.search.whole_search import iterate
from outflank.ui.cli.shared.interrupting import INTERRUPTED, run_interruptibly
from outflank.ui.cli.shared.position_options import diagnostics
from outflank.ui.cli.shared.progress_line import progress_line
from outflank.ui.cli.shared.search_thread import cluster_failure, results_from_thread
from outflank.ui.cli.solving.expected_scores import Difference, differences
from outflank.ui.cli.solving.solve_proof import Proof
from outflank.ui.cli.solving.solve_view import Total
from outflank.validation.text import how_many

if TYPE_CHECKING:
    from outflank.distributed.cluster import Cluster


# With `--device gpu`, all positions that the GPU can solve are solved together, before any result is printed.

REFUSED = {
    "--proof": "is written from what a search keeps, and a device keeps nothing",
    "--save": "keeps what is proved of one position, and a device proves all at once",
    "--cluster": "solves on other machines, and a device is one of this machine",
    "--time": "is for each position, and a device solves all at once",
    "--nodes": "are for each position, and a device solves all at once",
}
"""Options that cannot be combined with a GPU, each with the reason."""


def check_device_options(**options: object) -> None:
    """Raise an error if an option that cannot be combined with a GPU has a value."""
    for name, value in options.items():
        option = f"--{name}"
        if value is not None and option in REFUSED:
            raise OutflankError(f"{option} {REFUSED[option]}: leave out --device, or {option}")


def solve_on_device(
    boards: Sequence[Board], device: DeviceOption, stop: Stop, *, wld: bool, every_move: bool, quiet: bool
) -> tuple[dict[int, Result], DeviceTrouble | None]:
    """Return the GPU's results by position number, from 1, and the error if the GPU was lost.

    Positions that the GPU cannot solve are left to the CPU. Ctrl-C calls `stop`. The results of positions that are
    unsolved by then are marked as not proved. If the GPU is lost and the CPU may not take over, unsolved positions are
    marked in the same way. The error is then returned with the results, or raised if nothing was proved.
    """
    from outflank.gpu.by_moves import solvable_indices, solve_boards  # imported here because it imports CUDA
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


Position = tuple[Board, Record]
"""A board and the record that it was read from."""

UNREADABLE, LOST, NOT_PROVED = 2, 2, 1
"""Exit status for unreadable lines, for a lost GPU, and for a score that is not proved or differs from the expected
score."""


class Solving:
    """Solves positions with the options of one command line."""

    def __init__(
        self,
        limits: Limits,
        options: SearchArguments,
        *,
        every_move: bool,
        cluster: "Cluster | None" = None,
        proof: Proof | None = None,
        device: DeviceOption = "cpu",
    ) -> None:
        self.limits, self.options, self.every_move, self.cluster = limits, options, every_move, cluster
        self.proof, self.device = proof, device
        self.wld = bool(options["wld"])
        self.stop = Stop()
        self.saving: Saving | None = None
        self._device_results: dict[int, Result] = {}
        """Results that the GPU returned, by position number from 1."""
        self._device_error: DeviceTrouble | None = None
        """Error that was raised when the GPU was lost, or None."""

    def solve_on_device(self, boards: Sequence[Board], *, quiet: bool) -> None:
        """Let the GPU, if `--device` chose it, solve the positions that it can."""
        if self.device != "cpu":
            options = {"wld": self.wld, "every_move": self.every_move, "quiet": quiet}
            self._device_results, self._device_error = solve_on_device(boards, self.device, self.stop, **options)

    def reached_positions(self, positions: Sequence[Position]) -> Iterator[tuple[int, Board, Record]]:
        """Yield the positions with their numbers.

        After Ctrl-C or a failure, yield only positions that the GPU has searched: all proved positions, and the first
        position that is not proved.
        """
        one_unproved = False
        for number, (board, record) in enumerate(positions, 1):
            ended = self.stop.called or self.failure() is not None
            result = self._device_results.get(number)
            if ended and (result is None or (one_unproved and not result.exact)):
                continue
            one_unproved = one_unproved or (result is not None and not result.exact)
            yield number, board, record

    def save(self, path: Path, board: Board, every_seconds: float) -> None:
        """Save the search of `board` to the file `path` from now on. If the file exists, resume the search from it."""
        arguments = self._search_options(board)
        table = arguments.pop("table", None)
        options = Options(**{**arguments, "parallel": None})
        self.saving = Saving(path, board, options, every_seconds=every_seconds, table=table)

    def _search_options(self, board: Board) -> SearchArguments:
        moves = max(len(board.legal_moves), 1) if self.every_move else 1
        defaults = {"table_bits": default_table_bits(board)}
        return {**defaults, **self.options, "moves": moves, **({} if self.proof is None else self.proof.options)}

    def results(self, number: int, board: Board, watch: Watch | None) -> Iterator[Result | None]:
        """Yield the results of a position, and None from time to time in between. The last result is the answer."""
        if number in self._device_results:
            return iter([self._device_results[number]])
        solve = iterate if self.cluster is None else self.cluster.iterate
        arguments = {**self._search_options(board), "stop": self.stop, "watch": watch}
        if self.saving is not None:
            self.saving.watch = watch
            arguments |= {"watch": self.saving, "table": self.saving.table, "known": self.saving.known}
        results = solve(board, self.limits, **arguments)
        if self.saving is not None:
            results = self.saving.results(results)
        return results_from_thread(results, self.stop, self.cluster)

    def proved(self, board: Board, result: Result) -> bool:
        """Return whether everything that was requested for a position is proved."""
        return result.exact and (not self.every_move or len(result.best) == len(board.legal_moves))

    def differences(self, board: Board, record: Record, result: Result) -> tuple[Difference, ...]:
        """Return the moves with expected scores that the proof contradicts."""
        return differences(board, result, expected_scores(record), wld=self.wld)

    def failure(self) -> str | None:
        """Return why the cluster or the GPU has failed, or None."""
        return cluster_failure(self.cluster) if self._device_error is None else str(self._device_error)

    def status(self, total: Total) -> int:
        """Return the exit status: 130 if the user ended the run, 2 if a GPU was lost, 1 if the cluster failed or if a
        score is not proved or differs from the expected score, otherwise 0."""
        failure = self.failure()
        if failure is not None:
            diagnostics().print(f"outflank: {failure}; this is what is proved")
            return NOT_PROVED if self._device_error is None else LOST
        if self.stop.called:
            return INTERRUPTED
        return NOT_PROVED if total.proved < total.positions or total.differing else 0


def expected_scores(record: Record) -> dict[int, int]:
    """Return the expected scores of moves by move code, as the position's file states them."""
    return {} if record.moves else dict(record.start.scores)
