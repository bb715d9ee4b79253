"""Selective search (Multi-ProbCut): a node is cut off if a shallower search makes a cut-off likely enough.

The values of a deep and of a shallower search differ by a random error whose standard deviation was measured
(`SearchErrors`). If the shallower value is beyond the window by some multiple of this deviation, the deep value is
assumed to be on that side too, and is not searched (Buro, 1997). The share of these guesses that are right, for
normally distributed errors, is the search's *selectivity*; 100 is the plain search.

Guesses are made only in null windows, never on the principal variation. Whether a guess is made depends on the window,
and so on what was searched before. Several workers search in a different order each time, so they may find another
value than one worker does.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from outflank.games.defaults import SearchErrors
from outflank.games.endings import ending_moves
from outflank.games.evaluation import LIMIT, Evaluation, State, errors_of, value
from outflank.games.patterns import STAGES, TABLES, Patterns
from outflank.games.patterns import stage as stage_of
from outflank.games.rules import Game, Position, Value, count, fill, is_pass, moves_left
from outflank.kernels.bits import Int
from outflank.kernels.compiler import inner, unlikely
from outflank.kernels.generic import generic
from outflank.kernels.memory import record_at
from outflank.search.probes import Probe, note_node
from outflank.search.worker import PASS_EVALUATES, Worker

SELECTIVITIES = {100: 0.0, 99: 2.58, 98: 2.33, 95: 1.96, 87: 1.51, 73: 1.10}
"""For each selectivity (per cent of the guesses that are right), the number of standard deviations by which a shallow
value must be beyond the window. The selectivity index of a search is the place of its selectivity here, from 0."""

MOST_SELECTIVE: Final = 73

PROBED_FROM = 3
"""Minimum remaining depth of a node at which a shallower search guesses whether its value is outside the window. With
fewer plies left, where most nodes are, the evaluation replaces the shallower search. On 60 tournament positions at
depth 14, guesses by the evaluation saved half of the nodes and a third of the time. With these guesses, values differed
from the values of a less selective search by 0.90 discs instead of 0.83."""
PROVED_MOVES = 4
"""Number of moves left, beyond those that the game's endgame kernels solve, up to which a search to the end of the game
does not guess: proving the value takes hardly longer than the shallower search. On positions of Othello with 22 empty
squares, searches of 73, 95 and 99 % and the proof after them ended after 0.18, 0.40, 0.78 and 1.35 s with 4 here, and
after 0.14, 0.38, 0.92 and 1.51 s when every node was guessed; 2 and 0 of 10 values of 73 and 95 % were wrong instead of
4 and 2. With 5, searches take as long; with 6 and 7 the less certain ones take half as long again."""

DEEPEST_PROBED = 63

MARGINS = np.dtype(
    [
        ("deep", "i2", (STAGES, DEEPEST_PROBED + 1)),  # margin for the shallower search, or the evaluation, by depth
        ("rough", "i2", (STAGES, DEEPEST_PROBED + 1)),  # margin at which the evaluation makes such a search worthwhile
        # moves left up to which a search to the end of the game does not guess; -1: it always guesses
        ("proved_from", "i2"),
    ],
    align=True,
)


def selectivity_index(selectivity: int) -> int:
    """Return the index by which workers and table entries store a selectivity; 0: not selective."""
    return list(SELECTIVITIES).index(selectivity)


def spread(
    errors: SearchErrors, depth: npt.NDArray[np.int64], shallow: npt.NDArray[np.int64]
) -> npt.NDArray[np.float64]:
    """Return the standard deviations of the differences between values of searches to `depth` and to `shallow` plies,
    one row per stage of the game."""
    between = errors.between * np.log(np.maximum(depth - shallow, 1))
    by_depth = errors.constant + errors.shallow * np.log1p(shallow) + between
    return np.asarray(np.exp(errors.stage * np.arange(STAGES)[:, None] + by_depth), np.float64)


def margins(
    game: Game, evaluation: Evaluation, selectivity: int, *, before_proof: bool = False
) -> npt.NDArray[np.void]:
    """Return a record of type `MARGINS` for searches with an evaluation; no margins if they are not selective.

    The estimates before a proof guess down to the endgame kernels: better estimates made proofs 5 % longer in all."""
    record = np.zeros(1, MARGINS)
    record["proved_from"] = -1 if before_proof else int(ending_moves(game)) + PROVED_MOVES
    errors = errors_of(game, evaluation) if selectivity < 100 else None
    if errors is not None:
        deviations = SELECTIVITIES[selectivity]
        depth = np.arange(DEEPEST_PROBED + 1)
        deep = spread(errors, depth, np.where(depth < PROBED_FROM, 0, shallower(depth)))
        record["deep"] = np.minimum(deviations * deep, LIMIT)
        # `rough` applies to the evaluation, which is only a guess of the shallower search's value.
        record["rough"] = np.minimum(deviations * (spread(errors, depth, 0 * depth) + deep) / 2, LIMIT)
    return record


@inner
def shallower(depth: Int) -> Int:
    """Return the depth of the shallower search for a node with `depth` plies left. It is about half of `depth`, and of
    the same parity, since values of odd and even depths differ."""
    return 2 * (depth // 4) + depth % 2


@inner
def plays_out(left: int, depth: int, worker: Worker) -> bool:
    """Return whether a search with estimates reaches the end of every line below a node with `left` moves left, and so
    uses the game's endgame kernels."""
    return depth > left and worker.workspace != 0


