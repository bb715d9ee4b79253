"""How parallel a search is: work, span and what sharing costs, as cilkview told reports 002 and 004.

Estimates and figures are in nodes, which are the same on every machine at every time. What a clock saw stands beside.
"""

import os
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Annotated, Any, Literal

from outflank.errors import UnknownName
from outflank.kinds import Between, Count, Duration, Kind, Measured, Several, Shape
from outflank.lab.boards import usual_board
from outflank.lab.classroom import RULES_002, RULES_004, BrokenOff, new_board, self_play
from outflank.lab.experiment import Conclusion, Experiment, Parameters, Task, core_counts, option
from outflank.lab.measuring import (
    ENOUGH_CORES,
    WARM_DEPTH,
    Workers,
    alternating,
    beyond_cores,
    check_divides,
    disturbed,
    doubtful,
    grouped,
    number,
)
from outflank.lab.report import Figure, ReportTable, Sample, sample_shape
from outflank.lab.search_log import search, unnoted
from outflank.lab.spans import BURDEN_NODES, Spans
from outflank.lab.spans_recording import UNITS, measured_burden, recorded
from outflank.lab.spans_report import bounds, clock_table, estimates, figures, over_time, profile_table
from outflank.machine import usable_cores
from outflank.othello.programs import UNDIVIDED_002
from outflank.parallel.events import EventRecording
from outflank.schema import kinds_of
from outflank.search.contract import Limits, Stop
from outflank.search.results import Result
from outflank.words import how_many

RULES = {"002": RULES_002, "004": RULES_004}

