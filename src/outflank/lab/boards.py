"""The positions that experiments search when nothing else is said."""

from importlib.resources import files
from typing import Any

from outflank.boards import AbaloneBoard, Board, OthelloBoard
from outflank.errors import InvalidOption

MIDGAME_LINE = "------------XO-----OOOX---XOOOX--XOXXOX--OOOXX-----XXX----X----- X"


def othello_start() -> OthelloBoard:
    """The start of Othello."""
    return OthelloBoard.start()


def othello_midgame() -> OthelloBoard:
    """Report 000's picture of its mid-game board is lost: this one is from a tournament game, after 22 moves."""
    return OthelloBoard.from_line(MIDGAME_LINE)


def lab_positions() -> dict[str, AbaloneBoard]:
    """The positions of report 003: the start of Abalone, and those of its laboratory."""
    found = {"start": AbaloneBoard.start()}
    for name in ("midgame1", "midgame2", "endgame"):
        text = (files("outflank") / "lab" / "positions" / f"{name}.position").read_text()
        board = Board.from_text(text)
        assert isinstance(board, AbaloneBoard)
        found[name] = board
    return found


GAMES = ("othello", "abalone")


def chosen_board(game: str, position: str | None) -> Board[Any]:
    """The position that is asked for, which must be one of the game; without one, the game's own mid-game board."""
    if game not in GAMES:
        raise InvalidOption(f"game={game!r}: {' or '.join(GAMES)}")
    if position is None:
        return othello_midgame() if game == "othello" else lab_positions()["midgame1"]
    board: Board[Any] = Board.from_text(position)
    found = type(board.game).__name__.lower()
    if found != game:
        raise InvalidOption(f"game={game}, but the position is one of {found}: {position}")
    return board
