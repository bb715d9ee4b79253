"""What value a tree has, and how large it is."""

from collections.abc import Callable
from typing import Any

from outflank.boards import Board
from outflank.search.perft import Perft
from outflank.search.perft import perft as count_leaves

__all__ = ["Perft", "perft"]


def perft(
    board: Board[Any],
    depth: int,
    *,
    workers: int = 1,
    finished: bool = True,
    progress: Callable[[int, int], None] | None = None,
) -> Perft:
    """Count the leaves of the game tree `depth` plies below `board`; see `search.perft.perft`."""
    return count_leaves(board.game, board.position, depth, workers=workers, finished=finished, progress=progress)
