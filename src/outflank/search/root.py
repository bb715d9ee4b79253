"""The root of a search: its moves one by one, and what is known of them."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from outflank.errors import OutflankError
from outflank.games import catalog  # noqa: F401  # registers evaluations and features by name
from outflank.games.evaluation import LIMIT, Exact, begin, evaluation_named, evaluations, final, value
from outflank.games.hints import promise
from outflank.games.rules import MOVE, fill, is_pass, most_moves, pack, play
from outflank.kernels.atomics import store
from outflank.kernels.records import allocate
from outflank.search.alphabeta import alphabeta
from outflank.search.contract import DEEPEST, Limits, Options
from outflank.search.minimax import minimax
from outflank.search.ordering import Ordering, ordering_named
from outflank.search.probes import Counts, Silent, expanded
from outflank.search.quiet import settled
from outflank.search.table import NO_MOVE, Table, looked_up, move_of
from outflank.search.worker import (
    PASS_EVALUATES,
    PASS_FREE,
    PASS_PLY,
    POLL_NODES,
    ROOM,
    SORT_BEST,
    SORT_NONE,
    WORKER,
)

LOW, HIGH = -LIMIT, LIMIT
"""A window that holds every value."""

PASSES = {"free": PASS_FREE, "ply": PASS_PLY, "evaluated": PASS_EVALUATES}


class Stopped(Exception):
    """The search was told to end; what it was at is worthless."""


@dataclass(slots=True)
class RootMove:
    """A move of the root, and what the last search of it found."""

    code: int
    child: Any
    state: Any
    value: int = LOW
    line: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Found:
    """The value of the root, with the same promise as alpha-beta's, and the move that has it."""

    value: int
    move: RootMove | None


