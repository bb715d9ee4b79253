"""Making a certificate: a strategy's move is found for each position, with the transposition table that solved the
root.

The checker does not rely on this module.
"""

import numpy as np

from outflank.boards import Board
from outflank.errors import InvalidOption
from outflank.games.description import description_of
from outflank.games.evaluation import after
from outflank.games.evaluation import begin as begin_state
from outflank.games.plain import key_words, position_of
from outflank.games.rules import Game, Position, fill, moves_left, pack, play, unpack
from outflank.games.sides import Side
from outflank.kernels.compiler import Samples, kernel
from outflank.proofs.certificate import MOST_LEVELS, Certificate, Strategy
from outflank.proofs.checking import Watch
from outflank.proofs.frontier import Frontier, Level, Moves, over_slices
from outflank.search.alphabeta import alphabeta
from outflank.search.nodes import arrange
from outflank.search.ordering import bring_best
from outflank.search.request import Options, Stop
from outflank.search.root import Root
from outflank.search.solving import TABLE_BITS
from outflank.search.stopping import Stopped
from outflank.search.table import Table, hint_of, looked_up, table_key
from outflank.search.worker import SORT_ALL, SORT_NONE

LEAF = 12
"""Default number of moves left at a strategy's leaves. For a 6×6 position with 26 moves left, the number 14 gave 42,000
moves to store and 442 million nodes to check; 12 gave 190,000 moves and 244 million nodes. If the proved position has
fewer than 24 moves left, the default is half of its moves left, because a proof without moves shows nothing."""

SLICE = 64
"""Number of positions that a worker takes at a time. A single position may take a second."""

NOT_FOUND = 255
"""Marks a position in which no move guarantees the bound. No game with `plain_rules` uses this move code."""


@kernel
def holding_moves(game, evaluation, rules, keys, bound, moves, worker, probe):
    """For each position of `keys`, find a move that guarantees `bound`, and write it to `moves`.

    Stop at a position without such a move, or if the worker is stopped. Return the number of positions done.
    """
    for number in range(len(keys)):
        first, second = position_of(rules, keys[number, 0], keys[number, keys.shape[1] - 1])
        position = unpack(game, first, second)
        state = begin_state(evaluation, game, position)
        start = np.int64(0)
        end = fill(game, position, worker.moves, start)
        depth = moves_left(game, position) + 1  # one more ply, to recognise the end of the game
        symmetry, key_first, key_second = table_key(game, position, worker)
        hint = hint_of(looked_up(worker.table, worker.table_shift, key_first, key_second))
        sort = arrange(evaluation, game, position, state, depth, 0, hint, symmetry, start, end, worker)
        moves[number] = NOT_FOUND
        for index in range(start, end):
            if sort == SORT_ALL or (sort != SORT_NONE and index == start):
                bring_best(index, end, worker)
            move = worker.moves[index]
            child = play(game, position, move)
            child_state = after(evaluation, game, state, position, move, child)
            child_value = -alphabeta(
                game, evaluation, child, child_state, -bound, 1 - bound, depth - 1, np.int64(1), end, worker, probe
            )
            if worker.aborted != 0:
                return number
            if child_value >= bound:
                moves[number] = np.uint8(move)
                break
        if moves[number] == NOT_FOUND:
            return number
    return len(keys)


@holding_moves.sample
def _sample(game: Game, position: Position, every: bool) -> Samples:
    plain = description_of(game).plain_rules
    if plain is not None:
        root, rules = Root(game, position, Options(exact=True, table_bits=4)), plain(game)
        keys = np.zeros((0, int(key_words(rules))), np.uint64)
        yield game, root.evaluation, rules, keys, 0, np.zeros(0, np.uint8), root.worker, root.probe


class WrongValue(InvalidOption):
    """Raised if no strategy guarantees the given value."""


def prove(
    board: Board,
    value: int,
    *,
    table: Table | None = None,
    leaf: int | None = None,
    workers: int = 1,
    watch: Watch = lambda text: None,
    stop: Stop | None = None,
) -> Certificate:
    """Return a certificate that `value` is the side to move's score under perfect play.

    Raise `WrongValue` if the value is wrong, and `Stopped` if `stop` is called. Most of the time can be saved by
    passing the `table` of the search that found the value; symmetric positions must share its entries. The strategies
    end with `leaf` moves left, where the checker's search begins.
    """
    return Finder(board, table=table, workers=workers).prove(value, leaf=leaf, watch=watch, stop=stop)


class Finder:
    """Workers that find the moves of a certificate's strategies."""

    def __init__(self, board: Board, *, table: Table | None = None, workers: int = 1) -> None:
        plain = description_of(board.game).plain_rules
        if plain is None:
            raise InvalidOption(f"there are no rules of {description_of(board.game).title} to check a proof by")
        self.board, self.rules, self.count = board, plain(board.game), workers
        options = Options(exact=True, canonical=True, table_bits=TABLE_BITS)
        self.root = Root(board.game, board.position, options, table=table, worker_count=workers)
        self.root.begin_search(None)

    @property
    def nodes(self) -> int:
        """Number of nodes searched so far."""
        return self.root.counter("nodes")

    def prove(
        self, value: int, *, leaf: int | None = None, watch: Watch = lambda text: None, stop: Stop | None = None
    ) -> Certificate:
        """Return a certificate that `value` is the side to move's score under perfect play."""
        if leaf is None:
            leaf = min(LEAF, self.board.moves_left // 2)
        if not 0 <= leaf < MOST_LEVELS:
            raise InvalidOption(f"leaf={leaf}: leaves have 0 to {MOST_LEVELS - 1} moves left")
        if stop is not None:
            stop.add_listener(self.root.stop)
        try:
            strategies = tuple(
                self._strategy(mover=mover, bound=value if mover else -value, leaf=leaf, watch=watch)
                for mover in (True, False)
            )
        finally:
            if stop is not None:
                stop.remove_listener(self.root.stop)
        return Certificate(board=self.board, value=value, strategies=strategies)

    def _strategy(self, *, mover: bool, bound: int, leaf: int, watch: Watch) -> Strategy:
        side = self.board.turn if mover else self.board.turn.other
        first, second = map(np.uint64, pack(self.board.game, self.board.position))
        frontier = Frontier(self.rules, (first, second), mine=mover, bound=bound, workers=self.count)
        moves_by_level: dict[int, Moves] = {}
        while frontier.level.left > leaf and (len(frontier.level.own) or len(frontier.level.other)):
            level = frontier.level
            moves = self._moves(level, bound, side, watch)
            if len(moves):
                moves_by_level[level.left] = moves
            frontier.advance(moves)
        return Strategy(mover=mover, leaf=leaf, moves=moves_by_level)

    def _moves(self, level: Level, bound: int, side: Side, watch: Watch) -> Moves:
        """Return a move that guarantees `bound` for each position of `level` with the strategy's side to move."""
        root, keys, moves = self.root, level.own, np.zeros(len(level.own), np.uint8)

        def work(begin: int, end: int, worker: int) -> None:
            record = root.workers[worker]
            rules_and_evaluation = (root.game, root.evaluation, self.rules)
            done = holding_moves(*rules_and_evaluation, keys[begin:end], bound, moves[begin:end], record, root.probe)
            if record.aborted:
                raise Stopped
            if done < end - begin:
                raise WrongValue(f"there is no strategy that wins {bound:+d}: the value is another")

        def progress(done: int) -> None:
            watch(f"proof of {side}: {level.left} moves left, {done:,} of {len(keys):,} positions")

        over_slices(work, len(keys), size=SLICE, workers=self.count, progress=progress, stop=root.stop)
        return moves
