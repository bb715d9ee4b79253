"""A game at the terminal or in a pipe: the session, and its user interface."""
