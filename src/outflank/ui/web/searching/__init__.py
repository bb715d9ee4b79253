"""Searches for visitors: how all of them share the cores, and how far each is."""
