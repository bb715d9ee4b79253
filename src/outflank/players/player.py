"""The interface of players, which choose a move given a board and a clock; and levels of play."""

from dataclasses import dataclass, field
from math import isfinite
from typing import Protocol

from outflank.boards import Board, Move
from outflank.errors import InvalidOption, OutflankError
from outflank.games.defaults import Level
from outflank.games.description import description_of
from outflank.games.evaluation import unit_scale
from outflank.games.rules import Game
from outflank.games.scores import Scale
from outflank.players.clock import Clock
from outflank.search.request import Stop


def level_of(game: Game, number: int) -> Level:
    """Return the game's level of play with this number, counted from 1."""
    levels = description_of(game).play.levels
    if not 1 <= number <= len(levels):
        raise InvalidOption(f"level={number}: 1 to {len(levels)}")
    return levels[number - 1]


def exact_moves_for_depth(game: Game, depth: int) -> int:
    """Return the number of moves left at which a player with this search depth begins to play exactly.

    A user who sets a depth does not want to wait for an exact search that takes longer than a search of that depth.
    """
    play = description_of(game).play
    if play.exact_moves_for_depth is not None:
        return play.exact_moves_for_depth(depth)
    within = [level for level in play.levels if level.depth <= depth] or [play.levels[0]]
    return max(within, key=lambda level: (level.depth, level.exact)).exact


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """A move that a player chose, with the value, depth and line that the player reports."""

    move: Move
    value: float | None = None
    """Value of the position for the mover, on the player's scale; None if not reported."""
    scale: Scale | None = None
    """Scale of the value; None if the value is in the unit of the game's scores."""
    depth: int = 0
    """Depth of the search, in plies."""
    nodes: int = 0
    exact: bool = False
    """Whether the value assumes perfect play."""
    line: tuple[Move, ...] = ()
    """Expected line of play, beginning with the move itself."""
    why: str = ""
    """Reason for a move that no finished search chose, such as `book`, `only move` or `no time`; else empty."""

    def value_text(self, game: Game) -> str:
        """Return the value as text for display; empty if there is none."""
        return "" if self.value is None else (self.scale or unit_scale(game)).text(self.value, exact=self.exact)

    def value_as_score(self, game: Game) -> float | None:
        """Return the value in the unit of the game's scores, as in records; None if the value has another unit."""
        if not isinstance(self.value, int | float) or not isfinite(self.value):
            return None
        scale = self.scale or unit_scale(game)
        in_unit = scale.unit == description_of(game).scores.unit or scale.is_final(self.value)
        return round(scale.number(self.value), 2) if in_unit else None


class PlayerFailed(Exception):
    """A player cannot go on, for example because it has crashed, broken its protocol, or made an illegal move.

    Its opponent wins the game; a match goes on.
    """


class Player(Protocol):
    """A player of one side of a game. It must not change the boards that it receives."""

    name: str

    def choose(self, board: Board, clock: Clock, *, stop: Stop | None = None) -> Choice:
        """Return a move for the side to move, which has at least one legal move. May raise `PlayerFailed`.

        The clock is already running, and a player that runs out of time has lost. Once `stop` is called, the player
        answers at once.
        """

    def ponder(self, board: Board, *, stop: Stop) -> None:
        """Think on the opponent's time until `stop` is called; on `board` the opponent is to move."""

    def new_game(self, board: Board) -> None:
        """Forget the last game; the next one starts from `board`."""

    def close(self) -> None:
        """Release the threads, tables and processes of the player."""


def try_out(player: Player, board: Board, words: str) -> None:
    """Call the player's method `check`, if any; raise an error if the player cannot play from `board`.

    This is called before a game, so that a player that cannot work causes one error, instead of losing game after game.
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
    """Base class of players that neither ponder nor hold resources."""

    name: str = field(default="")

    def ponder(self, board: Board, *, stop: Stop) -> None:
        """Do nothing."""

    def new_game(self, board: Board) -> None:
        """Do nothing: there is nothing to forget."""

    def close(self) -> None:
        """Do nothing: there is nothing to release."""
