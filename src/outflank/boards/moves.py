"""Moves as values: a code for the kernels, a text for people."""

from dataclasses import dataclass
from functools import total_ordering


@total_ordering
@dataclass(frozen=True, slots=True, repr=False)
class Move:
    """A move of any game; its text is its code unless the game overrides it."""

    code: int
    """The code of the move in kernels."""

    def __str__(self) -> str:
        return str(self.code)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self}>"

    def __lt__(self, other: object) -> bool:
        return self.code < other.code if isinstance(other, Move) else NotImplemented
