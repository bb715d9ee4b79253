"""Levels: depths, endings and misjudgement of players of a given strength, from the game's description."""

from outflank.errors import InvalidOption
from outflank.games.description import Level, description_of
from outflank.games.rules import Game


def level_of(game: Game, number: int) -> Level:
    """Return the level with this number."""
    levels = description_of(game).levels
    if not 1 <= number <= len(levels):
        raise InvalidOption(f"level={number}: 1 to {len(levels)}")
    return levels[number - 1]


def exact_moves_for_depth(game: Game, depth: int) -> int:
    """Return the moves left from which a player with this depth plays exactly.

    A user who sets a depth does not want to wait for endings that take longer than a search of that depth.
    """
    description = description_of(game)
    if description.exact_moves_for_depth is not None:
        return description.exact_moves_for_depth(depth)
    levels = description.levels
    within = [level for level in levels if level.depth <= depth] or [levels[0]]
    return max(within, key=lambda level: (level.depth, level.exact)).exact
