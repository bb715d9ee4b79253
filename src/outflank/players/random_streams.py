"""Random numbers of players: the same for the same seed, and different in every game."""

import random


class RandomStream:
    """A random stream for a seed and a purpose, which begins anew with every game."""

    def __init__(self, seed: int, purpose: str) -> None:
        self._purpose = purpose
        self.rng = random.Random()
        """The generator to draw from."""
        self.reseed(seed)

    def reseed(self, seed: int) -> None:
        """Begin anew from another seed: a match gives every game a seed of its own."""
        self.seed, self._games = seed, 0
        self._begin()

    def new_game(self) -> None:
        """Begin the stream of the next game."""
        self._games += 1
        self._begin()

    def _begin(self) -> None:
        self.rng.seed(f"{self.seed}/{self._purpose}/{self._games}")
