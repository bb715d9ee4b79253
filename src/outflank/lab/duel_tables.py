"""Games between two players, as a duel and as the columns of a table."""

from collections import defaultdict
from collections.abc import Sequence

from outflank.arena import Duel
from outflank.lab.report import Sample


def duel_between(games: Sequence[Sample], points: Sequence[float], margins: Sequence[float]) -> Duel:
    """What the first player got of each game, and by how much; the two games of a `pair` count together."""
    pairs: defaultdict[object, list[float]] = defaultdict(list)
    for game, got in zip(games, points, strict=True):
        pairs[game["pair"]].append(got)
    counts = [round(2 * sum(both)) for both in pairs.values() if len(both) == 2]
    zero, half, one, more, two = (counts.count(each) for each in range(5))
    return Duel(
        wins=points.count(1.0),
        draws=points.count(0.5),
        losses=points.count(0.0),
        pairs=(zero, half, one, more, two),
        margins=tuple(margins),
    )


def duel_columns(duel: Duel) -> Sample:
    """How it went, and what that says of their strength."""
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
