"""Standing of a match: the results of its finished games, and the statistics of these results."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import sqrt

from outflank.arena import elo_statistics
from outflank.arena.elo_statistics import QUANTILE, Estimate, Observed, Rating, ratings
from outflank.arena.match_game import MatchGame
from outflank.arena.schedule import Settings
from outflank.arena.sprt import SequentialTest, SprtState
from outflank.players.processor_use import ProcessorUse


@dataclass(frozen=True, kw_only=True)
class Duel:
    """Results of the games between two players, from the first player's side."""

    wins: int = 0
    draws: int = 0
    losses: int = 0
    pairs: tuple[int, int, int, int, int] | None = (0, 0, 0, 0, 0)
    """Numbers of pairs in which the first player scored 0, ½, 1, 1½ and 2 points; None if the games are not paired."""
    margins: tuple[float, ...] = ()
    """Margin of the first player in each game that ended by the rules, in the game's unit."""
    processor: tuple[tuple[ProcessorUse, ProcessorUse], ...] = ()
    """Processor time of the first and of the second player in each measured game."""

    @property
    def processor_use(self) -> tuple[ProcessorUse, ProcessorUse]:
        """Processor time of the first and of the second player, summed over the measured games."""
        sums = [ProcessorUse(), ProcessorUse()]
        for game in self.processor:
            sums = [total + use for total, use in zip(sums, game, strict=True)]
        return sums[0], sums[1]

    @property
    def games(self) -> int:
        """Number of finished games."""
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> float:
        """Points of the first player: one for a win, half for a draw."""
        return self.wins + self.draws / 2

    @property
    def observed(self) -> Observed:
        """Counts of results that the estimates use: of pairs if at least one pair is finished, else of games."""
        if self.pairs is not None and any(self.pairs):
            return Observed.pairs(self.pairs)
        return Observed.single(self.losses, self.draws, self.wins)

    @property
    def single_games(self) -> int:
        """Number of games left out of the estimates, because the other game of their pair is not finished."""
        return self.games - self.observed.games

    @cached_property
    def elo(self) -> Estimate:
        """Elo difference between the players, positive if the first is stronger."""
        return elo_statistics.elo(self.observed)

    @cached_property
    def normalized_elo(self) -> Estimate:
        """Normalised Elo difference between the players, positive if the first is stronger."""
        return elo_statistics.normalized_elo(self.observed)

    @cached_property
    def superiority(self) -> float:
        """Likelihood that the first player is the stronger one."""
        return elo_statistics.superiority(self.observed)

    @property
    def margin(self) -> float:
        """Mean of `margins`; 0 if there are none."""
        return sum(self.margins) / len(self.margins) if self.margins else 0.0

    @property
    def margin_deviation(self) -> float:
        """Standard deviation of the margin of a single game."""
        if len(self.margins) < 2:
            return 0.0
        return sqrt(sum((margin - self.margin) ** 2 for margin in self.margins) / (len(self.margins) - 1))

    @property
    def margin_error(self) -> float:
        """Half-width of the 95 % confidence interval of `margin`, if games are independent. Pairs make the interval
        narrower."""
        return QUANTILE * self.margin_deviation / sqrt(len(self.margins)) if self.margins else 0.0


@dataclass(frozen=True, kw_only=True)
class MatchStanding:
    """Results of a match so far."""

    names: tuple[str, ...]
    planned: int
    """Number of games in the schedule; a sequential test may end the match earlier."""
    finished: int
    """Number of games played. Once a sequential test has decided, other fields do not count games later in the
    schedule."""
    duels: Mapping[tuple[int, int], Duel]
    """Results of each pairing; the key is the two players' numbers, the lower number first."""
    forfeits: Mapping[int, Mapping[str, int]] = field(default_factory=dict)
    """Number of games that each player lost by forfeit, for each reason."""
    test: SprtState | None = None
    drawn_by_limit: int = 0
    """Number of games drawn by the ply limit."""

    @property
    def complete(self) -> bool:
        """Whether no game is left to play."""
        decided = self.test is not None and self.test.decision is not None
        return decided or self.finished >= self.planned

    @property
    def duel(self) -> Duel:
        """Results of the games between the first two players."""
        return self.duels[0, 1]

    @cached_property
    def crosstable(self) -> list[list[float | None]]:
        """Points of each player (row) against each other player (column); None on the diagonal."""
        size = len(self.names)
        table: list[list[float | None]] = [[None if i == j else 0.0 for j in range(size)] for i in range(size)]
        for (first, second), duel in self.duels.items():
            table[first][second] = duel.points
            table[second][first] = duel.games - duel.points
        return table

    @cached_property
    def ratings(self) -> list[Rating]:
        """Ratings of all players, by maximum likelihood."""
        return ratings([[0.0 if cell is None else cell for cell in row] for row in self.crosstable])


