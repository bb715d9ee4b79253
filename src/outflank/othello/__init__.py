"""Othello: a disc that outflanks a line flips it.

This folder holds the whole game: its rules, evaluations, orderings, board, notations, and the description through which
the rest of the package uses it.
"""
