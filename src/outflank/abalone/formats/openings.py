"""Openings of Abalone, by which games are selected."""

from dataclasses import dataclass

from outflank.abalone.formats.moves import meanings
from outflank.abalone.rules import Abalone
from outflank.errors import FormatError
from outflank.formats.game_record import Record
from outflank.formats.selection import move_codes


@dataclass(frozen=True, slots=True)
class AbaloneOpening:
    """The first moves of games."""

    move_meanings: tuple[tuple[int, ...], ...]
    """The codes that each move's text can mean."""

    @classmethod
    def parse(cls, text: str) -> "AbaloneOpening":
        """Return the opening given by a list of moves."""
        move_meanings = tuple(meanings(word) for word in text.split())
        if not all(move_meanings):
            raise FormatError(f"{text!r} are no moves of Abalone")
        return cls(move_meanings)

    def begins(self, record: Record) -> bool:
        """Return whether a game begins with this opening."""
        codes = move_codes(record)
        if not isinstance(record.start.game, Abalone) or len(codes) < len(self.move_meanings):
            return False
        return all(code in possible for code, possible in zip(codes, self.move_meanings, strict=False))
