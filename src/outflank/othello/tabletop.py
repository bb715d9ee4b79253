"""Othello's physical board: squares, on which discs are placed."""

from outflank.boards.board import Board, Move
from outflank.games.presentation import Gesture, Place, Tabletop
from outflank.games.sides import Side
from outflank.othello.board import OthelloBoard
from outflank.othello.rules import Othello
from outflank.othello.squares import scoring_of, size_of, square_name, squares


def tabletop(game: Othello) -> Tabletop:
    """Return the board of these rules."""
    size, scoring = size_of(game), scoring_of(game)
    places = tuple(
        Place(square_name(size, square), index // size, index % size, index // size)
        for index, square in enumerate(squares(size))
    )

    def board_from_pieces(pieces: str, turn: Side) -> OthelloBoard:
        letter = "X" if turn is Side.BLACK else "O"
        return OthelloBoard.from_line(f"{pieces.replace('.', '-')} {letter}", scoring=scoring)

    return Tabletop(
        shape="squares",
        places=places,
        pieces=_pieces,
        gesture=_gesture,
        counts=_discs,
        counted_unit="discs",
        board_from_pieces=board_from_pieces,
    )


def _pieces(board: Board) -> str:
    return board.to_text().partition(" ")[0].replace("-", ".")


def _gesture(board: Board, move: Move) -> Gesture:
    name = str(move)
    return Gesture(to="" if name == "pass" else name)


def _discs(board: Board, side: Side) -> int:
    assert isinstance(board, OthelloBoard)
    return board.discs(side)
