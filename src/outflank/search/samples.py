"""Sample arguments with which the search kernels are compiled in advance.

Most samples are beside their kernels. The samples here need a `Root`, whose module imports these kernels.
"""

from collections.abc import Iterator

import numpy as np

from outflank.games.evaluation import LIMIT, Exact, begin, evaluation_named, evaluations
from outflank.games.rules import ENDLESS_GAME, MOVE, Game, Position, moves_left
from outflank.kernels.compiler import Samples
from outflank.search.alphabeta import alphabeta
from outflank.search.lines import follow_line, table_move
from outflank.search.looking import look
from outflank.search.minimax import minimax
from outflank.search.nodes import arrange_several
from outflank.search.quiescence import quiescence
from outflank.search.request import Options
from outflank.search.root import Root
from outflank.search.root_moves import HIGH, LOW


def sample_roots(game: Game, position: Position, every: bool) -> Iterator[Root]:
    """Yield a root for the default evaluation, or with `every` a root for each type of evaluation. Then yield a root
    for exact play, unless the game has no limit of moves."""
    types = {type(evaluation): evaluation for evaluation in evaluations(game).values()}
    sample_evaluations = list(types.values()) if every else [evaluation_named(game)]
    for evaluation in sample_evaluations:
        yield Root(game, position, Options(evaluation=evaluation, table_bits=4))
    if moves_left(game, position) < ENDLESS_GAME:  # endless games have no exact play
        yield Root(game, position, Options(exact=True, table_bits=4))


@minimax.sample
def _minimax_sample(game: Game, position: Position, every: bool) -> Samples:
    for root in sample_roots(game, position, every):
        move = root.moves[0]
        yield game, root.evaluation, move.child, move.state, 2, 0, root.worker, root.probe


@quiescence.sample
def _quiescence_sample(game: Game, position: Position, every: bool) -> Samples:
    for root in sample_roots(game, position, every):
        move = root.moves[0]
        yield game, root.evaluation, move.child, move.state, LOW, HIGH, 1, 0, root.worker


@alphabeta.sample
def _alphabeta_sample(game: Game, position: Position, every: bool) -> Samples:
    for root in sample_roots(game, position, every):
        move = root.moves[0]
        yield game, root.evaluation, move.child, move.state, LOW, HIGH, 3, 1, 0, root.worker, root.probe


@arrange_several.sample
def _arrange_several_sample(game: Game, position: Position, every: bool) -> Samples:
    for root in sample_roots(game, position, every):
        worker, move = root.worker, root.moves[0]
        worker.moves[0] = move.code
        yield root.evaluation, game, position, begin(root.evaluation, game, position), 3, 1, move.code, 0, 0, 1, worker


@look.sample
def _look_sample(game: Game, position: Position, every: bool) -> Samples:
    root = Root(game, position, Options(exact=True, table_bits=4))
    estimate = root.evaluation.estimate
    if not isinstance(estimate, Exact):
        state, reach = begin(estimate, game, position), np.int64(LIMIT)
        yield game, estimate, position, state, -reach, reach, np.int64(1), np.int64(0), root.worker


@follow_line.sample
def _follow_line_sample(game: Game, position: Position, every: bool) -> Samples:
    yield game, position, 0, 0, np.zeros(4, MOVE), 0, 0, Root(game, position, Options(table_bits=4)).worker


@table_move.sample
def _table_move_sample(game: Game, position: Position, every: bool) -> Samples:
    yield game, position, Root(game, position, Options(table_bits=4)).worker