class Scorer:
    """Updates the standing of a match as games finish, in any order.

    A sequential test counts pairs in the order of the schedule, not in the order in which they finish. Otherwise short
    games would be counted first, and the same match could have two decisions. Games that follow the decision in the
    schedule are stored, but not counted.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._games: dict[int, MatchGame] = {}
        self._test = None if settings.sprt is None else SequentialTest(settings.sprt, paired=settings.paired)
        self._tested_units = 0

    def add(self, match_game: MatchGame) -> None:
        """Count a finished game."""
        self._games[match_game.number] = match_game
        per_unit = 2 if self.settings.paired else 1
        while self._test is not None and self._test.state.decision is None:
            numbers = range(self._tested_units * per_unit, (self._tested_units + 1) * per_unit)
            if not all(number in self._games for number in numbers):
                return
            self._test.add(round(2 * sum(_points(self._games[number], 0) for number in numbers)))
            self._tested_units += 1

    @property
    def decided(self) -> bool:
        """Whether the sequential test has accepted a hypothesis."""
        return self._test is not None and self._test.state.decision is not None

    def standing(self) -> MatchStanding:
        """Return the current standing."""
        settings = self.settings
        last = self._tested_units * (2 if settings.paired else 1) if self.decided else None
        counted = [match_game for number, match_game in sorted(self._games.items()) if last is None or number < last]
        forfeits: dict[int, Counter[str]] = {}
        for match_game in counted:
            if match_game.loser is not None:
                forfeits.setdefault(match_game.loser, Counter())[match_game.game.ending.reason] += 1
        return MatchStanding(
            names=settings.names,
            planned=settings.planned,
            finished=len(self._games),
            duels={pairing: duel(counted, *pairing, paired=settings.paired) for pairing in settings.pairings},
            forfeits=forfeits,
            test=None if self._test is None else self._test.state,
            drawn_by_limit=sum(
                match_game.game.ending.forfeited_by is None and bool(match_game.game.ending.reason)
                for match_game in counted
            ),
        )


def duel(games: Iterable[MatchGame], first: int, second: int, *, paired: bool) -> Duel:
    """Return the results between players `first` and `second`, given the games of a match."""
    own = [match_game for match_game in games if {match_game.black, match_game.white} == {first, second}]
    points = [_points(match_game, first) for match_game in own]
    margins = [
        match_game.game.ending.score * (1 if match_game.black == first else -1)
        for match_game in own
        if not match_game.game.ending.reason
    ]
    return Duel(
        wins=points.count(1.0),
        draws=points.count(0.5),
        losses=points.count(0.0),
        pairs=_pairs(own, points) if paired else None,
        margins=tuple(float(margin) for margin in margins),
        processor=tuple(
            (first_use, second_use)
            for match_game in own
            if (first_use := match_game.processor(first)) is not None
            and (second_use := match_game.processor(second)) is not None
        ),
    )


def _pairs(games: Sequence[MatchGame], points: Sequence[float]) -> tuple[int, int, int, int, int]:
    """Return the five counts of finished pairs; the games numbered 2n and 2n + 1 are a pair."""
    by_pair: dict[int, list[float]] = {}
    for match_game, score in zip(games, points, strict=True):
        by_pair.setdefault(match_game.number // 2, []).append(score)
    counts = Counter(round(2 * sum(both)) for both in by_pair.values() if len(both) == 2)
    return counts[0], counts[1], counts[2], counts[3], counts[4]


def _points(match_game: MatchGame, player: int) -> float:
    points = match_game.game.ending.points
    return points if match_game.black == player else 1.0 - points


MOST_APART = 0.05
"""Largest difference between two players' shares of processor time at which the shares count as equal."""

LEAST_SECONDS = 1.0
"""Entitled processor time, in seconds, below which shares are not compared, since they would be mostly noise."""


def is_unequal(first: ProcessorUse, second: ProcessorUse, *, least_seconds: float = LEAST_SECONDS) -> bool:
    """Return whether the two players' shares of processor time differ by more than `MOST_APART`.

    Return False if either player was entitled to less than `least_seconds`.
    """
    enough = min(first.entitled_seconds, second.entitled_seconds) >= least_seconds
    return enough and abs(first.share - second.share) > MOST_APART
