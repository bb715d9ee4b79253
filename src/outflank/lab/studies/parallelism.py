"""How parallel a search is: work, span and what sharing costs, as cilkview told reports 002 and 004."""

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cache, partial
from typing import Annotated, Any, Literal

import numpy as np
import numpy.typing as npt

from outflank.engine.programs import UNDIVIDED_002
from outflank.errors import UnknownName
from outflank.lab.boards import othello_midgame
from outflank.lab.classroom import RULES_002, RULES_004, Stopped, new_board, self_play
from outflank.lab.experiment import Conclusion, Experiment, Parameters, Task, core_counts, option, register
from outflank.lab.literature import curve
from outflank.lab.measuring import (
    RANGES,
    Workers,
    beyond_cores,
    check_divides,
    disturbed,
    doubtful,
    grouped,
    median,
    number,
    speed_up_range,
)
from outflank.lab.report import Figure, Plot, Sample, Series, Table, sample_shape
from outflank.lab.searched import search, unnoted
from outflank.lab.spans import NO_SPANS, Spans, burden_of, spans_of
from outflank.machine import usable_cores
from outflank.parallel.events import Recording
from outflank.schema import Between, Count, Duration, Measured, Several, Shape, kinds_of
from outflank.search.contract import Limits, Result, Stop
from outflank.words import how_many

UNITS = ("nanoseconds", "nodes")
PROCESSORS = (2, 4, 8, 16, 32, 64, 128, 256)
TOLERANCE = 0.1
"""By how much a measured speed-up may lie outside its bounds: processors are shared, and clocks are not perfect."""

RULES = {"002": RULES_002, "004": RULES_004}

