"""How `outflank solve` has each position solved: here, on a GPU or a cluster, kept in a file, or as a proof."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from outflank.boards import Board
from outflank.distributed.cluster import Cluster
from outflank.formats.game_record import Record
from outflank.gpu.choosing import DeviceAsked
from outflank.gpu.troubles import DeviceTrouble
from outflank.search.contract import Limits, Options, Stop
from outflank.search.deepening import iterate
from outflank.search.results import Result, Watch
from outflank.search.saving import Saving
from outflank.search.solving import usual_table_bits
from outflank.ui.cli.common import diagnostics
from outflank.ui.cli.expected import Difference, differences
from outflank.ui.cli.interrupting import INTERRUPTED
from outflank.ui.cli.search_thread import as_they_come, trouble_of
from outflank.ui.cli.solve_device import solved_at_once
from outflank.ui.cli.solve_proof import Proof
from outflank.ui.cli.solve_view import Total

Asked = tuple[Board[Any], Record]
"""A position, and what its text says of it."""

UNREADABLE, LOST, NOT_SO = 2, 2, 1
"""The status where lines could not be read, where a device was lost, and where a score is not proved, or not as
expected."""


class Solving:
    """How each position is solved."""

    def __init__(
        self,
        limits: Limits,
        options: dict[str, Any],
        *,
        every_move: bool,
        cluster: Cluster | None = None,
        proof: Proof | None = None,
        device: DeviceAsked = "cpu",
    ) -> None:
        self.limits, self.options, self.every_move, self.cluster = limits, options, every_move, cluster
        self.proof, self.device = proof, device
        self.wld = bool(options["wld"])
        self.stop = Stop()
        self.saving: Saving | None = None
        self._answers: dict[int, Result] = {}
        """What was solved at once, by the positions' numbers."""
        self._lost: DeviceTrouble | None = None
        """Why there is no more of it."""

    def at_once(self, boards: Sequence[Board[Any]], *, quiet: bool) -> None:
        """Have those positions solved that a device can solve, if there is one."""
        if self.device != "cpu":
            asked = {"wld": self.wld, "every_move": self.every_move, "quiet": quiet}
            self._answers, self._lost = solved_at_once(boards, self.device, self.stop, **asked)

    def reached(self, asked: Sequence[Asked]) -> Iterator[tuple[int, Board[Any], Record]]:
        """The positions with their numbers, as far as it comes before it is ended; of those for a device all that it
        has proved, and the first that it has not."""
        left_out = False
        for number, (board, record) in enumerate(asked, 1):
            ended = self.stop.called or self.trouble() is not None
            answer = self._answers.get(number)
            if ended and (answer is None or (left_out and not answer.exact)):
                continue
            left_out = left_out or (answer is not None and not answer.exact)
            yield number, board, record

    def save(self, path: Path, board: Board[Any], every_seconds: float) -> None:
        """Keep what is proved of the one position that there is, and go on with what is there."""
        given = self._given(board)
        table = given.pop("table", None)
        options = Options(**{**given, "parallel": None})
        self.saving = Saving(path, board, options, every_seconds=every_seconds, table=table)

    def _given(self, board: Board[Any]) -> dict[str, Any]:
        """What the search of a position is asked, and given."""
        moves = max(len(board.legal_moves), 1) if self.every_move else 1
        usual = {"table_bits": usual_table_bits(board)}
        return {**usual, **self.options, "moves": moves, **({} if self.proof is None else self.proof.options)}

    def results(self, number: int, board: Board[Any], watch: Watch | None) -> Iterator[Result | None]:
        """What comes of a position, None while nothing does; the last result is the answer."""
        if number in self._answers:
            return iter([self._answers[number]])
        ask = iterate if self.cluster is None else self.cluster.iterate
        given = {**self._given(board), "stop": self.stop, "watch": watch}
        if self.saving is not None:
            self.saving.watch = watch
            given |= {"watch": self.saving, "table": self.saving.table, "known": self.saving.known}
        results = ask(board, self.limits, **given)
        if self.saving is not None:
            results = self.saving.results(results)
        return as_they_come(results, self.stop, self.cluster)

    def proved(self, board: Board[Any], result: Result) -> bool:
        """Whether all that was asked of a position is proved."""
        return result.exact and (not self.every_move or len(result.best) == len(board.legal_moves))

    def differences(self, board: Board[Any], record: Record, result: Result) -> tuple[Difference, ...]:
        """Where the script is wrong, or we are."""
        return differences(board, result, expected_of(record), wld=self.wld)

    def trouble(self) -> str | None:
        """Why the cluster, or the device, has given up, if it has."""
        return trouble_of(self.cluster) if self._lost is None else str(self._lost)

    def status(self, total: Total) -> int:
        """130 where the user has ended it, 2 where a device was lost, 1 where something is not proved, or not as
        expected."""
        trouble = self.trouble()
        if trouble is not None:
            diagnostics().print(f"outflank: {trouble}; this is what is proved")
            return NOT_SO if self._lost is None else LOST
        if self.stop.called:
            return INTERRUPTED
        return NOT_SO if total.proved < total.positions or total.differing else 0


def expected_of(record: Record) -> dict[int, int]:
    """What the script says of moves in the position, by their codes."""
    return {} if record.moves else dict(record.start.scores)
