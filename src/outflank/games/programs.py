"""The reports' programs: a game's description says how they play."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from outflank.games.sides import Side


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportProgram:
    """The settings that reproduce a report's program."""

    search: Mapping[str, Any]
    """Options of its searches."""
    ties: Mapping[Side, str] = field(default_factory=lambda: dict.fromkeys(Side, "first"))
    """Which of equal moves each colour plays."""
    shared: Mapping[str, Any]
    """Options of its parallel searches."""
    plays: Mapping[str, Any]
    """Settings of a player: its depth, and its sources of moves without a search."""

    def search_options(self, side: Side) -> dict[str, Any]:
        """Return the options of a search for `side` by one worker, or by several under any scheme."""
        return {**self.search, "ties": self.ties[side]}

    def settings(self) -> dict[str, Any]:
        """Return the settings with which a `Computer` plays like the program."""
        ties = (self.ties[Side.BLACK], self.ties[Side.WHITE])
        # None of the programs solves endings, varies its moves, or knows earlier positions.
        return {"exact": 0, "variety": None, "repeats": True, **self.search, **self.shared, **self.plays, "ties": ties}
