"""A whole game as it is kept: who played it, from where, every move, and how it ended."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from outflank.errors import FormatError
from outflank.formats.setup import Setup
from outflank.games.description import description_of


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedMove:
    """A move of a record, with what its player said of it."""

    code: int
    """As the kernels call it; a pass is one."""
    value: float | None = None
    """What the mover thought the position was worth to it."""
    seconds: float | None = None
    """The time it took."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """A game. Every unset field is unknown."""

    start: Setup
    """The position before the first move; its own `moves` are empty."""
    moves: Sequence[PlayedMove] = ()
    """Passes included. Not to be changed; some readers make them out only when they are looked at."""
    black: str = ""
    white: str = ""
    event: str = ""
    """The tournament, or where it was played."""
    date: str = ""
    """As ISO 8601 writes it, as far as it is known: `1998`, `1998-05-17`."""
    score: float | None = None
    """What black has won, in discs or marbles; None: the game is unfinished or its score is not known."""
    best: float | None = None
    """What black would have won if both had made no more mistakes once `best_empties` squares were left (Othello)."""
    best_empties: int | None = None
    reason: str = ""
    """Why it ended, if not by the rules: `resigned`, `time`, `illegal move`, `crashed`, `agreed`."""
    clock: str = ""
    """The time control."""

    @property
    def setup(self) -> Setup:
        """The start with the moves, as boards are made of it."""
        return replace(self.start, moves=tuple(move.code for move in self.moves))


def check_game(record: Record, rules: type, format: str) -> None:
    """An error if a record is of another game than `format` holds."""
    if not isinstance(record.start.game, rules):
        found = description_of(record.start.game)
        usual = next(iter(found.notation.files), "")
        kept = f": {usual} files do" if usual else ""
        wanted = rules.__name__
        raise FormatError(f"{format} holds games of {wanted}, not of {found.title}{kept}")
