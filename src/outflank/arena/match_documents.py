"""The documents that are stored and printed of a match: its settings and its standing."""

from typing import Any

from msgspec import UNSET, Struct

from outflank.arena.elo_statistics import Estimate
from outflank.arena.match_game import GameLine, ProcessorDocument
from outflank.arena.schedule import Settings
from outflank.arena.sprt import Decision, Scale, Sprt
from outflank.arena.standing import Duel, MatchStanding
from outflank.validation.documents import Document, JsonObject
from outflank.validation.values import check_json


class SettingsDocument(Struct, frozen=True, kw_only=True):
    """The settings of a match."""

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
        """Return the document of these settings."""
        unchanged = ("players", "games", "openings", "seed", "paired", "ply_limit", "ponder", "lag_seconds", "sprt")
        values = {name: getattr(settings, name) for name in unchanged}
        return cls(start=repr(settings.start), clock=str(settings.clock), **values)


class EstimateDocument(Struct, frozen=True, kw_only=True):
    """A number with its 95 % interval."""

    value: float
    low: float
    high: float

    @classmethod
    def of(cls, estimate: Estimate) -> "EstimateDocument":
        """Return the estimate, rounded to four decimals."""
        return cls(value=round(estimate.value, 4), low=round(estimate.low, 4), high=round(estimate.high, 4))


class MarginDocument(Struct, frozen=True, kw_only=True):
    """The margins by which the first player won, in the game's unit."""

    games: int
    """Number of games that the rules ended."""
    mean: float
    deviation: float
    """Standard deviation of one game's margin."""
    error: float
    """Half-width of the mean's 95 % confidence interval."""


class DuelDocument(Struct, frozen=True, kw_only=True):
    """The games of two players, from the first player's side."""

    first: int
    """Number of the first player; `second` is the other player's."""
    second: int
    games: int
    wins: int
    losses: int
    draws: int
    pairs: tuple[int, int, int, int, int] | None
    """Pairs that scored 0, ½, 1, 1½ and 2 points; null: the games are not paired."""
    single_games: int
    """Number of games that estimates leave out, since their pair is not finished."""
    elo: EstimateDocument
    normalized_elo: EstimateDocument
    superiority: float
    """The likelihood that the first player is the stronger one."""
    margin: MarginDocument
    processor: tuple[ProcessorDocument, ProcessorDocument] | None
    """Processor time of the first and of the second player, summed over all measured games; null: none was measured."""

    @classmethod
    def of(cls, first: int, second: int, duel: Duel) -> "DuelDocument":
        """Return the document of a duel between the players with these numbers."""
        counts = {name: getattr(duel, name) for name in ("games", "wins", "losses", "draws", "pairs", "single_games")}
        first_use, second_use = duel.processor_use
        margin = MarginDocument(
            games=len(duel.margins),
            mean=round(duel.margin, 4),
            deviation=round(duel.margin_deviation, 4),
            error=round(duel.margin_error, 4),
        )
        return cls(
            first=first,
            second=second,
            **counts,
            elo=EstimateDocument.of(duel.elo),
            normalized_elo=EstimateDocument.of(duel.normalized_elo),
            superiority=round(duel.superiority, 6),
            margin=margin,
            processor=(ProcessorDocument.of(first_use), ProcessorDocument.of(second_use)) if duel.processor else None,
        )


class RatingDocument(Struct, frozen=True, kw_only=True):
    """A player's rating among the players of the match."""

    elo: float
    error: float
    """Half-width of the rating's 95 % confidence interval."""


class SprtDocument(Struct, frozen=True, kw_only=True):
    """A sequential test and its state."""

    elo0: float
    elo1: float
    alpha: float
    beta: float
    scale: Scale
    llr: float
    """The logarithm of the likelihood ratio."""
    bounds: tuple[float, float]
    """The values of `llr` at which H0 and H1 are accepted."""
    units: int
    """Number of pairs, or of games, counted so far."""
    decision: Decision | None


class StandingDocument(Struct, frozen=True, kw_only=True):
    """The standing of a match."""

    players: tuple[str, ...]
    planned: int
    finished: int
    duels: tuple[DuelDocument, ...]
    crosstable: list[list[float | None]]
    """Points of each player against each other player."""
    ratings: tuple[RatingDocument, ...]
    forfeits: tuple[dict[str, int], ...]
    """For each player, the number of games lost by forfeit, by reason."""
    drawn_by_limit: int
    sprt: SprtDocument | None

    @classmethod
    def of(cls, standing: MatchStanding) -> "StandingDocument":
        """Return the document of this standing."""
        test = standing.test
        return cls(
            players=standing.names,
            planned=standing.planned,
            finished=standing.finished,
            duels=tuple(DuelDocument.of(*pairing, duel) for pairing, duel in standing.duels.items()),
            crosstable=standing.crosstable,
            ratings=tuple(
                RatingDocument(elo=round(rating.elo, 4), error=round(rating.error, 4)) for rating in standing.ratings
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
    """A finished game, as printed."""


class MatchResultDocument(StandingDocument, Document, frozen=True, kw_only=True, tag="outflank/match-result/1"):
    """A match, as printed at its end."""

    complete: bool
    interrupted: bool
    settings: SettingsDocument

    @classmethod
    def from_match(cls, settings: Settings, standing: MatchStanding, *, interrupted: bool) -> "MatchResultDocument":
        """Return the document of a match that was played."""
        return cls(
            complete=standing.complete,
            interrupted=interrupted,
            settings=SettingsDocument.of(settings),
            **{name: getattr(StandingDocument.of(standing), name) for name in StandingDocument.__struct_fields__},
        )


class MatchDocument(Document, frozen=True, kw_only=True, tag="outflank/match/1"):
    """A stored match: `match.json`."""

    settings: JsonObject
    """A `SettingsDocument`, written by the version that began the match."""
    provenance: JsonObject
    complete: bool = False
    standing: Any = UNSET
    """A `StandingDocument`, once there is one; this program does not read it."""

    def __post_init__(self) -> None:
        for name in ("settings", "provenance"):
            check_json(getattr(self, name), name)
