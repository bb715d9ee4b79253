"""Levels: what a player of a given strength may look at, as the game's description has them.

There is no handicap but the depth: a low level plays its best.
"""

from typing import Any

from outflank.errors import InvalidOption
from outflank.games.description import Level, description_of

HIGHEST = 20
"""The levels that games usually have."""


def level_of(game: Any, number: int) -> Level:
    """The level with this number."""
    levels = description_of(game).levels
    if not 1 <= number <= len(levels):
        raise InvalidOption(f"level={number}: 1 to {len(levels)}")
    return levels[number - 1]


def exact_beside(game: Any, depth: int) -> int:
    """The moves left from which a player that looks so deep plays exactly: who asks for a depth does not want to wait
    for endings that take longer than it."""
    levels = description_of(game).levels
    return max((each for each in levels if each.depth <= depth), key=lambda each: each.depth, default=levels[0]).exact
