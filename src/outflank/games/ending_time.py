"""How long endings of a game take to be played out, by which players and reviews decide where that begins."""

from dataclasses import dataclass
from math import floor, log


@dataclass(frozen=True, slots=True)
class EndingTime:
    """What playing a position out takes on two cores, on average: the time for so many moves left, and the factor for
    one more."""

    moves: int = 14
    seconds: float = 0.06
    growth: float = 2.2

    def expected(self, moves: int) -> float:
        """Seconds, with so many moves left."""
        return float(self.seconds * self.growth ** (moves - self.moves))

    def moves_within(self, seconds: float) -> int:
        """The most moves left that are expected to take no longer."""
        return max(0, self.moves + floor(log(seconds / self.seconds) / log(self.growth)))


USUAL = EndingTime()
"""Of a game that says nothing."""