ROOM = 1 << 21
"""Events of one search: 96 MiB."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice(Parameters):
    """What is measured."""

    schemes: tuple[str, ...] = option(("fork-join", "ybw", "jamboree"), "fork-join, ybw, jamboree, pv-split, …")
    depths: tuple[int, ...] = option((3, 4, 5, 6, 7), "Plies of minimax, in whole games, for fork-join.")
    search_depths: tuple[int, ...] = option((9, 10, 11, 12), "Plies of principal variation search, for the others.")
    granularity: int = option(UNDIVIDED_002, "Plies left at which fork-join goes on alone: 2, as report 002 divides.")
    rules: str = option("002", "002 or 004: whose rule about passes and equal moves the games follow.")
    threshold: int | None = option(None, "The same as granularity, for the others.  [the scheme's own]")
    workers: tuple[int, ...] = option(core_counts(), "Workers to measure the bounds with.")
    rounds: int = option(5, "Times that each number of workers is measured.")
    burden: float | None = option(None, "Nanoseconds that a migration takes.  [measured]")

    def __post_init__(self) -> None:
        super(Choice, self).__post_init__()
        if self.rules not in RULES:
            raise UnknownName.among("rule", self.rules, RULES)
        for name in self.schemes:
            check_divides(name)


@register
class Parallelism(Experiment[Choice]):
    """Work and span by search depth, and the speed-up they allow."""

    name = "parallelism"
    question = "How parallel is a search: work, span, burden, and the speed-up that they allow?"
    reports = ("002", "004")
    parameters = Choice

    def tasks(self, chosen: Choice) -> Sequence[Task]:
        found = [
            Task(
                f"{scheme}, depth {depth}, strands",
                partial(_strands, chosen, scheme, depth),
                _weight(chosen, scheme, depth),
            )
            for scheme in chosen.schemes
            for depth in _depths(chosen, scheme)
        ]
        for round_ in range(1, chosen.rounds + 1):
            for scheme in chosen.schemes:
                deepest = max(_depths(chosen, scheme))
                found += [
                    Task(
                        f"{scheme}, depth {deepest}, {how_many(workers, 'worker')}, round {round_}",
                        partial(_timed, chosen, scheme, deepest, workers, round_),
                        _weight(chosen, scheme, deepest) / min(workers, usable_cores()),
                    )
                    for workers in chosen.workers
                ]
        return found

    def shape(self, chosen: Choice, sample: Sample) -> Shape:
        if sample.get("what") == "time":
            return sample_shape(
                dict.fromkeys(("useful_seconds", "user_seconds", "system_seconds"), Duration),
                what=str,
                scheme=str,
                depth=Several,
                workers=Workers,
                round=Several,
                seconds=Measured,
                nodes=Several,
            )
        kinds = kinds_of(Spans)
        spans = {f"{name}_{unit}": Annotated[kind, Between(0)] for name, kind in kinds.items() for unit in UNITS}
        return sample_shape(
            spans,
            what=Literal["strands", "time"],
            scheme=str,
            depth=Several,
            burden_ns=Duration,
            migrations=Count,
            nodes=Count,
            lost=Count,
        )

    def conclude(self, chosen: Choice, samples: Sequence[Sample]) -> Conclusion:
        strands = [sample for sample in samples if sample["what"] == "strands"]
        timed = [sample for sample in samples if sample["what"] == "time"]
        tables: list[Table] = []
        figures: list[Figure] = []
        notes: list[str] = []
        for (scheme,), found in grouped(strands, "scheme").items():
            tables += [_profile_table(str(scheme), found, unit) for unit in UNITS]
            tables.append(_estimates(str(scheme), found))
            figures += _figures(str(scheme), found, [sample for sample in timed if sample["scheme"] == scheme])
        bounds, within = _bounds(strands, timed)
        if bounds.rows:
            tables.append(bounds)
            notes.append(within)
            columns = (bounds.column(name) for name in ("scheme", "workers", "speed-up"))
            faster = [(str(scheme), number(workers), each) for scheme, workers, each in zip(*columns, strict=True)]
            notes += doubtful(faster, chosen.rounds)
        burdens = sorted({number(sample["burden_ns"]) for sample in strands})
        steals = sum(int(number(sample["migrations"])) for sample in strands[:1])
        if burdens:
            how = f"the median of {steals} seen on this machine" if steals else "given, not measured"
            notes.append(f"A migration takes {burdens[-1] / 1000:.1f} µs: {how}.")
        fitting = [sample for sample in timed if number(sample["workers"]) <= usable_cores()]
        sides = grouped(fitting, "scheme", "workers")
        notes += disturbed(
            {
                f"{scheme} with {how_many(int(number(workers)), 'worker')}": found
                for (scheme, workers), found in sides.items()
            }
        )
        if any(sample["lost"] for sample in strands):
            notes.append("Some events found no room: the spans of those rows are too short.")
        return Conclusion(
            tables=tuple(tables),
            figures=tuple(figures),
            notes=(*notes, *beyond_cores(chosen.workers)),
        )


def _depths(chosen: Choice, scheme: str) -> tuple[int, ...]:
    return chosen.depths if scheme == "fork-join" else chosen.search_depths


def _weight(chosen: Choice, scheme: str, depth: int) -> float:
    """A ply of minimax costs some seven times the ply before, one of alpha-beta some three."""
    least = min(_depths(chosen, scheme))
    return float((7 if scheme == "fork-join" else 3) ** (depth - least))


def _options(chosen: Choice, scheme: str, workers: int) -> dict[str, Any]:
    threshold = chosen.granularity if scheme == "fork-join" else chosen.threshold
    levels = 64 if scheme == "jamboree" else None  # every level: how parallel the tree is, not report 001's program
    return {"parallel": scheme, "workers": workers, "threshold": threshold, "levels": levels}


def _searches(chosen: Choice, scheme: str, depth: int, stop: Stop, **options: Any) -> Iterator[Result]:
    """The searches of one measurement."""
    if scheme == "fork-join":
        yield from self_play(depth, RULES[chosen.rules], new_board(), stop=stop, **options)
    else:
        yield search(othello_midgame(), Limits(depth=depth), stop=stop, algorithm="pvs", **options)


def _strands(chosen: Choice, scheme: str, depth: int, stop: Stop) -> list[Sample]:
    """One worker's events, folded."""
    burden, seen = (chosen.burden, 0) if chosen.burden is not None else measured_burden()
    totals = dict.fromkeys(UNITS, NO_SPANS)
    nodes, lost = 0, 0
    recording = Recording(ROOM)
    try:
        for found in _searches(chosen, scheme, depth, stop, instrument=recording, **_options(chosen, scheme, 1)):
            nodes += found.nodes
            events = recording.taken()
            for unit in UNITS:
                cost = burden if unit == "nanoseconds" else burden * _nodes_per_nanosecond(events)
                totals[unit] += spans_of(events, unit=unit, burden=cost)
        lost = recording.lost
    except Stopped:
        pass  # the sample will not be kept
    sample: Sample = {
        "what": "strands",
        "scheme": scheme,
        "depth": depth,
        "burden_ns": burden,
        "migrations": seen,
        "nodes": nodes,
        "lost": lost,
        **{f"{name}_{unit}": value for unit in UNITS for name, value in asdict(totals[unit]).items()},
    }
    return [sample]


