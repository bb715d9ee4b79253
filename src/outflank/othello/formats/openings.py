"""Openings of Othello, by which games are looked for."""

from dataclasses import dataclass

from outflank.formats.game_record import Record
from outflank.formats.selection import played
from outflank.games.rules import mirror, mirror_move, symmetries
from outflank.othello.formats.line_games import starts_normally
from outflank.othello.formats.transcript import read_transcript
from outflank.othello.rules import PASS
from outflank.othello.squares import START, othello


@dataclass(frozen=True, slots=True)
class OthelloOpening:
    """The first moves of games, passes left out.

    >>> len(OthelloOpening.parse("f5d6").squares)
    4
    """

    squares: tuple[bytes, ...]
    """In each of the ways in which the board can be turned without changing the start."""

    @classmethod
    def parse(cls, text: str) -> "OthelloOpening":
        """The opening that a transcript is."""
        codes = [code for code in read_transcript(text).moves if code != PASS]
        game = othello()
        keeping = [number for number in range(symmetries(game)) if mirror(game, START, number) == START]
        return cls(tuple(bytes(int(mirror_move(game, code, number)) for code in codes) for number in keeping))

    def begins(self, record: Record) -> bool:
        """Whether a game begins so."""
        if not starts_normally(record):
            return False
        codes = played(record)
        return any(bytes(codes[: len(image)]) == image for image in self.squares)
