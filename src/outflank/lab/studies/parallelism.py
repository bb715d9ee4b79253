"""Experiment `parallelism`: work, span and cost of sharing, which reports 002 and 004 measured with cilkview.

Estimates and figures are in nodes, which do not depend on the machine. Measured times are shown beside them.
"""

import os
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Annotated, Any, Literal

from outflank.errors import UnknownName
from outflank.lab.experiment import Conclusion, Experiment, Parameters, Task, core_counts, option
from outflank.lab.experiment_boards import default_board
from outflank.lab.experiment_report import Figure, ReportTable, Sample, sample_shape
from outflank.lab.measuring.search_log import search, without_logging
from outflank.lab.measuring.search_samples import (
    ENOUGH_CORES,
    WARM_DEPTH,
    Workers,
    alternating,
    check_divides,
    grouped,
    number,
    speed_up_warnings,
    timing_warnings,
    worker_count_warnings,
)
from outflank.lab.report_programs.classroom import RULES_002, RULES_004, BrokenOff, new_board, self_play
from outflank.lab.spans.span_recordings import UNITS, measured_burden, record_searches
from outflank.lab.spans.span_report import (
    clock_table,
    estimates_table,
    figures,
    profile_table,
    speed_up_bounds,
    strands_over_time,
)
from outflank.lab.spans.work_and_span import BURDEN_NODES, Spans
from outflank.machine import usable_cores
from outflank.othello.programs import SERIAL_PLY_002
from outflank.parallel.events import EventRecording
from outflank.search.keywords import SearchArguments
from outflank.search.request import Limits, Stop
from outflank.search.results import Result
from outflank.validation.documents import Count, Duration, Measured, Several
from outflank.validation.text import how_many
from outflank.validation.values import Between, Kind, Shape, kinds_of

RULES = {"002": RULES_002, "004": RULES_004}

