"""How a match stands: what its finished games say, as plain values that can be printed and kept."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import sqrt

from outflank.arena import statistics
from outflank.arena.kept import Kept
from outflank.arena.ratings import Rating, ratings
from outflank.arena.schedule import Settings
from outflank.arena.sprt import SequentialTest, SprtState
from outflank.arena.statistics import QUANTILE, Estimate, Observed
from outflank.players.processor_use import ProcessorUse


@dataclass(frozen=True, kw_only=True)
class Duel:
    """The games of two players, as the first of them sees them."""

    wins: int = 0
    draws: int = 0
    losses: int = 0
    pairs: tuple[int, int, int, int, int] | None = (0, 0, 0, 0, 0)
    """Pairs that scored 0, ½, 1, 1½ and 2 points, a half-finished pair left out; None: the games are not paired."""
    margins: tuple[float, ...] = ()
    """What it won in each game that the rules ended, in the game's unit."""
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
        """Finished games."""
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> float:
        """A win counts one, a draw half."""
        return self.wins + self.draws / 2

    @property
    def observed(self) -> Observed:
        """What estimates are made from: pairs, if the games are paired and one is complete."""
        if self.pairs is not None and any(self.pairs):
            return Observed.pairs(self.pairs)
        return Observed.single(self.losses, self.draws, self.wins)

    @property
    def single_games(self) -> int:
        """Games that estimates leave out, since their pair is not finished."""
        return self.games - self.observed.games

    @cached_property
    def elo(self) -> Estimate:
        """The difference in Elo."""
        return statistics.elo(self.observed)

    @cached_property
    def normalized_elo(self) -> Estimate:
        """The difference in normalised Elo."""
        return statistics.normalized_elo(self.observed)

    @cached_property
    def superiority(self) -> float:
        """The likelihood that the first is the stronger one."""
        return statistics.superiority(self.observed)

    @property
    def margin(self) -> float:
        """The mean of the margins."""
        return sum(self.margins) / len(self.margins) if self.margins else 0.0

    @property
    def margin_deviation(self) -> float:
        """The standard deviation of a game's margin."""
        if len(self.margins) < 2:
            return 0.0
        return sqrt(sum((each - self.margin) ** 2 for each in self.margins) / (len(self.margins) - 1))

    @property
    def margin_error(self) -> float:
        """Half of the mean's 95 % interval, the games taken as independent: in pairs it is smaller."""
        return QUANTILE * self.margin_deviation / sqrt(len(self.margins)) if self.margins else 0.0


@dataclass(frozen=True, kw_only=True)
class MatchStanding:
    """A match so far."""

    names: tuple[str, ...]
    planned: int
    """Games, if no test ends the match earlier."""
    finished: int
    """Games that were played; those that ended after a test had decided are not counted below."""
    duels: Mapping[tuple[int, int], Duel]
    """By the players' numbers, the lower one first."""
    forfeits: Mapping[int, Mapping[str, int]] = field(default_factory=dict)
    """Games lost other than by the rules: by player, then by reason."""
    test: SprtState | None = None
    drawn_by_limit: int = 0
    """Games that were too long."""

    @property
    def complete(self) -> bool:
        """Whether there is nothing left to play."""
        decided = self.test is not None and self.test.decision is not None
        return decided or self.finished >= self.planned

    @property
    def duel(self) -> Duel:
        """The first two players'."""
        return self.duels[0, 1]

    @cached_property
    def crosstable(self) -> list[list[float | None]]:
        """The points of each player against each; None on the diagonal."""
        size = len(self.names)
        table: list[list[float | None]] = [[None if i == j else 0.0 for j in range(size)] for i in range(size)]
        for (first, second), duel in self.duels.items():
            table[first][second] = duel.points
            table[second][first] = duel.games - duel.points
        return table

    @cached_property
    def ratings(self) -> list[Rating]:
        """Of all players, by maximum likelihood."""
        return ratings([[0.0 if cell is None else cell for cell in row] for row in self.crosstable])


class Scorer:
    """Keeps the standing of a match while games come in, in whatever order.

    A test is told of pairs in the order of the schedule, however they finish: short games would else be heard first,
    and the same match could be decided in two ways. What finishes after the decision is kept, but not counted.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._games: dict[int, Kept] = {}
        self._test = None if settings.sprt is None else SequentialTest(settings.sprt, paired=settings.paired)
        self._told = 0

    def add(self, kept: Kept) -> None:
        """Count a finished game."""
        self._games[kept.number] = kept
        per_unit = 2 if self.settings.paired else 1
        while self._test is not None and self._test.state.decision is None:
            numbers = range(self._told * per_unit, (self._told + 1) * per_unit)
            if not all(number in self._games for number in numbers):
                return
            self._test.add(round(2 * sum(_points(self._games[number], 0) for number in numbers)))
            self._told += 1

    @property
    def decided(self) -> bool:
        """Whether a test has been decided."""
        return self._test is not None and self._test.state.decision is not None

    def standing(self) -> MatchStanding:
        """All that can be said now."""
        settings = self.settings
        last = self._told * (2 if settings.paired else 1) if self.decided else None
        counted = [kept for number, kept in sorted(self._games.items()) if last is None or number < last]
        forfeits: dict[int, Counter[str]] = {}
        for kept in counted:
            if kept.loser is not None:
                forfeits.setdefault(kept.loser, Counter())[kept.game.ending.reason] += 1
        return MatchStanding(
            names=settings.names,
            planned=settings.planned,
            finished=len(self._games),
            duels={pairing: duel(counted, *pairing, paired=settings.paired) for pairing in settings.pairings},
            forfeits=forfeits,
            test=None if self._test is None else self._test.state,
            drawn_by_limit=sum(
                kept.game.ending.forfeited_by is None and bool(kept.game.ending.reason) for kept in counted
            ),
        )


def duel(games: Iterable[Kept], first: int, second: int, *, paired: bool) -> Duel:
    """What the games between two players say."""
    own = [kept for kept in games if {kept.black, kept.white} == {first, second}]
    points = [_points(kept, first) for kept in own]
    margins = [
        kept.game.ending.score * (1 if kept.black == first else -1) for kept in own if not kept.game.ending.reason
    ]
    return Duel(
        wins=points.count(1.0),
        draws=points.count(0.5),
        losses=points.count(0.0),
        pairs=_pairs(own, points) if paired else None,
        margins=tuple(float(margin) for margin in margins),
        processor=tuple(
            (mine, other)
            for kept in own
            if (mine := kept.processor(first)) is not None and (other := kept.processor(second)) is not None
        ),
    )


def _pairs(games: Sequence[Kept], points: Sequence[float]) -> tuple[int, int, int, int, int]:
    """The five counts of the pairs that are complete: two games with numbers 2n and 2n + 1 are one."""
    found: dict[int, list[float]] = {}
    for kept, each in zip(games, points, strict=True):
        found.setdefault(kept.number // 2, []).append(each)
    counts = Counter(round(2 * sum(both)) for both in found.values() if len(both) == 2)
    return counts[0], counts[1], counts[2], counts[3], counts[4]


def _points(kept: Kept, player: int) -> float:
    points = kept.game.ending.points
    return points if kept.black == player else 1.0 - points
