"""The root of a search: a position with its moves, and the records and the memory of its workers."""

from collections.abc import Sequence

import numpy as np

from outflank.errors import OutflankError
from outflank.games.description import description_of
from outflank.games.endings import exact_promise, look_ahead, workspaces
from outflank.games.evaluation import (
    LIMIT,
    Evaluation,
    Exact,
    Solving,
    State,
    after,
    begin,
    check_values,
    evaluation_chosen,
    evaluations,
    final,
    scale_of,
    value,
)
from outflank.games.patterns import Patterns
from outflank.games.rules import MOVE, Game, Position, is_pass, most_moves, moves_left
from outflank.kernels.memory import address_of
from outflank.kernels.record_types import Records, allocate, allocated_bytes
from outflank.placement import worker_processors
from outflank.search import stopping
from outflank.search.alphabeta import alphabeta
from outflank.search.children import Child, children
from outflank.search.lines import complete
from outflank.search.looking import look
from outflank.search.ordering import Ordering, ordering_named, sort_moves, weights_at
from outflank.search.probes import Instrument, Silent, note_node
from outflank.search.request import DEEPEST, TABLELESS, Known, Options
from outflank.search.root_moves import LOW, RootMove, RootValue, WindowProgress
from outflank.search.selective import margins, selectivity_index
from outflank.search.stopping import BELL, halt, set_deadline
from outflank.search.table import NO_MOVE, PROVED, Table
from outflank.search.worker import (
    COUNTERS,
    PASS_EVALUATES,
    PASS_FREE,
    PASS_PLY,
    PLIES,
    ROOM,
    SETTINGS,
    SORT_ALL,
    SORT_BEST,
    SORT_NONE,
    WORKER,
    Worker,
)

PLAYED_OUT = 36
"""Maximum number of moves left at which a search with estimates is prepared to reach the end of the game."""

GUESS_PLIES = 4
"""Depth in plies of the look-ahead that guesses a final score."""

PASSES = {"free": PASS_FREE, "ply": PASS_PLY, "evaluated": PASS_EVALUATES}


