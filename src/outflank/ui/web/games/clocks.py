"""What is taken from the clocks of a game."""

from msgspec.structs import replace

from outflank.games.sides import Side
from outflank.ui.web.games.seats import clocks_of, has_clock
from outflank.ui.web.games.tree import KeptGame, Verdict, colour


def charged(kept: KeptGame, side: Side | None, seconds: float) -> KeptGame:
    """With what a side has thought without a move taken from its clock; None: no clock ran."""
    if side is None:
        return kept
    clocks = clocks_of(kept.seats, kept.left)
    clocks.use(side, seconds)
    return replace(kept, left=(clocks.left[Side.BLACK], clocks.left[Side.WHITE]))


def timed(kept: KeptGame, side: Side, seconds: float) -> KeptGame:
    """With what a move took taken from its side's clock; lost, where that was too much."""
    if not has_clock(kept.seats):
        return kept
    clocks = clocks_of(kept.seats, kept.left)
    in_time = clocks.spend(side, seconds)
    kept = replace(kept, left=(clocks.left[Side.BLACK], clocks.left[Side.WHITE]))
    return kept if in_time else lost(kept, side, "time")


def lost(kept: KeptGame, side: Side, reason: str) -> KeptGame:
    """With the node that is shown as the end of the game: a side has lost there, otherwise than by the rules."""
    return replace(kept, verdict=Verdict(node=kept.node, loser=colour(side), reason=reason))
