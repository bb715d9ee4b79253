"""The appearance of a game: colours at a terminal, and the board on which a user makes moves by hand."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from outflank.games.sides import Side

if TYPE_CHECKING:  # boards import this module
    from outflank.boards.board import Board, Move
    from outflank.games.rules import Game


@dataclass(frozen=True, slots=True)
class Place:
    """A cell of a board with the coordinates of its centre; neighbouring cells are 1 apart, and y grows downwards."""

    name: str
    row: int
    """Number of the row, counted from the top, starting at 0."""
    x: float
    y: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Gesture:
    """The clicks or drags with which a user makes a move on a drawn board."""

    to: str = ""
    """Name of the target cell; empty: the move has none, such as a pass."""
    picked: tuple[str, ...] = ()
    """Cells of the pieces to select first, in a line; empty: the move places a piece, or is a pass."""
    way: tuple[float, float] | None = None
    """Direction (x, y) in which the picked pieces move; None: the move places a piece, or is a pass."""
    goes: tuple[tuple[str, str | None], ...] = ()
    """The origin and the target cell of every piece that moves; target None: the piece leaves the board."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tabletop:
    """The drawn board of one game under given rules, with its cells, its pieces and the gestures of its moves."""

    shape: Literal["squares", "hexagons"]
    """Shape of the cells: squares in rows and columns, or hexagons with six neighbours."""
    places: tuple[Place, ...]
    pieces: "Callable[[Board], str]"
    """Returns one character for each of `places`: X black, O white, . empty."""
    gesture: "Callable[[Board, Move], Gesture]"
    """Returns the gesture that makes a legal move."""
    counts: "Callable[[Board, Side], int]"
    """Returns the number that players count for a side: its discs on the board, or the marbles it has pushed off."""
    counted_unit: str
    """The unit of `counts`: `discs`."""
    board_from_pieces: "Callable[[str, Side], Board] | None" = None
    """Returns the board with these pieces and this side to move; None: positions cannot be set up by hand."""


@dataclass(frozen=True, slots=True)
class TerminalColours:
    """The colours of a board at a terminal, in the notation of the library Rich."""

    ground: str = "#3b5b7a"
    black: str = "#101010"
    white: str = "#ffffff"
    empty: str = "#24394d"
    legal: str = "#f2d95c"


@dataclass(frozen=True, slots=True, kw_only=True)
class Presentation:
    """The appearance of one game at a terminal, in the browser and in reviews."""

    move_prompt: str = "a move"
    """The kind of input that a user is asked for: `a square like f5`."""
    colours: TerminalColours = TerminalColours()
    """The colours of the board at a terminal."""
    tabletop: "Callable[[Game], Tabletop] | None" = None
    """Returns the drawn board under given rules; None: it is derived from the text diagram, and users name moves."""
    review_legend: str = ""
    """Text that says how pictures mark the played move and the best move: `what was played is crossed`."""
