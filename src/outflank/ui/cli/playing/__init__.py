"""A game at the terminal, or in a pipe: the table where it is played, and what its players see of it."""
