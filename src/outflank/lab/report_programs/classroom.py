"""The published reports' programs as searches of this package, with the same rules, so that all counts are equal."""

from collections.abc import Iterator
from typing import Any

from outflank.abalone.board import AbaloneBoard
from outflank.abalone.positions import POSITIONS, SETS
from outflank.abalone.programs import PROGRAM_003
from outflank.boards.board import Board
from outflank.games.defaults import ReportProgram
from outflank.games.sides import Side
from outflank.lab.measuring.search_log import search
from outflank.othello.board import OthelloBoard
from outflank.othello.programs import CLASSROOM, PROGRAMS, SERIAL_PLY_002
from outflank.search.keywords import SearchArguments
from outflank.search.probes import Counts
from outflank.search.request import Limits, Stop
from outflank.search.results import Result

REPORT_000: SearchArguments = dict(PROGRAMS["000"].search)
"""Search options of report 000's program: MTD(f), its evaluation and ordering, iterations in steps of two plies."""

PROGRAM = CLASSROOM
RULES_002, RULES_004 = PROGRAMS["002"], PROGRAMS["004"]
"""The programs of reports 002 and 004, with their rules for passes and for moves of equal value."""


class BrokenOff(Exception):
    """Raised if the caller's `Stop` ends a game or a measurement early."""


def self_play(
    depth: int, program: ReportProgram, board: OthelloBoard, *, stop: Stop | None = None, **options: Any
) -> Iterator[Result]:
    """Play the program against itself on `board`, and yield the search result of each turn.

    Passes that cost no ply are not searched, as in the program of report 002.
    """
    stop = stop or Stop()
    while not board.is_game_over:
        if program.search["passes"] == "free" and board.legal_moves[0].is_pass:
            board.push("pass")
            continue
        result = search(
            board,
            Limits(depth=depth),
            stop=stop,
            in_game=True,
            **{"workers": 1, **program.search_options(board.turn), **options},
        )
        if stop.called:
            raise BrokenOff
        board.push(str(result.move))
        yield result


def new_board() -> OthelloBoard:
    """Return the start position of Othello, with disc-difference scoring."""
    return OthelloBoard.start(scoring="discs")


def spawns_002(depth: int, **options: Any) -> int:
    """Return the number of spawns in a game of report 002's program.

    The program spawns every move of a node with at least 3 plies left.
    """
    counts = Counts()
    for _ in self_play(depth, RULES_002, new_board(), instrument=counts, **options):
        pass
    return sum(counts.moves[SERIAL_PLY_002 + 1 :])


def calls_and_turns_004(depth: int, **options: Any) -> tuple[int, int]:
    """Play a game of report 004's program. Return the numbers of nodes with at least one ply left, and of turns."""
    counts, board = Counts(), new_board()
    for _ in self_play(depth, RULES_004, board, instrument=counts, **options):
        pass
    closing = closing_turns_004(board)
    return sum(counts.nodes[1:]) + closing, len(board.moves) + closing


def lab_positions() -> dict[str, AbaloneBoard]:
    """Return the positions of report 003's measurements (the set `laboratory`), by name."""
    return {name: POSITIONS[name]() for name in SETS["laboratory"]}


def closing_turns_004(board: OthelloBoard) -> int:
    """Return the number of turns after the last move in report 004's program. Its loop ends after a round of passes."""
    return 2 if board.turn is Side.BLACK else 1 if board.moves[-1].is_pass else 3


def final_discs(depth: int, program: ReportProgram, **options: Any) -> tuple[int, int]:
    """Play a game of `program` against itself, and return the final numbers of black and of white discs."""
    board = new_board()
    for _ in self_play(depth, program, board, **options):
        pass
    return board.discs(Side.BLACK), board.discs(Side.WHITE)


def lab_search_003(
    board: AbaloneBoard, depth: int, evaluation: str, *, share_alpha: bool, stop: Stop | None = None, **options: Any
) -> Result:
    """Run the search of report 003's program. With `share_alpha`, root moves share the lower bound of the window."""
    settings = {**PROGRAM_003.search, "evaluation": evaluation, "share_alpha": share_alpha, "workers": 1, **options}
    return search(board, Limits(depth=depth), stop=stop, **settings)


def legal_count(board: Board) -> int:
    """Return the number of legal moves. A forced pass does not count."""
    return sum(not move.is_pass for move in board.legal_moves)
