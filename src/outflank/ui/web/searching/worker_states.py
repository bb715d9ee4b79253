"""Values of moves and states of workers, as fields of messages to the web page."""

from itertools import zip_longest
from math import isfinite

from outflank.search.results import MoveValue, Progress, Result, WorkerProgress, WorkerStatistics
from outflank.ui.web.server_messages import CERTAIN, LiveNode, ValuedMove, WorkerState


def number(value: float) -> float:
    """Return a value that JSON can represent. Infinities become ±`CERTAIN`."""
    return value if isfinite(value) else CERTAIN if value > 0 else -CERTAIN


def move_values(result: Result) -> tuple[ValuedMove, ...]:
    """Return the moves of a result that have values, beginning with the best."""
    entries = result.best
    if not entries and result.move is not None and result.value is not None:
        entries = (MoveValue(move=result.move, value=result.value, line=result.pv),)
    return tuple(
        ValuedMove(
            move=str(entry.move),
            value=number(result.scale.number(entry.value)),
            value_text=result.scale.text(entry.value, exact=result.exact, bare=True),
            exact=result.exact,
            line=tuple(map(str, entry.line)),
        )
        for entry in entries
    )


def live_tree(progress: Progress) -> tuple[LiveNode, ...]:
    """Return the split points that are open now, as read from the workers' memory."""
    return tuple(LiveNode(**node._asdict()) for node in progress.live_tree())


def worker_states(
    last: tuple[WorkerState, ...],
    before: tuple[WorkerStatistics, ...],
    progress: Progress | None,
    seconds: float,
    *,
    searching: bool,
) -> tuple[WorkerState, ...]:
    """Return the state of each worker.

    `last` has the workers' states `seconds` ago. `before` has their statistics in earlier slices of time. `searching`
    tells whether workers are busy if there is no `progress`, as in short slices.
    """
    workers = () if progress is None else progress.workers
    return tuple(
        _worker_state(statistics or WorkerStatistics(), worker, last_state, seconds, searching and not workers)
        for statistics, worker, last_state in zip_longest(before, workers, last)
        if statistics is not None or worker is not None
    )


def _worker_state(
    statistics: WorkerStatistics,
    progress: WorkerProgress | None,
    last: WorkerState | None,
    seconds: float,
    searching: bool,
) -> WorkerState:
    total = statistics if progress is None else WorkerStatistics.summed((statistics,), (progress.statistics,))[0]
    busy, idle = total.useful_seconds, total.idle_seconds
    new_nodes = total.nodes - (0 if last is None else last.nodes)
    return WorkerState(
        busy=progress.busy if progress is not None else searching,
        move="" if progress is None or progress.move is None else str(progress.move),
        depth=0 if progress is None else progress.depth,
        stolen=progress is not None and progress.stolen,
        nodes=total.nodes,
        speed=max(0, new_nodes) / seconds if seconds > 0 else 0.0 if last is None else last.speed,
        busy_seconds=busy,
        idle_seconds=idle,
        useful=busy / (busy + idle) if busy + idle > 0 else 1.0,  # a search with one worker measures no idle time
        spawned=total.spawned,
        steals=total.steals_won,
        aborts=total.aborts_obeyed,
        wasted=total.wasted_nodes,
    )
