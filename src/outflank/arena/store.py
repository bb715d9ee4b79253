"""A match on disk: `match.json` says what it is and how it stands, `games.jsonl` has a line for each finished game.

The lines are the truth. Each is on the disk before the next game begins, so that a match whose process was killed has
lost no finished game; a last line that was cut short is dropped, and its game played again.
"""

import json
import os
import warnings
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal

from outflank.abalone.rules import Abalone
from outflank.arena.referee import Ending, FinishedGame
from outflank.boards import Board
from outflank.errors import OutflankError, reason_of
from outflank.formats.fields import REASONS, one_line
from outflank.formats.files import read_document, write_whole
from outflank.formats.game_files import write_records
from outflank.formats.game_record import PlayedMove, Record
from outflank.formats.locks import held
from outflank.formats.recognise import read
from outflank.formats.setup import Setup
from outflank.games.sides import Side
from outflank.schema import Between, Count, Duration, Json, Misfit, Shape, conform

SCHEMA = "outflank/match/1"
MATCH, GAMES = "match.json", "games.jsonl"


def _as_many(line: dict[str, Any]) -> None:
    for name in ("values", "seconds"):
        if len(line[name]) != len(line["moves"]):
            raise Misfit(name, f"expected {len(line['moves'])} elements, one for each move, found {len(line[name])}")


LINE = Shape(
    {
        "game": Count,
        "black": Count,
        "white": Count,
        "names": tuple[str, str],
        "points": Literal[0.0, 0.5, 1.0],
        "score": float,
        "reason": Literal["", *REASONS],
        "detail": str,
        "forfeited_by": Literal["black", "white"] | None,
        "date": str,
        "clock": str,
        "start": str,
        "ply": Annotated[int, Between(0, 1_000_000)],
        "moves": list[Annotated[int, Between(0, 0xFFFF)]],
        "values": list[float | None],
        "seconds": list[Duration | None],
    },
    also=_as_many,
)
"""What a line of `games.jsonl` holds."""

DOCUMENT = Shape(
    {"settings": dict[str, Json], "provenance": Shape({}, optional={"commit": str | None}, others=Json)}, others=Json
)
"""What `match.json` holds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """A finished game with its place in the schedule."""

    number: int
    black: int
    white: int
    game: FinishedGame

    @property
    def loser(self) -> int | None:
        """Who lost other than by the rules."""
        side = self.game.ending.forfeited_by
        return None if side is None else self.black if side is Side.BLACK else self.white

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        record, ending = self.game.record, self.game.ending
        return {
            "game": self.number,
            "black": self.black,
            "white": self.white,
            "names": [record.black, record.white],
            "points": ending.points,
            "score": ending.score,
            "reason": ending.reason,
            "detail": ending.detail,
            "forfeited_by": None if ending.forfeited_by is None else str(ending.forfeited_by),
            "date": record.date,
            "clock": record.clock,
            "start": Board.from_setup(record.start).to_text(),
            "ply": record.start.ply,
            "moves": [move.code for move in record.moves],
            "values": [move.value for move in record.moves],
            "seconds": [None if move.seconds is None else round(move.seconds, 3) for move in record.moves],
        }

    @classmethod
    def of(cls, found: dict[str, Any], rules: Any) -> "Kept":
        """The game of a line, under the rules of its match."""
        found = conform(LINE, found)
        side = found["forfeited_by"]
        ending = Ending(
            points=float(found["points"]),
            score=found["score"],
            reason=found["reason"],
            detail=found["detail"],
            forfeited_by=None if side is None else Side(side),
        )
        moves = zip(found["moves"], found["values"], found["seconds"], strict=True)
        record = Record(
            start=_read_start(found["start"], found["ply"], rules),
            moves=tuple(PlayedMove(code=code, value=value, seconds=seconds) for code, value, seconds in moves),
            black=found["names"][0],
            white=found["names"][1],
            date=found["date"],
            score=0 if ending.points == 0.5 else ending.score,
            reason=ending.reason,
            clock=found["clock"],
        )
        game = FinishedGame(record=record, ending=ending)
        return cls(number=found["game"], black=found["black"], white=found["white"], game=game)


def _read_start(text: str, ply: int, rules: Any) -> Setup:
    kind = "abalone" if isinstance(rules, Abalone) else "othello"
    return replace(read(text, game=kind), game=rules, ply=ply, format="match")


class Directory:
    """A match's directory, which one process at a time writes to."""

    def __init__(
        self,
        path: Path,
        settings: dict[str, Any],
        rules: Any,
        *,
        origin: dict[str, Any],
        resume: bool = False,
        replace_old: bool = False,
    ) -> None:
        self.path, self.settings, self.rules, self.origin = path, settings, rules, origin
        self._records = path / ("games.abalone" if isinstance(rules, Abalone) else "games.ggf")
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
            self.describe(complete=False)
            self._opened = opened.pop_all()

    def add(self, kept: Kept) -> None:
        """Put a finished game on the disk."""
        self._lines.write(json.dumps(kept.as_dict(), separators=(",", ":")).encode() + b"\n")
        self._lines.flush()
        os.fsync(self._lines.fileno())

    def describe(self, *, complete: bool, **more: Any) -> None:
        """Write down what the match is, and how it stands."""
        document = {
            "schema": SCHEMA,
            "settings": self.settings,
            "provenance": self.origin,
            "complete": complete,
            **more,
        }
        write_whole(self.path / MATCH, json.dumps(document, indent=1) + "\n")

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
        found = read_match(head)
        before, now = ({**each, "games": 0} for each in (found["settings"], json.loads(json.dumps(self.settings))))
        if before != now:
            changed = ", ".join(f"{key} {one_line(str(before.get(key)))}" for key in now if before.get(key) != now[key])
            raise OutflankError(f"{head} is another match: {changed}")
        if all(found["provenance"].get(key) == self.origin.get(key) for key in ("commit", "package")):
            self.origin = found["provenance"]
        else:
            self.origin = {**self.origin, "resumed from": found["provenance"]}

    def _read_lines(self) -> list[Kept]:
        """The finished games; the file then ends with the last of them."""
        data = self._lines.read()
        whole = data[: data.rfind(b"\n") + 1]
        found: dict[int, Kept] = {}
        for number, line in enumerate(whole.splitlines(), 1):
            try:
                kept = Kept.of(json.loads(line), self.rules)
            except (ValueError, RecursionError, OutflankError) as error:
                raise OutflankError(f"{self.path / GAMES}, line {number} is damaged: {error}") from None
            found.setdefault(kept.number, kept)
        self._lines.seek(len(whole))
        self._lines.truncate()
        return list(found.values())


def read_match(path: Path) -> dict[str, Any]:
    """The document that says what a match is, checked."""
    return read_document(path, SCHEMA, "a match", DOCUMENT)
