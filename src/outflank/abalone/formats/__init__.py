"""Abalone in text and files: lines, moves, saved games, position files, drawings."""
