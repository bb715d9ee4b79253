"""Positions with a history: what a person or a program plays on."""

from typing import Any

from outflank.abalone.rules import Abalone
from outflank.boards.abalone import AbaloneBoard
from outflank.boards.board import Board, Outcome
from outflank.boards.moves import AbaloneMove, Move, OthelloMove
from outflank.boards.othello import OthelloBoard
from outflank.othello.rules import Othello

__all__ = ["AbaloneBoard", "AbaloneMove", "Board", "Move", "OthelloBoard", "OthelloMove", "Outcome", "kind_of_board"]


def kind_of_board(game: Any) -> type[Board[Any]]:
    """The class of boards for a game's rules."""
    kinds: dict[type, type[Board[Any]]] = {Othello: OthelloBoard, Abalone: AbaloneBoard}
    return kinds.get(type(game), Board)
