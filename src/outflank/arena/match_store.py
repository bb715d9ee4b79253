"""A match on disk: its settings and standing in `match.json`, a line for each finished game in `games.jsonl`.

`games.jsonl` is authoritative. Each line is on the disk before the next game begins, so that a match whose process was
killed has lost no finished game; a last line that was cut short is dropped, and its game played again.
"""

import os
import warnings
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from msgspec import UNSET

from outflank.arena.match_documents import MatchDocument, SettingsDocument, StandingDocument
from outflank.arena.match_game import GameLine, MatchGame
from outflank.arena.schedule import Settings
from outflank.arena.standing import MatchStanding
from outflank.errors import OutflankError, reason_of
from outflank.formats.fields import one_line
from outflank.formats.files import write_whole
from outflank.formats.game_files import write_records
from outflank.formats.game_record import Record
from outflank.formats.locks import file_lock
from outflank.games.description import description_of
from outflank.validation.documents import JsonObject, decoded, encoded, in_lines, plain, read_document

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
