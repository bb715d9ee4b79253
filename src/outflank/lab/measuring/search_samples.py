"""Searches as samples: times and counts of one search, medians over several, and warnings about unreliable times."""

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
from outflank.lab.experiment import Task
from outflank.lab.experiment_report import Cell, Sample
from outflank.lab.measuring.search_log import search, without_logging
from outflank.lab.measuring.whole_games import combined_result, play
from outflank.lab.report_programs.classroom import BrokenOff
from outflank.machine import MOST_WORKERS, usable_cores
from outflank.search.division import scheme_named
from outflank.search.keywords import SearchArguments
from outflank.search.request import Limits, Stop
from outflank.search.results import Result
from outflank.validation.documents import Count, Duration, Measured, Several
from outflank.validation.text import how_many
from outflank.validation.values import Between, Kind

resource: ModuleType | None
try:
    import resource
except ImportError:  # missing on Windows
    resource = None

T = TypeVar("T")

Groups = dict[tuple[Cell, ...], list[Sample]]
"""Samples grouped by the values of some of their fields."""

Workers = Annotated[int, Between(1, MOST_WORKERS)]

COUNT_KINDS: dict[str, Kind] = {
    "value": int,
    "move": str,
    "nodes": Several,
    **dict.fromkeys(("useful_seconds", "idle_seconds"), Duration),
    **dict.fromkeys(("leaves", "lookups", "hits", "wasted_nodes", "spawned", "stolen"), Count),
    **dict.fromkeys(("steals_tried", "steals_won", "aborts_sent", "aborts_obeyed"), Count),
}
"""Types of the fields that `result_counts` returns."""

SEARCH_KINDS: dict[str, Kind] = {
    "depth": Several,
    "seconds": Measured,
    "user_seconds": Duration,
    "system_seconds": Duration,
    **COUNT_KINDS,
}
"""Types of the fields that `measure_search` returns in a sample."""


def position_kinds(sample: Sample) -> dict[str, Kind]:
    """Return the types of the fields `position`, `turns` and `moves`, as far as the sample has them."""
    kinds: dict[str, Kind] = {"position": str, "turns": Count, "moves": str}
    return {name: kind for name, kind in kinds.items() if name in sample}


@dataclass(frozen=True, slots=True, kw_only=True)
class Contender:
    """One of the searches that an experiment compares."""

    labels: Sample
    """Labels that distinguish this search from the experiment's other searches. They become the first table columns."""
    board: Board
    depth: int
    options: SearchArguments
    """Keyword arguments for `search`."""
    plays: str | None = None
    """Program that plays a whole game from the board, one of `PLAYING`. None for a single search."""

    @property
    def name(self) -> str:
        """All labels of the search, as one line of text."""
        return ", ".join(f"{name} {value}" for name, value in self.labels.items())


def measure_search(side: Contender, stop: Stop, **extra: Any) -> tuple[Result, Sample]:
    """Run the search of `side` once, or play its game, and return the result with its sample."""
    options = {"workers": 1, **side.options, **extra}
    moves: Sample = {}
    before = processor_times()
    if side.plays is None:
        result = search(side.board, Limits(depth=side.depth), stop=stop, **options)
    else:
        board, began = side.board.copy(), time.perf_counter()
        turns = list(play(side.plays, board, side.depth, stop, **options))
        result = combined_result(turns, time.perf_counter() - began)
        moves = {"turns": len(turns), "moves": " ".join(map(str, board.moves))}
    after = processor_times()
    return result, {
        **side.labels,
        "depth": side.depth,
        "seconds": result.seconds,
        "user_seconds": after[0] - before[0],
        "system_seconds": after[1] - before[1],
        **result_counts(result),
        **moves,
    }


def processor_times() -> tuple[float, float]:
    """Return user and system time of this process in seconds, to the microsecond if the system allows."""
    if resource is None:
        times = os.times()
        return times.user, times.system
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime, usage.ru_stime


