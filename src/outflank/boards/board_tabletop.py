"""The tabletop of any game, the board on which users make moves: the game's own, or one made from the text diagram."""

from collections import Counter
from collections.abc import Callable, Sequence

from outflank.boards.board import Board, Move
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
    """Return a tabletop made from the text diagram, for a game that describes none.

    The gesture of a move follows from the cells that it changes. Users choose other moves by name: moves that change no
    cells or more than a gesture can show, and moves that change the same cells as another.
    """
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

    places = tuple(Place(f"{row + 1}.{column + 1}", row, (column - left) / ACROSS, row) for row, column in cells)
    last_board: list[Board] = []
    last_gestures: dict[Move, Gesture] = {}

    def gesture(board: Board, move: Move) -> Gesture:
        if last_board != [board]:  # asked of all moves of a board in turn
            last_board[:] = [board.copy()]
            last_gestures.clear()
            last_gestures.update(_gestures(board, places, pieces))
        return last_gestures.get(move, Gesture())

    return Tabletop(
        shape="squares",
        places=places,
        pieces=pieces,
        gesture=gesture,
        counts=_pieces_of,
        counted_unit="pieces",
    )


def _gestures(board: Board, places: Sequence[Place], pieces: Callable[[Board], str]) -> dict[Move, Gesture]:
    """Return the gestures of the moves that have one of their own."""
    before = pieces(board)
    own = BLACK if board.turn is Side.BLACK else WHITE
    gestures: dict[Move, Gesture] = {}
    for move in board.legal_moves:
        board.push(move)
        after = pieces(board)
        board.pop()
        changes = [(places[index], *signs) for index, signs in enumerate(zip(before, after, strict=True))]
        targets = [place for place, old, new in changes if new == own != old]
        origins = [place for place, old, new in changes if old == own != new]
        placed = [place for place, old, new in changes if old == EMPTY and new == own]
        if not origins and len(placed) == 1:  # pieces of the opponent may have been turned over
            gestures[move] = Gesture(to=placed[0].name)
        elif len(origins) == len(targets) == 1:
            (begin,), (end,) = origins, targets
            taken = [place.name for place, old, new in changes if old not in (own, EMPTY) and new != old]
            gestures[move] = Gesture(
                to=end.name,
                picked=(begin.name,),
                way=(end.x - begin.x, end.y - begin.y),
                goes=(*((name, None) for name in taken), (begin.name, end.name)),
            )
    number = Counter((gesture.to, gesture.picked) for gesture in gestures.values())
    return {move: gesture for move, gesture in gestures.items() if number[gesture.to, gesture.picked] == 1}


def _pieces_of(board: Board, side: Side) -> int:
    return sum(line.count(BLACK if side is Side.BLACK else WHITE) for line in board.diagram())
