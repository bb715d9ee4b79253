"""An analysis: a search in slices, and what is told of it."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from outflank.boards import Board
from outflank.errors import OutflankError
from outflank.search.checking import MONTE_CARLO, check
from outflank.search.contract import TABLELESS, Known, Limits, Options, Stop
from outflank.search.deepening import iterate
from outflank.search.results import Progress, Result, Watch, WorkerStatistics
from outflank.search.resuming import Resumable
from outflank.search.root import PLAYED_OUT
from outflank.search.table import FEWEST_BITS, Table
from outflank.ui.web.messages import Analysis, AtWork, Valued
from outflank.ui.web.requests import SearchOptions
from outflank.ui.web.searching.at_work import at_work, valued
from outflank.ui.web.searching.stages import USUAL, Step, steps_of

FILL_EVERY = 0.5
"""Seconds between two looks at how full a table is."""

SAMPLED = 4096
"""Buckets of it that are looked at."""


@dataclass(slots=True)
class Found:
    """How far an analysis is."""

    depth: int = 0
    selectivity: int = 100
    exact: bool = False
    value_text: str = ""
    proved_text: str = ""
    moves: tuple[Valued, ...] = ()
    best: int | None = None
    """The code of the best move."""
    nodes: int = 0
    seconds: float = 0.0
    workers: tuple[WorkerStatistics, ...] = ()
    """What they did in the slices before."""
    known: Known = field(default_factory=Known)
    scheme: str = ""


class Analysing:
    """One analysis. `run` is called in threads, one at a time; `tell` from whatever thread.

    Whoever makes one closes it: its tables are freed then, or as soon as the thread that searches has come back.
    """

    def __init__(
        self, board: Board[Any], *, moves: int, asked: SearchOptions, bits: int, tell: Callable[["Analysing"], None]
    ) -> None:
        if board.is_game_over():
            raise OutflankError("the game is over here: there is nothing to search")
        self.board, self.asked, self._tell = board, asked, tell
        self._moves = min(moves, len(board.legal_moves))
        self._algorithm = asked.algorithm or USUAL
        check(board.game, Options(**self._options(asked.workers or 2, None)), Limits())
        if asked.exact and self._is_monte_carlo:
            raise OutflankError(f"{self._algorithm} proves nothing: exact needs another algorithm")
        self._steps = steps_of(board, algorithm=self._algorithm, depth=asked.depth, exact=asked.exact)
        self._step: Step | None = next(self._steps, None)
        self._bits = bits
        self._tables: dict[bool, Table] = {}
        self._kept: tuple[tuple[int, bool], Resumable] | None = None
        self.found = Found()
        self.progress: Progress | None = None
        self.waiting = True
        self.compiling = False
        self.done = False
        self.failed = ""
        self._workers_now: tuple[AtWork, ...] = ()
        self._told_seconds = 0.0
        self._filled = (0.0, 0.0)
        self._lock = threading.Lock()
        self._is_running = False
        self._is_closed = False
        self._freed: Callable[[], None] = _nothing

    @property
    def kernels(self) -> tuple[str, ...]:
        """What must have been compiled for it."""
        return (repr(self.board.game), self._algorithm, self.asked.scheme or "", "exact" if self._may_prove else "")

    @property
    def _may_prove(self) -> bool:
        """Whether it comes to a proof, or may: the kernels of those are not compiled for nothing."""
        near = self.asked.depth is None and self.board.moves_left <= PLAYED_OUT
        return self.asked.exact or (near and self._algorithm not in TABLELESS)

    # --- searching ---

    def prepare(self, cores: int) -> None:
        """Compile what it will need."""
        for workers in {1, self.asked.workers or cores}:
            for step in (Step(depth=1), Step(depth=None, exact=True)):
                if not step.exact or self._may_prove:
                    # Not its own tables: it may be closed while this compiles.
                    table = None if self._algorithm in TABLELESS else Table(FEWEST_BITS)
                    for _ in self._iterations(step, workers, Stop(), Limits(nodes=1), Known(), table):
                        pass

    def run(self, workers: int, stop: Stop, *, alone: bool = True) -> bool:
        """Search until `stop` is called, or to the end; whether there is more to do."""
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
        self.waiting, self.compiling = False, False
        watch = self._watch if alone else None  # a slice is over before that looks
        try:
            while self._step is not None and not stop.called and not self.failed:
                if self._go(self._step, workers, stop, watch):
                    self._step = None if self.found.exact else next(self._steps, None)
                if self.asked.seconds is not None and self.found.seconds >= self.asked.seconds:
                    self._step = None
                self._tell(self)
        except OutflankError as error:
            self.failed, self._step = str(error), None
        except Exception as error:
            self.failed, self._step = f"{type(error).__name__}: {error}", None
        self.waiting, self.progress, self.done = not self._is_over(), None, self._is_over()
        self._tell(self)
        return not self.done

    def _is_over(self) -> bool:
        return self._step is None or bool(self.failed)

    def _go(self, step: Step, workers: int, stop: Stop, watch: Watch | None) -> bool:
        """Go on with a step; whether it is finished."""
        before, last = self.found, None
        seconds = None if self.asked.seconds is None else max(0.001, self.asked.seconds - before.seconds)
        limits = Limits(depth=None if step.exact else step.depth, seconds=seconds)
        known = before.known if step.exact or before.best is None else Known(move=before.best)
        if workers == 1 and not self._is_monte_carlo:
            last = self._resumable(step).search(limits, stop=stop, watch=watch, known=known)
        else:
            for last in self._iterations(step, workers, stop, limits, known, self._table(step.exact)):
                if last.depth or last.exact or self._is_monte_carlo:
                    self._note(last, before)
                    self._tell(self)
        if last is None:
            return True
        self._note(last, before)
        return not last.stopped

    def _resumable(self, step: Step) -> Resumable:
        """The search by one worker: kept from slice to slice, while nothing but the depth changes."""
        key = (step.selectivity, step.exact)
        if self._kept is None or self._kept[0] != key:
            options = Options(**self._options(1, step))
            self._kept = (key, Resumable(self.board, options, table=self._table(step.exact)))
        return self._kept[1]

    def _note(self, result: Result, before: Found) -> None:
        with self._lock:
            same = Found(
                depth=before.depth,
                selectivity=before.selectivity,
                value_text=before.value_text,
                proved_text=before.proved_text,
                moves=before.moves,
                best=before.best,
                known=before.known,
            )
            if result.value is not None and (self._is_monte_carlo or not result.stopped):
                same.depth, same.selectivity, same.exact = result.depth, result.selectivity, result.exact
                same.value_text, same.moves = result.value_text, valued(result)
                same.best = None if result.move is None else result.move.code
                same.known = Known(move=same.best)
            if result.lower is not None or result.upper is not None:
                same.proved_text = result.proved_text
                move = same.best if result.move is None else result.move.code
                same.known = Known(
                    lower=result.lower, upper=result.upper, move=move if result.lower is not None else None
                )
            same.nodes = before.nodes + result.nodes
            same.seconds = before.seconds + result.seconds
            same.scheme = result.scheme or ""
            same.workers = _summed(before.workers, result.workers)
            self.found, self.progress = same, None

    def _iterations(
        self, step: Step, workers: int, stop: Stop, limits: Limits, known: Known, table: Table | None
    ) -> Any:
        options = self._options(workers, step)
        return iterate(self.board, limits, stop=stop, table=table, watch=self._watch, known=known, **options)

    @property
    def _is_monte_carlo(self) -> bool:
        return self._algorithm in MONTE_CARLO

    def _options(self, workers: int, step: Step | None) -> dict[str, Any]:
        asked = self.asked
        together = workers > 1
        options: dict[str, Any] = {
            "algorithm": self._algorithm,
            "moves": self._moves,
            "deepen": False,
            "table_bits": None,
            "table_depth": "at-least",
            "workers": workers if not together else asked.workers or workers,
            "parallel": asked.scheme if together else None,
        }
        if self._is_monte_carlo:
            options["deepen"] = True
            if asked.scheme is None and asked.workers is None:
                options["workers"] = 1
        if step is not None:
            options |= {"selectivity": step.selectivity, "exact": step.exact}
        return options

    def _table(self, exact: bool) -> Table | None:
        """Estimates and proofs have one each."""
        if self._algorithm in TABLELESS:
            return None
        if exact not in self._tables:
            made = Table(self._bits - len(self._tables))
            self._tables = {**self._tables, exact: made}  # another thread may be looking at the old ones
        return self._tables[exact]

    def _watch(self, progress: Progress) -> None:
        with self._lock:
            self.progress = progress
        self._tell(self)

    # --- telling ---

    def message(self, of: int, id: str, node: int) -> Analysis:
        """How far it is."""
        with self._lock:
            found, more = self.found, self.progress
            nodes = found.nodes + (more.nodes if more else 0)
            seconds = found.seconds + (more.seconds if more else 0.0)
            passed, searching = seconds - self._told_seconds, not self.waiting and not self.done
            self._workers_now = at_work(self._workers_now, found.workers, more, passed, searching=searching)
            self._told_seconds = seconds
            step = self._step
            at_depth = more.depth if more else (step.depth or found.depth if step is not None else found.depth)
            return Analysis(
                of=of,
                id=id,
                node=node,
                depth=found.depth,
                at_depth=at_depth,
                exact=found.exact,
                selectivity=found.selectivity,
                value_text=found.value_text,
                proved_text=found.proved_text,
                moves=found.moves,
                nodes=nodes,
                seconds=seconds,
                speed=nodes / seconds if seconds > 0 else 0.0,
                root_moves=(more.done, more.moves) if more else (0, len(self.board.legal_moves)),
                workers=self._workers_now,
                scheme=found.scheme,
                table=self._fill(),
                table_bytes=sum(each.nbytes for each in self._tables.values()),
                waiting=self.waiting,
                done=self.done,
                compiling=self.compiling,
            )

    def _fill(self) -> float:
        now = time.monotonic()
        if now > self._filled[0] + FILL_EVERY:
            tables = list(self._tables.values())
            share = max((each.occupancy(SAMPLED).share for each in tables), default=0.0)
            self._filled = (now, share)
        return self._filled[1]

    # --- the end ---

    def close(self, freed: Callable[[], None]) -> None:
        """Stop, and report nothing further. `freed` is called, from any thread, once the tables are freed."""
        with self._lock:
            if self._is_closed:
                return
            self._is_closed, self._freed = True, freed
            running = self._is_running
        if not running:
            self._free()

    def _free(self) -> None:
        # The callback refers to this analysis: without that cycle reference counting frees everything.
        self._tables, self._kept, self._tell = {}, None, _nothing
        freed, self._freed = self._freed, _nothing
        freed()


def _nothing(*_: object) -> None:
    """Report nothing."""


def _summed(before: tuple[WorkerStatistics, ...], now: tuple[WorkerStatistics, ...]) -> tuple[WorkerStatistics, ...]:
    """What each worker has done; there may be another number of them now."""
    shared = WorkerStatistics.summed(before, now)
    return (*shared, *before[len(shared) :], *now[len(shared) :])
