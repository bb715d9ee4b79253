"""Searches as samples: what one of them took and did, and medians over several."""

import os
import statistics
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import ModuleType
from typing import Annotated, Any, TypeVar

from outflank.boards import Board
from outflank.errors import OutflankError
from outflank.kinds import Between, Count, Duration, Kind, Measured, Several
from outflank.lab.classroom import BrokenOff
from outflank.lab.experiment import Task
from outflank.lab.report import Cell, Sample
from outflank.lab.search_log import search, unnoted
from outflank.lab.whole_games import joined, play
from outflank.machine import MOST_WORKERS, usable_cores
from outflank.search.contract import Limits, Stop
from outflank.search.division import scheme_named
from outflank.search.results import Result
from outflank.words import how_many

resource: ModuleType | None
try:
    import resource
except ImportError:  # Windows has none
    resource = None

T = TypeVar("T")

Workers = Annotated[int, Between(1, MOST_WORKERS)]

COUNTED: dict[str, Kind] = {
    "value": int,
    "move": str,
    "nodes": Several,
    **dict.fromkeys(("useful_seconds", "idle_seconds"), Duration),
    **dict.fromkeys(("leaves", "lookups", "hits", "wasted_nodes", "spawned", "stolen"), Count),
    **dict.fromkeys(("steals_tried", "steals_won", "aborts_sent", "aborts_obeyed"), Count),
}
"""What `counted` puts into a sample."""

SEARCHED: dict[str, Kind] = {
    "depth": Several,
    "seconds": Measured,
    "user_seconds": Duration,
    "system_seconds": Duration,
    **COUNTED,
}
"""What `searched` puts into a sample."""


def placed(sample: Sample) -> dict[str, Kind]:
    """What a sample holds of a position and a game: documents of old do not name their position."""
    known: dict[str, Kind] = {"position": str, "turns": Count, "moves": str}
    return {name: kind for name, kind in known.items() if name in sample}


@dataclass(frozen=True, slots=True, kw_only=True)
class Contender:
    """One of several searches that are compared."""

    labels: Sample
    """What sets it apart: the first columns of its rows."""
    board: Board[Any]
    depth: int
    options: dict[str, Any]
    """For `search`."""
    plays: str | None = None
    """A whole game is played from the board, instead of a search: one of `PLAYING`."""

    @property
    def name(self) -> str:
        """Its labels in one line."""
        return ", ".join(f"{name} {value}" for name, value in self.labels.items())


def searched(side: Contender, stop: Stop, **more: Any) -> tuple[Result, Sample]:
    """Search a side once, or play its game: the result, and the sample that it makes."""
    options = {"workers": 1, **side.options, **more}
    moves: Sample = {}
    before = processor_times()
    if side.plays is None:
        found = search(side.board, Limits(depth=side.depth), stop=stop, **options)
    else:
        board, began = side.board.copy(), time.perf_counter()
        turns = list(play(side.plays, board, side.depth, stop, **options))
        found = joined(turns, time.perf_counter() - began)
        moves = {"turns": len(turns), "moves": " ".join(map(str, board.moves))}
    after = processor_times()
    return found, {
        **side.labels,
        "depth": side.depth,
        "seconds": found.seconds,
        "user_seconds": after[0] - before[0],
        "system_seconds": after[1] - before[1],
        **counted(found),
        **moves,
    }


def processor_times() -> tuple[float, float]:
    """User and system time of this process, in seconds; where the system tells, to the microsecond."""
    if resource is None:
        found = os.times()
        return found.user, found.system
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime, used.ru_stime


def counted(found: Result) -> Sample:
    """What a search counted, all workers together."""
    workers = found.workers
    return {
        "value": found.value,
        "move": str(found.move),
        "nodes": found.nodes,
        "leaves": found.leaves,
        "lookups": found.lookups,
        "hits": found.hits,
        "useful_seconds": sum(worker.useful_seconds for worker in workers),
        "idle_seconds": sum(worker.idle_seconds for worker in workers),
        "wasted_nodes": sum(worker.wasted_nodes for worker in workers),
        "spawned": sum(worker.spawned for worker in workers),
        "stolen": sum(worker.stolen for worker in workers),
        "steals_tried": sum(worker.steals_tried for worker in workers),
        "steals_won": sum(worker.steals_won for worker in workers),
        "aborts_sent": sum(worker.aborts_sent for worker in workers),
        "aborts_obeyed": sum(worker.aborts_obeyed for worker in workers),
    }


