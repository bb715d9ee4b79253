"""Players that do not think: to play against, and to measure others with."""

from dataclasses import dataclass, field
from typing import Any

from outflank.boards import Board
from outflank.players.clock import Clock
from outflank.players.player import Choice, SimplePlayer
from outflank.players.random_streams import RandomStream
from outflank.search.contract import Stop


@dataclass(slots=True)
class First(SimplePlayer):
    """Takes the first legal move: report 001's player for counting nodes."""

    name: str = "first"

    def choose(self, board: Board[Any], clock: Clock, *, stop: Stop | None = None) -> Choice:
        """The first one."""
        return Choice(move=board.legal_moves[0])


@dataclass(slots=True)
class Random(SimplePlayer):
    """Takes any legal move; the same ones for the same seed, in every game of its own."""

    name: str = "random"
    seed: int = 1
    _stream: RandomStream = field(init=False)

    def __post_init__(self) -> None:
        self._stream = RandomStream(self.seed, "moves")

    def reseed(self, seed: int) -> None:
        """Draw other lots from now on."""
        self.seed = seed
        self._stream.reseed(seed)

    def new_game(self, board: Board[Any]) -> None:
        """Another game, other moves."""
        self._stream.new_game()

    def choose(self, board: Board[Any], clock: Clock, *, stop: Stop | None = None) -> Choice:
        """One of them."""
        return Choice(move=self._stream.chance.choice(board.legal_moves))
