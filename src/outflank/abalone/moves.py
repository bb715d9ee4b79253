"""Moves of Abalone as values."""

from dataclasses import dataclass

from outflank.abalone.formats.moves import ends, write_move, write_nacre
from outflank.abalone.geometry import cell_name
from outflank.abalone.rules import MARBLES, PUSHED, Kind, kind_of
from outflank.boards.moves import Move


@dataclass(frozen=True, slots=True, repr=False)
class AbaloneMove(Move):
    """A step of a line of one to three marbles.

    Its text is Aba-Pro's notation; `nacre` is the other one.
    """

    @property
    def kind(self) -> Kind:
        """The kind of move: push, step or side step, and the number of marbles."""
        return Kind(int(kind_of(self.code)))

    @property
    def marbles(self) -> int:
        """The number of own marbles that move."""
        return int(MARBLES[self.kind])

    @property
    def pushed(self) -> int:
        """The number of the opponent's marbles that are pushed."""
        return int(PUSHED[self.kind])

    @property
    def takes(self) -> bool:
        """Whether the move pushes a marble off the board."""
        return self.kind <= Kind.OUT1_WITH2

    @property
    def line(self) -> tuple[str, str]:
        """The cells of the first and the last marble; the same for a single one."""
        first, last, _ = ends(self.code)
        return cell_name(first), cell_name(last)

    @property
    def nacre(self) -> str:
        """The move in Nacre's notation."""
        return write_nacre(self.code)

    def __str__(self) -> str:
        return write_move(self.code)
