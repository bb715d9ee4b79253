"""Variety: in the opening, one of several moves that are nearly as good as the best, so that games differ."""

import secrets
from collections.abc import Sequence
from typing import Any, TypeVar

from outflank.boards import Board
from outflank.players.random_streams import RandomStream

PLIES = 8
"""Number of moves of a game, of both sides, after which the best move is always taken."""

MOVES = 4
"""Number of moves that a search compares for variety: each costs a search of its own, though a cheap one."""

T = TypeVar("T")


def random_seed() -> int:
    """Return a random seed."""
    return secrets.randbelow(1 << 31) + 1


class Variety(RandomStream):
    """Draws first moves at random."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed, "first moves")

    def moves(self, board: Board[Any]) -> int:
        """Return how many moves need values in this position."""
        return MOVES if board.ply < PLIES else 1

    def pick(self, board: Board[Any], moves: Sequence[tuple[T, int]], near: int) -> T:
        """Return one of the moves within `near` of the best, which comes first; after `PLIES` moves, the best."""
        if board.ply >= PLIES:
            return moves[0][0]
        return self.rng.choice([move for move, value in moves if value >= moves[0][1] - near])

    def pick_weighted(self, board: Board[Any], moves: Sequence[tuple[T, int]], margin: int) -> T:
        """Return one of the moves within `margin` of the best, which comes first; after `PLIES` moves, the best.

        The less a move is worth, the less often it is drawn.
        """
        if board.ply >= PLIES:
            return moves[0][0]
        weights = [max(0, margin + 1 - (moves[0][1] - value)) for _, value in moves]
        return self.rng.choices([move for move, _ in moves], weights)[0]
