"""Abalone: marbles that push each other off a hexagon.

Whoever knows the game knows what searches may choose for it by name: evaluations, units and features are registered
here, whatever is imported first.
"""

from outflank.abalone import evaluation, orderings

__all__ = ["evaluation", "orderings"]
