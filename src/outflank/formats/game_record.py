"""The record of a whole game: players, start, moves, and result."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from outflank.errors import FormatError
from outflank.formats.setup import Setup
from outflank.games.description import description_of


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedMove:
    """A move of a record, with its player's remarks."""

    code: int
    """The move's code in the kernels; a pass has one as well."""
    value: float | None = None
    """The mover's estimate of the position, from its own view."""
    seconds: float | None = None
    """The time that the move took."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """A game. Every unset field is unknown."""

    start: Setup
    """The position before the first move; its own `moves` are empty."""
    moves: Sequence[PlayedMove] = ()
    """The moves, passes included. Not to be changed; some readers parse them at first access."""
    black: str = ""
    white: str = ""
    event: str = ""
    """The tournament, or the place of the game."""
    date: str = ""
    """The date in ISO 8601, as far as it is known: `1998`, `1998-05-17`."""
    score: float | None = None
    """Black's score in discs or marbles; None: the game is unfinished or its score is unknown."""
    best: float | None = None
    """Black's score under perfect play of both sides from `best_empties` empty squares on (Othello)."""
    best_empties: int | None = None
    reason: str = ""
    """Why the game ended, if not by the rules: `resigned`, `time`, `illegal move`, `crashed`, `agreed`."""
    clock: str = ""
    """The time control."""

    @property
    def setup(self) -> Setup:
        """The start with the moves, from which boards are made."""
        return replace(self.start, moves=tuple(move.code for move in self.moves))


def check_game(record: Record, rules: type, format: str) -> None:
    """Raise an error if a record is of another game than `format` holds."""
    if not isinstance(record.start.game, rules):
        description = description_of(record.start.game)
        usual = next(iter(description.notation.files), "")
        suggestion = f": {usual} files do" if usual else ""
        expected = rules.__name__
        raise FormatError(f"{format} holds games of {expected}, not of {description.title}{suggestion}")
