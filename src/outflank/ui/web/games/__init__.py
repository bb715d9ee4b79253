"""Saved games: their storage, changes, messages and export."""
