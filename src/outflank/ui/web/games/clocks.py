"""Time taken from the clocks of a game."""

from msgspec.structs import replace

from outflank.games.sides import Side
from outflank.ui.web.games.seats import clocks_of, has_clock
from outflank.ui.web.games.tree import SavedGame, Verdict, colour


def charged(saved: SavedGame, side: Side | None, seconds: float) -> SavedGame:
    """Return the game with time taken from a side's clock without a move; None: no clock ran."""
    if side is None:
        return saved
    clocks = clocks_of(saved.seats, saved.left)
    clocks.use(side, seconds)
    return replace(saved, left=(clocks.left[Side.BLACK], clocks.left[Side.WHITE]))


def timed(saved: SavedGame, side: Side, seconds: float) -> SavedGame:
    """Return the game with the time of a move taken from its side's clock; lost, if that was too much."""
    if not has_clock(saved.seats):
        return saved
    clocks = clocks_of(saved.seats, saved.left)
    in_time = clocks.spend(side, seconds)
    saved = replace(saved, left=(clocks.left[Side.BLACK], clocks.left[Side.WHITE]))
    return saved if in_time else lost(saved, side, "time")


def lost(saved: SavedGame, side: Side, reason: str) -> SavedGame:
    """Return the game, ended at the current node: a side has lost there by resignation, time or failure."""
    return replace(saved, verdict=Verdict(node=saved.node, loser=colour(side), reason=reason))
