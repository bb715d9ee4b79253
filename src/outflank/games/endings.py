"""Optional generic functions, dispatched on the type of `game`, with which a game makes exact searches faster.

A game that implements none of them is solved with its rules alone. The exact search itself knows no game.
"""

from typing import Any, TypeAlias

import numpy as np

from outflank.games.rules import Game, MoveCode, Position, Value
from outflank.kernels.bits import Int, Word
from outflank.kernels.generic import generic
from outflank.kernels.record_types import Record, Records

UNBOUNDED = 1 << 20
"""Upper bound on a score if no better bound is known. It exceeds every score."""


@generic
def ending_moves(game: Game) -> int:
    """Return the number of moves left (`moves_left`) at and below which searches call `ending_value`; -1: never."""


@ending_moves.register(object)
def _(game: Game) -> int:
    return -1


@generic
def ending_value(game: Game, position: Position, alpha: Value, beta: Value, worker: Record) -> Value:
    """Return the final score of `position` under perfect play, exact inside (alpha, beta), else a bound on that side.

    The game's own kernels compute it. They add the nodes that they enter below `position` to `worker.nodes`. They need
    not check whether the search must stop, because they take less than a few milliseconds.
    """


@ending_value.register(object)
def _(game: Game, position: Position, alpha: Value, beta: Value, worker: Record) -> Value:
    return np.int64(0)  # never called


@generic
def ceiling(game: Game, position: Position, alpha: Value, worker: Record) -> Value:
    """Return an upper bound on the side to move's score; `UNBOUNDED` if a bound of `alpha` or less is unlikely."""


@ceiling.register(object)
def _(game: Game, position: Position, alpha: Value, worker: Record) -> Value:
    return np.int64(UNBOUNDED)


@generic
def look_ahead(game: Game, left: int) -> int:
    """Return the depth of the shallow searches that order the moves of a position with `left` moves left; -1: none."""


@look_ahead.register(object)
def _(game: Game, left: int) -> int:
    return -1


@generic
def exact_promise(game: Game, position: Position, move: MoveCode, child: Position, estimate: Value) -> Int:
    """Return the ordering value of `move` in exact searches; the move with the highest value is tried first. The best
    order makes the tree smallest, so a move that leaves the opponent few replies may be tried before a better move.

    `estimate` is the estimated value of the move for the mover, in sixteenths of the score's unit; 0: no estimate.
    """


@exact_promise.register(object)
def _(game: Game, position: Position, move: MoveCode, child: Position, estimate: Value) -> Int:
    return np.int64(estimate)


@generic
def workspaces(game: Game, workers: int) -> Records | None:
    """Return an array with a record for each worker: the tables and memory that the game's `ending_value` and `ceiling`
    find at the address `worker.workspace`; None: they need none. Called from Python only."""


@workspaces.register(object)
def _(game: Game, workers: int) -> Records | None:
    return None


# --- batches of endgame positions ---
# A solver on a GPU has a thread for each position, and all threads of a warp take the same steps. So the functions
# below are simpler than those above, and store nothing. A move is a cell of a board of 64 cells, and fills that cell.


NO_SCORE = -127
"""A number below every possible score."""

BatchTables: TypeAlias = Any
"""The tables of a game's solver on a GPU: a `NamedTuple` of arrays."""


@generic
def batch_tables(game: Game) -> BatchTables | None:
    """Return the tables of the game's solver on a GPU; None: it has none. Called from Python only."""


@batch_tables.register(object)
def _(game: Game) -> BatchTables | None:
    return None


@generic
def free_cells(game: Game, tables: BatchTables, position: Position) -> Word:
    """Return the empty cells that a side may still fill in some continuation, as bits of a word."""


@generic
def open_cells(game: Game, tables: BatchTables, position: Position) -> Word:
    """Return the free cells on which the side to move can legally play now, as bits of a word."""


@generic
def put(game: Game, tables: BatchTables, position: Position, cell: int) -> tuple[Position, bool]:
    """Return the position after a move to cell number `cell` (meaningless if the move is illegal), and whether it is
    legal."""


@generic
def handed_over(game: Game, position: Position) -> Position:
    """Return the position after a pass, from the other side's point of view."""


@generic
def soonest(game: Game, tables: BatchTables, free: Word, cells: Word) -> Word:
    """Return the subset of `cells` to try first, given all `free` cells; it is empty only if `cells` is."""


@generic
def last_score(game: Game, tables: BatchTables, position: Position, cell: int) -> Value:
    """Return the side to move's final score in a position with only one free cell, `cell`."""


@generic
def freedom(game: Game, tables: BatchTables, cells: Word) -> int:
    """Return a side's mobility, from 0 to 15, given the cells on which it can play. Moves that leave the opponent with
    the lowest mobility are tried first."""
