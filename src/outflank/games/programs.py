"""Programs of old, of which a game's description tells how they play."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from outflank.games.sides import Side


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportProgram:
    """What a report's program does, in our words."""

    search: Mapping[str, Any]
    """Options of its searches."""
    ties: Mapping[Side, str] = field(default_factory=lambda: dict.fromkeys(Side, "first"))
    """Which of equal moves each colour takes."""
    shared: Mapping[str, Any]
    """Options by which workers share them."""
    plays: Mapping[str, Any]
    """Settings of a player: how deep, and what it does instead of searching."""

    def searching(self, side: Side) -> dict[str, Any]:
        """Options of a search for `side` by one worker, or by more that share it in whatever way."""
        return {**self.search, "ties": self.ties[side]}

    def settings(self) -> dict[str, Any]:
        """What makes a `Computer` play as it did."""
        ties = (self.ties[Side.BLACK], self.ties[Side.WHITE])
        # None of them plays endings out, none draws lots, and none knows what was there before.
        return {"exact": 0, "variety": None, "repeats": True, **self.search, **self.shared, **self.plays, "ties": ties}
