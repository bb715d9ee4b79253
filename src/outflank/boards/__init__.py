"""Boards: positions with a history, to play on."""

from outflank.boards.board import Board, Outcome, board_class
from outflank.boards.moves import Move

__all__ = ["Board", "Move", "Outcome", "board_class"]
