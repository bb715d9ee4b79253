"""Searches for visitors: how they share the cores, and their progress."""
