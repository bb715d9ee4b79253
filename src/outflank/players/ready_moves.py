"""Habits that choose a move without a search: repeating an earlier move, or a move from the game's description."""

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
        """Return a move; None if the player must search."""

    def played(self, board: Board, choice: Choice) -> None:
        """Record the move that the player chose by a search."""


class BoardCache:
    """Habit of report 003's program: in a position of one of its last two searches, it plays the same move again."""

    BOARDS = 2
    """Number of positions, the last ones searched, whose moves are remembered."""

    def __init__(self) -> None:
        self._seen: list[tuple[Board, Choice]] = []

    def new_game(self, board: Board) -> None:
        self._seen.clear()

    def choose(self, board: Board) -> Choice | None:
        for before, choice in self._seen:
            if before == board and choice.move in board.legal_moves:
                return replace(choice, why="seen before")
        return None

    def played(self, board: Board, choice: Choice) -> None:
        self._seen = [*self._seen, (board.copy(), choice)][-self.BOARDS :]


class ReadyMoveHabit:
    """Plays moves that the game's description defines for some positions (its ready moves)."""

    def __init__(self, ready: ReadyMoves) -> None:
        self._ready = ready

    def new_game(self, board: Board) -> None:
        """Do nothing: there is nothing to forget."""

    def choose(self, board: Board) -> Choice | None:
        """Return the move that the game's description defines for this position; None if there is none."""
        move = self._ready.choose(board)
        return None if move is None else Choice(move=move, why=self._ready.why)

    def played(self, board: Board, choice: Choice) -> None:
        """Do nothing: moves of the game's description need no memory."""


HABITS: dict[str, type[BoardCache]] = {"cache": BoardCache}
"""Habits that players of any game can have, by name."""


def habit_named(name: str, game: Game) -> Habit:
    """Return a new habit called `name`: one of `HABITS`, or one that only this game has."""
    if name in HABITS:
        return HABITS[name]()
    own = description_of(game).play.ready_moves
    if name in own:
        return ReadyMoveHabit(own[name])
    others = {habit: other.title for other in GAMES.parts().values() for habit in other.play.ready_moves}
    if name not in others:
        raise UnknownName.among("habit", name, (*HABITS, *dict.fromkeys((*own, *others))))
    raise InvalidOption(f"{name} is a habit of {others[name]}'s players")
