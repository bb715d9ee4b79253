"""What a game may offer to a search that plays it out to its end: generic over the type of `game`.

Any game can be played out by its rules alone. One that offers nothing of this is solved so; one that knows more of its
endings says it here, and the search, which knows no game, is as much faster.
"""

from typing import Any

import numpy as np

from outflank.kernels.generic import generic

UNBOUNDED = 1 << 20
"""More than any score: of a game that knows no bound."""


@generic
def ending_moves(game: Any) -> Any:
    """With so many moves left (`moves_left`) or fewer, `ending_value` is asked; -1: never."""


@ending_moves.register(object)
def _(game: Any) -> Any:
    return -1


@generic
def ending_value(game: Any, position: Any, alpha: Any, beta: Any, worker: Any) -> Any:
    """The final score of `position` under perfect play, with alpha-beta's promise for (alpha, beta), by kernels of the
    game's own. They count the nodes that they enter below this one (`worker.nodes`), and need not be stopped: they take
    less than some milliseconds.
    """


@ending_value.register(object)
def _(game: Any, position: Any, alpha: Any, beta: Any, worker: Any) -> Any:
    return np.int64(0)  # never asked


@generic
def ceiling(game: Any, position: Any, alpha: Any, worker: Any) -> Any:
    """A score that the side to move cannot exceed from here; `UNBOUNDED` where it would hardly be `alpha` or less."""


@ceiling.register(object)
def _(game: Any, position: Any, alpha: Any, worker: Any) -> Any:
    return np.int64(UNBOUNDED)


@generic
def look_ahead(game: Any, left: Any) -> Any:
    """By how many plies moves are looked at with an estimate before they are tried, where `left` are left; -1: not at
    all."""


@look_ahead.register(object)
def _(game: Any, left: Any) -> Any:
    return -1


@generic
def exact_promise(game: Any, position: Any, move: Any, child: Any, estimate: Any) -> Any:
    """How soon `move` should be tried in exact play, the highest first. The best order is the one in which the tree is
    smallest: a move after which the opponent has few is worth more than a good one.

    `estimate` is what the move seems to be worth to the mover, in sixteenths of the score's unit; 0 where it was not
    looked at.
    """


@exact_promise.register(object)
def _(game: Any, position: Any, move: Any, child: Any, estimate: Any) -> Any:
    return np.int64(estimate)


@generic
def workspaces(game: Any, workers: int) -> Any:
    """Plain Python: an array of a record for each worker, the tables and the memory that its kernels of the above need,
    and find at the address `worker.workspace`; None: nothing.
    """


@workspaces.register(object)
def _(game: Any, workers: int) -> Any:
    return None


# --- many endings at once ---
# A solver on a GPU has a thread for each of them, and all take the same steps: it asks for less at a time, and
# remembers nothing. Moves are cells of a board of 64, and each fills one.


NO_SCORE = -127
"""Less than any score."""


@generic
def batch_tables(game: Any) -> Any:
    """Plain Python: a `NamedTuple` of arrays that the functions below read; None: this game has no such solver."""


@batch_tables.register(object)
def _(game: Any) -> Any:
    return None


@generic
def free_cells(game: Any, tables: Any, position: Any) -> Any:
    """The cells where a side could ever still play, as bits of a word."""


@generic
def open_cells(game: Any, tables: Any, position: Any) -> Any:
    """Those of them where the side to move may play now."""


@generic
def put(game: Any, tables: Any, position: Any, cell: Any) -> Any:
    """The position after a move to the cell of that number, and whether it is one: if not, it is no position."""


@generic
def handed_over(game: Any, position: Any) -> Any:
    """The position of a side that cannot move, as the other sees it."""


@generic
def soonest(game: Any, tables: Any, free: Any, cells: Any) -> Any:
    """Those of `cells` that should be tried before the others of them, where so many are `free`; none of no cells."""


@generic
def last_score(game: Any, tables: Any, position: Any, cell: Any) -> Any:
    """The final score for the side to move where that cell is the only free one."""


@generic
def freedom(game: Any, tables: Any, cells: Any) -> Any:
    """How much a side can do that has these moves, from 0 to 15: what leaves the opponent the least is tried first."""
