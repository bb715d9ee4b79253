"""Analysis of a position: a search that can be interrupted and resumed, and its progress messages."""

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace

from outflank.boards import Board
from outflank.errors import OutflankError
from outflank.games.description import description_of
from outflank.search.alone import Resumable
from outflank.search.division import Scheme
from outflank.search.iterations import AT_ONCE, GUESSED
from outflank.search.keywords import PlayerKeywords, SearchArguments, default_selectivity
from outflank.search.request import TABLELESS, Known, Limits, Options, Selectivity, Stop
from outflank.search.request_checks import MONTE_CARLO, check
from outflank.search.results import Progress, Result, Watch, WorkerStatistics
from outflank.search.root import PLAYED_OUT, deepest
from outflank.search.table import FEWEST_BITS, Table
from outflank.search.whole_search import confirming, iterate
from outflank.ui.web.requests import SearchOptions
from outflank.ui.web.searching.compilation import Compiled
from outflank.ui.web.searching.shared_cluster import SharedCluster
from outflank.ui.web.searching.worker_states import live_tree, move_values, worker_states
from outflank.ui.web.server_messages import Analysis, LiveNode, ValuedMove, WorkerState

SOLVED_SOON_SECONDS = 0.3
"""Expected time in seconds up to which an endgame position is solved right after the first estimates."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One iteration of an analysis."""

    depth: int | None
    """Depth limit of the iteration in plies, or None if it has no limit."""
    selectivity: Selectivity = 100
    exact: bool = False


def steps_of(board: Board, *, algorithm: str, depth: int | None, exact: bool) -> Iterator[Step]:
    """Yield the steps of an analysis in order. The caller stops when a value is exact."""
    if algorithm in MONTE_CARLO:
        yield Step(depth=None)
        return
    keywords: PlayerKeywords = {"algorithm": algorithm}  # type: ignore[typeddict-item]  # checked with the rest
    selectivity = default_selectivity(board.game, keywords).get("selectivity", 100)
    horizon = min(deepest(board.game), board.moves_left + 1)
    if exact or (depth is None and algorithm not in TABLELESS and _is_solved_soon(board)):
        yield from (Step(depth=ply, selectivity=selectivity) for ply in range(1, min(GUESSED, horizon)))
        yield Step(depth=None, exact=True)
        return
    last = min(horizon, depth or horizon)
    to_the_end = selectivity < 100 and board.moves_left <= PLAYED_OUT and last == horizon
    yield from (Step(depth=ply, selectivity=selectivity) for ply in range(1, last - AT_ONCE if to_the_end else last))
    yield Step(depth=last, selectivity=selectivity)
    if to_the_end:
        yield from (Step(depth=last, selectivity=level) for level in confirming(board, selectivity))
        yield Step(depth=None, exact=True)


def _is_solved_soon(board: Board) -> bool:
    return board.moves_left <= description_of(board.game).play.ending_time.moves_within(SOLVED_SOON_SECONDS)


DEFAULT_ALGORITHM = Options().algorithm


OCCUPANCY_SECONDS = 0.5
"""Seconds between two measurements of a transposition table's occupancy."""

SAMPLED_BUCKETS = 4096
"""Number of buckets of a transposition table that are sampled to measure its occupancy."""


@dataclass(slots=True)
class AnalysisState:
    """Results of an analysis so far."""

    depth: int = 0
    selectivity: int = 100
    exact: bool = False
    value_text: str = ""
    proved_text: str = ""
    moves: tuple[ValuedMove, ...] = ()
    best: int | None = None
    """Code of the best move."""
    nodes: int = 0
    seconds: float = 0.0
    workers: tuple[WorkerStatistics, ...] = ()
    """Statistics of the workers in all earlier slices of time."""
    known: Known = field(default_factory=Known)
    scheme: str = ""


