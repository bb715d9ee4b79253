"""Which games of a file are wanted."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from outflank.errors import FormatError, IllegalMove
from outflank.formats.fields import year_of
from outflank.formats.game_record import Record
from outflank.formats.move_lists import read_moves
from outflank.games.description import OWN_GAMES, GameDescription, game_named
from outflank.games.rules import is_pass


class Opening(Protocol):
    """The first moves of games, passes left out."""

    def begins(self, record: Record) -> bool:
        """Whether a game begins so."""


@dataclass(frozen=True, slots=True)
class FirstMoves:
    """The first moves of a game that says nothing else of its openings: these, from the usual start."""

    game: type
    codes: tuple[int, ...]

    def begins(self, record: Record) -> bool:
        """Whether a game begins so."""
        return isinstance(record.start.game, self.game) and tuple(played(record)[: len(self.codes)]) == self.codes


def opening_of(text: str, game: str | None = None) -> Opening:
    """The opening that moves of a game are; what could be of several of the package's games is of the first."""
    wrong: list[Exception] = []
    for name in OWN_GAMES if game is None else (game,):
        try:
            return _opening(text, game_named(name))
        except (FormatError, IllegalMove) as error:
            wrong.append(error)
    raise wrong[0]


def _opening(text: str, game: GameDescription) -> Opening:
    if game.notation.opening is not None:
        return game.notation.opening(text)
    found = read_moves(game, text, {})
    return FirstMoves(game.rules, tuple(code for code in found.moves if not is_pass(found.game, code)))


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


def contains(name: str, part: str) -> bool:
    """Whether `part` is in `name`, in any case."""
    return part.casefold() in name.casefold()


def played(record: Record) -> Sequence[int]:
    """The codes of a game's moves without its passes, as cheaply as they are to be had."""
    squares: bytes | None = getattr(record.moves, "squares", None)
    if squares is not None:
        return squares
    return [move.code for move in record.moves if not is_pass(record.start.game, move.code)]
