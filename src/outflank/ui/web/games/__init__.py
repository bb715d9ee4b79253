"""Saved games: their storage, their changes, their messages and their export."""
