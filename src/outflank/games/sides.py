"""The two sides, black and white. Positions do not store which side is to move; boards and records do."""

from enum import StrEnum
from typing import NoReturn

from outflank.errors import UnknownName


class Side(StrEnum):
    """Black or white; black moves first in Othello and in Abalone. A side equals its name, `"black"` or `"white"`."""

    BLACK = "black"
    WHITE = "white"

    @property
    def other(self) -> "Side":
        """The other side.

        >>> Side.BLACK.other
        <Side.WHITE: 'white'>
        """
        return Side.WHITE if self is Side.BLACK else Side.BLACK

    @classmethod
    def _missing_(cls, value: object) -> NoReturn:
        raise UnknownName.among("side", value, [side.value for side in cls])
