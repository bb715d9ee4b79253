"""JSON documents that `outflank solve --json` prints."""

from collections.abc import Mapping, Sequence

from msgspec import UNSET, Struct, UnsetType

from outflank.boards import Board
from outflank.search.results import Result
from outflank.search.saving import Saving
from outflank.ui.cli.shared.json_documents import ValuedMove
from outflank.ui.cli.shared.position_options import game_name
from outflank.ui.cli.solving.expected_scores import Difference
from outflank.validation.documents import Document


class DifferenceDocument(Struct, frozen=True, kw_only=True):
    """Move for which the file of positions states a score that the proof contradicts."""

    move: str
    expected: int
    proved: int | None
    """Proved score or upper bound, or null if the move is not legal."""
    at_most: bool
    """True if `proved` is an upper bound, namely the score of the best move, and not the exact score."""


class WrittenProof(Struct, frozen=True, kw_only=True):
    """Proof that was written to a file."""

    file: str
    bytes: int
    moves: int
    """Number of moves in the strategies of both sides."""
    leaf: int
    """Number of moves left in the positions at which the strategies end."""
    nodes: int
    seconds: float


class SolveDocument(Document, frozen=True, kw_only=True, tag="outflank/solve/1"):
    """Proved score of a position, or the bounds that are proved so far."""

    number: int
    """Number of the position in the command's input, from 1. Unreadable lines are not counted."""
    game: str
    position: str
    depth: int | None
    """Maximum number of moves left in the position's game, or null if there is no limit."""
    value: int | None
    """Final score under perfect play for the side to move (1, 0 or -1 with `--wld`), or null if it is not proved."""
    move: str | None
    pv: list[str]
    nodes: int
    seconds: float
    nodes_per_second: int
    exact: bool
    """Whether the position's score is proved."""
    wld: bool
    """Whether only win, draw or loss was requested."""
    lower: int | None
    """Proved lower bound of the position's score, or null."""
    upper: int | None
    stopped: bool
    moves: list[ValuedMove]
    """With `--moves`, all legal moves with proved scores, otherwise the best move. Empty if the score is not proved."""
    unit: str
    expected: dict[str, int]
    """Scores of moves that are stated in the file of positions."""
    differences: list[DifferenceDocument]
    scheme: str | None
    workers: int
    table_bytes: int
    worker_bytes: int
    nodes_before: int
    """Number of nodes in earlier runs that this run resumed (`--save`). `nodes` and `seconds` count only this run."""
    seconds_before: float
    device: str = "cpu"
    """Device that solved the position: `cpu`, `gpu`, or `gpu+cpu` if the GPU was lost and the CPU took over. A GPU
    solves many positions together, and the total nodes and seconds are divided equally among these positions."""
    proof: WrittenProof | UnsetType = UNSET
    """The proof that was written, with `--proof` and a proved score."""

    @classmethod
    def of(
        cls,
        board: Board,
        number: int,
        result: Result,
        *,
        depth: int | None,
        wld: bool,
        expected: Mapping[int, int],
        differing: Sequence[Difference],
        before: Saving | None,
        proof: WrittenProof | UnsetType = UNSET,
    ) -> "SolveDocument":
        """Return the document of a position, with its proved score or the bounds so far. Estimates are left out."""
        return cls(
            number=number,
            game=game_name(board.game),
            position=board.to_text(),
            depth=depth,
            value=result.value if result.exact else None,
            move=str(result.move) if result.move else None,
            pv=[str(move) for move in result.pv],
            nodes=result.nodes,
            seconds=round(result.seconds, 6),
            nodes_per_second=round(result.nodes_per_second),
            exact=result.exact,
            wld=wld,
            lower=result.lower,
            upper=result.upper,
            stopped=result.stopped,
            moves=[ValuedMove(move=str(entry.move), value=entry.value) for entry in result.best if result.exact],
            unit=result.scale.unit,
            expected={str(board.move(code)): score for code, score in expected.items()},
            differences=[
                DifferenceDocument(move=entry.move, expected=entry.expected, proved=entry.proved, at_most=entry.at_most)
                for entry in differing
            ],
            scheme=result.scheme,
            workers=max(len(result.workers), 1),
            table_bytes=result.table_bytes,
            worker_bytes=result.worker_bytes,
            nodes_before=0 if before is None else before.nodes_before,
            seconds_before=0.0 if before is None else round(before.seconds_before, 6),
            device=result.device,
            proof=proof,
        )


class SolveTotalDocument(Document, frozen=True, kw_only=True, tag="outflank/solve-total/1"):
    """Totals of all positions, printed after the last position."""

    positions: int
    proved: int
    differing: int
    """Number of positions for which a proof contradicts the expected scores."""
    unreadable: int
    """Number of lines or positions that could not be read."""
    nodes: int
    seconds: float
    nodes_per_second: int
    interrupted: bool