def in_rounds(sides: Sequence[Contender], rounds: int) -> list[Task]:
    """Every side once, then again: a slow minute then slows all of them. What must be compiled is, before the first.

    Every other round goes backwards: a baseline that is measured once for many sides is not always as far from one.
    """
    warmed: set[str] = set()
    return [
        Task(f"{side.name}, round {number_}", partial(_sampled, side, number_, warmed))
        for number_, side in alternating(sides, rounds)
    ]


def alternating(sides: Sequence[T], rounds: int) -> Iterator[tuple[int, T]]:
    """Rounds from 1 on, each with all sides: forth, and in every other round back."""
    for number_ in range(1, rounds + 1):
        for side in sides if number_ % 2 else sides[::-1]:
            yield number_, side


def _sampled(side: Contender, number_: int, warmed: set[str], stop: Stop) -> list[Sample]:
    if side.name not in warmed:  # in this process: a run that goes on may begin with any round
        warm(side)
        warmed.add(side.name)
    try:
        _, sample = searched(side, stop)
    except BrokenOff:
        return []  # nothing of a stopped game is kept
    return [{**sample, "round": number_}]


WARM_DEPTH = 3
"""Plies of the search before the first that counts: enough for all that is done once, kernels, threads and memory."""


def warm(side: Contender) -> None:
    """Search a side for a moment, as it will be searched: what is done once is done before any sample."""
    options, depth = {"workers": 1, **side.options}, min(side.depth, WARM_DEPTH)
    with unnoted():
        if side.plays is None:
            search(side.board, Limits(depth=depth), **options)
        else:
            next(play(side.plays, side.board.copy(), depth, Stop(), **options), None)


def grouped(samples: Iterable[Sample], *names: str) -> dict[tuple[Cell, ...], list[Sample]]:
    """Samples by what they have under some names, in the order in which they first come."""
    groups: dict[tuple[Cell, ...], list[Sample]] = {}
    for sample in samples:
        groups.setdefault(tuple(sample.get(name) for name in names), []).append(sample)
    return groups


def number(cell: Cell) -> float:
    """A cell that holds a number."""
    assert isinstance(cell, int | float), cell
    return cell


def median(samples: Sequence[Sample], measure: str | Callable[[Sample], float]) -> float:
    """The median of one measure."""
    return statistics.median(
        number(sample[measure]) if isinstance(measure, str) else measure(sample) for sample in samples
    )


def median_count(samples: Sequence[Sample], measure: str) -> int:
    """The median of a count: a whole number, the same for all where the count does not depend on luck."""
    return round(median(samples, measure))


def spread(samples: Sequence[Sample], measure: str) -> tuple[float, float]:
    """The least and the greatest."""
    values = [number(sample[measure]) for sample in samples]
    return min(values), max(values)


def search_overhead(found: Sequence[Sample], serial: Sequence[Sample]) -> float:
    """Nodes beyond the serial search's, per node of its; to a hundredth of a percent, less is luck."""
    return round(median(found, "nodes") / median(serial, "nodes") - 1, 4) + 0.0  # which makes 0 of -0


RANGES = "Medians, with the range over rounds of that round's baseline over that round's time."
"""What error bars of `speed_up_range` show."""


def speed_up_range(serial: Sequence[Sample], found: Sequence[Sample]) -> tuple[float, float]:
    """The least and the greatest of each round's baseline over that round's time.

    The medians' ratio lies within. Rounds that only one of them has say nothing; where none is left, all are held
    against all.
    """
    times = [(sample.get("round"), number(sample["seconds"])) for sample in found]
    bases = [(sample.get("round"), number(sample["seconds"])) for sample in serial]
    ratios = [base / seconds for number_, seconds in times for other, base in bases if other == number_]
    ratios = ratios or [base / seconds for _, seconds in times for _, base in bases]
    return min(ratios), max(ratios)


CLOCKS = 0.01
"""By how much times of the same work differ anyway."""

FEWEST_ROUNDS = 3
"""Repeats below which a speed-up may be luck."""


