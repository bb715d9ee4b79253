"""Results of a search: value and moves, workers' statistics, and progress reports."""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from html import escape
from typing import NamedTuple, Self

from outflank.boards.board import Move
from outflank.games.scores import Scale
from outflank.machine import DeviceUsed
from outflank.validation.text import how_many


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveValue:
    """A root move and its value for the side to move."""

    move: Move
    value: int
    line: tuple[Move, ...] = ()
    """Principal variation that begins with this move, as far as it is known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerStatistics:
    """Statistics of one worker in a search."""

    useful_seconds: float = 0.0
    """Time in seconds spent searching."""
    idle_seconds: float = 0.0
    """Time in seconds spent looking for work, or waiting."""
    nodes: int = 0
    wasted_nodes: int = 0
    """Nodes of subtrees that were given up because their values were no longer needed."""
    spawned: int = 0
    """Moves that this worker offered to other workers."""
    executed: int = 0
    """Offered moves that this worker searched, including moves that it offered itself; a resumed move counts again."""
    stolen: int = 0
    """Executed moves that another worker had offered."""
    steals_tried: int = 0
    steals_won: int = 0
    aborts_sent: int = 0
    """Cut-offs of this worker that made the work of other workers pointless, so that they had to be told."""
    aborts_obeyed: int = 0
    """Subtrees that this worker gave up unfinished."""
    table_lookups: int = 0
    table_hits: int = 0
    cutoffs: int = 0
    """Nodes that some move cut off."""
    first_cutoffs: int = 0
    """Nodes that the first move tried cut off."""

    @classmethod
    def summed(cls, first: Sequence[Self], second: Sequence[Self]) -> tuple[Self, ...]:
        """Return, for each worker, the sum of its statistics in two stages of a search."""
        names = [statistic.name for statistic in fields(cls)]
        return tuple(
            cls(**{name: getattr(left, name) + getattr(right, name) for name in names})
            for left, right in zip(first, second, strict=False)
        )


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Result:
    """The result of a search, or of one iteration."""

    value: int | None
    """Value for the side to move, in points; `scale` gives their meaning. It is the evaluation's value, or the final
    score once a search with the option `exact` has proved it (then the field `exact` is true), or +1, 0 or -1 if only
    the winner was proved (`wld`). None if nothing has been searched."""
    move: Move | None
    """Best move; None if the game is over. If `depth` is 0 and nothing is proved, the move is merely legal."""
    pv: tuple[Move, ...]
    """Principal variation: the best moves of both sides, as far as they are known."""
    depth: int
    """Plies that `value` looks ahead; 0: nothing has been searched."""
    nodes: int
    """Number of positions entered in all iterations."""
    leaves: int
    """Number of positions evaluated."""
    seconds: float
    exact: bool
    """Whether the value is the value of perfect play to the end: nothing in it was estimated."""
    selectivity: int = 100
    """Confidence of selective pruning, in per cent; 100: no selective pruning."""
    lower: int | None = None
    """Proved lower bound of the final score under perfect play, in searches with the option `exact`; None: no bound is
    proved. Both bounds are equal if the score is proved."""
    upper: int | None = None
    """Proved upper bound of the final score, like `lower`."""
    stopped: bool = False
    """Whether a limit or a `Stop` ended the search before it reached its depth or completed its proof."""
    best: tuple[MoveValue, ...] = ()
    """Best moves with their values, as many as the option `moves` requests."""
    lookups: int = 0
    """Number of table look-ups."""
    hits: int = 0
    """Number of table look-ups that found a value."""
    table_bytes: int = 0
    """Memory of the table in bytes."""
    scheme: str | None = None
    """Scheme by which the workers shared the search; None: there was one worker."""
    workers: tuple[WorkerStatistics, ...] = ()
    """Statistics of each worker."""
    worker_bytes: int = 0
    """Memory of the workers in bytes: their records, stacks and split points."""
    scale: Scale = field(default_factory=Scale)
    """Meaning and unit of the values."""
    device: DeviceUsed = "cpu"
    """Device that solved the endgame position or ran the Monte-Carlo playouts."""

    def __repr__(self) -> str:
        return f"<Result {', '.join(text for _, text in self._facts())}>"

    def _repr_html_(self) -> str:
        """Return the result as a small HTML table, for notebooks."""
        rows = [*self._facts(), ("line", " ".join(map(str, self.pv)))]
        if len(self.best) > 1:
            rows += [("also", f"{entry.move} {self.scale.text(entry.value)}") for entry in self.best[1:]]
        cells = "".join(
            f'<tr><th style="text-align:left">{name}</th><td style="text-align:left">{escape(text)}</td></tr>'
            for name, text in rows
            if text
        )
        return f"<table>{cells}</table>"

    def _facts(self) -> Iterator[tuple[str, str]]:
        """Yield the label and the text of each important fact."""
        yield "move", str(self.move) if self.move else "no move: the game is over"
        if self.value_text:
            yield "value", self.value_text
        if self.proved_text and not self.exact:
            yield "proved", f"proved {self.proved_text}"
        searched = f"depth {self.depth}" if self.depth else "nothing searched" if self.move else ""
        yield (
            "searched",
            ", ".join(
                part
                for part, included in (("exact", self.exact), (searched, searched), ("stopped", self.stopped))
                if included
            ),
        )
        yield "work", f"{how_many(self.nodes, 'node')} in {self.seconds:.2f} s"

    @property
    def value_text(self) -> str:
        """Value with its unit, such as `+3.7 discs`; empty if there is none."""
        return "" if self.value is None else self.scale.text(self.value, exact=self.exact)

    @property
    def value_in_units(self) -> float | None:
        """Value as a number of the units that `value_text` names: 3.7 for `+3.7 discs`, -12.0 for `-12 discs`.

        None if there is no value, or if it only says who wins. `scale.in_units` does the same for the values in `best`.
        """
        return None if self.value is None else self.scale.in_units(self.value)

    @property
    def proved_text(self) -> str:
        """Proved bounds of the final score as text, such as `at least +4 discs`; empty if nothing is proved."""
        lower = None if self.lower is None else self.scale.score_text(self.lower)
        upper = None if self.upper is None else self.scale.score_text(self.upper)
        if lower == upper:
            return lower or ""
        if self.scale.score is None:  # no value is above "won" or below "lost"
            lower, upper = (None if lower == "lost" else lower), (None if upper == "won" else upper)
            if "won" in (lower, upper) or "lost" in (lower, upper):
                return lower or upper or ""
        bounds = (lower and f"at least {lower}", upper and f"at most {upper}")
        return ", ".join(bound for bound in bounds if bound)

    @property
    def idle_share(self) -> float:
        """Share of the workers' time in which they had no work."""
        idle = sum(worker.idle_seconds for worker in self.workers)
        busy = sum(worker.useful_seconds for worker in self.workers)
        return idle / (idle + busy) if idle + busy > 0 else 0.0

    @property
    def nodes_per_second(self) -> float:
        """Nodes per second."""
        return self.nodes / self.seconds if self.seconds > 0 else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """A parallel search and a search by one worker to the same depth."""

    alone: Result
    together: Result

    @property
    def speed_up(self) -> float:
        """Time with one worker divided by time with all workers."""
        return self.alone.seconds / self.together.seconds if self.together.seconds > 0 else 0.0

    @property
    def efficiency(self) -> float:
        """Speed-up divided by the number of workers."""
        return self.speed_up / max(len(self.together.workers), 1)

    @property
    def search_overhead(self) -> float:
        """Extra nodes of the parallel search per node of the sequential search; negative if the parallel search entered
        fewer nodes."""
        return self.together.nodes / self.alone.nodes - 1 if self.alone.nodes else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerProgress:
    """Progress of one worker of a running search."""

    busy: bool
    """Whether the worker is searching a subtree."""
    move: Move | None
    """Root move above the worker's subtree; None: unknown, or the worker has no subtree."""
    depth: int
    """Plies left in the worker's subtree."""
    stolen: bool
    """Whether the worker's subtree belongs to a move that another worker had offered."""
    statistics: WorkerStatistics
    """Statistics of the worker so far."""


