"""A game as it lies on a table: where its cells are, what lies on them, and how a hand makes a move."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from outflank.games.sides import Side

if TYPE_CHECKING:  # boards stand above this module, and know it
    from outflank.boards.board import Board
    from outflank.boards.moves import Move


@dataclass(frozen=True, slots=True)
class Place:
    """A cell of a board; neighbours are 1 apart, and y grows downwards."""

    name: str
    row: int
    """From above, 0 first."""
    x: float
    y: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Gesture:
    """How a hand makes a move."""

    to: str = ""
    """The cell that it goes to; empty: none, as for a pass."""
    picked: tuple[str, ...] = ()
    """The pieces that it takes up before, in a line; none: a piece is put down."""
    way: tuple[float, float] | None = None
    """Which way they go."""
    goes: tuple[tuple[str, str | None], ...] = ()
    """From where to where every piece goes that moves; to None: off the board."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tabletop:
    """One game's board, under some rules."""

    shape: Literal["squares", "hexagons"]
    """Each cell has four neighbours, or six."""
    places: tuple[Place, ...]
    pieces: "Callable[[Board[Any]], str]"
    """A sign for each place: X black, O white, . nothing."""
    gesture: "Callable[[Board[Any], Move], Gesture]"
    """How a legal move is made."""
    counts: "Callable[[Board[Any], Side], int]"
    """What a side has, as players count."""
    counted: str
    """What that is: `discs`."""
    placed: "Callable[[str, Side], Board[Any]] | None" = None
    """The board with these pieces and this side to move; None: none can be set up by hand."""
