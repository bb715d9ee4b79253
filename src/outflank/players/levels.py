"""Levels: depths, endings and misjudgement of players of a given strength, from the game's description."""

from outflank.errors import InvalidOption
from outflank.games.defaults import Level
from outflank.games.description import description_of
from outflank.games.rules import Game


def level_of(game: Game, number: int) -> Level:
    """Return the level with this number."""
    levels = description_of(game).play.levels
    if not 1 <= number <= len(levels):
        raise InvalidOption(f"level={number}: 1 to {len(levels)}")
    return levels[number - 1]


def exact_moves_for_depth(game: Game, depth: int) -> int:
    """Return the moves left from which a player with this depth plays exactly.

    A user who sets a depth does not want to wait for endings that take longer than a search of that depth.
    """
    play = description_of(game).play
    if play.exact_moves_for_depth is not None:
        return play.exact_moves_for_depth(depth)
    within = [level for level in play.levels if level.depth <= depth] or [play.levels[0]]
    return max(within, key=lambda level: (level.depth, level.exact)).exact
