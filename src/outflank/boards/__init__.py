"""Boards: positions with a history, to play on."""

from outflank.boards.board import Board, Move, Outcome, board_class

__all__ = ["Board", "Move", "Outcome", "board_class"]
