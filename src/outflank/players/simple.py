"""Players that do not search: opponents for people, and a baseline for measurements."""

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
        """Return the first legal move."""
        return Choice(move=board.legal_moves[0])


@dataclass(slots=True)
class Random(SimplePlayer):
    """Takes random legal moves: the same for the same seed, and different in every game."""

    name: str = "random"
    seed: int = 1
    _stream: RandomStream = field(init=False)

    def __post_init__(self) -> None:
        self._stream = RandomStream(self.seed, "moves")

    def reseed(self, seed: int) -> None:
        """Continue with another seed."""
        self.seed = seed
        self._stream.reseed(seed)

    def new_game(self, board: Board[Any]) -> None:
        """Begin the random stream of the next game."""
        self._stream.new_game()

    def choose(self, board: Board[Any], clock: Clock, *, stop: Stop | None = None) -> Choice:
        """Return a random legal move."""
        return Choice(move=self._stream.rng.choice(board.legal_moves))
