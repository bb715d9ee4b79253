"""Othello: discs that outflank a line turn it over."""
