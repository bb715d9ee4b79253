"""Players that are weak as people are: they misjudge moves a little, and like to win pieces at once.

A player that draws moves by lot looks like nobody, and one that only looks less far plays each move well for what it
sees. Beginners see moves about right, and some of them wrong by as much as they have not learnt yet; what is taken
from the other side looks good to them. So a move that is clearly best is mostly found, and one that throws the game
away is seldom made.
"""

from collections.abc import Sequence
from typing import Any

from outflank.boards import Board
from outflank.games.rules import MOVE, play
from outflank.players.random_streams import RandomStream
from outflank.search.results import MoveValue

LARGEST = 2.0
"""Standard deviations that a move is misjudged by at most."""


class Misjudging(RandomStream):
    """Draws what is misjudged."""

    def __init__(self, deviation: float, greed: float, seed: int) -> None:
        super().__init__(seed, "misjudged")
        self.deviation, self.greed = deviation, greed

    def pick(self, board: Board[Any], moves: Sequence[MoveValue], points: int) -> MoveValue:
        """The move that seems best, `points` of the values making one of the game's unit."""
        return max(moves, key=lambda each: each.value + points * (self._error() + self.greed * winnings(board, each)))

    def _error(self) -> float:
        drawn = self.chance.gauss(0.0, self.deviation)
        return max(-LARGEST * self.deviation, min(LARGEST * self.deviation, drawn))


def winnings(board: Board[Any], each: MoveValue) -> int:
    """How many pieces more a side is ahead after its move; 0 in a game whose positions tell no pieces."""
    before = board.position
    if not hasattr(before, "own") or not hasattr(before, "opp"):
        return 0
    then = play(board.game, before, MOVE(each.move.code))
    mine, yours = int(then.opp).bit_count(), int(then.own).bit_count()
    return mine - yours - int(before.own).bit_count() + int(before.opp).bit_count()