def _nodes_per_nanosecond(events: npt.NDArray[np.int64]) -> float:
    spans = {unit: spans_of(events, unit=unit) for unit in UNITS}
    return spans["nodes"].work / spans["nanoseconds"].work if spans["nanoseconds"].work else 0.0


def _timed(chosen: Choice, scheme: str, depth: int, workers: int, round_: int, stop: Stop) -> list[Sample]:
    seconds, useful, nodes = 0.0, 0.0, 0
    before = os.times()
    try:
        for found in _searches(chosen, scheme, depth, stop, **_options(chosen, scheme, workers)):
            seconds, nodes = seconds + found.seconds, nodes + found.nodes
            useful += sum(worker.useful_seconds for worker in found.workers)
    except Stopped:
        pass
    after = os.times()
    sample: Sample = {
        "what": "time",
        "scheme": scheme,
        "depth": depth,
        "workers": workers,
        "round": round_,
        "seconds": seconds,
        "useful_seconds": useful,
        "user_seconds": after.user - before.user,
        "system_seconds": after.system - before.system,
        "nodes": nodes,
    }
    return [sample]


@cache
def measured_burden() -> tuple[float, int]:
    """What a migration takes here, and how many were seen: two workers on small parts of a tree."""
    recordings = []
    for _ in range(40):
        recording = Recording()
        with unnoted():  # not what the experiment is about
            search(
                othello_midgame(),
                Limits(depth=5),
                algorithm="minimax",
                evaluation="discs",
                deepen=False,
                parallel="fork-join",
                workers=2,
                threshold=2,
                instrument=recording,
            )
        recordings.append(recording.taken())
    return burden_of(recordings)


# --- what is said of it ---


def spans_in(sample: Sample, unit: str) -> Spans:
    """The work and span that a sample holds, in one unit."""
    return Spans(**{name: sample[f"{name}_{unit}"] for name in Spans.__dataclass_fields__})  # type: ignore[arg-type]  # as written


def _profile_table(scheme: str, samples: Sequence[Sample], unit: str) -> Table:
    rows: list[Sample] = []
    for sample in samples:
        spans = spans_in(sample, unit)
        rows.append(
            {
                "depth": sample["depth"],
                f"work ({unit})": round(spans.work),
                "span": round(spans.span),
                "burdened span": round(spans.burdened_span),
                "parallelism": spans.parallelism,
                "burdened parallelism": spans.burdened_parallelism,
                "spawns": spans.spawns,
                "strands": spans.strands,
                f"{unit} / strand": spans.work / max(spans.strands, 1),
                "strands along span": spans.span_strands,
                f"{unit} / strand on span": spans.span / max(spans.span_strands, 1),
                "atomic operations": spans.atomics,
                "frames": spans.frames,
                "entries to the parallel region": spans.regions,
            }
        )
    return Table.of(f"{scheme}: parallelism in {unit}", rows)


def _estimates(scheme: str, samples: Sequence[Sample]) -> Table:
    rows: list[Sample] = []
    for sample in samples:
        spans = spans_in(sample, "nanoseconds")
        cells: Sample = {"depth": sample["depth"]}
        for workers in PROCESSORS:
            cells[f"{workers}"] = f"{spans.slowest_speedup(workers):.2f} – {spans.fastest_speedup(workers):.2f}"
        rows.append(cells)
    return Table.of(f"{scheme}: speed-up estimate by processors, lower and upper bound", rows)


