"""The side to move. Positions do not store it; the history of a game does."""

from enum import Enum


class Side(Enum):
    """Black or white; black moves first in both games."""

    BLACK = "black"
    WHITE = "white"

    @property
    def other(self) -> "Side":
        """The opponent.

        >>> Side.BLACK.other
        <Side.WHITE: 'white'>
        """
        return Side.WHITE if self is Side.BLACK else Side.BLACK

    def __str__(self) -> str:
        return self.value
