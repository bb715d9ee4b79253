"""A match on disk: `match.json` says what it is and how it stands, `games.jsonl` has a line for each finished game.

The lines are the truth. Each is on the disk before the next game begins, so that a match whose process was killed has
lost no finished game; a last line that was cut short is dropped, and its game played again.
"""

import os
import warnings
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from msgspec import UNSET

from outflank.arena.documents import MatchDocument, SettingsDocument, StandingDocument
from outflank.arena.kept import GameLine, Kept
from outflank.arena.schedule import Settings
from outflank.arena.standing import MatchStanding
from outflank.documents import decoded, encoded, in_lines, plain, read_document
from outflank.errors import OutflankError, reason_of
from outflank.formats.fields import one_line
from outflank.formats.files import write_whole
from outflank.formats.game_files import write_records
from outflank.formats.game_record import Record
from outflank.formats.locks import held
from outflank.games.description import description_of

MATCH, GAMES = "match.json", "games.jsonl"


class Directory:
    """A match's directory, which one process at a time writes to."""

    def __init__(
        self,
        path: Path,
        settings: Settings,
        *,
        origin: dict[str, Any],
        resume: bool = False,
        replace_old: bool = False,
    ) -> None:
        self.path, self.origin = path, origin
        self.rules, self.settings = settings.start.game, plain(SettingsDocument.of(settings))
        self._records = path / f"games{description_of(self.rules).notation.usual_suffix}"
        self.kept: list[Kept] = []
        """The games that were there when it was opened."""
        head = path / MATCH
        if resume:
            self._take_up(head)
        elif head.exists() and not replace_old:
            raise OutflankError(f"{head} exists: --resume goes on with it, --replace plays anew")
        with ExitStack() as opened:
            try:
                path.mkdir(parents=True, exist_ok=True)
                opened.enter_context(held(path / GAMES, "another process is playing this match"))
                self._lines = opened.enter_context((path / GAMES).open("r+b" if (path / GAMES).exists() else "w+b"))
            except OSError as error:
                raise OutflankError(f"{path} cannot be written to: {reason_of(error)}") from None
            if resume:
                self.kept = self._read_lines()
            else:
                self._lines.truncate(0)
                self._records.unlink(missing_ok=True)
            self.describe()
            self._opened = opened.pop_all()

    def add(self, kept: Kept) -> None:
        """Put a finished game on the disk."""
        self._lines.write(encoded(kept.line) + b"\n")
        self._lines.flush()
        os.fsync(self._lines.fileno())

    def describe(self, standing: MatchStanding | None = None) -> None:
        """Write down what the match is, and how it stands."""
        document = MatchDocument(
            settings=self.settings,
            provenance=self.origin,
            complete=standing is not None and standing.complete,
            standing=UNSET if standing is None else StandingDocument.of(standing),
        )
        write_whole(self.path / MATCH, in_lines(document))

    def write_records(self, records: Sequence[Record]) -> None:
        """All games in the format that their game is usually kept in."""
        if not records:
            return
        try:
            write_records(records, self._records)
        except (OutflankError, OSError) as error:  # the lines are there, and the standing is yet to be told
            warnings.warn(f"{self._records} was not written: {error}", stacklevel=2)

    def close(self) -> None:
        """Let others write there."""
        self._opened.close()

    def _take_up(self, head: Path) -> None:
        """See that the match in the directory is this one; it may be prolonged."""
        found = read_document(head, MatchDocument, "a match")
        before, now = ({**each, "games": 0} for each in (found.settings, self.settings))
        if before != now:
            changed = ", ".join(f"{key} {one_line(str(before.get(key)))}" for key in now if before.get(key) != now[key])
            raise OutflankError(f"{head} is another match: {changed}")
        if all(found.provenance.get(key) == self.origin.get(key) for key in ("commit", "package")):
            self.origin = found.provenance
        else:
            self.origin = {**self.origin, "resumed from": found.provenance}

    def _read_lines(self) -> list[Kept]:
        """The finished games; the file then ends with the last of them."""
        data = self._lines.read()
        whole = data[: data.rfind(b"\n") + 1]
        found: dict[int, Kept] = {}
        for number, line in enumerate(whole.splitlines(), 1):
            try:
                kept = Kept.of(decoded(GameLine, line), self.rules)
            except OutflankError as error:
                raise OutflankError(f"{self.path / GAMES}, line {number} is damaged: {error}") from None
            found.setdefault(kept.number, kept)
        self._lines.seek(len(whole))
        self._lines.truncate()
        return list(found.values())
