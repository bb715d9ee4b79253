"""Compiled groundwork that knows no game."""
