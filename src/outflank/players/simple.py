"""Players that do not think: to play against, and to measure others with."""

import random
from dataclasses import dataclass, field
from typing import Any

from outflank.boards import Board
from outflank.players.clock import Clock
from outflank.players.player import Choice, SimplePlayer
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
    _games: int = 0
    _random: random.Random = field(default_factory=random.Random)

    def __post_init__(self) -> None:
        self._random.seed(self.seed)

    def reseed(self, seed: int) -> None:
        """Begin anew from another seed: a match gives every game its own, whoever plays it."""
        self.seed, self._games = seed, 0

    def new_game(self, board: Board[Any]) -> None:
        """Another game, other moves."""
        self._games += 1
        self._random.seed(f"{self.seed}/{self._games}")

    def choose(self, board: Board[Any], clock: Clock, *, stop: Stop | None = None) -> Choice:
        """One of them."""
        return Choice(move=self._random.choice(board.legal_moves))