PARTS_OF_A_TURN, PARTS_OF_A_ROOT = 8, 40
"""Equal parts of a root's span over which strands are averaged: a game has some sixty roots, a search few."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ParallelismParameters(Parameters):
    """What is measured."""

    schemes: tuple[str, ...] = option(("fork-join", "ybw", "jamboree"), "fork-join, ybw, jamboree, pv-split, …")
    depths: tuple[int, ...] = option((3, 4, 5, 6, 7), "Plies of minimax, in whole games, for fork-join.")
    search_depths: tuple[int, ...] = option((9, 10, 11, 12), "Plies of principal variation search, for the others.")
    granularity: int = option(UNDIVIDED_002, "Plies left at which fork-join goes on alone: 2, as report 002 divides.")
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
    """Work and span by search depth, and the speed-up they allow."""

    name = "parallelism"
    question = "How parallel is a search: work, span, burden, and the speed-up that they allow?"
    reports = ("002", "004")
    parameters = ParallelismParameters

    def tasks(self, chosen: ParallelismParameters) -> Sequence[Task]:
        found = [
            Task(
                f"{scheme}, depth {depth}, strands",
                partial(_strands, chosen, scheme, depth),
                _weight(chosen, scheme, depth),
            )
            for scheme in chosen.schemes
            for depth in _depths(chosen, scheme)
        ]
        sides = [
            (scheme, max(_depths(chosen, scheme)), workers) for scheme in chosen.schemes for workers in chosen.workers
        ]
        found += [
            Task(
                f"{scheme}, depth {deepest}, {how_many(workers, 'worker')}, round {round_}",
                partial(_timed, chosen, scheme, deepest, workers, round_),
                _weight(chosen, scheme, deepest) / min(workers, usable_cores()),
            )
            for round_, (scheme, deepest, workers) in alternating(sides, chosen.rounds)
        ]
        return found

    def shape(self, chosen: ParallelismParameters, sample: Sample) -> Shape:
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
            checked if "recordings" in sample else {},  # older documents have one recording, and say nothing about it
            what=Literal["strands", "moment", "time"],
            scheme=str,
            depth=Several,
            burden_ns=Duration,
        )

    def conclude(self, chosen: ParallelismParameters, samples: Sequence[Sample]) -> Conclusion:
        of = grouped(samples, "what")
        strands, moments, timed = (of.get((what,), []) for what in ("strands", "moment", "time"))
        tables: list[ReportTable] = []
        drawn: list[Figure] = []
        for (name,), found in grouped(strands, "scheme").items():
            scheme = f"{name} by rows" if chosen.schedule == "rows" else str(name)
            tables += [profile_table(scheme, found, "nodes"), estimates(scheme, found), clock_table(scheme, found)]
            mine = [sample for sample in timed if sample["scheme"] == name]
            drawn += figures(scheme, found, mine, _published(chosen) if name == "fork-join" else ())
            if running := [sample for sample in moments if sample["scheme"] == name]:
                table, plot = over_time(scheme, running)
                tables.append(table)
                drawn.append(plot)
        notes: list[str] = []
        beside, within = bounds(strands, timed)
        if beside.rows:
            tables.append(beside)
            notes.append(within)
            columns = (beside.column(name) for name in ("scheme", "workers", "speed-up"))
            faster = [(str(scheme), number(workers), each) for scheme, workers, each in zip(*columns, strict=True)]
            notes += doubtful(faster, chosen.rounds)
        unlike = [f"{sample['scheme']} at depth {sample['depth']}" for sample in strands if sample.get("unlike")]
        if unlike:
            notes.append(f"Recordings of one worker differ in nodes, and must not: {', '.join(unlike)}.")
        return Conclusion(
            tables=tuple(tables),
            figures=tuple(drawn),
            notes=(*notes, *_notes(chosen, strands, timed), *beyond_cores(chosen.workers)),
            passed=not unlike,
        )


def _notes(chosen: ParallelismParameters, strands: Sequence[Sample], timed: Sequence[Sample]) -> Iterator[str]:
    """What a migration was taken for, and what must not be concluded."""
    if strands:
        burden, seen = max(number(sample["burden_ns"]) for sample in strands), int(number(strands[0]["migrations"]))
        how = f"the median of {seen} seen on this machine" if seen else "given, not measured"
        yield (
            f"A migration takes {burden / 1000:.1f} µs ({how}); in nodes it counts as {chosen.burden_nodes:g}, "
            "whatever the machine."
        )
    lost = max((number(sample["lost_share_least"]) for sample in strands if "lost_share_least" in sample), default=0.0)
    if lost > 1 - ENOUGH_CORES:
        yield (
            f"Even the least disturbed recording lost {lost:.0%} of its time to others: what is in nanoseconds "
            "is not to be trusted. What is in nodes does not depend on it."
        )
    fitting = [sample for sample in timed if number(sample["workers"]) <= usable_cores()]
    sides = grouped(fitting, "scheme", "workers")
    yield from disturbed(
        {
            f"{scheme} with {how_many(int(number(workers)), 'worker')}": found
            for (scheme, workers), found in sides.items()
        }
    )
    if any(sample["lost"] for sample in strands):
        yield "Some events found no room: the spans of those rows are too short."


def _published(chosen: ParallelismParameters) -> tuple[tuple[str, str], ...]:
    """Tables of reports whose program divides its games so."""
    if chosen.rules == "002":
        return (("002", "profile"),) if chosen.schedule == "one" else ()
    return (("004", "cilkview"),) if chosen.schedule == "rows" else ()


def _depths(chosen: ParallelismParameters, scheme: str) -> tuple[int, ...]:
    return chosen.depths if scheme == "fork-join" else chosen.search_depths


def _weight(chosen: ParallelismParameters, scheme: str, depth: int) -> float:
    """A ply of minimax costs some seven times the ply before, one of alpha-beta some three."""
    least = min(_depths(chosen, scheme))
    return float((7 if scheme == "fork-join" else 3) ** (depth - least))


def _options(chosen: ParallelismParameters, scheme: str, workers: int) -> dict[str, Any]:
    threshold = chosen.granularity if scheme == "fork-join" else chosen.threshold
    levels = 64 if scheme == "jamboree" else None  # every level: how parallel the tree is, not report 001's program
    return {
        "parallel": scheme,
        "workers": workers,
        "threshold": threshold,
        "levels": levels,
        "schedule": chosen.schedule,
    }


def _searches(chosen: ParallelismParameters, scheme: str, depth: int, stop: Stop, **options: Any) -> Iterator[Result]:
    """The searches of one measurement."""
    if scheme == "fork-join":
        yield from self_play(depth, RULES[chosen.rules], new_board(), stop=stop, **options)
    else:
        yield search(usual_board(), Limits(depth=depth), stop=stop, algorithm="pvs", **options)


def _strands(chosen: ParallelismParameters, scheme: str, depth: int, stop: Stop) -> list[Sample]:
    """One worker's events, folded; of the deepest search also when they could run."""
    burden, seen = (chosen.burden, 0) if chosen.burden is not None else measured_burden()
    deepest = depth == max(_depths(chosen, scheme))
    parts = PARTS_OF_A_TURN if scheme == "fork-join" else PARTS_OF_A_ROOT

    def searches(recording: EventRecording) -> Iterator[Result]:
        return _searches(chosen, scheme, depth, stop, instrument=recording, **_options(chosen, scheme, 1))

    try:
        found = recorded(
            searches,
            chosen.recordings,
            burdens={"nanoseconds": burden, "nodes": chosen.burden_nodes},
            parts=parts if deepest else 0,
        )
    except BrokenOff:
        return []
    sample: Sample = {
        "what": "strands",
        "scheme": scheme,
        "depth": depth,
        "burden_ns": burden,
        "migrations": seen,
        "nodes": found.nodes,
        "lost": found.lost,
        "unlike": found.unlike,
        "recordings": chosen.recordings,
        "lost_share_least": min(cost.lost_share for cost in found.costs),
        "lost_share_most": max(cost.lost_share for cost in found.costs),
        "switches_least": min(cost.switches for cost in found.costs),
        **{f"{name}_{unit}": value for unit in UNITS for name, value in asdict(found.totals[unit]).items()},
    }
    moments: list[Sample] = [
        {"what": "moment", "scheme": scheme, "depth": depth, "root": root, "strands": strands, "nodes": span / parts}
        for root, (span, running) in enumerate(found.moments, 1)
        for strands in running
    ]
    return [sample, *moments]


def _timed(
    chosen: ParallelismParameters, scheme: str, depth: int, workers: int, round_: int, stop: Stop
) -> list[Sample]:
    seconds, useful, nodes = 0.0, 0.0, 0
    options = _options(chosen, scheme, workers)
    try:
        with unnoted():
            next(_searches(chosen, scheme, min(depth, WARM_DEPTH), stop, **options), None)
        before = os.times()
        for found in _searches(chosen, scheme, depth, stop, **options):
            seconds, nodes = seconds + found.seconds, nodes + found.nodes
            useful += sum(worker.useful_seconds for worker in found.workers)
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
