"""What `outflank solve --json` prints."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import UNSET, Struct, UnsetType

from outflank.boards import Board
from outflank.documents import Document
from outflank.search.results import Result
from outflank.search.saving import Saving
from outflank.ui.cli.common import game_name
from outflank.ui.cli.documents import ValuedMove
from outflank.ui.cli.expected import Difference


class DifferenceDocument(Struct, frozen=True, kw_only=True):
    """A move that is not worth what the script says."""

    move: str
    expected: int
    found: int | None
    """Null: it is not legal."""
    at_most: bool
    """Whether `found` is what the best move is worth, and this one at most."""


class WrittenProof(Struct, frozen=True, kw_only=True):
    """The proof that was written."""

    file: str
    bytes: int
    moves: int
    """Of both strategies."""
    leaf: int
    """Moves left where they end."""
    nodes: int
    seconds: float


class SolveDocument(Document, frozen=True, kw_only=True, tag="outflank/solve/1"):
    """What is proved of a position."""

    number: int
    """Among those that can be read, from 1."""
    game: str
    position: str
    depth: int | None
    """Moves left, at most; null: there is no end to them."""
    value: int | None
    """The final score under perfect play, for the side to move, or with `--wld` 1, 0 or -1; null: it is not proved."""
    move: str | None
    pv: list[str]
    nodes: int
    seconds: float
    nodes_per_second: int
    exact: bool
    """Whether it is proved."""
    wld: bool
    """Whether only who wins was asked."""
    lower: int | None
    """What the score is at least, as far as it is known."""
    upper: int | None
    stopped: bool
    moves: list[ValuedMove]
    """With `--moves` all of them, otherwise the best one."""
    unit: str
    expected: dict[str, int]
    """What the script says of moves."""
    differences: list[DifferenceDocument]
    scheme: str | None
    workers: int
    table_bytes: int
    worker_bytes: int
    nodes_before: int
    """By the runs that this one went on with (`--save`); `nodes` and `seconds` are its own."""
    seconds_before: float
    device: str = "cpu"
    """Where it was solved: `cpu`, `gpu`, or `gpu+cpu` if the GPU was lost on the way and the CPU went on. Nodes and
    seconds of those that a GPU was asked for are shared out alike: it solves them side by side."""
    proof: WrittenProof | UnsetType = UNSET
    """With `--proof`, once the score is proved."""

    @classmethod
    def of(
        cls,
        board: Board[Any],
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
        """The proof of a board, or what there is of one; estimates are none of it."""
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
            moves=[ValuedMove(move=str(each.move), value=each.value) for each in result.best if result.exact],
            unit=result.scale.unit,
            expected={str(board.move(code)): score for code, score in expected.items()},
            differences=[
                DifferenceDocument(move=each.move, expected=each.expected, found=each.found, at_most=each.at_most)
                for each in differing
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
    """All positions together, at the end."""

    positions: int
    proved: int
    differing: int
    """Positions where a proof contradicts the script."""
    unreadable: int
    """Lines, or positions, that could not be read."""
    nodes: int
    seconds: float
    nodes_per_second: int
    interrupted: bool
