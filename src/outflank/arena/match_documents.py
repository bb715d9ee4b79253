"""The documents that are stored and printed of a match: its settings and its standing."""

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


# A match on disk: its settings and standing in `match.json`, a line for each finished game in `games.jsonl`.
#
# `games.jsonl` is authoritative. Each line is on the disk before the next game begins, so that a match whose process
# was killed has lost no finished game; a last line that was cut short is dropped, and its game played again.

MATCH, GAMES = "match.json", "games.jsonl"


class Directory:
    """A match's directory, to which one process at a time writes."""

    def __init__(
        self, path: Path, settings: Settings, *, origin: JsonObject, resume: bool = False, replace_old: bool = False
    ) -> None:
        self.path, self.origin = path, origin
        self.rules, self.settings = settings.start.game, plain(SettingsDocument.of(settings))
        self._records = path / f"games{description_of(self.rules).notation.default_suffix}"
        self.stored_games: list[MatchGame] = []
        """The games that the directory held when it was opened."""
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
        """Write a finished game to the disk."""
        self._lines.write(encoded(match_game.line) + b"\n")
        self._lines.flush()
        os.fsync(self._lines.fileno())

    def describe(self, standing: MatchStanding | None = None) -> None:
        """Write the settings and the standing of the match."""
        document = MatchDocument(
            settings=self.settings,
            provenance=self.origin,
            complete=standing is not None and standing.complete,
            standing=UNSET if standing is None else StandingDocument.of(standing),
        )
        write_whole(self.path / MATCH, in_lines(document))

    def write_records(self, records: Sequence[Record]) -> None:
        """Write all games in the game's usual file format."""
        if not records:
            return
        try:
            write_records(records, self._records)
        except (
            OutflankError,
            OSError,
        ) as error:  # the games are in `games.jsonl`, and the standing is yet to be printed
            warnings.warn(f"{self._records} was not written: {error}", stacklevel=2)

    def close(self) -> None:
        """Release the directory for other processes."""
        self._opened.close()

    def _check_same_match(self, head: Path) -> None:
        """Check that the directory holds this match; only the number of games may differ."""
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
        """Return the finished games, and cut the file after the last complete line."""
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
