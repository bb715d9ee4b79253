"""The moves of a root with their values, the tie rule, and the progress of a window."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from outflank.games.evaluation import LIMIT, State
from outflank.games.rules import Position

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


class NodeStanding(NamedTuple):
    """A split point that workers are in, or a subtree that a worker searches alone, as read from another thread."""

    parent: int | None
    """Index of the split point above in the list of nodes; None: this is the root."""
    order: int
    """Place of the move in the split point above, in the order of search, counted from 0."""
    code: int
    """Code of the move that leads here."""
    ply: int
    depth: int
    alpha: int
    beta: int
    value: int | None = None
    moves: int = 0
    """Number of moves; 0: a subtree that a worker searches alone."""
    begun: int = 0
    worker: int = 0


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
    live_nodes: Callable[[], Sequence[NodeStanding]] = tuple
    """Reads the split points that workers are in at the moment of the call, and the subtrees that they search alone,
    each after its parent. Other schemes than those that split nodes have none."""


def preferred(moves: Sequence[RootMove], ties: str) -> RootMove:
    """Return the move that the tie rule selects among equal `moves`, which are in the order of search."""
    if ties == "first":
        return moves[0]
    return (min if ties == "lowest" else max)(moves, key=lambda move: move.code)


def ranks(moves: Sequence[RootMove], ties: str) -> dict[int, int]:
    """Return the rank of each move code. Of two equal moves, the tie rule prefers the move with the higher rank."""
    codes = [move.code for move in reversed(moves)]
    if ties != "first":
        codes.sort(reverse=ties == "lowest")
    return {code: rank for rank, code in enumerate(codes, 1)}


def search_best_moves(
    search: Callable[[list[RootMove]], RootValue], moves: Sequence[RootMove], best_count: int
) -> RootValue:
    """Return the best of `moves`. If `best_count` is more than 1, search repeatedly for the best of the rest.

    `search` returns the best of the moves that it is given. Afterwards each of the `best_count` best moves has its
    value. If `best_count` is more than 1, the value of every other move is lower.
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
