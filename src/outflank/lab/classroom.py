"""The programs behind the reports, as searches of ours: the same rules, so that the same integers come out."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from outflank.boards import AbaloneBoard, OthelloBoard
from outflank.boards.board import Board
from outflank.games.sides import Side
from outflank.lab.searched import search
from outflank.search.contract import Limits, Result, Stop
from outflank.search.ordering import ordering_named
from outflank.search.probes import Counts

REPORT_000: dict[str, Any] = {
    "algorithm": "mtdf",
    "evaluation": "four-part",
    "ordering": "stones+squares",
    "step": 2,
    "table_bits": 22,
}
"""Report 000's program: MTD(f), its evaluation and ordering, iterations in steps of two."""

PROGRAM: dict[str, Any] = {"algorithm": "minimax", "evaluation": "discs", "deepen": False}
"""What the classroom program behind reports 002 and 004 searches."""


@dataclass(frozen=True, slots=True)
class Rules:
    """What one of its descendants does about passes and among equal moves."""

    passes: str
    ties: dict[Side, str]


RULES_002 = Rules("free", {Side.BLACK: "lowest", Side.WHITE: "lowest"})
RULES_004 = Rules("evaluated", {Side.BLACK: "highest", Side.WHITE: "lowest"})


class Stopped(Exception):
    """The game was broken off because its caller wanted so."""


def self_play(
    depth: int, rules: Rules, board: OthelloBoard, *, stop: Stop | None = None, **options: Any
) -> Iterator[Result]:
    """A game of the program against itself on `board`: what each turn's search found.

    Free passes are not searched, for the program of report 002 searches nothing then.
    """
    stop = stop or Stop()
    while not board.is_game_over():
        if rules.passes == "free" and board.legal_moves[0].is_pass:
            board.push("pass")
            continue
        found = search(
            board,
            Limits(depth=depth),
            stop=stop,
            in_game=True,
            **{"workers": 1, **PROGRAM, "passes": rules.passes, "ties": rules.ties[board.turn], **options},
        )
        if stop.called:
            raise Stopped
        board.push(str(found.move))
        yield found


def new_board() -> OthelloBoard:
    """The start of Othello, where a win is as large as its discs."""
    return OthelloBoard.start(scoring="discs")


def spawns_002(depth: int, **options: Any) -> int:
    """Legal moves of all nodes with three plies or more to go."""
    counts = Counts()
    for _ in self_play(depth, RULES_002, new_board(), instrument=counts, **options):
        pass
    return sum(counts.moves[3:])


def calls_and_turns_004(depth: int, **options: Any) -> tuple[int, int]:
    """Nodes with depth left, and turns."""
    counts, board = Counts(), new_board()
    for _ in self_play(depth, RULES_004, board, instrument=counts, **options):
        pass
    closing = closing_turns_004(board)
    return sum(counts.nodes[1:]) + closing, len(board.moves) + closing


def closing_turns_004(board: OthelloBoard) -> int:
    """Turns that the report's loop still counts at the end of a game: it ends with a round of two passes."""
    return 2 if board.turn is Side.BLACK else 1 if board.moves[-1].is_pass else 3


def final_discs(depth: int, rules: Rules, **options: Any) -> tuple[int, int]:
    """The program's last line: black's discs and white's."""
    board = new_board()
    for _ in self_play(depth, rules, board, **options):
        pass
    return board.discs(Side.BLACK), board.discs(Side.WHITE)


def lab_search_003(
    board: AbaloneBoard, depth: int, evaluation: str, *, share_alpha: bool, stop: Stop | None = None, **options: Any
) -> Result:
    """Report 003's: alpha-beta without table or iterations, moves by kind, a common alpha for root moves or none."""
    kinds = ordering_named(board.game, "kinds", from_depth=1)
    return search(
        board,
        Limits(depth=depth),
        stop=stop,
        algorithm="alphabeta",
        evaluation=evaluation,
        ordering=kinds,
        table_bits=None,
        deepen=False,
        share_alpha=share_alpha,
        **{"workers": 1, **options},
    )


def legal_count(board: Board[Any]) -> int:
    """Moves that the side to move can choose from; a forced pass is none."""
    return sum(not move.is_pass for move in board.legal_moves)
