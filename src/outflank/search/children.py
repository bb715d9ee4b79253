"""The moves of a position with the positions after them, listed by a kernel."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from outflank.games.hints import FEATURES, promise
from outflank.games.rules import MOVE, Game, Position, fill, most_moves, pack, play, unpack
from outflank.kernels.compiler import Samples, kernel


@dataclass(frozen=True, slots=True)
class Child:
    """A move of a position, the position after it, and how good the move looks by ordering weights."""

    code: int
    position: Position
    promise: int


NO_WEIGHTS = np.zeros(FEATURES, np.int64)
"""Ordering weights with which all moves look the same."""


def children(
    game: Game,
    position: Position,
    codes: Sequence[int] | None = None,
    *,
    weights: npt.NDArray[np.int64] = NO_WEIGHTS,
) -> list[Child]:
    """Return the moves with these codes, in the order of `codes`; None: all legal moves.

    A kernel lists the moves. In the interpreter, listing the moves of one position takes milliseconds, several times as
    long as the rest of the set-up of a search.
    """
    size = int(most_moves(game)) if codes is None else len(codes)
    moves, words, promises = np.zeros(size, MOVE), np.zeros((size, 2), np.uint64), np.zeros(size, np.int64)
    if codes is not None:
        moves[:] = codes
    count = int(expand(game, position, moves, words, promises, np.array(weights), codes is None))
    found = zip(moves[:count].tolist(), words[:count], promises[:count].tolist(), strict=True)
    return [Child(code, unpack(game, first, second), score) for code, (first, second), score in found]


@kernel
def expand(game, position, moves, words, promises, weights, lists_moves):
    """Write the two words of the position after each of `moves`, and the move's promise. Return the number of moves.

    With `lists_moves`, first write all legal moves to `moves`.
    """
    end = fill(game, position, moves, np.int64(0)) if lists_moves else np.int64(len(moves))
    for index in range(end):
        child = play(game, position, moves[index])
        words[index, 0], words[index, 1] = pack(game, child)
        promises[index] = promise(game, position, moves[index], child, weights)
    return end


@expand.sample
def _expand_sample(game: Game, position: Position, every: bool) -> Samples:
    size = int(most_moves(game))
    yield (
        game,
        position,
        np.zeros(size, MOVE),
        np.zeros((size, 2), np.uint64),
        np.zeros(size, np.int64),
        NO_WEIGHTS,
        True,
    )