class AnalysisTask:
    """One analysis of a position. Any thread may call `run`, one thread at a time. `tell` is called from any thread.

    The creator must close it. Its transposition tables are then freed, at once or when a running `run` returns.
    """

    def __init__(
        self,
        board: Board,
        *,
        moves: int,
        options: SearchOptions,
        bits: int,
        tell: Callable[["AnalysisTask"], None],
        tree: bool = False,
        cluster: SharedCluster | None = None,
    ) -> None:
        if board.is_game_over:
            raise OutflankError("the game is over here: there is nothing to search")
        self.board, self.options, self._tell = board, options, tell
        self._moves = min(moves, len(board.legal_moves))
        self._algorithm = options.algorithm or DEFAULT_ALGORITHM
        check(board.game, Options(**self._options(options.workers or 2, None)), Limits())
        if options.exact and self._is_monte_carlo:
            raise OutflankError(f"{self._algorithm} proves nothing: exact needs another algorithm")
        self._steps = deque(steps_of(board, algorithm=self._algorithm, depth=options.depth, exact=options.exact))
        self._bits = bits
        # A user who chooses a scheme or a number of workers means a search on this machine, not on the cluster.
        self._cluster = cluster if options.scheme is None and options.workers is None else None
        self._tables: dict[bool, Table] = {}
        self._single_worker_search: tuple[tuple[int, bool], Resumable] | None = None
        self.state = AnalysisState()
        self.progress: Progress | None = None
        self.waiting = True
        self.compiling: Compiled | None = None
        self.done = False
        self.failed = ""
        self._workers: tuple[WorkerState, ...] = ()
        self._wants_tree = tree
        self._tree: tuple[LiveNode, ...] = ()
        self._reported_seconds = 0.0
        self._last_occupancy = (0.0, 0.0)
        self._lock = threading.Lock()
        self._is_running = False
        self._is_closed = False
        self._freed: Callable[[], None] = _nothing

    @property
    def kernels(self) -> tuple[str, ...]:
        """Key of the kernels that must be compiled for this analysis."""
        return (repr(self.board.game), self._algorithm, self.options.scheme or "", "exact" if self.may_prove else "")

    @property
    def may_prove(self) -> bool:
        """Whether the analysis may reach a proof. Only then are the kernels for proofs compiled."""
        near = self.options.depth is None and self.board.moves_left <= PLAYED_OUT
        return self.options.exact or (near and self._algorithm not in TABLELESS)

    # --- searching ---

    def prepare(self, cores: int) -> None:
        """Compile the kernels that the analysis needs."""
        for workers in {1, self.options.workers or cores}:
            for step in (Step(depth=1), Step(depth=None, exact=True)):
                if not step.exact or self.may_prove:
                    # Use a separate table, because the analysis may be closed during compilation.
                    table = None if self._algorithm in TABLELESS else Table(FEWEST_BITS)
                    for _ in self._iterations(step, workers, Stop(), Limits(nodes=1), Known(), table):
                        pass

    def run(self, workers: int, stop: Stop, *, alone: bool = True) -> bool:
        """Search until `stop` is called, or to the end. Return whether there is more to do."""
        with self._lock:
            if self._is_closed:
                return False
            self._is_running = True
        try:
            return self._run(workers, stop, alone=alone)
        finally:
            with self._lock:
                self._is_running = False
                closed = self._is_closed
            if closed:
                self._free()

    def _run(self, workers: int, stop: Stop, *, alone: bool) -> bool:
        self.waiting = False
        watch = self._watch if alone else None  # a slice of time ends before the first progress report
        try:
            while self._steps and not stop.called and not self.failed:
                with self._leased_cluster(alone=alone) as scheme:
                    if scheme is not None:
                        self._search_on_cluster(scheme, stop)
                    elif self._search_step(self._steps[0], workers, stop, watch):
                        self._steps.popleft()
                if self.state.exact or self._is_time_over():
                    self._steps.clear()
                self._tell(self)
        except OutflankError as error:
            self.failed = str(error)
        except Exception as error:
            self.failed = f"{type(error).__name__}: {error}"
        self.waiting, self.progress, self.done = not self._has_ended(), None, self._has_ended()
        self._tell(self)
        return not self.done

    def _has_ended(self) -> bool:
        return not self._steps or bool(self.failed)

    def _is_time_over(self) -> bool:
        return self.options.seconds is not None and self.state.seconds >= self.options.seconds

    def _limits(self, depth: int | None) -> Limits:
        seconds = None if self.options.seconds is None else max(0.001, self.options.seconds - self.state.seconds)
        return Limits(depth=depth, seconds=seconds)

    def _known(self, step: Step) -> Known:
        return self.state.known if step.exact or self.state.best is None else Known(move=self.state.best)

    def _leased_cluster(self, *, alone: bool) -> AbstractContextManager[Scheme | None]:
        # The first results of a cluster take longer than a slice of time.
        return nullcontext() if self._cluster is None or not alone else self._cluster.lease(self._algorithm)

    def _search_on_cluster(self, scheme: Scheme, stop: Stop) -> None:
        """Search all steps that differ from the first step only in depth, as the iterations of one search.

        A search of its own for each step would not know how long earlier iterations took. So it could not decide
        whether to divide its iteration among the nodes of the cluster.
        """
        first, before = self._steps[0], self.state
        same = [step for step in self._steps if (step.selectivity, step.exact) == (first.selectivity, first.exact)]
        options = self._options(2, first)
        options |= {"parallel": scheme, "workers": None, "table_bits": self._bits, "deepen": not first.exact}
        limits, known, table = self._limits(same[-1].depth), self._known(first), self._table(first.exact)
        for result in iterate(self.board, limits, stop=stop, table=table, watch=self._watch, known=known, **options):
            if result.stopped or first.depth is None or result.depth >= first.depth:
                self._add_result(result, before)
                self._tell(self)
            if not result.stopped:
                while same and same[0].depth is not None and same[0].depth <= result.depth:
                    self._steps.remove(same.pop(0))
        if not result.stopped:
            for step in same:
                self._steps.remove(step)

    def _search_step(self, step: Step, workers: int, stop: Stop, watch: Watch | None) -> bool:
        """Search one step of the analysis, or resume its search, and return whether the step is complete."""
        before, last = self.state, None
        limits, known = self._limits(step.depth), self._known(step)
        if workers == 1 and not self._is_monte_carlo:
            last = self._resumable(step).search(limits, stop=stop, watch=watch, known=known)
        else:
            for last in self._iterations(step, workers, stop, limits, known, self._table(step.exact)):
                if last.depth or last.exact or self._is_monte_carlo:
                    self._add_result(last, before)
                    self._tell(self)
        if last is None:
            return True
        self._add_result(last, before)
        return not last.stopped

    def _resumable(self, step: Step) -> Resumable:
        """Return the search of a step by one worker. Steps that differ only in depth share one `Resumable`."""
        key = (step.selectivity, step.exact)
        if self._single_worker_search is None or self._single_worker_search[0] != key:
            options = Options(**self._options(1, step))
            self._single_worker_search = (key, Resumable(self.board, options, table=self._table(step.exact)))
        return self._single_worker_search[1]

    def _add_result(self, result: Result, before: AnalysisState) -> None:
        with self._lock:
            state = AnalysisState(
                depth=before.depth,
                selectivity=before.selectivity,
                value_text=before.value_text,
                proved_text=before.proved_text,
                moves=before.moves,
                best=before.best,
                known=before.known,
            )
            if result.value is not None and (self._is_monte_carlo or not result.stopped):
                state.depth, state.selectivity, state.exact = result.depth, result.selectivity, result.exact
                state.value_text, state.moves = result.value_text, move_values(result)
                state.best = None if result.move is None else result.move.code
                state.known = Known(move=state.best)
            if result.lower is not None or result.upper is not None:
                state.proved_text = result.proved_text
                move = state.best if result.move is None else result.move.code
                state.known = Known(
                    lower=result.lower, upper=result.upper, move=move if result.lower is not None else None
                )
            state.nodes = before.nodes + result.nodes
            state.seconds = before.seconds + result.seconds
            state.scheme = result.scheme or ""
            state.workers = _worker_totals(before.workers, result.workers)
            self.state, self.progress = state, None

    def _iterations(
        self, step: Step, workers: int, stop: Stop, limits: Limits, known: Known, table: Table | None
    ) -> Iterator[Result]:
        options = self._options(workers, step)
        return iterate(self.board, limits, stop=stop, table=table, watch=self._watch, known=known, **options)

    @property
    def _is_monte_carlo(self) -> bool:
        return self._algorithm in MONTE_CARLO

    def _options(self, workers: int, step: Step | None) -> SearchArguments:
        requested = self.options
        is_parallel = workers > 1
        options: SearchArguments = {
            "algorithm": self._algorithm,
            "moves": self._moves,
            "deepen": False,
            "table_bits": None,
            "table_depth": "at-least",
            "workers": workers if not is_parallel else requested.workers or workers,
            "parallel": requested.scheme if is_parallel else None,
        }
        if self._is_monte_carlo:
            options["deepen"] = True
            if requested.scheme is None and requested.workers is None:
                options["workers"] = 1
        if step is not None:
            options |= {"selectivity": step.selectivity, "exact": step.exact}
        return options

    def _table(self, exact: bool) -> Table | None:
        """Return the transposition table for estimates or for proofs, or None if the algorithm uses none."""
        if self._algorithm in TABLELESS:
            return None
        if exact not in self._tables:
            table = Table(self._bits - len(self._tables))
            self._tables = {**self._tables, exact: table}  # another thread may be iterating over the old dictionary
        return self._tables[exact]

    def _watch(self, progress: Progress) -> None:
        tree = live_tree(progress) if self._wants_tree else ()
        progress = replace(progress, live_tree=tuple)  # the function refers to the search, and so to its tables
        with self._lock:
            self.progress, self._tree = progress, tree
        self._tell(self)

    # --- messages ---

    def message(self, of: int, id: str, node: int) -> Analysis:
        """Return the analysis's progress as a message. `of` is the number of the request that started it."""
        with self._lock:
            state, progress = self.state, self.progress
            nodes = state.nodes + (progress.nodes if progress else 0)
            seconds = state.seconds + (progress.seconds if progress else 0.0)
            passed, searching = seconds - self._reported_seconds, not self.waiting and not self.done
            self._workers = worker_states(self._workers, state.workers, progress, passed, searching=searching)
            self._reported_seconds = seconds
            step = next(iter(self._steps), None)
            at_depth = progress.depth if progress else (step.depth or state.depth if step is not None else state.depth)
            return Analysis(
                of=of,
                id=id,
                node=node,
                depth=state.depth,
                at_depth=at_depth,
                exact=state.exact,
                selectivity=state.selectivity,
                value_text=state.value_text,
                proved_text=state.proved_text,
                moves=state.moves,
                nodes=nodes,
                seconds=seconds,
                speed=nodes / seconds if seconds > 0 else 0.0,
                root_moves=(progress.moves_done, progress.move_count) if progress else (0, len(self.board.legal_moves)),
                workers=self._workers,
                tree=self._tree if progress else (),
                scheme=state.scheme,
                table=self._occupancy(),
                table_bytes=sum(table.nbytes for table in self._tables.values()),
                waiting=self.waiting,
                done=self.done,
                compiling=self.compiling,
            )

    def _occupancy(self) -> float:
        now = time.monotonic()
        if now > self._last_occupancy[0] + OCCUPANCY_SECONDS:
            tables = list(self._tables.values())
            share = max((table.occupancy(SAMPLED_BUCKETS).share for table in tables), default=0.0)
            self._last_occupancy = (now, share)
        return self._last_occupancy[1]

    # --- the end ---

    def close(self, freed: Callable[[], None]) -> None:
        """End the analysis and its reports. `freed` is called, from any thread, when its tables are freed."""
        with self._lock:
            if self._is_closed:
                return
            self._is_closed, self._freed = True, freed
            running = self._is_running
        if not running:
            self._free()

    def _free(self) -> None:
        # `_tell` refers to this analysis. Once this cycle is broken, reference counting frees all objects.
        self._tables, self._single_worker_search, self._tell = {}, None, _nothing
        freed, self._freed = self._freed, _nothing
        freed()


def _nothing(*_: object) -> None:
    """Do nothing, in place of a callback."""


def _worker_totals(
    before: tuple[WorkerStatistics, ...], now: tuple[WorkerStatistics, ...]
) -> tuple[WorkerStatistics, ...]:
    """Return the sum of `before` and `now` for each worker. The numbers of workers may differ."""
    shared = WorkerStatistics.summed(before, now)
    return (*shared, *before[len(shared) :], *now[len(shared) :])
