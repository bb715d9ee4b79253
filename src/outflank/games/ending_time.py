"""The time that exact endgames of a game take, by which players and reviews decide where exact play begins."""

from dataclasses import dataclass
from math import floor, log


@dataclass(frozen=True, slots=True)
class EndingTime:
    """The mean time to solve a position on two cores: `seconds` with `moves` moves left, times `growth` for each
    further move."""

    moves: int = 14
    seconds: float = 0.06
    growth: float = 2.2

    def expected(self, moves: int) -> float:
        """Return the expected seconds with `moves` moves left."""
        return float(self.seconds * self.growth ** (moves - self.moves))

    def moves_within(self, seconds: float) -> int:
        """Return the largest number of moves left whose expected time is at most `seconds`."""
        return max(0, self.moves + floor(log(seconds / self.seconds) / log(self.growth)))


USUAL = EndingTime()
"""The default of a game that sets none."""