PARTS_OF_A_TURN, PARTS_OF_A_ROOT = 8, 40
"""Number of equal parts of a root's span in which runnable strands are counted. The first is for each turn of a whole
game, the second for the root of a single search."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ParallelismParameters(Parameters):
    """Parameters of the experiment `parallelism`."""

    schemes: tuple[str, ...] = option(("fork-join", "ybw", "jamboree"), "fork-join, ybw, jamboree, pv-split, …")
    depths: tuple[int, ...] = option((3, 4, 5, 6, 7), "Plies of minimax, in whole games, for fork-join.")
    search_depths: tuple[int, ...] = option((9, 10, 11, 12), "Plies of principal variation search, for the others.")
    granularity: int = option(SERIAL_PLY_002, "Plies left at which fork-join goes on alone: 2, as report 002 divides.")
    rules: str = option("002", "002 or 004: whose rule about passes and equal moves the games follow.")
    schedule: Literal["one", "rows"] = option(
        "one", "What is handed out at a time: `one` move (004's dev), or the moves of one of the `rows` (its master)."
    )
    threshold: int | None = option(None, "The same as granularity, for the others.  [the scheme's own]")
    workers: tuple[int, ...] = option(core_counts(), "Workers to measure the bounds with.")
    rounds: int = option(5, "Times that each number of workers is measured.")
    recordings: int = option(3, "Times that each search is recorded: a strand counts at its least time.")
    burden: float | None = option(None, "Nanoseconds that a migration takes.  [measured]")
    burden_nodes: float = option(BURDEN_NODES, "Nodes that a migration takes: in nodes it is assumed, not measured.")

    def __post_init__(self) -> None:
        super(ParallelismParameters, self).__post_init__()
        if self.rules not in RULES:
            raise UnknownName.among("rule", self.rules, RULES)
        for name in self.schemes:
            check_divides(name)

    def unused(self) -> tuple[str, ...]:
        played = () if "fork-join" in self.schemes else ("depths", "granularity", "rules")
        return played if set(self.schemes) - {"fork-join"} else ("search_depths", "threshold")


class Parallelism(Experiment[ParallelismParameters]):
    """Measures work and span by search depth, and the speed-up that they allow."""

    name = "parallelism"
    question = "How parallel is a search: work, span, burden, and the speed-up that they allow?"
    reports = ("002", "004")
    parameters = ParallelismParameters

    def tasks(self, parameters: ParallelismParameters) -> Sequence[Task]:
        tasks = [
            Task(
                f"{scheme}, depth {depth}, strands",
                partial(_measure_strands, parameters, scheme, depth),
                _weight(parameters, scheme, depth),
            )
            for scheme in parameters.schemes
            for depth in _depths(parameters, scheme)
        ]
        sides = [
            (scheme, max(_depths(parameters, scheme)), workers)
            for scheme in parameters.schemes
            for workers in parameters.workers
        ]
        tasks += [
            Task(
                f"{scheme}, depth {deepest}, {how_many(workers, 'worker')}, round {round_}",
                partial(_time_searches, parameters, scheme, deepest, workers, round_),
                _weight(parameters, scheme, deepest) / min(workers, usable_cores()),
            )
            for round_, (scheme, deepest, workers) in alternating(sides, parameters.rounds)
        ]
        return tasks

    def shape(self, parameters: ParallelismParameters, sample: Sample) -> Shape:
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
        if sample.get("what") == "moment":
            return sample_shape(what=str, scheme=str, depth=Several, root=Several, strands=Duration, nodes=Duration)
        kinds = kinds_of(Spans)
        spans = {f"{name}_{unit}": Annotated[kind, Between(0)] for name, kind in kinds.items() for unit in UNITS}
        checked: dict[str, Kind] = {
            "recordings": Several,
            **dict.fromkeys(("lost_share_least", "lost_share_most"), Duration),
            **dict.fromkeys(("unlike", "switches_least"), Count),
        }
        return sample_shape(
            spans,
            dict.fromkeys(("migrations", "nodes", "lost"), Count),
            checked if "recordings" in sample else {},
            what=Literal["strands", "moment", "time"],
            scheme=str,
            depth=Several,
            burden_ns=Duration,
        )

    def conclude(self, parameters: ParallelismParameters, samples: Sequence[Sample]) -> Conclusion:
        by_kind = grouped(samples, "what")
        strands, moments, timed = (by_kind.get((kind,), []) for kind in ("strands", "moment", "time"))
        tables: list[ReportTable] = []
        plots: list[Figure] = []
        for (name,), group in grouped(strands, "scheme").items():
            scheme = f"{name} by rows" if parameters.schedule == "rows" else str(name)
            tables += [
                profile_table(scheme, group, "nodes"),
                estimates_table(scheme, group),
                clock_table(scheme, group),
            ]
            scheme_times = [sample for sample in timed if sample["scheme"] == name]
            plots += figures(scheme, group, scheme_times, _published(parameters) if name == "fork-join" else ())
            if scheme_moments := [sample for sample in moments if sample["scheme"] == name]:
                table, plot = strands_over_time(scheme, scheme_moments)
                tables.append(table)
                plots.append(plot)
        notes: list[str] = []
        bounds_table, bounds_note = speed_up_bounds(strands, timed)
        if bounds_table.rows:
            tables.append(bounds_table)
            notes.append(bounds_note)
            columns = (bounds_table.column(name) for name in ("scheme", "workers", "speed-up"))
            faster = [
                (str(scheme), number(workers), speed_up) for scheme, workers, speed_up in zip(*columns, strict=True)
            ]
            notes += speed_up_warnings(faster, parameters.rounds)
        differing = [f"{sample['scheme']} at depth {sample['depth']}" for sample in strands if sample.get("unlike")]
        if differing:
            notes.append(f"Recordings of one worker differ in nodes, and must not: {', '.join(differing)}.")
        return Conclusion(
            tables=tuple(tables),
            figures=tuple(plots),
            notes=(*notes, *_notes(parameters, strands, timed), *worker_count_warnings(parameters.workers)),
            passed=not differing,
        )


def _notes(parameters: ParallelismParameters, strands: Sequence[Sample], timed: Sequence[Sample]) -> Iterator[str]:
    """Yield notes on the cost of a steal, and warnings about disturbed or incomplete measurements."""
    if strands:
        burden, migrations = (
            max(number(sample["burden_ns"]) for sample in strands),
            int(number(strands[0]["migrations"])),
        )
        origin = f"the median of {migrations} seen on this machine" if migrations else "given, not measured"
        yield (
            f"A migration takes {burden / 1000:.1f} µs ({origin}); in nodes it counts as {parameters.burden_nodes:g}, "
            "whatever the machine."
        )
    lost = max((number(sample["lost_share_least"]) for sample in strands if "lost_share_least" in sample), default=0.0)
    if lost > 1 - ENOUGH_CORES:
        yield (
            f"Even the least disturbed recording lost {lost:.0%} of its time to others: what is in nanoseconds "
            "is not to be trusted. What is in nodes does not depend on it."
        )
    within_cores = [sample for sample in timed if number(sample["workers"]) <= usable_cores()]
    sides = grouped(within_cores, "scheme", "workers")
    yield from timing_warnings(
        {
            f"{scheme} with {how_many(int(number(workers)), 'worker')}": group
            for (scheme, workers), group in sides.items()
        }
    )
    if any(sample["lost"] for sample in strands):
        yield "Some events found no room: the spans of those rows are too short."


def _published(parameters: ParallelismParameters) -> tuple[tuple[str, str], ...]:
    """Return the report and the table of the program that divides games as `parameters` do, or an empty tuple."""
    if parameters.rules == "002":
        return (("002", "profile"),) if parameters.schedule == "one" else ()
    return (("004", "cilkview"),) if parameters.schedule == "rows" else ()


def _depths(parameters: ParallelismParameters, scheme: str) -> tuple[int, ...]:
    return parameters.depths if scheme == "fork-join" else parameters.search_depths


def _weight(parameters: ParallelismParameters, scheme: str, depth: int) -> float:
    """Return the relative duration of a task. A ply multiplies it by about 7 in minimax, and by 3 in alpha-beta."""
    least = min(_depths(parameters, scheme))
    return float((7 if scheme == "fork-join" else 3) ** (depth - least))


def _options(parameters: ParallelismParameters, scheme: str, workers: int) -> SearchArguments:
    threshold = parameters.granularity if scheme == "fork-join" else parameters.threshold
    levels = 64 if scheme == "jamboree" else None  # all levels: this measures the tree, not report 001's program
    return {
        "parallel": scheme,
        "workers": workers,
        "threshold": threshold,
        "levels": levels,
        "schedule": parameters.schedule,
    }


def _searches(
    parameters: ParallelismParameters, scheme: str, depth: int, stop: Stop, **options: Any
) -> Iterator[Result]:
    """Yield the results of one measurement: every turn of a game for fork-join, one search for other schemes."""
    if scheme == "fork-join":
        yield from self_play(depth, RULES[parameters.rules], new_board(), stop=stop, **options)
    else:
        yield search(default_board(), Limits(depth=depth), stop=stop, algorithm="pvs", **options)


def _measure_strands(parameters: ParallelismParameters, scheme: str, depth: int, stop: Stop) -> list[Sample]:
    """Return work and span of a search by one worker and, at the greatest depth, the runnable strands over time."""
    burden, migrations = (parameters.burden, 0) if parameters.burden is not None else measured_burden()
    deepest = depth == max(_depths(parameters, scheme))
    parts = PARTS_OF_A_TURN if scheme == "fork-join" else PARTS_OF_A_ROOT

    def searches(recording: EventRecording) -> Iterator[Result]:
        return _searches(parameters, scheme, depth, stop, instrument=recording, **_options(parameters, scheme, 1))

    try:
        recording_result = record_searches(
            searches,
            parameters.recordings,
            burdens={"nanoseconds": burden, "nodes": parameters.burden_nodes},
            parts=parts if deepest else 0,
        )
    except BrokenOff:
        return []
    sample: Sample = {
        "what": "strands",
        "scheme": scheme,
        "depth": depth,
        "burden_ns": burden,
        "migrations": migrations,
        "nodes": recording_result.nodes,
        "lost": recording_result.lost,
        "unlike": recording_result.unlike,
        "recordings": parameters.recordings,
        "lost_share_least": min(cost.lost_share for cost in recording_result.costs),
        "lost_share_most": max(cost.lost_share for cost in recording_result.costs),
        "switches_least": min(cost.switches for cost in recording_result.costs),
        **{f"{name}_{unit}": value for unit in UNITS for name, value in asdict(recording_result.totals[unit]).items()},
    }
    moments: list[Sample] = [
        {"what": "moment", "scheme": scheme, "depth": depth, "root": root, "strands": strands, "nodes": span / parts}
        for root, (span, running) in enumerate(recording_result.moments, 1)
        for strands in running
    ]
    return [sample, *moments]


def _time_searches(
    parameters: ParallelismParameters, scheme: str, depth: int, workers: int, round_: int, stop: Stop
) -> list[Sample]:
    seconds, useful, nodes = 0.0, 0.0, 0
    options = _options(parameters, scheme, workers)
    try:
        with without_logging():
            next(_searches(parameters, scheme, min(depth, WARM_DEPTH), stop, **options), None)
        before = os.times()
        for result in _searches(parameters, scheme, depth, stop, **options):
            seconds, nodes = seconds + result.seconds, nodes + result.nodes
            useful += sum(worker.useful_seconds for worker in result.workers)
    except BrokenOff:
        return []
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