class LiveNode(NamedTuple):
    """A node of the tree that workers share at this moment: a split point that workers are in, or the root of a subtree
    that one worker searches alone."""

    parent: int | None
    """Index of the split point above in the list of live nodes; None: this is the root."""
    order: int
    """Place of `move` among the moves of the split point above, in the order of search, counted from 0."""
    move: str
    """Move that leads here; empty at the root."""
    depth: int
    """Plies left."""
    alpha: str
    """Lower end of the window, for the side to move; empty: there is none."""
    beta: str
    """Upper end of the window; empty: there is none."""
    value: str
    """Best value of a split point so far, for the side to move; empty: there is none yet."""
    moves: int
    """Number of moves of a split point; 0: one worker searches this subtree alone."""
    begun: int
    """Number of moves that workers have taken."""
    worker: int
    """Worker that searches the subtree, or that offered the moves of the split point; before that, a worker in it."""


def _no_tree() -> tuple[LiveNode, ...]:
    """Return no nodes: this search has no split points."""
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """Progress of a search while an iteration runs."""

    depth: int
    """Depth of the running iteration, in plies."""
    proving: bool
    """Whether the search proves the final score, so that values are scores."""
    nodes: int
    """Number of positions entered so far in all iterations."""
    seconds: float
    moves_begun: int
    """Number of root moves begun in this pass, the search of one window."""
    move_count: int
    """Number of root moves."""
    move: Move | None
    """Root move begun last; None: unknown."""
    best: Move | None = None
    """Best root move with a proved lower bound; None: there is none yet."""
    value: int | None = None
    """Lower bound of the value of `best` at this depth."""
    upper: int | None = None
    """Upper bound of the position's value at this depth, if known."""
    moves_done: int = 0
    """Number of root moves that need no more search in this pass, the search of one window."""
    workers: tuple[WorkerProgress, ...] = ()
    """Progress of each worker; empty if unavailable: on a cluster, in Monte-Carlo, and between two iterations."""
    live_tree: Callable[[], tuple[LiveNode, ...]] = _no_tree
    """Reads the open split points from the workers' memory, each after its parent. Call it only from the function that
    receives this progress. The workers are not paused, so parts may be a few microseconds apart."""

    @property
    def nodes_per_second(self) -> float:
        """Nodes per second."""
        return self.nodes / self.seconds if self.seconds > 0 else 0.0


Watch = Callable[[Progress], None]
"""Function that receives a search's progress."""


EVERY_SECONDS = 0.1
"""Seconds between two reports of progress."""


@contextmanager
def watching(watch: Watch | None, progress: Callable[[], Progress], stop: Callable[[], None]) -> Iterator[None]:
    """Call `watch` with `progress()` every `EVERY_SECONDS`, from another thread, until the block is left.

    An exception from `watch` stops the search, and is raised here.
    """
    if watch is None:
        yield
        return
    finished = threading.Event()
    failures: list[BaseException] = []

    def report() -> None:
        try:
            while not finished.wait(EVERY_SECONDS):
                watch(progress())
        except BaseException as failure:  # any exception is raised in the thread that searches
            failures.append(failure)
            stop()

    thread = threading.Thread(target=report, name="outflank-watch", daemon=True)
    thread.start()
    try:
        yield
    finally:
        finished.set()
        thread.join()
        if failures:
            raise failures.pop()  # popped: this frame must not refer to an exception whose traceback refers to it
