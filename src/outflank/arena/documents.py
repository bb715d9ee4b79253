"""What is kept and printed of a match: its settings, and how it stands."""

from typing import Any

from msgspec import UNSET, Struct

from outflank.arena.kept import GameLine, ProcessorDocument
from outflank.arena.schedule import Settings
from outflank.arena.sprt import Decision, Scale, Sprt
from outflank.arena.standing import Duel, MatchStanding
from outflank.arena.statistics import Estimate
from outflank.documents import Document
from outflank.kinds import Json
from outflank.schema import conform


class SettingsDocument(Struct, frozen=True, kw_only=True):
    """What a match is."""

    players: tuple[str, ...]
    start: str
    games: int
    clock: str
    openings: str
    seed: int
    paired: bool
    ply_limit: int | None
    ponder: bool
    lag_seconds: float
    sprt: Sprt | None

    @classmethod
    def of(cls, settings: Settings) -> "SettingsDocument":
        """As they are kept."""
        as_they_are = ("players", "games", "openings", "seed", "paired", "ply_limit", "ponder", "lag_seconds", "sprt")
        same = {name: getattr(settings, name) for name in as_they_are}
        return cls(start=repr(settings.start), clock=str(settings.clock), **same)


class EstimateDocument(Struct, frozen=True, kw_only=True):
    """A number with its 95 % interval."""

    value: float
    low: float
    high: float

    @classmethod
    def of(cls, estimate: Estimate) -> "EstimateDocument":
        """In four decimals."""
        return cls(value=round(estimate.value, 4), low=round(estimate.low, 4), high=round(estimate.high, 4))


class MarginDocument(Struct, frozen=True, kw_only=True):
    """What the first player won by, in the game's unit."""

    games: int
    """Those that the rules ended."""
    mean: float
    deviation: float
    """Of one game."""
    error: float
    """Half of the mean's 95 % interval."""


class DuelDocument(Struct, frozen=True, kw_only=True):
    """The games of two players, as the first of them sees them."""

    first: int
    """The players' numbers."""
    second: int
    games: int
    wins: int
    losses: int
    draws: int
    pairs: tuple[int, int, int, int, int] | None
    """Pairs that scored 0, ½, 1, 1½ and 2 points; null: the games are not paired."""
    single_games: int
    """Those that estimates leave out, since their pair is not finished."""
    elo: EstimateDocument
    normalized_elo: EstimateDocument
    superiority: float
    """The likelihood that the first is the stronger one."""
    margin: MarginDocument
    processor: tuple[ProcessorDocument, ProcessorDocument] | None
    """Processor time of the first and of the second player, summed over all measured games; null: none was measured."""

    @classmethod
    def of(cls, first: int, second: int, duel: Duel) -> "DuelDocument":
        """Of the players with these numbers."""
        same = {name: getattr(duel, name) for name in ("games", "wins", "losses", "draws", "pairs", "single_games")}
        one, other = duel.processor_use
        margin = MarginDocument(
            games=len(duel.margins),
            mean=round(duel.margin, 4),
            deviation=round(duel.margin_deviation, 4),
            error=round(duel.margin_error, 4),
        )
        return cls(
            first=first,
            second=second,
            **same,
            elo=EstimateDocument.of(duel.elo),
            normalized_elo=EstimateDocument.of(duel.normalized_elo),
            superiority=round(duel.superiority, 6),
            margin=margin,
            processor=(ProcessorDocument.of(one), ProcessorDocument.of(other)) if duel.processor else None,
        )


class RatingDocument(Struct, frozen=True, kw_only=True):
    """A player's rating among those of the match."""

    elo: float
    error: float
    """Half of its 95 % interval."""


class SprtDocument(Struct, frozen=True, kw_only=True):
    """A sequential test, and how it stands."""

    elo0: float
    elo1: float
    alpha: float
    beta: float
    scale: Scale
    llr: float
    """The logarithm of the likelihood ratio."""
    bounds: tuple[float, float]
    """Where it is decided."""
    units: int
    """Pairs, or games, that it has seen."""
    decision: Decision | None


class StandingDocument(Struct, frozen=True, kw_only=True):
    """How a match stands."""

    players: tuple[str, ...]
    planned: int
    finished: int
    duels: tuple[DuelDocument, ...]
    crosstable: list[list[float | None]]
    """Points of each player against each."""
    ratings: tuple[RatingDocument, ...]
    forfeits: tuple[dict[str, int], ...]
    """Of each player: games lost other than by the rules, by reason."""
    drawn_by_limit: int
    sprt: SprtDocument | None

    @classmethod
    def of(cls, standing: MatchStanding) -> "StandingDocument":
        """As it is kept and printed."""
        test = standing.test
        return cls(
            players=standing.names,
            planned=standing.planned,
            finished=standing.finished,
            duels=tuple(DuelDocument.of(*pairing, duel) for pairing, duel in standing.duels.items()),
            crosstable=standing.crosstable,
            ratings=tuple(
                RatingDocument(elo=round(each.elo, 4), error=round(each.error, 4)) for each in standing.ratings
            ),
            forfeits=tuple(dict(standing.forfeits.get(number, {})) for number in range(len(standing.names))),
            drawn_by_limit=standing.drawn_by_limit,
            sprt=None
            if test is None
            else SprtDocument(
                **{name: getattr(test.sprt, name) for name in ("elo0", "elo1", "alpha", "beta", "scale")},
                llr=round(test.llr, 6),
                bounds=(round(test.sprt.bounds[0], 6), round(test.sprt.bounds[1], 6)),
                units=test.units,
                decision=test.decision,
            ),
        )


class MatchGameDocument(GameLine, Document, frozen=True, kw_only=True, tag="outflank/match-game/1"):
    """A finished game, as it is printed."""


class MatchResultDocument(StandingDocument, Document, frozen=True, kw_only=True, tag="outflank/match-result/1"):
    """A match, as it is printed in the end."""

    complete: bool
    interrupted: bool
    settings: SettingsDocument

    @classmethod
    def told(cls, settings: Settings, standing: MatchStanding, *, interrupted: bool) -> "MatchResultDocument":
        """A match that was played."""
        return cls(
            complete=standing.complete,
            interrupted=interrupted,
            settings=SettingsDocument.of(settings),
            **{name: getattr(StandingDocument.of(standing), name) for name in StandingDocument.__struct_fields__},
        )


class MatchDocument(Document, frozen=True, kw_only=True, tag="outflank/match/1"):
    """A match that is kept: `match.json`."""

    settings: dict[str, Any]
    """A `SettingsDocument`, of whichever version has begun the match."""
    provenance: dict[str, Any]
    complete: bool = False
    standing: Any = UNSET
    """A `StandingDocument`, once there is one; nothing reads it here."""

    def __post_init__(self) -> None:
        for name in ("settings", "provenance"):
            conform(dict[str, Json], getattr(self, name), name)