def _bounds(strands: Iterable[Sample], timed: Iterable[Sample]) -> tuple[Table, str]:
    """Measured speed-ups beside their bounds."""
    profiles = {(sample["scheme"], sample["depth"]): sample for sample in strands}
    runs = grouped(timed, "scheme", "depth", "workers")
    rows: list[Sample] = []
    for (scheme, depth, workers), found in runs.items():
        alone, profile = runs.get((scheme, depth, 1)), profiles.get((scheme, depth))
        if alone is None or profile is None or number(workers) > usable_cores():
            continue
        spans = spans_in(profile, "nanoseconds")
        count = int(number(workers))
        speedup = median(alone, "seconds") / median(found, "seconds")
        same_tree = speedup * median(found, "nodes") / median(alone, "nodes")
        low, high = spans.slowest_speedup(count), spans.fastest_speedup(count)
        rows.append(
            {
                "scheme": scheme,
                "depth": depth,
                "workers": workers,
                "median T(p) (s)": median(found, "seconds"),
                "speed-up": speedup,
                "speed-up in nodes/s": same_tree,
                "lower bound": low,
                "upper bound": high,
                "within bounds": bool(low * (1 - TOLERANCE) <= same_tree <= high * (1 + TOLERANCE)),
            }
        )
    outside = [row for row in rows if not row["within bounds"]]
    told = "all within" if not outside else f"{len(outside)} outside"
    note = (
        "The bounds are those of the tree that one worker searches. More workers search a larger one where "
        "brothers do not wait for each other, so nodes per second are held against them."
    )
    table = Table.of("measured speed-up beside its bounds", rows, notes=(note,))
    return table, f"{len(rows)} measured speed-ups, {told} their bounds (tolerance {TOLERANCE:.0%})."


def _figures(scheme: str, strands: Sequence[Sample], timed: Sequence[Sample]) -> list[Figure]:
    spans = {int(number(sample["depth"])): spans_in(sample, "nanoseconds") for sample in strands}
    if not spans:
        return []

    def over_depth(name: str, values: dict[int, float]) -> Series:
        return Series(name=name, points=tuple(values.items()))

    parallel = [
        over_depth("parallelism", {depth: each.parallelism for depth, each in spans.items()}),
        over_depth("burdened parallelism", {depth: each.burdened_parallelism for depth, each in spans.items()}),
    ]
    if scheme == "fork-join":
        for report, table in (("002", "profile"), ("004", "cilkview")):
            parallel.append(curve(report, table, "depth", "parallelism"))
    deepest = max(spans)
    counts = (1, *PROCESSORS)
    estimate = [
        Series(
            name="linear",
            points=tuple((workers, float(workers)) for workers in counts),
            style="dashed",
        ),
        Series(
            name="between the bounds",
            points=tuple((workers, spans[deepest].slowest_speedup(workers)) for workers in counts),
            spread=tuple(
                (spans[deepest].slowest_speedup(workers), spans[deepest].fastest_speedup(workers)) for workers in counts
            ),
            style="band",
        ),
    ]
    runs = grouped([sample for sample in timed if number(sample["workers"]) <= usable_cores()], "workers")
    if (1,) in runs:
        alone = median(runs[1,], "seconds")
        measured: list[tuple[float | str, float]] = []
        spreads = []
        for (workers,), found in runs.items():
            measured.append((number(workers), alone / median(found, "seconds")))
            spreads.append(speed_up_range(runs[1,], found))
        estimate.append(Series(name="measured", points=tuple(measured), spread=tuple(spreads), style="points"))
    return [
        Plot(
            title=f"{scheme}: work and span",
            x="search depth (plies)",
            y="time (ns)",
            log_y=True,
            series=(
                over_depth("work", {depth: each.work for depth, each in spans.items()}),
                over_depth("burdened span", {depth: each.burdened_span for depth, each in spans.items()}),
                over_depth("span", {depth: each.span for depth, each in spans.items()}),
            ),
        ),
        Plot(
            title=f"{scheme}: parallelism",
            x="search depth (plies)",
            y="work / span",
            log_y=True,
            series=tuple(parallel),
        ),
        Plot(
            title=f"{scheme}: speed-up at depth {deepest}",
            x="processors",
            y="speed-up",
            log_x=True,
            log_y=True,
            series=tuple(estimate),
            caption=f"The band lies between the lower estimate and the upper bound. {RANGES}",
        ),
    ]
