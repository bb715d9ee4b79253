"""Searches for users of the web server: how they share the cores, and their progress."""
