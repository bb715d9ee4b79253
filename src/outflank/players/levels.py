"""Levels: what a player of a given strength may look at, and what it misjudges, as the game's description has them."""

from typing import Any

from outflank.errors import InvalidOption
from outflank.games.description import Level, description_of
from outflank.games.evaluation import errors_of, evaluation_chosen
from outflank.search.contract import TABLELESS
from outflank.search.keywords import PlayerKeywords
from outflank.search.selective import MOST_SELECTIVE


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
    within = [each for each in levels if each.depth <= depth] or [levels[0]]
    return max(within, key=lambda each: (each.depth, each.exact)).exact


def usual_selectivity(game: Any, options: PlayerKeywords) -> PlayerKeywords:
    """As selective as a player can be, where it is known how: the depth that it gains is worth far more than what it
    guesses wrong."""
    if options.get("algorithm", "pvs") in TABLELESS:
        return {}
    known = errors_of(game, evaluation_chosen(game, options.get("evaluation"))) is not None
    return {"selectivity": MOST_SELECTIVE} if known else {}
