"""Values as people read them: discs for Othello, marbles for Abalone."""

from typing import Any

from outflank.games.evaluation import WON
from outflank.games.othello.kernels import Othello

TENTHS = 10.0
"""Othello's default evaluation counts in tenths of a disc."""

MARBLE = 1000.0
"""About what Abalone's evaluations give for a marble."""

WHOLE_GAME = 6.0
"""Marbles that a won game of Abalone is worth."""


def in_units(game: Any, value: float, *, exact: bool = False) -> float:
    """A search's value in discs or marbles; a finished game's as it is scored."""
    if isinstance(game, Othello):
        if abs(value) > WON:
            return (abs(value) - WON) * (1 if value > 0 else -1)
        return value if exact else value / TENTHS
    if abs(value) > WON / 2:
        return WHOLE_GAME if value > 0 else -WHOLE_GAME
    return max(-WHOLE_GAME, min(WHOLE_GAME, value / MARBLE))
