"""What a player is: something that, given a board and a clock, names a move."""

from dataclasses import dataclass, field
from math import isfinite
from typing import Any, Protocol

from outflank.boards import Board, Move
from outflank.errors import OutflankError
from outflank.games.description import unit_of
from outflank.games.evaluation import counted
from outflank.games.units import Scale
from outflank.players.clock import Clock
from outflank.search.contract import Stop


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """A move, and what its player has to say about it."""

    move: Move
    value: float | None = None
    """What the position is worth to the mover, as the player counts; None: it has not said."""
    scale: Scale | None = None
    """How the value is to be read; None: it counts what the game's scores do."""
    depth: int = 0
    """Plies that it looked ahead."""
    nodes: int = 0
    exact: bool = False
    """Whether the value is that of perfect play."""
    line: tuple[Move, ...] = ()
    """The moves it expects, its own first."""
    why: str = ""
    """In a word: `book`, `seen before`, `only move`; empty for a search."""

    def value_text(self, game: Any) -> str:
        """The value as people read it; nothing if there is none."""
        return "" if self.value is None else (self.scale or counted(game)).text(self.value, exact=self.exact)

    def value_as_score(self, game: Any) -> float | None:
        """The value in what the game's scores count, as records have it; None where it is counted in something else."""
        if not isinstance(self.value, int | float) or not isfinite(self.value):
            return None
        scale = self.scale or counted(game)
        in_unit = scale.unit == unit_of(game).name or scale.is_final(self.value)
        return round(scale.number(self.value), 2) if in_unit else None


class PlayerFailed(Exception):
    """A player cannot go on: it has crashed, broken its protocol, or named a move that is none.

    Whoever plays against it has won; a match goes on.
    """


class Player(Protocol):
    """One side of a game. It never moves on the board that it is given."""

    name: str

    def choose(self, board: Board[Any], clock: Clock, *, stop: Stop | None = None) -> Choice:
        """The move of the side to move; at least one is legal. May raise `PlayerFailed`.

        The clock runs already: a player that uses up its time has lost. Once `stop` is called it answers at once.
        """

    def ponder(self, board: Board[Any], *, stop: Stop) -> None:
        """Think while the opponent does, `board` being the opponent's to move, until `stop` is called."""

    def new_game(self, board: Board[Any]) -> None:
        """Forget the game before; the next one starts here."""

    def close(self) -> None:
        """Give back what it holds: threads, tables, processes."""


def try_out(player: Player, board: Board[Any], words: str) -> None:
    """See that the player with these words can play from this board, where it has a method `check(board)` that tells.

    Asked before a game: what cannot work is an error in a line, and not a game lost after the other.
    """
    check = getattr(player, "check", None)
    if check is None:
        return
    try:
        check(board)
    except (PlayerFailed, OutflankError) as failure:
        raise OutflankError(f"{words}: {failure}") from None


@dataclass(slots=True)
class SimplePlayer:
    """What players have in common that neither ponder nor hold anything."""

    name: str = field(default="")

    def ponder(self, board: Board[Any], *, stop: Stop) -> None:
        """It does not."""

    def new_game(self, board: Board[Any]) -> None:
        """There is nothing to forget."""

    def close(self) -> None:
        """There is nothing to give back."""
