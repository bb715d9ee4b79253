"""What those who want strength ask of a search, where nobody says otherwise."""

from typing import Any

from outflank.games.evaluation import errors_of, evaluation_chosen
from outflank.search.contract import TABLELESS
from outflank.search.keywords import PlayerKeywords
from outflank.search.selective import MOST_SELECTIVE


def usual_selectivity(game: Any, options: PlayerKeywords) -> PlayerKeywords:
    """As selective as a player can be, where it is known how: the depth that it gains is worth far more than what it
    guesses wrong."""
    if options.get("algorithm", "pvs") in TABLELESS:
        return {}
    known = errors_of(game, evaluation_chosen(game, options.get("evaluation"))) is not None
    return {"selectivity": MOST_SELECTIVE} if known else {}
