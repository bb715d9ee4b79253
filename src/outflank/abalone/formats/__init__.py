"""Abalone's text notations and file formats: lines, moves, saved games, position files, drawings."""
