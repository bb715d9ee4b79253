"""Conditions by which games of a file are selected."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from outflank.errors import FormatError, IllegalMove
from outflank.formats.fields import year_of
from outflank.formats.game_record import Record
from outflank.formats.movetext import read_moves
from outflank.games.description import OWN_GAMES, GameDescription, game_named
from outflank.games.rules import is_pass


class Opening(Protocol):
    """Condition on the first moves of a game, passes left out."""

    def begins(self, record: Record) -> bool:
        """Return whether a game begins with this opening."""


@dataclass(frozen=True, slots=True)
class FirstMoves:
    """Opening in a game whose notation does not define openings: the first moves must be exactly `codes`."""

    game: type
    codes: tuple[int, ...]

    def begins(self, record: Record) -> bool:
        return isinstance(record.start.game, self.game) and tuple(move_codes(record)[: len(self.codes)]) == self.codes


def opening_of(text: str, game: str | None = None) -> Opening:
    """Return the opening that a list of moves gives, in `game` or in the first of the package's games that they fit."""
    errors: list[Exception] = []
    for name in OWN_GAMES if game is None else (game,):
        try:
            return _opening(text, game_named(name))
        except (FormatError, IllegalMove) as error:
            errors.append(error)
    raise errors[0]


def _opening(text: str, game: GameDescription) -> Opening:
    if game.notation.opening is not None:
        return game.notation.opening(text)
    return FirstMoves(game.rules, tuple(move_codes(read_moves(game, text, {}))))


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Conditions on a game. An unset condition is always met."""

    number: int | None = None
    """Number of the game in the file, counted from 1."""
    player: str = ""
    """Part of either player's name, ignoring case."""
    event: str = ""
    """Part of the tournament's name, ignoring case."""
    years: tuple[int, int] | None = None
    """First and last year in which the game was played."""
    opening: Opening | None = None
    min_score: float | None = None
    """Lowest score of black that is selected."""

    def matches(self, number: int, record: Record) -> bool:
        """Return whether the game meets all conditions."""
        if self.number not in (None, number):
            return False
        if self.player and not any(contains(name, self.player) for name in (record.black, record.white)):
            return False
        if self.event and not contains(record.event, self.event):
            return False
        if self.min_score is not None and (record.score is None or record.score < self.min_score):
            return False
        return self.matches_year(year_of(record.date)) and (self.opening is None or self.opening.begins(record))

    def matches_year(self, year: int | None) -> bool:
        """Return whether games of `year` are selected."""
        return self.years is None or (year is not None and self.years[0] <= year <= self.years[1])


def contains(name: str, part: str) -> bool:
    """Return whether `part` is in `name`, ignoring case."""
    return part.casefold() in name.casefold()


def move_codes(record: Record) -> Sequence[int]:
    """Return the codes of a game's moves, passes left out. If moves are stored as `squares`, these are the codes."""
    squares: bytes | None = getattr(record.moves, "squares", None)
    if squares is not None:
        return squares
    return [move.code for move in record.moves if not is_pass(record.start.game, move.code)]
