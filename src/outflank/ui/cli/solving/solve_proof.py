"""`outflank solve --proof`: write the proof of a solved position."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from outflank.boards import Board
from outflank.errors import OutflankError
from outflank.games.description import description_of
from outflank.proofs.finding import Finder
from outflank.search.division import all_cores
from outflank.search.keywords import SearchArguments
from outflank.search.request import Stop
from outflank.search.results import Result
from outflank.search.stopping import Stopped
from outflank.search.table import Table
from outflank.ui.cli.shared.output_files import refuse_to_overwrite
from outflank.ui.cli.shared.position_options import scaled
from outflank.ui.cli.shared.progress_line import progress_line
from outflank.validation.text import how_many

if TYPE_CHECKING:
    from outflank.ui.cli.solving.solve_documents import WrittenProof


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """Size and cost of a proof that has been written to its file."""

    file: str
    bytes: int
    moves: int
    leaf: int
    nodes: int
    seconds: float

    @property
    def sentence(self) -> str:
        return (
            f"proof in {self.file}: {how_many(self.moves, 'move')} of both sides, {self.bytes:,} bytes, "
            f"{self.seconds:.2f} s, {scaled(self.nodes)} nodes; `outflank proof check` checks it"
        )

    @property
    def document(self) -> "WrittenProof":
        """The proof's document for `--json`."""
        from outflank.ui.cli.solving.solve_documents import WrittenProof

        return WrittenProof(
            file=self.file,
            bytes=self.bytes,
            moves=self.moves,
            leaf=self.leaf,
            nodes=self.nodes,
            seconds=round(self.seconds, 6),
        )


class Proof:
    """Options of `--proof`. The search for the score and the search for its proof share a transposition table."""

    def __init__(self, file: str, *, leaf: int | None, force: bool, table_bits: int, workers: int | None) -> None:
        refuse_to_overwrite([file], force=force)
        if table_bits == 0:
            raise OutflankError("--proof needs what the table knows: --table-bits must not be 0")
        self.file, self.leaf, self.table_bits, self.workers = file, leaf, table_bits, workers

    def check_request(self, boards: Sequence[Board], *, wld: bool, cluster: bool) -> None:
        """Raise an error if no proof can be written for these boards and options."""
        if len(boards) > 1:
            raise OutflankError(f"--proof is of one position, and there are {len(boards)}; --number N chooses one")
        for is_given, option in ((wld, "--wld"), (cluster, "--cluster")):
            if is_given:
                raise OutflankError(f"--proof is of a score that is solved here: not beside {option}")
        description = description_of(boards[0].game)
        if description.plain_rules is None:
            raise OutflankError(f"--proof: there are no rules of {description.title} to check a proof by")

    @cached_property
    def table(self) -> Table:
        """Transposition table that the search for the score and the search for the proof share."""
        return Table(self.table_bits)

    @property
    def options(self) -> SearchArguments:
        """Additional options of the search for the position's score."""
        return {"table": self.table, "canonical": True}  # a proof has each position once, for all mirror images

    def write(self, board: Board, result: Result, stop: Stop, *, quiet: bool) -> Written | None:
        """Find the proof of a result and write it. Return None if the result is not proved or `stop` was called."""
        if result.value is None or not result.exact or stop.called:
            return None
        started = time.perf_counter()
        finder = Finder(board, table=self.table, workers=self.workers or all_cores())
        try:
            with progress_line(quiet=quiet) as report:
                certificate = finder.prove(result.value, leaf=self.leaf, watch=report, stop=stop)
        except Stopped:
            return None
        moves = sum(len(level) for strategy in certificate.strategies for level in strategy.moves.values())
        size = certificate.write(Path(self.file))
        seconds = time.perf_counter() - started
        return Written(
            file=self.file,
            bytes=size,
            moves=moves,
            leaf=certificate.strategies[0].leaf,
            nodes=finder.nodes,
            seconds=seconds,
        )
