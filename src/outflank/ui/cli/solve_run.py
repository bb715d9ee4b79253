"""How `outflank solve` has each position solved: here or on a cluster, kept in a file, or written down as a proof."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from outflank.boards import Board
from outflank.distributed.cluster import Cluster
from outflank.formats.game_record import Record
from outflank.search.contract import Limits, Options, Stop
from outflank.search.deepening import iterate
from outflank.search.results import Result, Watch
from outflank.search.saving import Saving
from outflank.search.solving import usual_table_bits
from outflank.ui.cli.common import diagnostics
from outflank.ui.cli.expected import Difference, differences
from outflank.ui.cli.interrupting import INTERRUPTED
from outflank.ui.cli.search_thread import as_they_come, trouble_of
from outflank.ui.cli.solve_proof import Proof
from outflank.ui.cli.solve_view import Total

UNREADABLE, NOT_SO = 2, 1
"""The status where lines could not be read, and where a score is not proved, or not as expected."""


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
    ) -> None:
        self.limits, self.options, self.every_move, self.cluster = limits, options, every_move, cluster
        self.proof = proof
        self.wld = bool(options["wld"])
        self.stop = Stop()
        self.saving: Saving | None = None

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

    def results(self, board: Board[Any], watch: Watch | None) -> Iterator[Result | None]:
        """What comes of a position, None while nothing does; the last result is the answer."""
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
        """Why the cluster has given up, if it has."""
        return trouble_of(self.cluster)

    def status(self, total: Total) -> int:
        """130 where the user has ended it, 1 where something is not proved, or not as expected."""
        trouble = self.trouble()
        if trouble is not None:
            diagnostics().print(f"outflank: {trouble}; this is what is proved")
            return NOT_SO
        if self.stop.called:
            return INTERRUPTED
        return NOT_SO if total.proved < total.positions or total.differing else 0


def expected_of(record: Record) -> dict[int, int]:
    """What the script says of moves in the position, by their codes."""
    return {} if record.moves else dict(record.start.scores)
