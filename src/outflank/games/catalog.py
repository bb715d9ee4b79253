"""The games of this package with all that searches may choose for them by name."""

from outflank.games.abalone import evaluate as abalone_evaluate
from outflank.games.abalone import hints as abalone_hints
from outflank.games.othello import evaluate as othello_evaluate
from outflank.games.othello import hints as othello_hints

__all__ = ["abalone_evaluate", "abalone_hints", "othello_evaluate", "othello_hints"]
