"""JSON documents of a match (its settings, standing and result), and the directory in which it is stored."""

import os
import warnings
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from msgspec import UNSET, Struct

from outflank.arena.elo_statistics import Estimate
from outflank.arena.match_game import GameLine, MatchGame, ProcessorDocument
from outflank.arena.schedule import Settings
from outflank.arena.sprt import Decision, Scale, Sprt
from outflank.arena.standing import Duel, MatchStanding
from outflank.errors import OutflankError, reason_of
from outflank.formats.fields import one_line
from outflank.formats.files import file_lock, write_whole
from outflank.formats.game_files import write_records
from outflank.formats.game_record import Record
from outflank.games.description import description_of
from outflank.validation.documents import Document, JsonObject, decoded, encoded, in_lines, plain, read_document
from outflank.validation.values import check_json


class SettingsDocument(Struct, frozen=True, kw_only=True):
    """JSON document of a match's settings."""

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
    """An estimated number with its 95 % confidence interval."""

    value: float
    low: float
    high: float

    @classmethod
    def of(cls, estimate: Estimate) -> "EstimateDocument":
        """Return the document of an estimate, rounded to four decimals."""
        return cls(value=round(estimate.value, 4), low=round(estimate.low, 4), high=round(estimate.high, 4))


class MarginDocument(Struct, frozen=True, kw_only=True):
    """Statistics of the first player's winning margins, in the game's unit."""

    games: int
    """Number of games counted. Games that ended by a forfeit or the ply limit are not counted."""
    mean: float
    deviation: float
    """Standard deviation of the margin of a single game."""
    error: float
    """Half-width of the 95 % confidence interval of the mean margin."""


class DuelDocument(Struct, frozen=True, kw_only=True):
    """Results of the games between two players, from the first player's side."""

    first: int
    """Index of this duel's first player among the players of the match; `second` is the other player's index."""
    second: int
    games: int
    wins: int
    losses: int
    draws: int
    pairs: tuple[int, int, int, int, int] | None
    """Numbers of pairs in which the first player scored 0, ½, 1, 1½ and 2 points; null if the games are not paired."""
    single_games: int
    """Number of games left out of the estimates, because the other game of their pair is not finished."""
    elo: EstimateDocument
    normalized_elo: EstimateDocument
    superiority: float
    """Likelihood that the first player is the stronger one."""
    margin: MarginDocument
    processor: tuple[ProcessorDocument, ProcessorDocument] | None
    """Processor time of the first and of the second player in all measured games; null if none was measured."""

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
    """A sequential probability ratio test (SPRT) and its state."""

    elo0: float
    elo1: float
    alpha: float
    beta: float
    scale: Scale
    llr: float
    """Logarithm of the likelihood ratio of H1 to H0."""
    bounds: tuple[float, float]
    """Values of `llr` at which H0 and H1 are accepted."""
    units: int
    """Number of pairs, or of unpaired games, counted so far."""
    decision: Decision | None


class StandingDocument(Struct, frozen=True, kw_only=True):
    """JSON document of a match's standing."""

    players: tuple[str, ...]
    planned: int
    finished: int
    duels: tuple[DuelDocument, ...]
    crosstable: list[list[float | None]]
    """Points of each player (row) against each other player (column)."""
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
    """A finished game, as `outflank match --json` prints it."""


class MatchResultDocument(StandingDocument, Document, frozen=True, kw_only=True, tag="outflank/match-result/1"):
    """Result of a match, as `outflank match --json` prints it at the end."""

    complete: bool
    interrupted: bool
    settings: SettingsDocument

    @classmethod
    def from_match(cls, settings: Settings, standing: MatchStanding, *, interrupted: bool) -> "MatchResultDocument":
        """Return the document of a match from its settings and its standing."""
        return cls(
            complete=standing.complete,
            interrupted=interrupted,
            settings=SettingsDocument.of(settings),
            **{name: getattr(StandingDocument.of(standing), name) for name in StandingDocument.__struct_fields__},
        )


class MatchDocument(Document, frozen=True, kw_only=True, tag="outflank/match/1"):
    """Contents of `match.json`, the file that describes a stored match."""

    settings: JsonObject
    """`SettingsDocument` as written by the version of outflank that began the match."""
    provenance: JsonObject
    complete: bool = False
    standing: Any = UNSET
    """`StandingDocument`, if one has been written; outflank never reads it."""

    def __post_init__(self) -> None:
        for name in ("settings", "provenance"):
            check_json(getattr(self, name), name)


