"""The moves of a root: what is known of each, and which of them is the best."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from outflank.games.evaluation import LIMIT, State
from outflank.games.rules import Position

LOW, HIGH = -LIMIT, LIMIT
"""A window that contains every value."""


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
    """The value of the root, with alpha-beta's promise, and the move that has it."""

    value: int
    move: RootMove | None


@dataclass(frozen=True, slots=True)
class WorkerStanding:
    """What a worker is searching, as far as it can be seen while it works: it may have moved on."""

    busy: bool
    move: RootMove | None = None
    """Root move to which the worker's part of the tree belongs; None: unknown, or the worker has no part."""
    depth: int = 0
    """Plies left in this part."""
    stolen: bool = False
    """Whether the worker's part belongs to a move that another worker had offered."""


@dataclass(frozen=True, slots=True)
class WindowProgress:
    """Progress of the search of a window, as far as it can be seen from outside."""

    moves_begun: int = 0
    """Moves begun."""
    move_count: int = 0
    last: RootMove | None = None
    """Move begun last."""
    best: RootMove | None = None
    lower: int | None = None
    """Proved lower bound of the value of `best`."""
    moves_done: int = 0
    """Moves whose value is settled, as far as this window requires."""
    workers: tuple[WorkerStanding, ...] = ()
    """Each worker; empty: unavailable."""


def preferred(moves: Sequence[RootMove], ties: str) -> RootMove:
    """Return the move that the tie rule selects; `moves` is in the order of search."""
    if ties == "first":
        return moves[0]
    return (min if ties == "lowest" else max)(moves, key=lambda move: move.code)


def ranks(moves: Sequence[RootMove], ties: str) -> dict[int, int]:
    """Return each move's rank among equals, by its code: the move that the tie rule prefers has the highest."""
    codes = [move.code for move in reversed(moves)]
    if ties != "first":
        codes.sort(reverse=ties == "lowest")
    return {code: rank for rank, code in enumerate(codes, 1)}


def search_best_moves(
    search: Callable[[list[RootMove]], RootValue], moves: Sequence[RootMove], best_count: int
) -> RootValue:
    """Return the best of `moves`; if `best_count` is more than 1, search again and again for the best of the rest.

    `search` finds the best of some moves. Afterwards the best moves have their values, and no other move ranks above
    them.
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
