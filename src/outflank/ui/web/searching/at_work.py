"""Values and workers of a search, as messages have them."""

from itertools import zip_longest
from math import isfinite

from outflank.search.results import MoveValue, Progress, Result, WorkerProgress, WorkerStatistics
from outflank.ui.web.messages import AtWork, Valued

CERTAIN = 1e9
"""The value of a game that is only won or lost."""


def number(value: float) -> float:
    """A value that JSON can carry."""
    return value if isfinite(value) else CERTAIN if value > 0 else -CERTAIN


def valued(result: Result) -> tuple[Valued, ...]:
    """The moves of a result that have values, the best first."""
    found = result.best
    if not found and result.move is not None and result.value is not None:
        found = (MoveValue(move=result.move, value=result.value, line=result.pv),)
    return tuple(
        Valued(
            move=str(each.move),
            value=number(result.scale.number(each.value)),
            value_text=result.scale.text(each.value, exact=result.exact, bare=True),
            exact=result.exact,
            line=tuple(map(str, each.line)),
        )
        for each in found
    )


def at_work(
    last: tuple[AtWork, ...],
    before: tuple[WorkerStatistics, ...],
    progress: Progress | None,
    passed: float,
    *,
    searching: bool,
) -> tuple[AtWork, ...]:
    """Each worker: what it did `before`, and what it is at, `passed` seconds of searching after the `last` message.

    Of slices there is no progress to see: whether it is `searching` is all that is known then.
    """
    now = () if progress is None else progress.workers
    return tuple(
        _worker(did or WorkerStatistics(), at, old, passed, searching and not now)
        for did, at, old in zip_longest(before, now, last)
        if did is not None or at is not None
    )


def _worker(
    did: WorkerStatistics, at: WorkerProgress | None, old: AtWork | None, passed: float, busy_somewhere: bool
) -> AtWork:
    total = did if at is None else WorkerStatistics.summed((did,), (at.done,))[0]
    busy, idle = total.useful_seconds, total.idle_seconds
    since = total.nodes - (0 if old is None else old.nodes)
    return AtWork(
        busy=at.busy if at is not None else busy_somewhere,
        move="" if at is None or at.move is None else str(at.move),
        depth=0 if at is None else at.depth,
        stolen=at is not None and at.stolen,
        nodes=total.nodes,
        speed=max(0, since) / passed if passed > 0 else 0.0 if old is None else old.speed,
        useful=busy / (busy + idle) if busy + idle > 0 else 1.0,  # who shares nothing does not look at the clock
        spawned=total.spawned,
        steals=total.steals_won,
        aborts=total.aborts_obeyed,
        wasted=total.wasted_nodes,
    )
