"""Othello openings, with which users select games of a file."""

from dataclasses import dataclass

from outflank.formats.game_record import Record
from outflank.formats.selection import move_codes
from outflank.games.rules import mirror, mirror_move, symmetries
from outflank.othello.formats.line_games import is_standard_game
from outflank.othello.formats.transcript import read_transcript
from outflank.othello.rules import PASS
from outflank.othello.squares import START, othello


@dataclass(frozen=True, slots=True)
class OthelloOpening:
    """The first moves of a game, without passes, in all equivalent orientations of the board.

    >>> len(OthelloOpening.parse("f5d6").squares)
    4
    """

    squares: tuple[bytes, ...]
    """The squares of the moves under each symmetry of the board that keeps the starting position."""

    @classmethod
    def parse(cls, text: str) -> "OthelloOpening":
        """Return the opening that a transcript of its moves describes."""
        codes = [code for code in read_transcript(text).moves if code != PASS]
        game = othello()
        start_symmetries = [number for number in range(symmetries(game)) if mirror(game, START, number) == START]
        return cls(tuple(bytes(int(mirror_move(game, code, number)) for code in codes) for number in start_symmetries))

    def begins(self, record: Record) -> bool:
        """Return whether a game begins with this opening."""
        if not is_standard_game(record):
            return False
        codes = move_codes(record)
        return any(bytes(codes[: len(image)]) == image for image in self.squares)
