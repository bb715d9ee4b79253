"""Moves without a search: remembered from two turns ago, or from the game's own ready moves."""

from dataclasses import replace
from typing import Protocol

from outflank.boards import Board
from outflank.errors import InvalidOption, UnknownName
from outflank.games.defaults import ReadyMoves
from outflank.games.description import GAMES, description_of
from outflank.games.rules import Game
from outflank.players.player import Choice


class Habit(Protocol):
    """Chooses a move without a search in some positions."""

    def new_game(self, board: Board) -> None:
        """Forget the last game."""

    def choose(self, board: Board) -> Choice | None:
        """Return a move; None: the player must search."""

    def played(self, board: Board, choice: Choice) -> None:
        """Record the move that the player chose by a search."""


class BoardCache:
    """Report 003's habit: in a position that occurred two turns ago, play the same move again."""

    BOARDS = 2
    """Number of boards that are remembered."""

    def __init__(self) -> None:
        self._seen: list[tuple[Board, Choice]] = []

    def new_game(self, board: Board) -> None:
        """Forget all boards."""
        self._seen.clear()

    def choose(self, board: Board) -> Choice | None:
        """Return the earlier move, if the board is the same."""
        for before, choice in self._seen:
            if before == board and choice.move in board.legal_moves:
                return replace(choice, why="seen before")
        return None

    def played(self, board: Board, choice: Choice) -> None:
        """Remember the board; the last two are remembered, as in the report."""
        self._seen = [*self._seen, (board.copy(), choice)][-self.BOARDS :]


class ReadyMoveHabit:
    """The habit of playing the game's own ready moves."""

    def __init__(self, ready: ReadyMoves) -> None:
        self._ready = ready

    def new_game(self, board: Board) -> None:
        """Do nothing: there is nothing to forget."""

    def choose(self, board: Board) -> Choice | None:
        """Return the ready move in this position, if there is one."""
        move = self._ready.choose(board)
        return None if move is None else Choice(move=move, why=self._ready.why)

    def played(self, board: Board, choice: Choice) -> None:
        """Do nothing: ready moves need no memory."""


HABITS: dict[str, type[BoardCache]] = {"cache": BoardCache}
"""Habits of players of any game."""


def habit_named(name: str, game: Game) -> Habit:
    """Return the habit called `name`."""
    if name in HABITS:
        return HABITS[name]()
    own = description_of(game).play.ready_moves
    if name in own:
        return ReadyMoveHabit(own[name])
    others = {habit: other.title for other in GAMES.parts().values() for habit in other.play.ready_moves}
    if name not in others:
        raise UnknownName.among("habit", name, (*HABITS, *dict.fromkeys((*own, *others))))
    raise InvalidOption(f"{name} is a habit of {others[name]}'s players")
