"""The moves of a root: what is known of each, and which of them is the best."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from outflank.games.evaluation import LIMIT

LOW, HIGH = -LIMIT, LIMIT
"""A window that holds every value."""


@dataclass(slots=True)
class RootMove:
    """A move of the root, and what the last search of it found."""

    code: int
    child: Any
    state: Any
    value: int = LOW
    line: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class RootValue:
    """The value of the root, with the same promise as alpha-beta's, and the move that has it."""

    value: int
    move: RootMove | None


@dataclass(frozen=True, slots=True)
class WorkerStanding:
    """What a worker has in hand, as far as it can be seen while it works: it may have gone on meanwhile."""

    busy: bool
    move: RootMove | None = None
    """The root's move that it belongs to; None: it is not known, or there is none."""
    depth: int = 0
    """Plies left in it."""
    stolen: bool = False
    """Whether it belongs to a move that another worker had offered."""


@dataclass(frozen=True, slots=True)
class WindowProgress:
    """How far the search of a window has come, as far as those who search it can tell from outside."""

    begun: int = 0
    """Moves that have been taken up."""
    moves: int = 0
    last: RootMove | None = None
    """The one taken up last."""
    best: RootMove | None = None
    lower: int | None = None
    """What `best` has been shown to be worth, at least."""
    done: int = 0
    """Moves that are settled, as far as this window asks."""
    workers: tuple[WorkerStanding, ...] = ()
    """None: they cannot be seen."""


def preferred(moves: Sequence[RootMove], ties: str) -> RootMove:
    """The one that the tie rule names; the list is in the order of search."""
    if ties == "first":
        return moves[0]
    return (min if ties == "lowest" else max)(moves, key=lambda move: move.code)


def ranks(moves: Sequence[RootMove], ties: str) -> dict[int, int]:
    """Each move's rank among equals, by its code: the tie rule's favourite has the highest."""
    codes = [move.code for move in reversed(moves)]
    if ties != "first":
        codes.sort(reverse=ties == "lowest")
    return {code: rank for rank, code in enumerate(codes, 1)}


def best_ones(search: Callable[[list[RootMove]], RootValue], moves: Sequence[RootMove], wanted: int) -> RootValue:
    """The best of `moves`; where several are wanted, the best of those that are left, again and again.

    `search` finds the best of some moves. The wanted ones have their values then, and no other ranks above them.
    """
    left = list(moves)
    best: RootValue | None = None
    for _ in range(min(wanted, len(moves))):
        found = search(left)
        best = best or found
        if found.move is None:
            break
        found.move.value = found.value
        left = [move for move in left if move is not found.move]
        if wanted > 1:
            for move in left:
                move.value = min(move.value, found.value - 1)  # a bound
    assert best is not None
    return best
