"""A game as a text describes it: a position, or a start with the moves played."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from outflank.games.sides import Side


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """A position with the moves and data that a text gives."""

    format: str
    """The name of the format that the setup was read from."""
    game: Any
    """The rules in force."""
    position: Any
    """The board before `moves`, as `turn` sees it."""
    turn: Side = Side.BLACK
    """The side to move in `position`."""
    moves: tuple[int, ...] = ()
    """Codes of the moves played from `position`, passes included."""
    ply: int = 0
    """Moves made before `position`, as far as the text says."""
    since_loss: int = 0
    """Moves made since a marble was lost, before `position` (Abalone)."""
    scores: Mapping[int, int] = field(default_factory=dict)
    """Values of moves to the mover, by code (OBF)."""
    assumed: str = ""
    """In words, what the reader assumed because the text does not state it; empty: nothing."""

    def with_game(self, game: Any) -> "Setup":
        """Return the same setup under other rules."""
        return replace(self, game=game)
