"""Openings of Abalone, by which games are looked for."""

from dataclasses import dataclass

from outflank.abalone.formats.moves import meanings
from outflank.abalone.rules import Abalone
from outflank.errors import FormatError
from outflank.formats.game_record import Record
from outflank.formats.selection import played


@dataclass(frozen=True, slots=True)
class AbaloneOpening:
    """The first moves of games."""

    meant: tuple[tuple[int, ...], ...]
    """The codes that each move's text can mean."""

    @classmethod
    def parse(cls, text: str) -> "AbaloneOpening":
        """The opening that a list of moves is."""
        meant = tuple(meanings(word) for word in text.split())
        if not all(meant):
            raise FormatError(f"{text!r} are no moves of Abalone")
        return cls(meant)

    def begins(self, record: Record) -> bool:
        """Whether a game begins so."""
        codes = played(record)
        if not isinstance(record.start.game, Abalone) or len(codes) < len(self.meant):
            return False
        return all(code in meant for code, meant in zip(codes, self.meant, strict=False))
