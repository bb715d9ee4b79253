"""Othello: discs that outflank a line turn it over.

Everything of the game is here: its rules, evaluations, orderings, board, notations, and the description by which the
rest of the package knows it.
"""
