"""The tabletop of any game, the board on which users make moves: the game's own, or one made from the text diagram."""

from outflank.boards.board import Board
from outflank.boards.pictures import BLACK, EMPTY, LEGAL, WHITE
from outflank.games.description import description_of
from outflank.games.presentation import Gesture, Place, Tabletop
from outflank.games.sides import Side

ACROSS = 2
"""Distance between neighbouring cells of a text diagram, in characters; there is a space between them."""


def tabletop_of(board: Board) -> Tabletop:
    """Return how user interfaces draw a board, and the gestures that make moves."""
    own = description_of(board.game).presentation.tabletop
    return _from_diagram(board) if own is None else own(board.game)


def _from_diagram(board: Board) -> Tabletop:
    """Return a tabletop made from the text diagram, for a game that describes none; users choose moves by name."""
    cells = [
        (row, column)
        for row, line in enumerate(board.diagram())
        for column, sign in enumerate(line)
        if sign in (BLACK, WHITE, EMPTY, LEGAL)
    ]
    left = min((column for _, column in cells), default=0)

    def pieces(board: Board) -> str:
        lines = board.diagram()
        signs = (lines[row][column] for row, column in cells)
        return "".join(EMPTY if sign == LEGAL else sign for sign in signs)

    return Tabletop(
        shape="squares",
        places=tuple(Place(f"{row + 1}.{column + 1}", row, (column - left) / ACROSS, row) for row, column in cells),
        pieces=pieces,
        gesture=lambda board, move: Gesture(),
        counts=_pieces_of,
        counted_unit="pieces",
    )


def _pieces_of(board: Board, side: Side) -> int:
    return sum(line.count(BLACK if side is Side.BLACK else WHITE) for line in board.diagram())
