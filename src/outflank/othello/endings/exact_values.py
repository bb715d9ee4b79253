"""Registers Othello's endgame solver for exact searches: values of endgame positions, and bounds from stable discs."""

from functools import cache

import numpy as np

from outflank.games.endings import UNBOUNDED, ceiling, ending_moves, ending_value, workspaces
from outflank.games.rules import Game, Position, Value
from outflank.kernels.bits import U64, Word, lowest, popcount
from outflank.kernels.compiler import Samples, inner, kernel
from outflank.kernels.late import address_for, call_at
from outflank.kernels.memory import address_of, record_at
from outflank.kernels.record_types import Record, Records
from outflank.othello.endings.fastest_first import fastest_first
from outflank.othello.endings.flipping import ONE
from outflank.othello.endings.last_moves import SHALLOW, ZERO, final, last_four, last_one, last_three, last_two, shallow
from outflank.othello.endings.line_tables import QUADRANT
from outflank.othello.endings.stability import score_ceiling
from outflank.othello.endings.workspace import ENDING, Workspace, is_known, new_spaces
from outflank.othello.rules import Othello, OthelloPosition, legal
from outflank.othello.squares import othello

ENDING_MOVES = 11
"""Largest number of empty squares that these kernels solve. With more, the general search is better: it orders moves
more carefully, its table is shared, and it can be stopped and split. Fifteen positions with 20 and 22 empty squares
took 5.6 s with the number 10 here, and 5.3 s with 11 or 12."""

BOARD_4, BOARD_6, BOARD_8 = (othello(size).mask for size in (4, 6, 8))


@ending_moves.register(Othello)
def _(game: Othello) -> int:
    known = game.mask == BOARD_8 or game.mask == BOARD_6 or game.mask == BOARD_4
    return ENDING_MOVES if known else -1


@inner
def _parity(space: Workspace, empty: Word) -> Word:
    """Return a word with one bit for each quarter of the board that has an odd number of empty squares."""
    parity = ZERO
    while empty != ZERO:
        parity ^= space.square[U64(lowest(empty)), QUADRANT]
        empty &= empty - ONE
    return parity


@inner
def _null_window_value(space: Workspace, own: Word, opp: Word, alpha: Value, empty: Word, parity: Word) -> Value:
    """Return a bound r on the position's value v: r <= alpha => v <= r, and r > alpha => v >= r."""
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
def ending(address: int, own: Word, opp: Word, alpha: Value, beta: Value) -> Value:
    """Return the final score of a position under perfect play, exact inside (alpha, beta), else a bound on that side.
    `address` is the address of the worker's workspace."""
    space = record_at(address, ENDING)
    empty = space.mask & ~(own | opp)
    parity = _parity(space, empty)
    # Null-window searches bisect the interval [low, high] of possible values until the result is known. If (alpha,
    # beta) is itself a null window, one search is enough. For a wider window, later searches find positions in the
    # table.
    low, high = -space.area, space.area
    if empty == ZERO:
        low = high = final(space, own, opp)
    floor, top = max(alpha, low - 1), min(beta, high + 1)
    while low < high and low < top and high > floor:
        middle = (max(low, floor) + min(high, top) - 1) >> 1
        result = _null_window_value(space, own, opp, middle, empty, parity)
        if result > middle:
            low = result
        else:
            high = result
    return low if low >= top else high


@workspaces.register(Othello)
def _(game: Othello, workers: int) -> Records | None:
    if not is_known(game):
        return None
    spaces = new_spaces(game, workers)
    spaces["ending_at"] = _ending_address()
    return spaces


@cache
def _ending_address() -> int:
    """Return the address of `ending`. Searches call the kernel only through this address, so a search that never needs
    the kernel does not wait for its compilation."""
    return address_for(ending, np.int64(0), ZERO, ZERO, np.int64(0), np.int64(0))


@cache
def _sample_space(game: Othello) -> Records:
    """Return a workspace for sample calls of `ending`; it is never freed, so that its address stays valid."""
    return new_spaces(game, 1)


@ending.sample
def _sample(game: Game, position: Position, every: bool) -> Samples:
    if isinstance(game, Othello):
        opp = U64(0x2)
        yield address_of(_sample_space(game)), game.mask & ~(ONE | opp), opp, np.int64(-1), np.int64(1)


@ending_value.register(Othello)
def _(game: Othello, position: OthelloPosition, alpha: Value, beta: Value, worker: Record) -> Value:
    space = record_at(worker.workspace, ENDING)
    space.nodes = 0
    result = call_at(space.ending_at, worker.workspace, position.own, position.opp, np.int64(alpha), np.int64(beta))
    worker.nodes += max(space.nodes - 1, 0)  # the caller has already counted the position itself
    return result


@ceiling.register(Othello)
def _(game: Othello, position: OthelloPosition, alpha: Value, worker: Record) -> Value:
    if worker.workspace == 0:
        return np.int64(UNBOUNDED)
    space = record_at(worker.workspace, ENDING)
    if alpha < space.stable_from[U64(popcount(game.mask & ~(position.own | position.opp)))]:
        return np.int64(UNBOUNDED)
    return score_ceiling(space, position.own, position.opp)
