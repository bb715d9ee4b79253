"""Othello: discs that outflank a line turn it over.

Everything of the game is here: its rules, evaluations, orderings, board, notations, and the description by which the
rest of the package knows it. Whoever imports any of it has made the game known, whatever is imported first.
"""

from outflank.games.description import index_game
from outflank.othello.description import OTHELLO

__all__ = ["OTHELLO"]

index_game(OTHELLO)
