"""Default options of searches for strength."""

from outflank.games.evaluation import errors_of, evaluation_chosen
from outflank.games.rules import Game
from outflank.search.keywords import PlayerKeywords
from outflank.search.request import TABLELESS
from outflank.search.selective import MOST_SELECTIVE


def default_selectivity(game: Game, options: PlayerKeywords) -> PlayerKeywords:
    """Return the strongest selectivity if the evaluation's errors are known: the depth that a player gains is worth far
    more than wrong guesses cost."""
    if options.get("algorithm", "pvs") in TABLELESS:
        return {}
    known = errors_of(game, evaluation_chosen(game, options.get("evaluation"))) is not None
    return {"selectivity": MOST_SELECTIVE} if known else {}
