"""Selective search: a node ends early where a shallower search of it makes its side of the window likely enough.

Multi-probcut (Buro, 1997). The value of a search so deep and that of a shallower one differ by a random error whose
spread was measured (`games/search_errors.py`). Where the shallower value is beyond the window by some of these spreads,
the deep one is taken to be on that side too, and is not searched for. What share of such guesses is right, for errors
that are distributed normally, is the search's *selectivity*; 100 is the plain search.

Only null windows are asked so: on the principal variation nothing is guessed. Whether a guess is made depends on
the window, which depends on what was searched before: so the value of a selective search with several workers, who
search in another order each time, is not promised to be that of one.
"""

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from outflank.games.evaluation import LIMIT, errors_of, value
from outflank.games.patterns import STAGES, TABLES, Patterns
from outflank.games.patterns import stage as stage_of
from outflank.games.rules import moves_left
from outflank.games.search_errors import SearchErrors
from outflank.kernels.compiler import inner
from outflank.kernels.generic import generic
from outflank.kernels.memory import record_at

SELECTIVITIES = {100: 0.0, 99: 2.58, 98: 2.33, 95: 1.96, 87: 1.51, 73: 1.10}
"""How many standard deviations of the error a shallow value must be beyond a window, by the share of guesses that are
right then, in per cent. The selectivity index of a search is its place here, from 0."""

MOST_SELECTIVE: Final = 73

PROBED_FROM = 3
"""The least depth at which a shallower search is asked. Below it the evaluation itself is: most nodes are there, each
of which evaluates all of its moves if none of them is good enough. On 60 tournament positions at depth 14 that saved
half of the nodes and a third of the time, and values differed from those of a surer search by 0.90 instead of 0.83
discs."""
DEEPEST_PROBED = 63

MARGINS = np.dtype(
    [
        ("deep", "i2", (STAGES, DEEPEST_PROBED + 1)),  # of the shallower search, or the evaluation, asked for a depth
        ("rough", "i2", (STAGES, DEEPEST_PROBED + 1)),  # of the evaluation itself, for that search to be worth a try
    ],
    align=True,
)


def selectivity_index(selectivity: int) -> int:
    """The number by which workers and entries know a selectivity."""
    return list(SELECTIVITIES).index(selectivity)


def spread(
    errors: SearchErrors, depth: npt.NDArray[np.int64], shallow: npt.NDArray[np.int64]
) -> npt.NDArray[np.float64]:
    """The standard deviation between searches of some depths and shallower ones, in a row for each stage."""
    between = errors.between * np.log(np.maximum(depth - shallow, 1))
    by_depth = errors.constant + errors.shallow * np.log1p(shallow) + between
    return np.asarray(np.exp(errors.stage * np.arange(STAGES)[:, None] + by_depth), np.float64)


def margins(game: Any, evaluation: Any, selectivity: int) -> npt.NDArray[np.void]:
    """A record `MARGINS` for searches by an evaluation."""
    found = np.zeros(1, MARGINS)
    errors = errors_of(game, evaluation) if selectivity < 100 else None
    if errors is not None:
        deviations = SELECTIVITIES[selectivity]
        depth = np.arange(DEEPEST_PROBED + 1)
        deep = spread(errors, depth, np.where(depth < PROBED_FROM, 0, shallower(depth)))
        found["deep"] = np.minimum(deviations * deep, LIMIT)
        # The evaluation stands for the shallower search here, and is off from that, too.
        found["rough"] = np.minimum(deviations * (spread(errors, depth, 0 * depth) + deep) / 2, LIMIT)
    return found


@inner
def shallower(depth: Any) -> Any:
    """The depth of the search that is asked about one of `depth`: about half, and as odd or even as it is, since
    values of odd and even depths differ."""
    return 2 * (depth // 4) + depth % 2


@inner
def plays_out(left: Any, depth: Any, worker: Any) -> Any:
    """Whether a search by estimates comes to the end of every line, `left` moves being left at a node: then it uses
    what the game offers to exact play."""
    return depth > left and worker.workspace != 0


@generic
def is_selective(evaluation: Any) -> Any:
    """Whether searches by an evaluation are compiled to be selective, which costs the others a little."""


@is_selective.register(object)
def _(evaluation):
    return False


@is_selective.register(Patterns)
def _(evaluation):
    return True


@inner
def is_probed(alpha: Any, beta: Any, depth: Any, worker: Any) -> Any:
    """Whether a shallower search is asked about a node."""
    return worker.selectivity_index != 0 and depth >= PROBED_FROM and beta == alpha + 1


@inner
def is_guessed(alpha: Any, beta: Any, depth: Any, worker: Any) -> Any:
    """Whether a node has so few plies left that the evaluation itself is asked about it."""
    return worker.selectivity_index != 0 and depth < PROBED_FROM and beta == alpha + 1


@inner
def guessed(
    evaluation: Any, game: Any, position: Any, state: Any, alpha: Any, beta: Any, depth: Any, worker: Any
) -> Any:
    """Whether the evaluation makes it likely enough that a node's value is beyond (alpha, beta), and the bound that
    says so."""
    margin = np.int64(record_at(worker.margins, MARGINS).deep[stage_of(game, position), depth])
    seeming = np.int64(value(evaluation, game, position, state))
    above, below = seeming >= beta + margin, seeming <= alpha - margin
    worker.estimates += above or below
    return above or below, np.int64(beta if above else alpha)


ABOVE, BELOW, NO_SIDE = 0, 1, 2
"""On which side of its window a node's value is guessed to be: first above, then below."""


@inner
def probe_window(
    evaluation: Any,
    game: Any,
    position: Any,
    state: Any,
    alpha: Any,
    beta: Any,
    depth: Any,
    side: Any,
    worker: Any,
) -> Any:
    """Whether a shallower search may tell that a value is on one side of (alpha, beta), and the lower end of the null
    window that it is asked: its value must be on the same side of that."""
    margins = record_at(worker.margins, MARGINS)
    here, far = stage_of(game, position), min(depth, DEEPEST_PROBED)
    deep, rough = np.int64(margins.deep[here, far]), np.int64(margins.rough[here, far])
    seeming = np.int64(value(evaluation, game, position, state))
    if side == ABOVE:
        return seeming + rough >= beta and beta + deep < LIMIT, beta + deep - 1
    return seeming - rough <= alpha and alpha - deep > -LIMIT, alpha - deep


@generic
def likely_bound(
    evaluation: Any, game: Any, position: Any, alpha: Any, beta: Any, depth: Any, side: Any, worker: Any
) -> Any:
    """The bound of a node whose value is taken to be on one side of (alpha, beta).

    Where games are played out, values are whole scores: one that is more than `alpha` is the next score at least. Told
    to be worth a little more than the best move, others took its place, and proofs, which begin with the best move of
    such a search, began with one that is harder to prove.
    """


@likely_bound.register(object)
def _(evaluation, game, position, alpha, beta, depth, side, worker):
    return np.int64(beta if side == ABOVE else alpha)


@likely_bound.register(Patterns)
def _(evaluation, game, position, alpha, beta, depth, side, worker):
    bound = np.int64(beta if side == ABOVE else alpha)
    points = record_at(evaluation.tables, TABLES).scored
    if points == 0 or not plays_out(moves_left(game, position), depth, worker):
        return bound
    return -(-bound // points) * points if side == ABOVE else bound // points * points