def doubtful(faster: Iterable[tuple[str, float, Cell]], rounds: int, *, fewest: int = FEWEST_ROUNDS) -> tuple[str, ...]:
    """What to say of speed-ups that are too good, or measured too few times: of what, on how many workers, how much."""
    notes = []
    high = [(name, count, float(each)) for name, count, each in faster if isinstance(each, int | float)]
    high = [(name, count, each) for name, count, each in high if each > count * (1 + CLOCKS)]
    if high:
        name, count, most = max(high, key=lambda found: found[2] / found[1])
        others = f", and {how_many(len(high) - 1, 'other')} too" if len(high) > 1 else ""
        notes.append(
            f"A speed-up of {most:.2f} ({name}) on {how_many(int(count), 'worker')} is more than workers can give"
            f"{others}: other trees were searched, or times are not to be trusted."
        )
    if rounds < fewest:
        verb = "is" if rounds == 1 else "are"
        notes.append(f"{how_many(rounds, 'round')} {verb} too few for a conclusion: take {fewest} or more.")
    return tuple(notes)


def relative_spread(samples: Sequence[Sample], measure: str) -> float:
    """The distance of the quartiles as a part of the median: how much to trust it."""
    values = sorted(number(sample[measure]) for sample in samples)
    if len(values) < 2 or not (middle := statistics.median(values)):
        return 0.0
    low, _, high = statistics.quantiles(values, n=4, method="inclusive")
    return (high - low) / middle


def share(part: float, whole: float) -> float | None:
    """A part of a whole; nothing where there is no whole."""
    return part / whole if whole else None


ENOUGH_CORES = 0.9
"""The part of its busy time that a search must have had a core for, or its time says more about the machine."""


def processor_share(samples: Sequence[Sample]) -> float | None:
    """Processor time for each second that workers had something to do: less than 1 where others had the cores."""
    busy = sum(number(sample["useful_seconds"]) or number(sample["seconds"]) for sample in samples)
    processor = sum(number(sample["user_seconds"]) + number(sample["system_seconds"]) for sample in samples)
    return processor / busy if busy > 0.5 else None  # clocks of processes tick in hundredths


SHORTEST_SECONDS = 0.02
"""A search spends one or two milliseconds outside the tree, at its root: below this they are much of what is timed."""


def long_enough(samples: Sequence[Sample]) -> bool:
    """Whether times of these searches may be compared."""
    return median(samples, "seconds") >= SHORTEST_SECONDS


def disturbed(groups: Mapping[str, Sequence[Sample]]) -> tuple[str, ...]:
    """What to say of sides whose times mean little: too short, or without the cores they wanted."""
    return (*too_short(groups), *_without_cores(groups))


def too_short(groups: Mapping[str, Sequence[Sample]]) -> tuple[str, ...]:
    """What to say of searches of so little time that it means nothing."""
    low = {name: median(found, "seconds") for name, found in groups.items() if found and not long_enough(found)}
    if not low:
        return ()
    least = min(low, key=lambda name: low[name])
    others = f", and {how_many(len(low) - 1, 'other')} little more" if len(low) > 1 else ""
    return (
        f"Too short to mean anything: {least} took {1000 * low[least]:.2g} ms{others}. Below "
        f"{1000 * SHORTEST_SECONDS:.0f} ms much of a search is what it does outside the tree: compare deeper ones.",
    )


def _without_cores(groups: Mapping[str, Sequence[Sample]]) -> tuple[str, ...]:
    shares = {name: processor_share(samples) for name, samples in groups.items()}
    low = {name: each for name, each in shares.items() if each is not None and each < ENOUGH_CORES}
    if not low:
        return ()
    worst = min(low, key=lambda name: low[name])
    return (
        f"The machine was busy with something else: {worst} had {low[worst]:.0%} of the processor time it wanted. "
        "Times and speed-ups are not to be trusted.",
    )


UNDIVIDED = ("shared-table", "abdada", "root-parallel", "tree-parallel")
"""Schemes whose workers all search the same tree: there are no split points to be noted."""


def check_divides(scheme: str) -> None:
    """Refuse a scheme that has no split points."""
    scheme_named(scheme)
    if scheme in UNDIVIDED:
        raise OutflankError(f"{scheme} does not divide the tree: it has no split points to look at")


def beyond_cores(workers: Iterable[int]) -> tuple[str, ...]:
    """What to say of more workers than cores."""
    cores = usable_cores()
    many = sorted({count for count in workers if count > cores})
    if not many:
        return ()
    counts = ", ".join(map(str, many))
    return (
        f"{counts} workers took turns on {cores:g} core{'' if cores == 1 else 's'}: their times say nothing about "
        "speed-up, and none is given. Their nodes are what they would be.",
    )
