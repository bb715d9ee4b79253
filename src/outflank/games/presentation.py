"""How people see a game: its board at a terminal, and its physical board, on which a user makes moves by hand."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from outflank.games.sides import Side

if TYPE_CHECKING:  # boards import this module
    from outflank.boards.board import Board, Move
    from outflank.games.rules import Game


@dataclass(frozen=True, slots=True)
class Place:
    """A cell of a board; neighbours are 1 apart, and y grows downwards."""

    name: str
    row: int
    """The row from the top, starting at 0."""
    x: float
    y: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Gesture:
    """How a user makes a move by hand."""

    to: str = ""
    """The target cell; empty: none, as for a pass."""
    picked: tuple[str, ...] = ()
    """The pieces to select first, in a line; none: a piece is placed."""
    way: tuple[float, float] | None = None
    """Direction in which the picked pieces move; None: a piece is placed, or a pass."""
    goes: tuple[tuple[str, str | None], ...] = ()
    """The origin and the target of every piece that moves; target None: off the board."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tabletop:
    """The board of one game under given rules."""

    shape: Literal["squares", "hexagons"]
    """Whether each cell has four neighbours or six."""
    places: tuple[Place, ...]
    pieces: "Callable[[Board], str]"
    """A sign for each place: X black, O white, . empty."""
    gesture: "Callable[[Board, Move], Gesture]"
    """How a legal move is made."""
    counts: "Callable[[Board, Side], int]"
    """The count of a side, as players count."""
    counted_unit: str
    """The unit of the counts: `discs`."""
    board_from_pieces: "Callable[[str, Side], Board] | None" = None
    """Returns the board with these pieces and this side to move; None: positions cannot be set up by hand."""


@dataclass(frozen=True, slots=True)
class TerminalColours:
    """The colours of a board at a terminal, as Rich writes them."""

    ground: str = "#3b5b7a"
    black: str = "#101010"
    white: str = "#ffffff"
    empty: str = "#24394d"
    legal: str = "#f2d95c"


@dataclass(frozen=True, slots=True, kw_only=True)
class Presentation:
    """The presentation of one game."""

    move_prompt: str = "a move"
    """The input that a person is asked for: `a square like f5`."""
    colours: TerminalColours = TerminalColours()
    """The colours of the board at a terminal."""
    tabletop: "Callable[[Game], Tabletop] | None" = None
    """The board under given rules, as a user handles it; None: derived from the text diagram, with moves chosen by
    name."""
    review_legend: str = ""
    """How pictures mark the played move and the better one: `what was played is crossed`."""
