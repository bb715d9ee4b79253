"""Othello: discs that outflank a line turn it over.

Whoever knows the game knows what searches may choose for it by name: evaluations, units and features are registered
here, whatever is imported first.
"""

from outflank.othello import evaluation, orderings

__all__ = ["evaluation", "orderings"]
