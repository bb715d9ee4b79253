"""Whole games as measurements. The published reports 002 and 004 time a game of their program against itself."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Unpack

from outflank.boards import Board
from outflank.errors import InvalidOption, UnknownName
from outflank.games.defaults import ReportProgram
from outflank.games.description import description_of
from outflank.games.rules import is_pass
from outflank.lab.measuring.search_log import search
from outflank.lab.report_programs.classroom import BrokenOff, new_board, self_play
from outflank.othello.board import OthelloBoard
from outflank.othello.programs import PROGRAMS
from outflank.search.keywords import OptionKeywords
from outflank.search.request import Limits, Stop
from outflank.search.results import Result, WorkerStatistics

MOST_TURNS = 120
"""Number of turns after which a game is stopped, because some games never end."""


REPORTS = ("002", "004")
"""Published reports with a program that can play a whole game."""

PLAYING = (*REPORTS, "self")

WHOLE_GAME = (
    "Time whole games of a program against itself: 002 or 004 (those reports' minimax, from the start), or self (what "
    "is chosen here, from each position)."
)
"""Help text of `--whole-game`."""


def check_playing(whole_game: str | None, game: str, positions: tuple[str, ...] | None) -> None:
    """Raise an error if the game that `whole_game` names cannot be played with the other options."""
    if whole_game is None:
        return
    if whole_game not in PLAYING:
        raise UnknownName.among("game", whole_game, PLAYING)
    if whole_game in REPORTS:
        description = description_of(new_board().game)
        if game != description.name:
            raise InvalidOption(f"game={game}: report {whole_game} plays {description.title}")
        if positions is not None:
            raise InvalidOption(f"positions={','.join(positions)}: report {whole_game} plays from the start")


def first_board(whole_game: str | None, board: Board) -> Board:
    """Return the initial position of a timed game: the start, if a report's program plays it, or else `board`."""
    return new_board() if whole_game in REPORTS else board


def play(whole_game: str, board: Board, depth: int, stop: Stop, **options: Unpack[OptionKeywords]) -> Iterator[Result]:
    """Play the game that `whole_game` names on `board`, and yield the search result of each turn."""
    if whole_game in REPORTS:
        assert isinstance(board, OthelloBoard)  # guaranteed by `first_board`
        yield from self_play(depth, PROGRAMS[whole_game], board, stop=stop, **options)
        return
    for _ in range(MOST_TURNS):
        if board.is_game_over:
            return
        if is_pass(board.game, board.legal_moves[0].code):
            board.push(board.legal_moves[0])
            continue
        result = search(board, Limits(depth=depth), stop=stop, in_game=True, **options)
        if stop.called:
            raise BrokenOff
        board.push(str(result.move))
        yield result


def program_of(whole_game: str | None) -> ReportProgram | None:
    """Return the program of the report that `whole_game` names, or None for the user's own search."""
    return PROGRAMS[whole_game] if whole_game in REPORTS else None


def combined_result(turns: list[Result], seconds: float) -> Result:
    """Return all turns of a game as one result, with summed counts, and the value and move of the last turn."""
    workers: tuple[WorkerStatistics, ...] = ()
    for turn in turns:
        workers = WorkerStatistics.summed(workers, turn.workers) if workers else turn.workers
    return replace(
        turns[-1],
        seconds=seconds,
        nodes=sum(turn.nodes for turn in turns),
        leaves=sum(turn.leaves for turn in turns),
        lookups=sum(turn.lookups for turn in turns),
        hits=sum(turn.hits for turn in turns),
        workers=workers,
    )