@generic
def is_selective(evaluation: Evaluation) -> bool:
    """Return whether searches with `evaluation` are compiled with the code for selective search. This code slows plain
    searches a little."""


@is_selective.register(object)
def _(evaluation):
    return False


@is_selective.register(Patterns)
def _(evaluation):
    return True


@inner
def uses_probcut(game: Game, position: Position, alpha: Value, beta: Value, depth: int, worker: Worker) -> bool:
    """Return whether ProbCut is tried at a node, that is, a shallower search in place of the full search."""
    if worker.selectivity_index == 0 or depth < PROBED_FROM or beta != alpha + 1:
        return False
    left = moves_left(game, position)
    return not plays_out(left, depth, worker) or left > record_at(worker.margins, MARGINS).proved_from


@inner
def uses_evaluation_guess(alpha: Value, beta: Value, depth: int, worker: Worker) -> bool:
    """Return whether so few plies are left at a node that the evaluation itself is used to guess."""
    return worker.selectivity_index != 0 and depth < PROBED_FROM and beta == alpha + 1


@inner
def guess_by_evaluation(
    evaluation: Evaluation,
    game: Game,
    position: Position,
    state: State,
    alpha: Value,
    beta: Value,
    depth: int,
    start: int,
    worker: Worker,
    probe: Probe,
) -> tuple[bool, Value]:
    """Return whether the evaluation makes it likely enough that a node's value is outside (alpha, beta), and the
    likely bound of the value. Finished games are not guessed, nor passes that are evaluated.

    The node's moves are only counted: most of these nodes are cut off, and need no list of their moves.
    """
    moves = count(game, position)
    if unlikely(moves <= 1):
        end = fill(game, position, worker.moves, start)
        passes = end > start and is_pass(game, worker.moves[start])
        if end == start or (passes and worker.pass_rule == PASS_EVALUATES):
            return False, np.int64(0)
        moves = 0 if passes else 1
    margin = np.int64(record_at(worker.margins, MARGINS).deep[stage_of(game, position), depth])
    estimate = np.int64(value(evaluation, game, position, state))
    above, below = estimate >= beta + margin, estimate <= alpha - margin
    if above or below:
        worker.estimates += 1
        note_node(probe, depth, moves)
    return above or below, np.int64(beta if above else alpha)


ABOVE, BELOW, NO_SIDE = 0, 1, 2
"""Sides of a window on which a node's value may be guessed to lie, in the order in which they are tried. `NO_SIDE` ends
the trials."""


@inner
def probe_window(
    game: Game, position: Position, estimate: Value, alpha: Value, beta: Value, depth: int, side: int, worker: Worker
) -> tuple[bool, Value]:
    """Return whether a shallower search is worthwhile for one `side` of (alpha, beta), and the lower end of the null
    window for this search. If the result is on `side` of the null window, the node's value is probably on the same side
    of (alpha, beta). `estimate` is the position's evaluation."""
    margins = record_at(worker.margins, MARGINS)
    game_stage, depth_index = stage_of(game, position), min(depth, DEEPEST_PROBED)
    deep, rough = np.int64(margins.deep[game_stage, depth_index]), np.int64(margins.rough[game_stage, depth_index])
    if side == ABOVE:
        return estimate + rough >= beta and beta + deep < LIMIT, beta + deep - 1
    return estimate - rough <= alpha and alpha - deep > -LIMIT, alpha - deep


@generic
def likely_bound(
    evaluation: Evaluation,
    game: Game,
    position: Position,
    alpha: Value,
    beta: Value,
    depth: int,
    side: int,
    worker: Worker,
) -> Value:
    """Return the bound of a node whose value is guessed to be on one side of (alpha, beta).

    In searches to the end of the game, values are whole scores, so the bound is rounded to the next possible score.
    Without rounding, bounds of other moves were a little above the value of the best move, and these moves took its
    place. Proofs begin with the best move of such a search, and so began with a move that is harder to prove.
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
