"""What a shallower search makes likely of a node, for those whose moves are searched elsewhere: frames, jobs."""

from typing import Any

import numpy as np

from outflank.kernels.compiler import inner
from outflank.search.alphabeta import alphabeta
from outflank.search.selective import ABOVE, NO_SIDE, is_probed, is_selective, likely_bound, probe_window, shallower


@inner
def known_by_probe(
    evaluation: Any,
    game: Any,
    position: Any,
    state: Any,
    alpha: Any,
    beta: Any,
    depth: Any,
    ply: Any,
    start: Any,
    worker: Any,
    probe: Any,
) -> Any:
    """Whether a node's value is likely enough to be beyond (alpha, beta), and the bound that says so: the same step as
    at a node of `alphabeta`. Nothing is known, and nothing else either, once the worker is stopped."""
    side = ABOVE if is_selective(evaluation) and is_probed(alpha, beta, depth, worker) else NO_SIDE
    while side != NO_SIDE and worker.aborted == 0:
        asked, low = probe_window(evaluation, game, position, state, alpha, beta, depth, side, worker)
        if asked:
            shallow = np.int64(shallower(depth))
            found = alphabeta(game, evaluation, position, state, low, low + 1, shallow, ply, start, worker, probe)
            if worker.aborted == 0 and (found > low) == (side == ABOVE):
                worker.estimates += 1
                return True, likely_bound(evaluation, game, position, alpha, beta, depth, side, worker)
        side += 1
    return False, np.int64(0)
