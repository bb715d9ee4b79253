"""Boards, on which games are played: positions with the side to move and a history."""

from outflank.boards.board import Board, Move, Outcome, board_class

__all__ = ["Board", "Move", "Outcome", "board_class"]
