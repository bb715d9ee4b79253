"""What a game may offer to an exact search: generic over the type of `game`.

A game that registers nothing here is solved by its rules alone. A game with special knowledge of its endings registers
that knowledge here, which makes the search, itself independent of the game, faster.
"""

from typing import Any, TypeAlias

import numpy as np

from outflank.games.rules import Game, MoveCode, Position, Value
from outflank.kernels.bits import Int, Word
from outflank.kernels.generic import generic
from outflank.kernels.record_types import Record, Records

UNBOUNDED = 1 << 20
"""More than any score: the bound of a game that has none."""


@generic
def ending_moves(game: Game) -> int:
    """Return the number of moves left (`moves_left`) from which on `ending_value` is called; -1: never."""


@ending_moves.register(object)
def _(game: Game) -> int:
    return -1


@generic
def ending_value(game: Game, position: Position, alpha: Value, beta: Value, worker: Record) -> Value:
    """Return the final score of `position` under perfect play, with alpha-beta's promise for (alpha, beta), by kernels
    of the game's own. These kernels count the nodes that they enter below this one (`worker.nodes`), and need no stop
    check: they take less than a few milliseconds."""


@ending_value.register(object)
def _(game: Game, position: Position, alpha: Value, beta: Value, worker: Record) -> Value:
    return np.int64(0)  # never called


@generic
def ceiling(game: Game, position: Position, alpha: Value, worker: Record) -> Value:
    """Return an upper bound on the side to move's score; `UNBOUNDED` if the bound would hardly be `alpha` or less."""


@ceiling.register(object)
def _(game: Game, position: Position, alpha: Value, worker: Record) -> Value:
    return np.int64(UNBOUNDED)


@generic
def look_ahead(game: Game, left: int) -> int:
    """Return the depth of the estimates by which moves are ordered before they are tried, with `left` moves left; -1:
    no estimates."""


@look_ahead.register(object)
def _(game: Game, left: int) -> int:
    return -1


@generic
def exact_promise(game: Game, position: Position, move: MoveCode, child: Position, estimate: Value) -> Int:
    """Return the ordering value of `move` in exact play; the highest is tried first. The best order is the one in which
    the tree is smallest: a move that leaves the opponent few moves beats a good one.

    `estimate` is the estimated value of the move to the mover, in sixteenths of the score's unit; 0 without an
    estimate.
    """


@exact_promise.register(object)
def _(game: Game, position: Position, move: MoveCode, child: Position, estimate: Value) -> Int:
    return np.int64(estimate)


@generic
def workspaces(game: Game, workers: int) -> Records | None:
    """Return an array with a record for each worker, in plain Python: the tables and the memory that the kernels above
    need and find at the address `worker.workspace`; None: they need nothing."""


@workspaces.register(object)
def _(game: Game, workers: int) -> Records | None:
    return None


# --- batches of endings ---
# A solver on a GPU has a thread for each ending, and all threads take the same steps: its functions do less
# at a time and store nothing. Moves are cells of a board of 64, and each fills one.


NO_SCORE = -127
"""Less than any score."""

BatchTables: TypeAlias = Any
"""The tables of a game's solver on a GPU: a `NamedTuple` of arrays."""


@generic
def batch_tables(game: Game) -> BatchTables | None:
    """Return a `NamedTuple` of arrays for the functions below, in plain Python; None: this game has no such solver."""


@batch_tables.register(object)
def _(game: Game) -> BatchTables | None:
    return None


@generic
def free_cells(game: Game, tables: BatchTables, position: Position) -> Word:
    """Return the cells where a side could ever still play, as bits of a word."""


@generic
def open_cells(game: Game, tables: BatchTables, position: Position) -> Word:
    """Return the free cells where the side to move may play now."""


@generic
def put(game: Game, tables: BatchTables, position: Position, cell: int) -> tuple[Position, bool]:
    """Return the position after a move to cell number `cell`, and whether that move is legal; if not, the position is
    meaningless."""


@generic
def handed_over(game: Game, position: Position) -> Position:
    """Return the position after a pass, as the other side sees it."""


@generic
def soonest(game: Game, tables: BatchTables, free: Word, cells: Word) -> Word:
    """Return the subset of `cells` that should be tried first, given the `free` cells; empty for no cells."""


@generic
def last_score(game: Game, tables: BatchTables, position: Position, cell: int) -> Value:
    """Return the final score for the side to move where `cell` is the only free cell."""


@generic
def freedom(game: Game, tables: BatchTables, cells: Word) -> int:
    """Return a side's mobility, 0 to 15, given the cells it can play; move ordering tries first the moves that leave
    the opponent the lowest."""
