"""Games between two players, as a duel and as the columns of a table."""

from collections import defaultdict
from collections.abc import Sequence

from outflank.arena import Duel
from outflank.lab.report import Sample


def duel_between(games: Sequence[Sample], points: Sequence[float], margins: Sequence[float]) -> Duel:
    """Return the first player's duel from points and margins of each game; both games of a `pair` count together."""
    pairs: defaultdict[object, list[float]] = defaultdict(list)
    for game, score in zip(games, points, strict=True):
        pairs[game["pair"]].append(score)
    counts = [round(2 * sum(both)) for both in pairs.values() if len(both) == 2]
    zero, half, one, one_and_half, two = (counts.count(half_points) for half_points in range(5))
    return Duel(
        wins=points.count(1.0),
        draws=points.count(0.5),
        losses=points.count(0.0),
        pairs=(zero, half, one, one_and_half, two),
        margins=tuple(margins),
    )


def duel_columns(duel: Duel) -> Sample:
    """Return table columns: games, results, score, and Elo with its interval."""
    return {
        "games": duel.games,
        "won": duel.wins,
        "drawn": duel.draws,
        "lost": duel.losses,
        "score": duel.points / duel.games,
        "Elo": round(duel.elo.value),
        "from": round(duel.elo.low),
        "to": round(duel.elo.high),
    }
