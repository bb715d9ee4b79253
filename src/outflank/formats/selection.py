"""Which games of a file are wanted."""

from collections.abc import Sequence
from dataclasses import dataclass

from outflank.errors import FormatError, IllegalMove
from outflank.formats.abalone_moves import meanings
from outflank.formats.fields import year_of
from outflank.formats.game_record import Record
from outflank.formats.line_games import starts_normally
from outflank.formats.transcript import read_transcript
from outflank.games.rules import mirror, mirror_move, symmetries
from outflank.othello.rules import PASS, Othello
from outflank.othello.squares import START, othello


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """The first moves of games, passes left out."""

    squares: tuple[bytes, ...] = ()
    """Of Othello, in each of the ways in which the board can be turned without changing the start."""
    meant: tuple[tuple[int, ...], ...] = ()
    """Of Abalone: the codes that each move's text can mean."""

    @classmethod
    def parse(cls, text: str) -> "Opening":
        """Moves of either game; what could be either is Othello.

        >>> len(Opening.parse("f5d6").squares)
        4
        """
        try:
            codes = [code for code in read_transcript(text).moves if code != PASS]
        except (FormatError, IllegalMove) as error:
            meant = _abalone_moves(text)
            if not all(meant):
                raise error from None
            return cls(meant=meant)
        game = othello()
        keeping = [number for number in range(symmetries(game)) if mirror(game, START, number) == START]
        images = [bytes(int(mirror_move(game, code, number)) for code in codes) for number in keeping]
        return cls(squares=tuple(images))

    def begins(self, record: Record) -> bool:
        """Whether a game begins so."""
        codes = played(record)
        if isinstance(record.start.game, Othello):
            return starts_normally(record) and any(bytes(codes[: len(image)]) == image for image in self.squares)
        if not self.meant or len(codes) < len(self.meant):
            return False
        return all(code in meant for code, meant in zip(codes, self.meant, strict=False))


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """What is asked of a game. Every unset wish is fulfilled."""

    number: int | None = None
    """The game with this number, from 1."""
    player: str = ""
    """A part of either player's name, in any case."""
    event: str = ""
    """A part of the tournament's name."""
    years: tuple[int, int] | None = None
    """The first year and the last."""
    opening: Opening | None = None
    min_score: float | None = None
    """What black has won at least."""

    def takes(self, number: int, record: Record) -> bool:
        """Whether the game is wanted."""
        if self.number not in (None, number):
            return False
        if self.player and not any(contains(name, self.player) for name in (record.black, record.white)):
            return False
        if self.event and not contains(record.event, self.event):
            return False
        if self.min_score is not None and (record.score is None or record.score < self.min_score):
            return False
        return self.takes_year(year_of(record.date)) and (self.opening is None or self.opening.begins(record))

    def takes_year(self, year: int | None) -> bool:
        """Whether games of that year are wanted."""
        return self.years is None or (year is not None and self.years[0] <= year <= self.years[1])


def _abalone_moves(text: str) -> tuple[tuple[int, ...], ...]:
    """What each word can mean as a move of Abalone, nothing if it is none."""
    try:
        return tuple(meanings(word) for word in text.split())
    except FormatError:
        return ((),)


def contains(name: str, part: str) -> bool:
    """Whether `part` is in `name`, in any case."""
    return part.casefold() in name.casefold()


def played(record: Record) -> Sequence[int]:
    """The codes of a game's moves without its passes, as cheaply as they are to be had."""
    squares: bytes | None = getattr(record.moves, "squares", None)
    if squares is not None:
        return squares
    return [move.code for move in record.moves if move.code != PASS or not isinstance(record.start.game, Othello)]
