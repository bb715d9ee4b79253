"""`outflank solve --proof`: the proof of a position, once it is solved."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from outflank.boards import Board
from outflank.errors import OutflankError
from outflank.games.description import description_of
from outflank.proofs.finding import Finder
from outflank.search.contract import Stop
from outflank.search.division import all_cores
from outflank.search.results import Result
from outflank.search.stopping import Stopped
from outflank.search.table import Table
from outflank.ui.cli.common import scaled
from outflank.ui.cli.progress import progress_line
from outflank.ui.cli.writing import refuse_to_overwrite
from outflank.words import how_many

if TYPE_CHECKING:
    from outflank.ui.cli.solve_documents import WrittenProof


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """A proof in its file."""

    file: str
    bytes: int
    moves: int
    leaf: int
    nodes: int
    seconds: float

    @property
    def told(self) -> str:
        """In a sentence."""
        return (
            f"proof in {self.file}: {how_many(self.moves, 'move')} of both sides, {self.bytes:,} bytes, "
            f"{self.seconds:.2f} s, {scaled(self.nodes)} nodes; `outflank proof check` checks it"
        )

    @property
    def document(self) -> "WrittenProof":
        """For `--json`."""
        from outflank.ui.cli.solve_documents import WrittenProof

        return WrittenProof(
            file=self.file,
            bytes=self.bytes,
            moves=self.moves,
            leaf=self.leaf,
            nodes=self.nodes,
            seconds=round(self.seconds, 6),
        )


class Proof:
    """What is asked with `--proof`. The search that solves and the one that finds the proof share a table."""

    def __init__(self, file: str, *, leaf: int | None, force: bool, table_bits: int, workers: int | None) -> None:
        refuse_to_overwrite([file], force=force)
        if table_bits == 0:
            raise OutflankError("--proof needs what the table knows: --table-bits must not be 0")
        self.file, self.leaf, self.table_bits, self.workers = file, leaf, table_bits, workers

    def check_asked(self, boards: Sequence[Board[Any]], *, wld: bool, cluster: bool) -> None:
        """Refuse what no proof can be written of, before anything is searched."""
        if len(boards) > 1:
            raise OutflankError(f"--proof is of one position, and there are {len(boards)}; --number N chooses one")
        for given, option in ((wld, "--wld"), (cluster, "--cluster")):
            if given:
                raise OutflankError(f"--proof is of a score that is solved here: not beside {option}")
        description = description_of(boards[0].game)
        if description.plain_rules is None:
            raise OutflankError(f"--proof: there are no rules of {description.title} to check a proof by")

    @cached_property
    def table(self) -> Table:
        """What both searches know."""
        return Table(self.table_bits)

    @property
    def options(self) -> dict[str, Any]:
        """Of the search that solves."""
        return {"table": self.table, "canonical": True}  # a proof has each position once, as one of its mirror images

    def write(self, board: Board[Any], result: Result, stop: Stop, *, quiet: bool) -> Written | None:
        """Find the proof of a result and write it; None where that is not proved, or `stop` is called."""
        if result.value is None or not result.exact or stop.called:
            return None
        started = time.perf_counter()
        finder = Finder(board, table=self.table, workers=self.workers or all_cores())
        try:
            with progress_line(quiet=quiet) as tell:
                found = finder.prove(result.value, leaf=self.leaf, watch=tell, stop=stop)
        except Stopped:
            return None
        moves = sum(len(level) for strategy in found.strategies for level in strategy.moves.values())
        size = found.write(Path(self.file))
        seconds = time.perf_counter() - started
        return Written(
            file=self.file, bytes=size, moves=moves, leaf=found.strategies[0].leaf, nodes=finder.nodes, seconds=seconds
        )
