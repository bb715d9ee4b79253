"""Abalone: marbles that push each other off a hexagon.

Everything of the game is here: its rules, evaluations, orderings, board, notations, and the description by which the
rest of the package knows it. Whoever imports any of it has made the game known, whatever is imported first.
"""

from outflank.abalone.description import ABALONE
from outflank.games.description import index_game

__all__ = ["ABALONE"]

index_game(ABALONE)