def result_counts(result: Result) -> Sample:
    """Return the value and the move of a search, and its counts summed over all workers, as fields of a sample."""
    workers = result.workers
    return {
        "value": result.value,
        "move": str(result.move),
        "nodes": result.nodes,
        "leaves": result.leaves,
        "lookups": result.lookups,
        "hits": result.hits,
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
    """Return tasks that measure every search once per round, so that a slow minute of the machine slows all searches.

    Every other round runs in reverse order, so that no search is always measured longest after the baseline. Kernels
    are compiled before the first measurement.
    """
    warmed: set[str] = set()
    return [
        Task(f"{side.name}, round {round_}", partial(_measure_round, side, round_, warmed))
        for round_, side in alternating(sides, rounds)
    ]


def alternating(sides: Sequence[T], rounds: int) -> Iterator[tuple[int, T]]:
    """Yield pairs of round, counted from 1, and contender. The order is reversed in every other round."""
    for round_ in range(1, rounds + 1):
        for side in sides if round_ % 2 else sides[::-1]:
            yield round_, side


def _measure_round(side: Contender, round_: int, warmed: set[str], stop: Stop) -> list[Sample]:
    if side.name not in warmed:  # a resumed run may begin with any round
        warm(side)
        warmed.add(side.name)
    try:
        _, sample = measure_search(side, stop)
    except BrokenOff:
        return []  # a stopped game gives no sample
    return [{**sample, "round": round_}]


WARM_DEPTH = 3
"""Depth of the warm-up search in plies. It is enough to prepare kernels, threads and memory."""


def warm(side: Contender) -> None:
    """Run a shallow search of `side` with its options, so that one-time work is done before measurements."""
    options, depth = {"workers": 1, **side.options}, min(side.depth, WARM_DEPTH)
    with without_logging():
        if side.plays is None:
            search(side.board, Limits(depth=depth), **options)
        else:
            next(play(side.plays, side.board.copy(), depth, Stop(), **options), None)


def grouped(samples: Iterable[Sample], *names: str) -> Groups:
    """Return samples grouped by the values of some fields, in order of first appearance."""
    groups: Groups = {}
    for sample in samples:
        groups.setdefault(tuple(sample.get(name) for name in names), []).append(sample)
    return groups


def number(cell: Cell) -> float:
    """Return a cell that must hold a number."""
    assert isinstance(cell, int | float), cell
    return cell


def median(samples: Sequence[Sample], measure: str | Callable[[Sample], float]) -> float:
    """Return the median over `samples` of a field, or of a function of a sample."""
    return statistics.median(
        number(sample[measure]) if isinstance(measure, str) else measure(sample) for sample in samples
    )


def median_count(samples: Sequence[Sample], measure: str) -> int:
    """Return the median of a count as an integer. Counts of deterministic searches are all equal."""
    return round(median(samples, measure))


def spread(samples: Sequence[Sample], measure: str) -> tuple[float, float]:
    """Return the least and the greatest value of a field in `samples`."""
    values = [number(sample[measure]) for sample in samples]
    return min(values), max(values)


def search_overhead(parallel: Sequence[Sample], serial: Sequence[Sample]) -> float:
    """Return the median nodes of `parallel` divided by the median nodes of `serial`, minus 1, rounded to 0.01 %."""
    return round(median(parallel, "nodes") / median(serial, "nodes") - 1, 4) + 0.0  # turns -0 into 0


RANGE_NOTE = "Medians, with the range over rounds of that round's baseline over that round's time."
"""Caption for error bars from `speed_up_range`."""


def speed_up_range(serial: Sequence[Sample], parallel: Sequence[Sample]) -> tuple[float, float]:
    """Return the least and the greatest speed-up over rounds: serial time divided by parallel time of the same round.

    The ratio of the median times is between them. Rounds that only one of the two has are ignored. If they have no
    round in common, all pairs are compared.
    """
    times = [(sample.get("round"), number(sample["seconds"])) for sample in parallel]
    bases = [(sample.get("round"), number(sample["seconds"])) for sample in serial]
    ratios = [base / seconds for round_, seconds in times for base_round, base in bases if base_round == round_]
    ratios = ratios or [base / seconds for _, seconds in times for _, base in bases]
    return min(ratios), max(ratios)


CLOCK_NOISE = 0.01
"""Relative difference between the times of two equal searches that counts as noise."""

FEWEST_ROUNDS = 3
"""Least number of rounds for a conclusion on speed-up. The result of fewer rounds may be luck."""


def speed_up_warnings(
    speed_ups: Iterable[tuple[str, float, Cell]], rounds: int, *, fewest: int = FEWEST_ROUNDS
) -> tuple[str, ...]:
    """Return warnings about speed-ups (name, workers, speed-up) above the worker count, or from too few rounds."""
    notes = []
    high = [(name, count, float(speed_up)) for name, count, speed_up in speed_ups if isinstance(speed_up, int | float)]
    high = [(name, count, speed_up) for name, count, speed_up in high if speed_up > count * (1 + CLOCK_NOISE)]
    if high:
        name, count, most = max(high, key=lambda entry: entry[2] / entry[1])
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
    """Return the interquartile range of a field in `samples`, divided by its median."""
    values = sorted(number(sample[measure]) for sample in samples)
    if len(values) < 2 or not (middle := statistics.median(values)):
        return 0.0
    low, _, high = statistics.quantiles(values, n=4, method="inclusive")
    return (high - low) / middle


def share(part: float, whole: float) -> float | None:
    """Return `part / whole`, or None if `whole` is 0."""
    return part / whole if whole else None


ENOUGH_CORES = 0.9
"""Least `processor_share` at which times are trusted. Below it, other processes took too much of the cores."""


def processor_share(samples: Sequence[Sample]) -> float | None:
    """Return the workers' processor time divided by their busy time, or None if they were busy for at most 0.5 s.

    It is below 1 if other processes used the cores.
    """
    busy = sum(number(sample["useful_seconds"]) or number(sample["seconds"]) for sample in samples)
    processor = sum(number(sample["user_seconds"]) + number(sample["system_seconds"]) for sample in samples)
    return processor / busy if busy > 0.5 else None  # some process clocks tick every 10 ms


SHORTEST_SECONDS = 0.02
"""Shortest search that is compared, in seconds. In shorter searches, the 1 or 2 ms of work outside the tree are too
large a share."""


def long_enough(samples: Sequence[Sample]) -> bool:
    """Return whether the searches are long enough for their times to be compared."""
    return median(samples, "seconds") >= SHORTEST_SECONDS


def timing_warnings(groups: Mapping[str, Sequence[Sample]]) -> tuple[str, ...]:
    """Return warnings on searches with unreliable times: too short, or on a busy machine."""
    return (*short_search_warnings(groups), *_busy_machine_warnings(groups))


def short_search_warnings(groups: Mapping[str, Sequence[Sample]]) -> tuple[str, ...]:
    """Return a warning about searches that are too short to be compared."""
    short = {
        name: median(samples, "seconds") for name, samples in groups.items() if samples and not long_enough(samples)
    }
    if not short:
        return ()
    shortest = min(short, key=lambda name: short[name])
    others = f", and {how_many(len(short) - 1, 'other')} little more" if len(short) > 1 else ""
    return (
        f"Too short to mean anything: {shortest} took {1000 * short[shortest]:.2g} ms{others}. Below "
        f"{1000 * SHORTEST_SECONDS:.0f} ms much of a search is what it does outside the tree: compare deeper ones.",
    )


def _busy_machine_warnings(groups: Mapping[str, Sequence[Sample]]) -> tuple[str, ...]:
    shares = {name: processor_share(samples) for name, samples in groups.items()}
    starved = {
        name: processor for name, processor in shares.items() if processor is not None and processor < ENOUGH_CORES
    }
    if not starved:
        return ()
    worst = min(starved, key=lambda name: starved[name])
    return (
        f"The machine was busy with something else: {worst} had {starved[worst]:.0%} of the processor time it wanted. "
        "Times and speed-ups are not to be trusted.",
    )


UNDIVIDED = ("shared-table", "abdada", "root-parallel", "tree-parallel")
"""Schemes without split points, under which all workers search the same tree."""


def check_divides(scheme: str) -> None:
    """Raise `OutflankError` if a scheme has no split points."""
    scheme_named(scheme)
    if scheme in UNDIVIDED:
        raise OutflankError(f"{scheme} does not divide the tree: it has no split points to look at")


def worker_count_warnings(workers: Iterable[int]) -> tuple[str, ...]:
    """Return a warning about worker counts above the number of cores."""
    cores = usable_cores()
    many = sorted({count for count in workers if count > cores})
    if not many:
        return ()
    counts = ", ".join(map(str, many))
    return (
        f"{counts} workers took turns on {cores:g} core{'' if cores == 1 else 's'}: their times say nothing about "
        "speed-up, and none is given. Their nodes are what they would be.",
    )
