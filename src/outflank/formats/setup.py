"""What a text can say of a game: where it stands, or where it started and what was played."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from outflank.games.sides import Side


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """A position with what came with it."""

    format: str
    """The name of the format it was read from."""
    game: Any
    """The rules in force."""
    position: Any
    """The board before `moves`, as `turn` sees it."""
    turn: Side = Side.BLACK
    """Who moves in `position`."""
    moves: tuple[int, ...] = ()
    """Codes of the moves played from there, passes included."""
    ply: int = 0
    """Moves made before `position`, as far as the text tells."""
    since_loss: int = 0
    """Moves made since a marble was lost, before `position` (Abalone)."""
    scores: Mapping[int, int] = field(default_factory=dict)
    """What moves are worth to the mover, by code (OBF)."""
    assumed: str = ""
    """What the text does not say and was taken for granted, in words; empty: nothing."""

    def with_game(self, game: Any) -> "Setup":
        """The same under other rules."""
        return replace(self, game=game)
