"""The programs behind the reports, as searches of ours: the same rules, so that the same integers come out."""

from collections.abc import Iterator
from typing import Any

from outflank.abalone.board import AbaloneBoard
from outflank.abalone.positions import POSITIONS, SETS
from outflank.abalone.programs import PROGRAM_003
from outflank.boards.board import Board
from outflank.games.programs import ReportProgram
from outflank.games.sides import Side
from outflank.lab.search_log import search
from outflank.othello.board import OthelloBoard
from outflank.othello.programs import CLASSROOM, PROGRAMS, UNDIVIDED_002
from outflank.search.contract import Limits, Stop
from outflank.search.probes import Counts
from outflank.search.results import Result

REPORT_000: dict[str, Any] = dict(PROGRAMS["000"].search)
"""Report 000's program: MTD(f), its evaluation and ordering, iterations in steps of two."""

PROGRAM = CLASSROOM
RULES_002, RULES_004 = PROGRAMS["002"], PROGRAMS["004"]
"""What the two descendants of the classroom program do about passes and among equal moves."""


class BrokenOff(Exception):
    """The game was broken off because its caller wanted so."""


def self_play(
    depth: int, program: ReportProgram, board: OthelloBoard, *, stop: Stop | None = None, **options: Any
) -> Iterator[Result]:
    """A game of the program against itself on `board`: what each turn's search found.

    Free passes are not searched, for the program of report 002 searches nothing then.
    """
    stop = stop or Stop()
    while not board.is_game_over():
        if program.search["passes"] == "free" and board.legal_moves[0].is_pass:
            board.push("pass")
            continue
        found = search(
            board,
            Limits(depth=depth),
            stop=stop,
            in_game=True,
            **{"workers": 1, **program.searching(board.turn), **options},
        )
        if stop.called:
            raise BrokenOff
        board.push(str(found.move))
        yield found


def new_board() -> OthelloBoard:
    """The start of Othello, where a win is as large as its discs."""
    return OthelloBoard.start(scoring="discs")


def spawns_002(depth: int, **options: Any) -> int:
    """Legal moves of all nodes that it divides: those with three plies or more to go."""
    counts = Counts()
    for _ in self_play(depth, RULES_002, new_board(), instrument=counts, **options):
        pass
    return sum(counts.moves[UNDIVIDED_002 + 1 :])


def calls_and_turns_004(depth: int, **options: Any) -> tuple[int, int]:
    """Nodes with depth left, and turns."""
    counts, board = Counts(), new_board()
    for _ in self_play(depth, RULES_004, board, instrument=counts, **options):
        pass
    closing = closing_turns_004(board)
    return sum(counts.nodes[1:]) + closing, len(board.moves) + closing


def lab_positions() -> dict[str, AbaloneBoard]:
    """The positions of report 003: the start, and those of its laboratory."""
    return {name: POSITIONS[name]() for name in SETS["laboratory"]}


def closing_turns_004(board: OthelloBoard) -> int:
    """Turns that the report's loop still counts at the end of a game: it ends with a round of two passes."""
    return 2 if board.turn is Side.BLACK else 1 if board.moves[-1].is_pass else 3


def final_discs(depth: int, program: ReportProgram, **options: Any) -> tuple[int, int]:
    """The program's last line: black's discs and white's."""
    board = new_board()
    for _ in self_play(depth, program, board, **options):
        pass
    return board.discs(Side.BLACK), board.discs(Side.WHITE)


def lab_search_003(
    board: AbaloneBoard, depth: int, evaluation: str, *, share_alpha: bool, stop: Stop | None = None, **options: Any
) -> Result:
    """Report 003's search, with this evaluation, and with a common alpha for root moves or none."""
    chosen = {**PROGRAM_003.search, "evaluation": evaluation, "share_alpha": share_alpha, "workers": 1, **options}
    return search(board, Limits(depth=depth), stop=stop, **chosen)


def legal_count(board: Board[Any]) -> int:
    """Moves that the side to move can choose from; a forced pass is none."""
    return sum(not move.is_pass for move in board.legal_moves)
