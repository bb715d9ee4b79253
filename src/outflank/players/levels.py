"""Levels: what a player of a given strength may look at, and what it misjudges, as the game's description has them."""

from typing import Any

from outflank.errors import InvalidOption
from outflank.games.description import Level, description_of


def level_of(game: Any, number: int) -> Level:
    """The level with this number."""
    levels = description_of(game).levels
    if not 1 <= number <= len(levels):
        raise InvalidOption(f"level={number}: 1 to {len(levels)}")
    return levels[number - 1]


def exact_beside(game: Any, depth: int) -> int:
    """The moves left from which a player that looks so deep plays exactly: who asks for a depth does not want to wait
    for endings that take longer than it."""
    description = description_of(game)
    if description.exact_beside is not None:
        return description.exact_beside(depth)
    levels = description.levels
    within = [each for each in levels if each.depth <= depth] or [levels[0]]
    return max(within, key=lambda each: (each.depth, each.exact)).exact
