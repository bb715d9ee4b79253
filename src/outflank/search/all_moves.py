"""The moves of many positions, and the positions after them, as arrays."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from outflank.games.endings import ending_moves
from outflank.games.rules import MOVE, count, fill, pack, play, unpack
from outflank.kernels.compiler import kernel


class AllMoves(NamedTuple):
    """The moves of many positions. Those of position i are `moves[bounds[i]:bounds[i + 1]]`, in the game's order."""

    moves: npt.NDArray[np.uint16]
    words: npt.NDArray[np.uint64]
    """The positions after the moves, two words for each."""
    bounds: npt.NDArray[np.int64]


@kernel
def _count_moves(game: Any, words: Any, numbers: Any) -> None:
    for row in range(len(words)):
        numbers[row] = count(game, unpack(game, words[row, 0], words[row, 1]))


@kernel
def _follow_moves(game: Any, words: Any, bounds: Any, moves: Any, children: Any) -> None:
    for row in range(len(words)):
        position = unpack(game, words[row, 0], words[row, 1])
        fill(game, position, moves, bounds[row])
        for place in range(bounds[row], bounds[row + 1]):
            children[place, 0], children[place, 1] = pack(game, play(game, position, moves[place]))


@_count_moves.sample
def _count_moves_sample(game: Any, position: Any, every: bool) -> Iterator[tuple[Any, ...]]:
    if ending_moves(game) >= 0:
        yield game, np.zeros((0, 2), np.uint64), np.zeros(0, np.int64)


@_follow_moves.sample
def _follow_moves_sample(game: Any, position: Any, every: bool) -> Iterator[tuple[Any, ...]]:
    if ending_moves(game) >= 0:
        no_words = np.zeros((0, 2), np.uint64)
        yield game, no_words, np.zeros(1, np.int64), np.zeros(0, MOVE), no_words


def all_moves(game: Any, words: npt.NDArray[np.uint64]) -> AllMoves:
    """Return the moves of positions that are given as two words each."""
    numbers = np.zeros(len(words), np.int64)
    _count_moves(game, words, numbers)
    bounds = np.zeros(len(words) + 1, np.int64)
    np.cumsum(numbers, out=bounds[1:])
    moves = np.zeros(int(bounds[-1]), MOVE)
    children = np.zeros((len(moves), 2), np.uint64)
    _follow_moves(game, words, bounds, moves, children)
    return AllMoves(moves, children, bounds)
