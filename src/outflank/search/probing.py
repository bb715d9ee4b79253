"""ProbCut at nodes whose moves are searched elsewhere: frames and jobs."""

import numpy as np

from outflank.games.evaluation import Evaluation, State
from outflank.games.rules import Game, Position, Value
from outflank.kernels.compiler import inner
from outflank.search.alphabeta import alphabeta
from outflank.search.probes import Probe
from outflank.search.selective import ABOVE, NO_SIDE, is_selective, likely_bound, probe_window, shallower, uses_probcut
from outflank.search.worker import Worker


@inner
def try_probcut(
    evaluation: Evaluation,
    game: Game,
    position: Position,
    state: State,
    alpha: Value,
    beta: Value,
    depth: int,
    ply: int,
    start: int,
    worker: Worker,
    probe: Probe,
) -> tuple[bool, Value]:
    """Return whether a node's value is likely enough to be outside (alpha, beta), and the bound for that: the same step
    as at a node of `alphabeta`. Return false once the worker is stopped."""
    side = ABOVE if is_selective(evaluation) and uses_probcut(alpha, beta, depth, worker) else NO_SIDE
    while side != NO_SIDE and worker.aborted == 0:
        worth_probing, low = probe_window(evaluation, game, position, state, alpha, beta, depth, side, worker)
        if worth_probing:
            shallow = np.int64(shallower(depth))
            shallow_value = alphabeta(
                game, evaluation, position, state, low, low + 1, shallow, ply, start, worker, probe
            )
            if worker.aborted == 0 and (shallow_value > low) == (side == ABOVE):
                worker.estimates += 1
                return True, likely_bound(evaluation, game, position, alpha, beta, depth, side, worker)
        side += 1
    return False, np.int64(0)