class Root:
    """A position ready to be searched: its moves, a worker's record, and a table."""

    def __init__(
        self, game: Any, position: Any, options: Options, *, table: Table | None = None, counts: Counts | None = None
    ) -> None:
        self.game, self.position, self.options = game, position, options
        self.evaluation = self._evaluation()
        self._counts = counts  # kept alive: the kernels write to its memory
        self.probe = Silent() if counts is None else counts.probe
        self.table = table
        if table is None and options.table_bits is not None and options.algorithm not in ("minimax", "uct", "flat"):
            self.table = Table(options.table_bits)
        self.worker = self._new_worker()
        self.deepest = min(DEEPEST, ROOM // most_moves(game) - 1)
        self.moves = self._moves()
        self.passing = len(self.moves) == 1 and bool(is_pass(game, self.moves[0].code))

    def _evaluation(self) -> Any:
        chosen = self.options.evaluation
        if self.options.exact:
            return Exact()
        return evaluation_named(self.game, chosen) if chosen is None or isinstance(chosen, str) else chosen

    def _new_worker(self) -> Any:
        options = self.options
        worker = allocate(WORKER, 1)[0]
        worker.node_limit = 1 << 62
        worker.pass_rule = PASSES[options.passes]
        worker.quiet = options.quiet
        worker.scout = int(options.algorithm == "pvs")
        worker.at_least = int(options.table_depth == "at-least")
        worker.canonical = int(options.canonical)
        worker.killer[:] = NO_MOVE
        if self.table is not None:
            worker.table, worker.table_shift, worker.age = self.table.address, self.table.shift, self.table.age
            worker.table_from = 2
        ordering = options.ordering
        if not isinstance(ordering, Ordering):
            ordering = ordering_named(self.game, ordering, exact=options.exact)
        ordering.apply(self.game, worker)
        return worker

    def _moves(self) -> list[RootMove]:
        buffer = np.zeros(most_moves(self.game), MOVE)
        codes = [int(code) for code in buffer[: fill(self.game, self.position, buffer, 0)]]
        children = [play(self.game, self.position, MOVE(code)) for code in codes]
        moves = [
            RootMove(code, child, begin(self.evaluation, self.game, child))
            for code, child in zip(codes, children, strict=True)
        ]
        if self.worker.sort == SORT_NONE or not moves:
            return moves
        weights = self.worker.weights
        scores = {
            move.code: int(promise(self.game, self.position, MOVE(move.code), move.child, weights)) for move in moves
        }
        if self.worker.sort == SORT_BEST:
            best = max(moves, key=lambda move: scores[move.code])
            return [best, *(move for move in moves if move is not best)]
        return sorted(moves, key=lambda move: -scores[move.code])

    def check(self, limits: Limits) -> None:
        """Refuse what cannot be done."""
        if limits.depth is not None and limits.depth > self.deepest:
            raise OutflankError(f"depth {limits.depth}: at most {self.deepest} plies in this game")

    # --- stopping ---

    def stop(self) -> None:
        """Make the kernels come back."""
        store(self.worker, "stop", 1)

    def begin_search(self, node_limit: int | None) -> None:
        """Reset the counters, and let the search run to `node_limit`."""
        worker = self.worker
        worker.nodes = worker.leaves = worker.estimates = worker.lookups = worker.hits = worker.cuts = 0
        worker.aborted = 0
        worker.node_limit = 1 << 62 if node_limit is None else node_limit
        worker.poll_at = min(POLL_NODES, int(worker.node_limit))

    # --- values ---

    def leaf_value(self) -> int:
        """The position itself, evaluated."""
        self.worker.leaves += 1
        if not self.moves:
            return int(final(self.evaluation, self.game, self.position))
        self.worker.estimates += 1
        return int(value(self.evaluation, self.game, self.position, begin(self.evaluation, self.game, self.position)))

    def enter(self, depth: int) -> Found | None:
        """Count the root as a node; its value if there is nothing to search below it."""
        self.worker.nodes += 1
        expanded(self.probe, depth, 0 if self.passing else len(self.moves))
        if not self.moves:
            return Found(self.leaf_value(), None)
        if self.passing and self.options.passes == "evaluated":
            return Found(self.leaf_value(), self.moves[0])
        return None

    def depth_below(self, depth: int) -> int:
        """The depth left after a move of the root."""
        return depth if self.passing and self.options.passes == "free" else depth - 1

    def child_value(self, move: RootMove, alpha: int, beta: int, depth: int) -> int:
        """What `move` is worth, `depth` plies below it, as far as (alpha, beta) asks; alpha-beta's promise."""
        if depth == 0:
            self.worker.line_length[1] = 0
            if self.options.quiet:
                arguments = (self.game, self.evaluation, move.child, move.state)
                return -int(settled(*arguments, -beta, -alpha, self.options.quiet, 0, self.worker))
            self.worker.nodes += 1
            self.worker.leaves += 1
            self.worker.estimates += 1
            return -int(value(self.evaluation, self.game, move.child, move.state))
        found = -alphabeta(
            self.game,
            self.evaluation,
            move.child,
            move.state,
            -beta,
            -alpha,
            depth,
            1,
            0,
            self.worker,
            self.probe,
        )
        self._give_up_if_stopped()
        return int(found)

    def child_minimax(self, move: RootMove, depth: int) -> int:
        """What `move` is worth, without any cut-off."""
        if depth == 0:
            return self.child_value(move, LOW, HIGH, 0)
        found = -minimax(self.game, self.evaluation, move.child, move.state, depth, 0, self.worker, self.probe)
        self._give_up_if_stopped()
        return int(found)

    def _give_up_if_stopped(self) -> None:
        if self.worker.aborted:
            raise Stopped

    # --- lines ---

    def line_below(self) -> tuple[int, ...]:
        """The principal variation that the last search of a child left behind."""
        return tuple(int(code) for code in self.worker.line[1][: int(self.worker.line_length[1])])

    def prolonged(self, line: tuple[int, ...], depth: int) -> tuple[int, ...]:
        """`line` with what the table knows to follow it, at most `depth` moves in all."""
        position = self.position
        for code in line:
            position = play(self.game, position, MOVE(code))
        buffer = np.zeros(most_moves(self.game), MOVE)
        while self.table is not None and not self.options.canonical and len(line) < depth:
            data = looked_up(self.table.address, self.table.shift, *pack(self.game, position))
            end = fill(self.game, position, buffer, 0)
            known = move_of(data) if data else NO_MOVE
            if end == 1 and is_pass(self.game, buffer[0]):
                known = int(buffer[0])
            if known not in buffer[:end]:
                break
            line = (*line, int(known))
            position = play(self.game, position, MOVE(known))
        return line


def _roots(game: Any, position: Any, every: bool) -> Iterator[Root]:
    """A root for each way in which a game's searches are compiled: by the types of its evaluations."""
    types = {type(evaluation): evaluation for evaluation in evaluations(game).values()}
    chosen = list(types.values()) if every else [evaluation_named(game)]
    for evaluation in (*chosen, Exact()):
        yield Root(game, position, Options(evaluation=evaluation, table_bits=4))


@minimax.sample
def _minimax_sample(game: Any, position: Any, every: bool) -> Iterator[tuple[Any, ...]]:
    for root in _roots(game, position, every):
        move = root.moves[0]
        yield game, root.evaluation, move.child, move.state, 2, 0, root.worker, root.probe


@settled.sample
def _settled_sample(game: Any, position: Any, every: bool) -> Iterator[tuple[Any, ...]]:
    for root in _roots(game, position, every):
        move = root.moves[0]
        yield game, root.evaluation, move.child, move.state, LOW, HIGH, 1, 0, root.worker


@alphabeta.sample
def _alphabeta_sample(game: Any, position: Any, every: bool) -> Iterator[tuple[Any, ...]]:
    for root in _roots(game, position, every):
        move = root.moves[0]
        yield game, root.evaluation, move.child, move.state, LOW, HIGH, 3, 1, 0, root.worker, root.probe
