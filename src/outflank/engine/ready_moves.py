"""What a player does instead of searching: report 003's openings, its mirror, and its memory of two turns ago."""

from dataclasses import replace
from typing import Any, Protocol

from outflank.abalone.board import AbaloneBoard
from outflank.abalone.geometry import cell_name
from outflank.abalone.rules import Abalone
from outflank.boards import Board, Move
from outflank.engine.player import Choice
from outflank.errors import InvalidOption, UnknownName


class Habit(Protocol):
    """Names a move now and then."""

    def new_game(self, board: Board[Any]) -> None:
        """Forget."""

    def choose(self, board: Board[Any]) -> Choice | None:
        """A move, or None: search."""

    def played(self, board: Board[Any], choice: Choice) -> None:
        """What the player chose here by itself."""


class BoardCache:
    """Report 003's: a position that was there two turns ago gets the move that it got then."""

    KEPT = 2
    """Boards."""

    def __init__(self) -> None:
        self._seen: list[tuple[Board[Any], Choice]] = []

    def new_game(self, board: Board[Any]) -> None:
        """Nothing has been seen."""
        self._seen.clear()

    def choose(self, board: Board[Any]) -> Choice | None:
        """The move of then, if it is the same board."""
        for before, choice in self._seen:
            if before == board and choice.move in board.legal_moves:
                return replace(choice, why="seen before")
        return None

    def played(self, board: Board[Any], choice: Choice) -> None:
        """Two boards are kept, as there."""
        self._seen = [*self._seen, (board.copy(), choice)][-self.KEPT :]


class FixedOpening:
    """Report 003's idea: the first two moves are known, and take no time. They are those of a deep search of ours."""

    MOVES = ("A1B2", "B1C2"), ("I9H8", "H9G8")
    """Black's first two and white's, from the standard start: columns towards the centre."""

    def new_game(self, board: Board[Any]) -> None:
        """There is nothing to forget."""

    def choose(self, board: Board[Any]) -> Choice | None:
        """The next of the two, as long as it is legal and the game began at the standard start."""
        if board.ply >= 4 or len(board.moves) != board.ply:
            return None
        start = board.copy()
        while start.moves:
            start.pop()
        if start != AbaloneBoard.start():
            return None
        text = self.MOVES[board.ply % 2][board.ply // 2]
        for move in board.legal_moves:
            if str(move).upper() == text:
                return Choice(move=move, why="opening")
        return None

    def played(self, board: Board[Any], choice: Choice) -> None:
        """It knows its moves."""


class Mirror:
    """Report 003's other idea: answer with the opponent's move turned about the centre, in the opening."""

    PLIES = 12

    def new_game(self, board: Board[Any]) -> None:
        """There is nothing to forget."""

    def choose(self, board: Board[Any]) -> Choice | None:
        """The opponent's last move as it looks from the other side, if it is legal."""
        if board.ply > self.PLIES or not board.moves:
            return None
        wanted = _turned(board.moves[-1])
        for move in board.legal_moves:
            if _cells(move) == wanted:
                return Choice(move=move, why="mirror")
        return None

    def played(self, board: Board[Any], choice: Choice) -> None:
        """It needs no memory."""


def _cells(move: Move) -> tuple[str, ...]:
    """The cells that a move's text names."""
    text = str(move).upper()
    return tuple(text[place : place + 2] for place in range(0, len(text), 2))


def _turned(move: Move) -> tuple[str, ...]:
    """The same, half a turn about the centre, E5."""
    return tuple(cell_name((8 - (ord(cell[0]) - ord("A")), 8 - (int(cell[1]) - 1))).upper() for cell in _cells(move))


HABITS: dict[str, type[Habit]] = {"cache": BoardCache, "fixed-opening": FixedOpening, "mirror": Mirror}


def habit_named(name: str, game: Any) -> Habit:
    """The habit called `name`."""
    if name not in HABITS:
        raise UnknownName.among("habit", name, HABITS)
    if name != "cache" and not isinstance(game, Abalone):
        raise InvalidOption(f"{name} is a habit of Abalone's players")
    return HABITS[name]()
