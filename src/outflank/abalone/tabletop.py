"""Abalone's physical board: cells of a hexagon, on which lines of marbles are selected and pushed."""

from outflank.abalone.board import AbaloneBoard, AbaloneMove
from outflank.abalone.formats.move_text import ends
from outflank.abalone.geometry import CENTRE, DIRECTIONS, Cell, board, cell_name, cells, centre_of, on_board, stepped
from outflank.abalone.layouts import RULES, row_cells
from outflank.abalone.rules import Abalone, AbalonePosition
from outflank.boards.board import Board, Move
from outflank.errors import InvalidPosition
from outflank.games.presentation import Gesture, Place, Tabletop
from outflank.games.sides import Side

ROWS = tuple(range(8, -1, -1))
"""The rows from the top."""

CELLS = tuple(cell for row in ROWS for cell in row_cells(row))


PLACES = tuple(Place(cell_name(cell), ROWS.index(cell[0]), *centre_of(cell)) for cell in CELLS)

WAYS = tuple(centre_of((CENTRE[0] + row, CENTRE[1] + column)) for row, column in DIRECTIONS)
"""The vector of a step in each direction."""


def tabletop(game: Abalone) -> Tabletop:
    """Return the board, which is the same under all rules."""
    return Tabletop(
        shape="hexagons",
        places=PLACES,
        pieces=_pieces,
        gesture=_gesture,
        counts=_taken,
        counted_unit="marbles taken",
        board_from_pieces=_board_from_pieces,
    )


def _pieces(board: Board) -> str:
    own, opp = cells(board.position.own), cells(board.position.opp)
    black, white = (own, opp) if board.turn is Side.BLACK else (opp, own)
    return "".join("X" if cell in black else "O" if cell in white else "." for cell in CELLS)


def _gesture(board: Board, move: Move) -> Gesture:
    assert isinstance(move, AbaloneMove)
    first, last, step = ends(move.code)
    line = _between(first, last, move.marbles)
    moved = list(line)
    if move.pushed:
        moved += [stepped(last, step, steps) for steps in range(1, move.pushed + 1)]
    # The front marble, or for a side step the marble that its notation names: its target identifies the move.
    front = last if first != last and stepped(first, step) in line else first
    return Gesture(
        to=cell_name(stepped(front, step)),
        picked=tuple(map(cell_name, line)),
        way=WAYS[step],
        goes=tuple((cell_name(cell), cell_name(to) if on_board(to := stepped(cell, step)) else None) for cell in moved),
    )


def _between(first: Cell, last: Cell, count: int) -> list[Cell]:
    """Return the cells of a line of `count` marbles."""
    if count == 1:
        return [first]
    row, column = (last[0] - first[0]) // (count - 1), (last[1] - first[1]) // (count - 1)
    return [(first[0] + row * index, first[1] + column * index) for index in range(count)]


def _taken(board: Board, side: Side) -> int:
    assert isinstance(board, AbaloneBoard)
    return board.lost(side.other)


def _board_from_pieces(pieces: str, turn: Side) -> AbaloneBoard:
    if len(pieces) != len(CELLS) or set(pieces) - set("XO."):
        raise InvalidPosition(f"{len(CELLS)} cells hold X, O or nothing (.)")
    black, white = (
        board({cell for cell, sign in zip(CELLS, pieces, strict=True) if sign == side_sign}) for side_sign in "XO"
    )
    own, opp = (black, white) if turn is Side.BLACK else (white, black)
    return AbaloneBoard(RULES, AbalonePosition(own, opp), turn)
