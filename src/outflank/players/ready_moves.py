"""What a player does instead of searching: its memory of two turns ago, and what its game has ready."""

from dataclasses import replace
from typing import Any, Protocol

from outflank.boards import Board
from outflank.errors import InvalidOption, UnknownName
from outflank.games.description import GAMES, ReadyMoves, description_of
from outflank.players.player import Choice


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


class Ready:
    """The habit of playing what the game has ready."""

    def __init__(self, ready: ReadyMoves) -> None:
        self._ready = ready

    def new_game(self, board: Board[Any]) -> None:
        """There is nothing to forget."""

    def choose(self, board: Board[Any]) -> Choice | None:
        """Its move, if it has one here."""
        move = self._ready.choose(board)
        return None if move is None else Choice(move=move, why=self._ready.why)

    def played(self, board: Board[Any], choice: Choice) -> None:
        """It needs no memory."""


HABITS: dict[str, type[BoardCache]] = {"cache": BoardCache}
"""Those of any game's players."""


def habit_named(name: str, game: Any) -> Habit:
    """The habit called `name`."""
    if name in HABITS:
        return HABITS[name]()
    own = description_of(game).ready_moves
    if name in own:
        return Ready(own[name])
    others = {habit: each.title for each in GAMES.parts().values() for habit in each.ready_moves}
    if name not in others:
        raise UnknownName.among("habit", name, (*HABITS, *dict.fromkeys((*own, *others))))
    raise InvalidOption(f"{name} is a habit of {others[name]}'s players")
