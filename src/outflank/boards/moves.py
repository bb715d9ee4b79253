"""Moves as values: a code for the kernels, a text for people."""

from dataclasses import dataclass
from functools import total_ordering

from outflank.abalone.geometry import cell_name
from outflank.abalone.rules import MARBLES, PUSHED, Kind, kind_of
from outflank.formats.abalone_moves import ends, write_move, write_nacre
from outflank.othello.rules import PASS
from outflank.othello.squares import square_name


@total_ordering
@dataclass(frozen=True, slots=True, repr=False)
class Move:
    """A move of any game; its text is its code unless the game knows better."""

    code: int
    """What the kernels call it."""

    def __str__(self) -> str:
        return str(self.code)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self}>"

    def __lt__(self, other: object) -> bool:
        return self.code < other.code if isinstance(other, Move) else NotImplemented


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
        """Whether it only hands the turn over."""
        return self.code == PASS

    @property
    def square(self) -> int | None:
        """8 · row + column on the 8×8 board; None for a pass."""
        return None if self.is_pass else self.code

    def __str__(self) -> str:
        return square_name(self.size, self.code)


@dataclass(frozen=True, slots=True, repr=False)
class AbaloneMove(Move):
    """A line of one to three marbles that steps.

    Its text is Aba-Pro's notation; `nacre` is the other one.
    """

    @property
    def kind(self) -> Kind:
        """What it does: push, step, side step, and with how many."""
        return Kind(int(kind_of(self.code)))

    @property
    def marbles(self) -> int:
        """How many of the mover's marbles go."""
        return int(MARBLES[self.kind])

    @property
    def pushed(self) -> int:
        """How many of the opponent's marbles they push."""
        return int(PUSHED[self.kind])

    @property
    def takes(self) -> bool:
        """Whether it pushes a marble off the board."""
        return self.kind <= Kind.OUT1_WITH2

    @property
    def line(self) -> tuple[str, str]:
        """The first and the last marble's cells; the same for a single one."""
        first, last, _ = ends(self.code)
        return cell_name(first), cell_name(last)

    @property
    def nacre(self) -> str:
        """The move in Nacre's notation."""
        return write_nacre(self.code)

    def __str__(self) -> str:
        return write_move(self.code)
