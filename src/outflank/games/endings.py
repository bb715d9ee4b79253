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
def workspace(game: Any) -> Any:
    """Plain Python: an array of one record, the tables and the memory that one worker's kernels of the above need, and
    find at the address `worker.workspace`; None: nothing.
    """


@workspace.register(object)
def _(game: Any) -> Any:
    return None
