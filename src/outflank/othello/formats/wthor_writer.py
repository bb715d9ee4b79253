"""Writes games to WTHOR files: the games themselves, and the names they refer to."""

from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import BinaryIO

from outflank.errors import FormatError
from outflank.formats.fields import year_of
from outflank.formats.files import replacing
from outflank.formats.game_files import naming_game
from outflank.formats.game_record import Record
from outflank.othello.formats.board_line import othello_size
from outflank.othello.formats.line_games import is_standard_game
from outflank.othello.formats.wthor_files import (
    DEFAULT_DEPTH,
    EVENTS,
    HEADER_BYTES,
    MOVES,
    NAME,
    PLAYERS,
    NameList,
    header_bytes,
)
from outflank.othello.rules import PASS

WITHOUT_THEORY = 1
"""The depth of a file without theoretical scores: with one empty square, the played move was the best."""


class WthorWriter:
    """Writes games to a seekable file; `finish` completes it."""

    def __init__(self, stream: BinaryIO) -> None:
        self.games = 0
        self._stream = stream
        self._players, self._events = NameList(PLAYERS), NameList(EVENTS)
        self._year: int | None = None
        self._depth: int | None = None

    def add(self, record: Record) -> None:
        """Write a game."""
        othello_size(record, NAME)
        if not is_standard_game(record):
            raise FormatError(f"{NAME} holds games from the start of the 8×8 board")
        if record.score is None:
            raise FormatError(f"{NAME} holds games whose score is known")
        discs, best = (_discs(score) for score in (record.score, record.score if record.best is None else record.best))
        self._check_agreement(record)
        moves = bytes(10 * (move.code // 8 + 1) + move.code % 8 + 1 for move in record.moves if move.code != PASS)
        if len(moves) > MOVES:
            raise FormatError(f"{NAME} holds games of {MOVES} moves, not of {len(moves)}")
        if not self.games:
            self._stream.write(bytes(HEADER_BYTES))
        numbers = (self._events.number(record.event), *map(self._players.number, (record.black, record.white)))
        references = b"".join(number.to_bytes(2, "little") for number in numbers)
        self._stream.write(references + bytes((discs, best)) + moves.ljust(MOVES, b"\0"))
        self.games += 1

    def finish(self) -> tuple[bytes, bytes]:
        """Write the header; return the contents of the files of names, players and tournaments."""
        self._stream.seek(0)
        depth = self._depth or WITHOUT_THEORY
        self._stream.write(header_bytes(games=self.games, year=self._year or 0, depth=depth))
        return self._players.to_bytes(), self._events.to_bytes()

    def _check_agreement(self, record: Record) -> None:
        """Check that the games of a file have one year, and one depth of their theoretical scores."""
        year = year_of(record.date)
        depth = None if record.best is None else record.best_empties or DEFAULT_DEPTH
        if self.games and year != self._year:
            raise FormatError(f"{NAME} holds games of one year: {self._year or 'unknown'}, not {year or 'unknown'}")
        if self.games and depth != self._depth:
            raise FormatError(
                f"{NAME} holds theoretical scores of one depth: {self._depth or 'none'}, not {depth or 'none'}"
            )
        self._year, self._depth = year, depth


def _discs(score: float) -> int:
    """Return black's discs for a score of `score`, with the empty squares for the winner."""
    if not abs(score) <= 64 or score % 2:
        raise FormatError(f"{NAME} cannot hold a score of {score:+g}: it is the difference of 64 discs")
    return int(32 + score / 2)


def files_of(target: Path) -> list[Path]:
    """Return the file of games, and those of names beside it."""
    return [target, *(target.with_suffix(suffix) for suffix in (PLAYERS, EVENTS))]


def write_wthor(records: Iterable[Record], target: Path) -> int:
    """Write games to three files; return their number."""
    with ExitStack() as opened:
        games, *names = (opened.enter_context(replacing(file)) for file in files_of(target))
        writer = WthorWriter(games)
        ended_early = True
        try:
            for number, record in enumerate(records, 1):
                with naming_game(number, records):
                    writer.add(record)
            ended_early = False
        finally:
            if writer.games or not ended_early:
                for stream, data in zip(names, writer.finish(), strict=True):
                    stream.write(data)
    return writer.games
