"""Players that are weak in a human way: they misjudge moves a little, and like to win pieces at once.

A player of random moves is like no human, and a player that only searches less deep plays each move well for what it
sees. Beginners judge most moves about right and some wrong, by a larger margin the less they have learnt; captures look
good to them. So these players mostly find a move that is clearly best, and seldom make one that throws the game away.
"""

from collections.abc import Sequence
from typing import Any

from outflank.boards import Board
from outflank.games.description import description_of
from outflank.games.rules import MOVE, play
from outflank.players.random_streams import RandomStream
from outflank.search.results import MoveValue

LARGEST = 2.0
"""Largest misjudgement of a move, in standard deviations."""


class Misjudging(RandomStream):
    """Draws the misjudgements of moves."""

    def __init__(self, deviation: float, greed: float, seed: int) -> None:
        super().__init__(seed, "misjudged")
        self.deviation, self.greed = deviation, greed

    def pick(self, board: Board[Any], moves: Sequence[MoveValue], points: int) -> MoveValue:
        """Return the move that seems best; `points` is the number of value points in one of the game's units."""
        return max(
            moves, key=lambda entry: entry.value + points * (self._error() + self.greed * pieces_gained(board, entry))
        )

    def _error(self) -> float:
        error = self.rng.gauss(0.0, self.deviation)
        return max(-LARGEST * self.deviation, min(LARGEST * self.deviation, error))


def pieces_gained(board: Board[Any], entry: MoveValue) -> int:
    """Return by how many pieces a move increases its side's lead; 0 in a game without countable pieces."""
    lead = description_of(board.game).piece_lead
    if lead is None:
        return 0
    return -lead(play(board.game, board.position, MOVE(entry.move.code))) - lead(board.position)
