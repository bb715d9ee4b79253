"""Matches between players, and statistics that tell which player is stronger and by how much."""

from outflank.arena.elo_statistics import Observed
from outflank.arena.match import MatchResult, play_match
from outflank.arena.openings import Openings
from outflank.arena.referee import Ending, FinishedGame, play
from outflank.arena.schedule import Settings
from outflank.arena.seat import Seat
from outflank.arena.sprt import Sprt, SprtState
from outflank.arena.standing import Duel, MatchStanding

__all__ = [
    "Duel",
    "Ending",
    "FinishedGame",
    "MatchResult",
    "MatchStanding",
    "Observed",
    "Openings",
    "Seat",
    "Settings",
    "Sprt",
    "SprtState",
    "play",
    "play_match",
]
