"""The moves of a root with their values, the tie rule, and the progress of a window."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from outflank.games.evaluation import LIMIT, State
from outflank.games.hints import FEATURES, promise
from outflank.games.rules import MOVE, Game, Position, fill, most_moves, pack, play, unpack
from outflank.kernels.compiler import Samples, kernel

LOW, HIGH = -LIMIT, LIMIT
"""Window that contains every value."""


@dataclass(slots=True)
class RootMove:
    """A move of the root, and the result of its last search."""

    code: int
    child: Position
    state: State
    value: int = LOW
    line: tuple[int, ...] = ()


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
    """Return the moves with these codes, in their order; None: all legal moves.

    A kernel lists them. In the interpreter the moves of one position take milliseconds, several times as long as the
    rest of the set-up of a search.
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


@dataclass(frozen=True, slots=True)
class RootValue:
    """The root's value in a window (exact inside it, otherwise a bound on that side), and the move that has it."""

    value: int
    move: RootMove | None


@dataclass(frozen=True, slots=True)
class WorkerStanding:
    """The subtree that a worker searches, as read from another thread: the worker may have moved on."""

    busy: bool
    move: RootMove | None = None
    """Root move above the worker's subtree; None: unknown, or the worker has no subtree."""
    depth: int = 0
    """Plies left in the worker's subtree."""
    stolen: bool = False
    """Whether the worker's subtree belongs to a move that another worker had offered."""


@dataclass(frozen=True, slots=True)
class WindowProgress:
    """Progress of the search of a window, read from another thread."""

    moves_begun: int = 0
    """Number of root moves begun."""
    move_count: int = 0
    last: RootMove | None = None
    """Root move begun last."""
    best: RootMove | None = None
    lower: int | None = None
    """Proved lower bound of the value of `best`."""
    moves_done: int = 0
    """Number of root moves that need no more search in this window."""
    workers: tuple[WorkerStanding, ...] = ()
    """State of each worker; empty: unavailable."""


def preferred(moves: Sequence[RootMove], ties: str) -> RootMove:
    """Return the one of several equal moves that the tie rule selects. `moves` are in the order of search."""
    if ties == "first":
        return moves[0]
    return (min if ties == "lowest" else max)(moves, key=lambda move: move.code)


def ranks(moves: Sequence[RootMove], ties: str) -> dict[int, int]:
    """Return the rank of each move code: of two equal moves, the tie rule prefers the one with the higher rank."""
    codes = [move.code for move in reversed(moves)]
    if ties != "first":
        codes.sort(reverse=ties == "lowest")
    return {code: rank for rank, code in enumerate(codes, 1)}


def search_best_moves(
    search: Callable[[list[RootMove]], RootValue], moves: Sequence[RootMove], best_count: int
) -> RootValue:
    """Return the best of `moves`. If `best_count` is more than 1, search repeatedly for the best of the rest.

    `search` returns the best of some moves. Afterwards the `best_count` best moves have their values; if there are
    several, all other moves have lower ones.
    """
    left = list(moves)
    best: RootValue | None = None
    for _ in range(min(best_count, len(moves))):
        result = search(left)
        best = best or result
        if result.move is None:
            break
        result.move.value = result.value
        left = [move for move in left if move is not result.move]
        if best_count > 1:
            for move in left:
                move.value = min(move.value, result.value - 1)  # a bound
    assert best is not None
    return best
