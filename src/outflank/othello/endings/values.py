"""What Othello offers to a search that plays it out: the values of its endings, and a ceiling by stability."""

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np

from outflank.games.endings import UNBOUNDED, ceiling, ending_moves, ending_value, workspaces
from outflank.kernels.bits import U64, lowest, popcount
from outflank.kernels.compiler import inner, kernel
from outflank.kernels.late import address_for, call_at
from outflank.kernels.memory import address_of, record_at
from outflank.othello.endings.fastest_first import fastest_first
from outflank.othello.endings.flipping import ONE
from outflank.othello.endings.geometry import QUADRANT
from outflank.othello.endings.last_moves import ZERO, final, last_four, last_one, last_three, last_two
from outflank.othello.endings.shallow import SHALLOW, shallow
from outflank.othello.endings.stability import most
from outflank.othello.endings.workspace import ENDING, is_known, new_spaces
from outflank.othello.rules import Othello, legal
from outflank.othello.squares import othello

ENDING_MOVES = 11
"""Above, a search takes over, whose order is dearer, whose table is shared, and which can be stopped and divided.
Fifteen
positions with 20 and 22 empty squares took 5.6 s with 10 of them here, and 5.3 s with 11 or 12."""

BOARD_4, BOARD_6, BOARD_8 = (othello(size).mask for size in (4, 6, 8))


@ending_moves.register(Othello)
def _(game: Any) -> Any:
    known = game.mask == BOARD_8 or game.mask == BOARD_6 or game.mask == BOARD_4
    return ENDING_MOVES if known else -1


@inner
def _parity(space: Any, empty: Any) -> Any:
    """The bits of the quarters of the board with an odd number of empty squares."""
    parity = ZERO
    while empty != ZERO:
        parity ^= space.square[U64(lowest(empty)), QUADRANT]
        empty &= empty - ONE
    return parity


@inner
def _asked(space: Any, own: Any, opp: Any, alpha: Any, empty: Any, parity: Any) -> Any:
    """The value v in a null window: r with r <= alpha => v <= r, and r > alpha => v >= r."""
    empties = popcount(empty)
    if empties > SHALLOW:
        return fastest_first(space, own, opp, alpha, empties, parity, legal(own, opp) & space.mask)
    if empties > 4:
        return shallow(space, own, opp, alpha, empties, parity, legal(own, opp) & space.mask)
    if empties == 4:
        return last_four(space, own, opp, alpha, parity)
    first = U64(lowest(empty))
    if empties == 1:
        return last_one(space, own, alpha, first)
    empty &= empty - ONE
    second = U64(lowest(empty))
    if empties == 2:
        return last_two(space, own, opp, alpha, first, second)
    return last_three(space, own, opp, alpha, first, second, U64(lowest(empty & (empty - ONE))))


@kernel
def ending(at: Any, own: Any, opp: Any, alpha: Any, beta: Any) -> Any:
    """The final score under perfect play, with alpha-beta's promise for (alpha, beta), by the memory at an address."""
    space = record_at(at, ENDING)
    empty = space.mask & ~(own | opp)
    parity = _parity(space, empty)
    # Bounds on the value, which questions about their middle narrow until they settle the window: one question if it is
    # a null window. What a wider one asks again the table remembers.
    low, high = -space.area, space.area
    if empty == ZERO:
        low = high = final(space, own, opp)
    floor, top = max(alpha, low - 1), min(beta, high + 1)
    while low < high and low < top and high > floor:
        middle = (max(low, floor) + min(high, top) - 1) >> 1
        found = _asked(space, own, opp, middle, empty, parity)
        if found > middle:
            low = found
        else:
            high = found
    return low if low >= top else high


@workspaces.register(Othello)
def _(game: Othello, workers: int) -> Any:
    if not is_known(game):
        return None
    spaces = new_spaces(game, workers)
    spaces["ending_at"] = _ending_address()
    return spaces


@cache
def _ending_address() -> int:
    """Asked for only here: a search that comes to no end of the game never waits until this is compiled."""
    return address_for(ending, np.int64(0), ZERO, ZERO, np.int64(0), np.int64(0))


@cache
def _sampled(game: Othello) -> Any:
    """A space that stays where it is."""
    return new_spaces(game, 1)


@ending.sample
def _sample(game: Any, position: Any, every: bool) -> Iterator[tuple[Any, ...]]:
    if isinstance(game, Othello):
        taken = U64(0x2)
        yield address_of(_sampled(game)), game.mask & ~(ONE | taken), taken, np.int64(-1), np.int64(1)


@ending_value.register(Othello)
def _(game: Any, position: Any, alpha: Any, beta: Any, worker: Any) -> Any:
    space = record_at(worker.workspace, ENDING)
    space.nodes = 0
    found = call_at(space.ending_at, worker.workspace, position.own, position.opp, np.int64(alpha), np.int64(beta))
    worker.nodes += max(space.nodes - 1, 0)  # the position itself has been counted by who came to it
    return found


@ceiling.register(Othello)
def _(game: Any, position: Any, alpha: Any, worker: Any) -> Any:
    if worker.workspace == 0:
        return np.int64(UNBOUNDED)
    space = record_at(worker.workspace, ENDING)
    if alpha < space.stable_from[U64(popcount(game.mask & ~(position.own | position.opp)))]:
        return np.int64(UNBOUNDED)
    return most(space, position.own, position.opp)