def deepest(game: Game) -> int:
    """Return the greatest search depth in plies for which a worker has memory."""
    return int(min(DEEPEST, ROOM // most_moves(game) - 1))


def horizon_of(game: Game, position: Position, pass_rule: int = PASS_FREE) -> int:
    """Return the depth at which every line has ended, at most `deepest(game)`: a greater depth changes nothing.

    It is one ply beyond the last move, because the end of a game is detected where no move is left.
    """
    if pass_rule == PASS_EVALUATES:
        return deepest(game)  # a pass ends a line before the game does
    moves = int(moves_left(game, position))
    return min(deepest(game), (moves if pass_rule == PASS_FREE else 2 * moves) + 1)


class Root:
    """A position ready to be searched: its moves, the workers' records, and a table."""

    def __init__(
        self,
        game: Game,
        position: Position,
        options: Options,
        *,
        table: Table | None = None,
        instrument: Instrument | None = None,
        worker_count: int = 1,
        before_proof: bool = False,
    ) -> None:
        """`before_proof` tells that the search only estimates what another one will prove."""
        self.game, self.position, self.options = game, position, options
        self.places = worker_processors(options.pin)
        """Processors of the workers, used again from the first if there are more workers; empty: no pinning."""
        self.evaluation = self._evaluation()
        check_values(self.evaluation, game, position)
        self.scale = scale_of(game, self.evaluation)
        self.instrument = instrument  # kept alive: the kernels write to its memory
        self.probe = Silent() if instrument is None else instrument.probe
        self._spare = None if instrument is None else instrument.alike()  # for searches that are not counted
        self._spare_probe = self.probe if self._spare is None else self._spare.probe
        self.table = None
        if options.algorithm not in TABLELESS:
            self.table = table
            if table is None and options.table_bits is not None:
                self.table = Table(options.table_bits, interleave=options.interleave)
        self._bells = allocate(BELL, 1)  # kept alive: workers refer to the bell by its address
        self.bell = self._bells[0]
        self._workspaces: Records | None = None  # kept alive too
        self._margins = margins(game, self.evaluation, options.selectivity, before_proof=before_proof)  # kept alive too
        self.workers = self._new_workers(worker_count)
        self._counters_before_line: dict[str, int] = {}
        self.line_steps = 0
        """Counter that is odd while a principal variation is completed: the leader's record then does not describe the
        search. A reader in another thread compares this number before and after reading."""
        self.deepest = deepest(game)
        self.moves = self._moves()
        self.passing = len(self.moves) == 1 and bool(is_pass(game, self.moves[0].code))
        self.known = Known()
        """Bounds of the score that an earlier search has proved."""
        self.begin_iteration()

    def _evaluation(self) -> Evaluation:
        evaluation = self.options.evaluation
        # A game played to its end needs no estimate.
        plays_out = evaluation is None and self.options.algorithm in ("uct", "flat") and not evaluations(self.game)
        if self.options.exact and self.options.use_endgame_kernels:
            return self._solving()
        if self.options.exact or plays_out:
            return Exact()
        return evaluation_chosen(self.game, evaluation)

    def _solving(self) -> Solving:
        """Return the evaluation of exact play with the game's endgame support."""
        guide = description_of(self.game).search.ordering_evaluation
        estimate = None if guide is None else guide(self.game)
        if estimate is None:
            return Solving(Exact(), 1)
        return Solving(estimate, scale_of(self.game, estimate).points)

    @property
    def plays_out(self) -> bool:
        """Whether the search uses the game's endgame kernels, if there are any: in exact play, or with learnt patterns
        near the end of a game."""
        if not self.options.use_endgame_kernels:
            return False
        near = int(moves_left(self.game, self.position)) <= PLAYED_OUT
        by_patterns = isinstance(self.evaluation, Patterns) and self.options.passes == "free"
        return self.options.exact or (near and by_patterns)

    @property
    def worker(self) -> Worker:
        """Record of the leader, the worker in the caller's thread."""
        return self.workers[0]

    def set_worker_count(self, count: int) -> None:
        """Make records for `count` workers, unless there are that many already."""
        if len(self.workers) != count:
            self.workers = self._new_workers(count)

    def _new_workers(self, count: int) -> Records:
        """Return records of `count` workers, with the settings of the options."""
        try:
            workers = allocate(WORKER, count)
        except MemoryError:
            raise OutflankError(f"{count:,} workers need {count * WORKER.itemsize:,} bytes: too much here") from None
        self.bell.workers = count
        self._configure(workers[0])
        # Each field is set in all records at once: setting the fields of sixteen records one by one takes as long as a
        # search of a few plies.
        for name in SETTINGS if count > 1 else ():
            workers[name] = workers[name][0]
        self._workspaces = workspaces(self.game, count) if self.plays_out else None
        if self._workspaces is not None:
            size = self._workspaces.dtype.itemsize
            workers["workspace"] = address_of(self._workspaces) + size * np.arange(count)
        return workers

    def _configure(self, worker: Worker) -> None:
        """Set a worker's fields from the options."""
        options = self.options
        ordering = options.ordering
        if not isinstance(ordering, Ordering):
            ordering = ordering_named(self.game, ordering, exact=options.exact)
        worker.bell = address_of(self._bells)
        worker.pace = options.pace
        # Exact play has no depth limit that a pass could use up.
        worker.pass_rule = PASS_FREE if options.exact else PASSES[options.passes]
        worker.quiescence = options.quiescence
        worker.scout = int(options.algorithm == "pvs")
        worker.at_least = int(options.table_depth == "at-least")
        worker.canonical = int(options.canonical)
        worker.killer[:] = NO_MOVE
        if self.table is not None:
            self.table.attach(worker)
            worker.table_from = 2
        ordering.apply(self.game, worker)
        worker.estimate_order = int(options.ordering is None)
        worker.selectivity_index, worker.margins = selectivity_index(options.selectivity), address_of(self._margins)
        if options.exact:
            worker.realm = PROVED
        if options.exact and options.use_endgame_kernels:
            own_order = exact_promise.dispatch(type(self.game)) is not exact_promise.dispatch(object)
            worker.exact_order = int(options.ordering is None and own_order)

    @property
    def workspace_bytes(self) -> int:
        """Memory of the game's endgame kernels in bytes, for all workers together."""
        return 0 if self._workspaces is None else allocated_bytes(self._workspaces)

    def counter(self, name: str) -> int:
        """Return the sum of a counter over all workers. Nodes that complete a principal variation are not counted."""
        counters = self._counters_before_line
        return counters[name] if counters else int(self.workers[name].sum())

    def _moves_of(self, children: Sequence[Child]) -> list[RootMove]:
        """Return root moves for `children`, in the same order. Their states are updates of the root's state: computing
        each state anew in Python would take some hundredths of a second per search."""
        state = begin(self.evaluation, self.game, self.position)
        return [
            RootMove(
                child.code,
                child.position,
                after(self.evaluation, self.game, state, self.position, MOVE(child.code), child.position),
            )
            for child in children
        ]

    def _moves(self) -> list[RootMove]:
        weights = weights_at(self.game, self.position, self.worker)
        successors = children(self.game, self.position, weights=weights)
        moves = self._moves_of(successors)
        if self.worker.sorting == SORT_NONE or not moves:
            return moves
        codes, promises = [move.code for move in moves], [child.promise for child in successors]
        if self.worker.exact_order:
            promises = self._exact_promises(moves)
        scores = dict(zip(codes, promises, strict=True))
        if self.worker.sorting == SORT_BEST:
            best = max(moves, key=lambda move: scores[move.code])
            return [best, *(move for move in moves if move is not best)]
        if self.worker.sorting == SORT_ALL:
            return sorted(moves, key=lambda move: -scores[move.code])
        # The moves are sorted as at other nodes, in a worker's move stack, which is empty before a search.
        worker, by_code = self.worker, {move.code: move for move in moves}
        worker.moves[: len(moves)], worker.scores[: len(moves)] = codes, [scores[code] for code in codes]
        sort_moves(worker.sorting, 0, len(moves), worker)
        return [by_code[int(code)] for code in worker.moves[: len(moves)]]

    def _exact_promises(self, moves: Sequence[RootMove]) -> list[int]:
        """Return the promises (ordering scores) of moves for exact play, as at nodes below the root."""
        estimates = self._estimates(moves)
        return [
            int(
                exact_promise(
                    self.game, self.position, MOVE(move.code), move.child, estimate * 16 // self.evaluation.points
                )
            )
            for move, estimate in zip(moves, estimates, strict=True)
        ]

    def _estimates(self, moves: Sequence[RootMove]) -> list[int]:
        """Return the estimated value of each move, by the evaluation that orders the moves of an exact search."""
        estimate, game, position = self.evaluation.estimate, self.game, self.position
        plies = int(look_ahead(game, moves_left(game, position)))
        if plies < 0 or isinstance(estimate, Exact):
            return [0] * len(moves)
        state = begin(estimate, game, position)
        return [
            -self._look(move.child, after(estimate, game, state, position, MOVE(move.code), move.child), plies)
            for move in moves
        ]

    def _look(self, position: Position, state: State, plies: int) -> int:
        reach, estimate = np.int64(LIMIT), self.evaluation.estimate
        return int(look(self.game, estimate, position, state, -reach, reach, np.int64(plies), np.int64(0), self.worker))

    def move_to(self, position: Position, codes: Sequence[int] | None = None) -> None:
        """Replace the root's position. Its moves are in the order of `codes`; None: in the default order."""
        self.position = position
        self.moves = self._moves() if codes is None else self._moves_of(children(self.game, position, codes))
        self.passing = len(self.moves) == 1 and bool(is_pass(self.game, MOVE(self.moves[0].code)))

    @property
    def horizon(self) -> int:
        """The depth at which every line has ended (`horizon_of`)."""
        return horizon_of(self.game, self.position, int(self.worker.pass_rule))

    def forget(self) -> None:
        """Clear the table."""
        if self.table is not None:
            self.table.clear()

    # --- stopping ---

    def stop(self) -> None:
        """Stop all workers."""
        halt(self.bell)

    def begin_search(self, node_limit: int | None, seconds: float | None = None) -> None:
        """Reset the counters, and set the limits of the next search; None: unlimited."""
        for name in COUNTERS:
            self.workers[name] = 0
        stopping.begin(self.bell, self.workers, node_limit)
        if seconds is not None:
            set_deadline(self.bell, int(1e9 * seconds))

    def restart_poll_clock(self) -> None:
        """Exclude the time since the last search from the measurement of pauses."""
        self.workers["polled_ns"] = 0

    @property
    def longest_pause_seconds(self) -> float:
        """Longest time in seconds that the system kept a worker off its core in this search."""
        return float(self.workers["longest_pause_ns"].max()) / 1e9

    # --- bounds from the windows of an iteration ---

    def begin_iteration(self) -> None:
        """Reset the bounds of the root's value, which hold for one depth only."""
        self.restart_poll_clock()
        self.lower: int | None = None
        self.upper: int | None = None
        self.best: RootMove | None = None
        """Root move whose value is at least `lower`."""

    def learn(self, root_value: RootValue, alpha: int, beta: int, moves: Sequence[RootMove]) -> None:
        """Store the bounds of the root's value that a search of `moves` in the window (alpha, beta) has proved."""
        if root_value.value > alpha and (self.lower is None or root_value.value > self.lower):
            self.lower, self.best = root_value.value, root_value.move
        if root_value.value < beta and len(moves) == len(self.moves):
            self.upper = root_value.value if self.upper is None else min(self.upper, root_value.value)

    def learn_unfinished(self, standing: WindowProgress) -> None:
        """Store the lower bound that an unfinished window has proved."""
        if standing.best is not None and standing.lower is not None:
            self.learn(RootValue(standing.lower, standing.best), LOW, LOW, ())

    # --- values ---

    def leaf_value(self) -> int:
        """Return the evaluation of the root's own position."""
        self.worker.leaves += 1
        if not self.moves:
            return int(final(self.evaluation, self.game, self.position))
        self.worker.estimates += 1
        return int(value(self.evaluation, self.game, self.position, begin(self.evaluation, self.game, self.position)))

    def guess(self) -> int:
        """Return a guess of the final score by a short look-ahead; 0 if there is no evaluation for it."""
        if not isinstance(self.evaluation, Solving) or isinstance(self.evaluation.estimate, Exact):
            return 0
        state = begin(self.evaluation.estimate, self.game, self.position)
        return round(self._look(self.position, state, GUESS_PLIES) / self.evaluation.points)

    def enter(self, depth: int) -> RootValue | None:
        """Count the root as a node. Return its value if there is nothing to search below it."""
        self.worker.nodes += 1
        note_node(self.probe, depth, 0 if self.passing else len(self.moves))
        if not self.moves:
            return RootValue(self.leaf_value(), None)
        if self.evaluated:
            return RootValue(self.leaf_value(), self.moves[0])
        return None

    @property
    def evaluated(self) -> bool:
        """Whether the root itself is evaluated, because its only move is a pass."""
        return self.passing and bool(self.worker.pass_rule == PASS_EVALUATES)

    def depth_below(self, depth: int) -> int:
        """Return the depth left after a move of the root."""
        return depth if self.passing and self.worker.pass_rule == PASS_FREE else depth - 1

    # --- lines ---

    def prepare_lines(self) -> None:
        """Compile the kernels that complete lines: complete an empty line, and search with a node limit of 0."""
        self.begin_search(0, seconds=0.0)
        self.complete_line((), 0, 0)
        state = begin(self.evaluation, self.game, self.position)
        arguments = (self.game, self.evaluation, self.position, state)
        alphabeta(*arguments, -1, 1, 1, 0, 0, self.worker, self._spare_probe)

    def complete_line(self, line: Sequence[int], value: int, depth: int) -> tuple[int, ...]:
        """Return a principal variation of the root, which is worth `value` at `depth`, completed to its end.

        Nodes of the searches that complete the line are not counted: they are not part of the requested search.
        """
        worker = self.worker
        if self.bell.stop:
            return tuple(line)
        worker.aborted = 0  # the leader's last subtree may have been given up
        saved_counters = {name: int(worker[name]) for name in (*COUNTERS, "poll_at", "lifeline")}
        # For progress reports while the line is completed.
        self._counters_before_line = {name: int(self.workers[name].sum()) for name in COUNTERS}
        self.line_steps += 1
        worker.uncounted, worker.lifeline = 1, 0
        codes = np.zeros(PLIES, MOVE)
        codes[: len(line)] = line
        request = (self.position, value, depth, codes, len(line))
        try:
            length = complete(self.game, self.evaluation, *request, worker, self._spare_probe)
        finally:
            for name, count in saved_counters.items():
                worker[name] = count
            worker.uncounted = 0
            self.line_steps += 1
            self._counters_before_line = {}
        return tuple(int(code) for code in codes[:length])
