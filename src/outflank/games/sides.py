"""The two sides, black and white. Positions do not store which side is to move; boards and records do."""

from enum import Enum


class Side(Enum):
    """Black or white; black moves first in Othello and in Abalone."""

    BLACK = "black"
    WHITE = "white"

    @property
    def other(self) -> "Side":
        """The other side.

        >>> Side.BLACK.other
        <Side.WHITE: 'white'>
        """
        return Side.WHITE if self is Side.BLACK else Side.BLACK

    def __str__(self) -> str:
        return self.value
