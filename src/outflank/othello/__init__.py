"""The game Othello: its rules, evaluations, move orderings, board, notations and endgame solver.

The rest of the package uses this folder only through the game's `description`.
"""
