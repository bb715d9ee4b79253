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
    """With so many moves left (`moves_left`) or fewer, `ending_value` is asked; 0: never."""


@ending_moves.register(object)
def _(game: Any) -> Any:
    return 0


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
def workspace(game: Any) -> Any:
    """Plain Python: an array of one record, the tables and the memory that one worker's kernels of the above need, which
    find it at the address `worker.workspace`; None: nothing.
    """


@workspace.register(object)
def _(game: Any) -> Any:
    return None
