"""RandomStream that players draw: the same ones for the same seed, and others in every game."""

import random


class RandomStream:
    """A stream of chance, by a seed and what it is drawn for, that begins anew with every game."""

    def __init__(self, seed: int, about: str) -> None:
        self._about = about
        self.chance = random.Random()
        """What is drawn from."""
        self.reseed(seed)

    def reseed(self, seed: int) -> None:
        """Begin anew from another seed: a match gives every game its own, whoever plays it."""
        self.seed, self._games = seed, 0
        self._begin()

    def new_game(self) -> None:
        """Another game, other lots."""
        self._games += 1
        self._begin()

    def _begin(self) -> None:
        self.chance.seed(f"{self.seed}/{self._about}/{self._games}")
