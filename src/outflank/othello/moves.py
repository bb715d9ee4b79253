"""Moves of Othello as values."""

from dataclasses import dataclass

from outflank.boards.moves import Move
from outflank.othello.rules import PASS
from outflank.othello.squares import square_name


@dataclass(frozen=True, slots=True, repr=False)
class OthelloMove(Move):
    """A disc on a square, or a pass.

    >>> str(OthelloMove(37)), OthelloMove(64).is_pass
    ('f5', True)
    """

    size: int = 8
    """The side of the board, which the square's name depends on."""

    @property
    def is_pass(self) -> bool:
        """Whether the move only passes the turn."""
        return self.code == PASS

    @property
    def square(self) -> int | None:
        """8 · row + column on the 8×8 board; None for a pass."""
        return None if self.is_pass else self.code

    def __str__(self) -> str:
        return square_name(self.size, self.code)
