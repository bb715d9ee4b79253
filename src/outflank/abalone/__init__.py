"""The game Abalone: its rules, evaluations, move orderings, board and notations.

The rest of the package uses this folder only through the game's `description`.
"""