# A match on disk: its settings and standing in `match.json`, a line for each finished game in `games.jsonl`.
# `games.jsonl` is authoritative. Each line is on the disk before its thread begins the next game, so that a killed
# process loses no finished game. An incomplete last line is dropped, and its game is played again.

MATCH, GAMES = "match.json", "games.jsonl"


class Directory:
    """Directory in which a match is stored; only one process at a time may write to it."""

    def __init__(
        self, path: Path, settings: Settings, *, origin: JsonObject, resume: bool = False, replace_old: bool = False
    ) -> None:
        self.path, self.origin = path, origin
        self.rules, self.settings = settings.start.game, plain(SettingsDocument.of(settings))
        self._records = path / f"games{description_of(self.rules).notation.default_suffix}"
        self.stored_games: list[MatchGame] = []
        """Games that the directory held when it was opened."""
        head = path / MATCH
        if resume:
            self._check_same_match(head)
        elif head.exists() and not replace_old:
            raise OutflankError(f"{head} exists: --resume goes on with it, --replace plays anew")
        with ExitStack() as opened:
            try:
                path.mkdir(parents=True, exist_ok=True)
                opened.enter_context(file_lock(path / GAMES, "another process is playing this match"))
                self._lines = opened.enter_context((path / GAMES).open("r+b" if (path / GAMES).exists() else "w+b"))
            except OSError as error:
                raise OutflankError(f"{path} cannot be written to: {reason_of(error)}") from None
            if resume:
                self.stored_games = self._read_lines()
            else:
                self._lines.truncate(0)
                self._records.unlink(missing_ok=True)
            self.describe()
            self._opened = opened.pop_all()

    def add(self, match_game: MatchGame) -> None:
        """Append a finished game to `games.jsonl`, and wait until it is on the disk."""
        self._lines.write(encoded(match_game.line) + b"\n")
        self._lines.flush()
        os.fsync(self._lines.fileno())

    def describe(self, standing: MatchStanding | None = None) -> None:
        """Write `match.json`: the settings and, if given, the standing of the match."""
        document = MatchDocument(
            settings=self.settings,
            provenance=self.origin,
            complete=standing is not None and standing.complete,
            standing=UNSET if standing is None else StandingDocument.of(standing),
        )
        write_whole(self.path / MATCH, in_lines(document))

    def write_records(self, records: Sequence[Record]) -> None:
        """Write the records of all games to one file, in the usual file format of the game."""
        if not records:
            return
        try:
            write_records(records, self._records)
        except (OutflankError, OSError) as error:  # a warning suffices, since `games.jsonl` has the games
            warnings.warn(f"{self._records} was not written: {error}", stacklevel=2)

    def close(self) -> None:
        """Release the directory for other processes."""
        self._opened.close()

    def _check_same_match(self, head: Path) -> None:
        """Check that the stored match has the same settings, except the number of games. Take over its provenance if
        the code is the same, or else record it beside this run's own provenance."""
        document = read_document(head, MatchDocument, "a match")
        before, now = ({**settings, "games": 0} for settings in (document.settings, self.settings))
        if before != now:
            changed = ", ".join(f"{key} {one_line(str(before.get(key)))}" for key in now if before.get(key) != now[key])
            raise OutflankError(f"{head} is another match: {changed}")
        if all(document.provenance.get(key) == self.origin.get(key) for key in ("commit", "package")):
            self.origin = document.provenance
        else:
            self.origin = {**self.origin, "resumed from": document.provenance}

    def _read_lines(self) -> list[MatchGame]:
        """Return the stored games, and cut `games.jsonl` after its last complete line."""
        data = self._lines.read()
        whole = data[: data.rfind(b"\n") + 1]
        games: dict[int, MatchGame] = {}
        for number, line in enumerate(whole.splitlines(), 1):
            try:
                match_game = MatchGame.of(decoded(GameLine, line), self.rules)
            except OutflankError as error:
                raise OutflankError(f"{self.path / GAMES}, line {number} is damaged: {error}") from None
            games.setdefault(match_game.number, match_game)
        self._lines.seek(len(whole))
        self._lines.truncate()
        return list(games.values())


class OpeningsFoundDocument(Document, frozen=True, kw_only=True, tag="outflank/openings-found/1"):
    """The result of the command that finds balanced openings."""

    file: str
    openings: int
    searched: int
    """Number of positions searched for them, in all runs of the command."""
    interrupted: bool
