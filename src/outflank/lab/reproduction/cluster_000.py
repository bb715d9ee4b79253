"""Sources of report 000's tables on its cluster: 64 simulated processors, and two nodes of this machine.

The report's cluster no longer exists. So a search is recorded, and replayed on simulated nodes at the report's own
speed, 55 million boards in 3 776 s. The costs of its head, messages and network are assumed.
"""

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

from outflank.lab.experiment_report import Cell, Figure, Plot, Sample, Series
from outflank.lab.measuring.search_samples import Groups, grouped, median, number
from outflank.lab.report_programs.published_numbers import fact, rows
from outflank.lab.reproduction.published_sections import ExperimentPart, Finding, MeasuredCell, Setting, Source

PROGRAMS = {"par": "none", "par_rmi": "batch", "par_tuple": "depth:depth=7"}
"""Our replication policy for each of report 000's parallel programs."""

PROCESSORS = tuple(row["processors"] for row in rows("000", "speedup"))
THRESHOLDS = tuple(row["threshold"] for row in rows("000", "threshold_par"))
REPLICATED = tuple(row["min_depth"] for row in rows("000", "replication"))

RATE: float = round(fact("000", "boards_seq") / rows("000", "speedup")[0]["seq_total_s"] / 1e6, 4)
"""Speed of one node of report 000's cluster, in million boards per second."""

MACHINE: dict[str, float] = {
    "rate": RATE,
    "latency": 100.0,
    "bandwidth": 12.5,
    "head": 500.0,
    "message": 200.0,
    "entry": 2.0,
}
"""Simulated nodes. The rate is report 000's, the bandwidth Fast Ethernet's, the rest a guess for Java of its time."""

SIMULATED = (
    "Simulated: a recorded search of fewer plies than 17, replayed on so many nodes of the report's speed; network, "
    "messages and head are assumed."
)
MEASURED_SMALLER = "Two nodes of this machine instead of 64 processors, and fewer plies than 17."
HEAD_NOTE = (
    "Our nodes search parts with as many plies left as the threshold. What lies above is the head's, whose one table "
    "serves all: entries of more plies than the threshold need not be told, and are not. With a threshold of 5 and a "
    "replication depth of 7 par_tuple is therefore par, which has what the report's par_tuple wins."
)


def simulated(
    setting: Setting,
    cells: Any,
    *,
    thresholds: tuple[int, ...],
    nodes: tuple[int, ...],
    depth: int,
    programs: Sequence[str] = tuple(PROGRAMS),
    **more: Any,
) -> ExperimentPart:
    """Return an experiment that replays report 000's programs on simulated nodes with the speed of its cluster."""
    return ExperimentPart(
        "simulate",
        {
            "program": "000",
            "positions": ("start",),
            "depth": depth,
            "thresholds": thresholds,
            "nodes": nodes,
            "policies": tuple(PROGRAMS[program] for program in programs),
            "hidden": (7,),
            "measured": (1,),
            "rounds": setting.effort.choose(1, 1, 3),
            **MACHINE,
        },
        cells,
        weight=5.0 * len(thresholds),
        **more,
    )


def _replayed(samples: Sequence[Sample]) -> Groups:
    """Return the samples of simulated searches, by program, threshold and number of nodes."""
    simulated_samples = [sample for sample in samples if sample.get("what") == "simulated"]
    by_policy = {policy.partition(":")[0]: program for program, policy in PROGRAMS.items()}
    return {
        (by_policy[str(policy).partition(":")[0]], threshold, count): group
        for (policy, threshold, count), group in grouped(simulated_samples, "policy", "threshold", "count").items()
    }


def _steals(samples: Sequence[Sample]) -> float | None:
    attempts = sum(number(sample["steals_tried"]) for sample in samples)
    return 100 * sum(number(sample["steals_won"]) for sample in samples) / attempts if attempts else None


# --- thresholds ---


def threshold_sources(program: str, setting: Setting) -> Sequence[Source]:
    """Return simulations, or in a quick run measurements on two nodes. Searches with low thresholds are shallower."""
    sources = []
    for thresholds, depth in (
        ((1, 3, 5), setting.effort.choose(7, 9, 11)),
        ((7, 9), setting.effort.choose(11, 13, 15)),
    ):
        more: dict[str, Any] = {"show": False, "label": f"{program}, depth {depth}"}
        depth_note = f"Thresholds {', '.join(map(str, thresholds))}: depth {depth}."
        if setting.effort == "quick":
            measured = {"cluster": "inside:2", "policies": (PROGRAMS[program],), "thresholds": thresholds}
            cells = partial(_threshold_cells, PROGRAMS[program], depth_note)
            sources.append(ExperimentPart("threshold", {**measured, "depth": depth, "rounds": 1}, cells, **more))
        else:
            size: dict[str, Any] = {"thresholds": thresholds, "nodes": (64,), "depth": depth, "programs": (program,)}
            sources.append(simulated(setting, partial(_simulated_threshold_cells, program, depth_note), **size, **more))
    return sources


def _threshold_row(threshold: Cell, samples: Sequence[Sample], note: str) -> Iterable[MeasuredCell]:
    if not all(number(sample["jobs"]) for sample in samples):
        return
    yield MeasuredCell((threshold,), "app_s", median(samples, "useful_per_node"), note)
    yield MeasuredCell((threshold,), "overhead_s", median(samples, "overhead_per_node"), note)
    yield MeasuredCell((threshold,), "sum_s", median(samples, "seconds"), note)
    yield MeasuredCell((threshold,), "steal_success_percent", _steals(samples), note)
    yield MeasuredCell((threshold,), "bytes", round(median(samples, "bytes")), note)


def _threshold_cells(policy: str, depth_note: str, samples: Sequence[Sample]) -> Iterable[MeasuredCell]:
    policy_samples = [sample for sample in samples if sample.get("replication") == policy]
    for (threshold,), group in grouped(policy_samples, "threshold").items():
        yield from _threshold_row(threshold, group, f"{MEASURED_SMALLER} {depth_note}")


def _simulated_threshold_cells(program: str, depth_note: str, samples: Sequence[Sample]) -> Iterable[MeasuredCell]:
    for (replayed_program, threshold, _), group in _replayed(samples).items():
        if replayed_program == program:
            yield from _threshold_row(threshold, group, f"{SIMULATED} {depth_note}")


# --- replication of every entry ---


def everything_sources(setting: Setting) -> Sequence[Source]:
    """Return the measurement of two nodes that send each other every table entry."""
    size = {"depth": setting.effort.choose(7, 9, 11), "rounds": setting.effort.choose(1, 1, 3), "threshold": 3}
    options = {"cluster": "inside:2", "policies": ("depth",), "replication_depths": (2,)}
    return [ExperimentPart("replication", {**options, **size}, _everything_cells, show=False)]


def _everything_cells(samples: Sequence[Sample]) -> Iterable[MeasuredCell]:
    replicated = [sample for sample in samples if str(sample.get("replication")).startswith("depth:")]
    if replicated:
        useful, overhead = median(replicated, "useful_per_node"), median(replicated, "overhead_per_node")
        unreplicated = [sample for sample in samples if sample.get("replication") == "none"]
        without = median(unreplicated, "overhead_per_node") if unreplicated else 0.0
        exceeds = overhead - without > useful
        note = (
            f"On two nodes of this machine overhead is {overhead:.2g} s, and {without:.2g} s if nothing is told: what "
            f"entries add is {'more' if exceeds else 'less'} than the useful time, {useful:.2g} s."
        )
        row, finding = ("overhead_exceeds_application_from_processors",), Finding.VALUE if exceeds else Finding.NO
        yield MeasuredCell(row, "value", 2 if exceeds else None, note, finding=finding)


# --- replication depths ---


def replication_sources(setting: Setting) -> Sequence[Source]:
    """Return the measurement of several replication depths (least depths of sent entries) on two local nodes."""
    depth = setting.effort.choose(9, 12, 14)
    size = {"depth": depth, "rounds": setting.effort.choose(1, 1, 3), "threshold": 5}
    # Includes depths below the report's, since those above the threshold send nothing here.
    options = {"cluster": "inside:2", "policies": ("depth",), "replication_depths": (3, 4, *REPLICATED)}
    cells = partial(_replication_cells, depth_note=f"Depth {depth}.")
    return [ExperimentPart("replication", {**options, **size}, cells, weight=4.0)]


def _replication_cells(samples: Sequence[Sample], depth_note: str = "") -> Iterable[MeasuredCell]:
    note = f"{MEASURED_SMALLER} {depth_note}".strip()
    for (policy,), group in grouped(samples, "replication").items():
        name, _, depth = str(policy).partition("=")
        if name != "depth:depth" or int(depth) not in REPLICATED:
            continue
        messages = round(median(group, "messages"))
        hits = median(group, lambda sample: number(sample["replicated_hits"]) + number(sample["replicated_sorts"]))
        ours = {
            "app_s": median(group, "useful_per_node"),
            "overhead_s": median(group, "overhead_per_node"),
            "sum_s": median(group, "seconds"),
            "tt_sorts_and_hits": round(hits),
            "broadcast_s": median(group, "broadcast_seconds"),
            "broadcast_messages": messages,
        }
        finding = Finding.VALUE if messages else Finding.NOTHING_SENT
        for column, value in ours.items():
            yield MeasuredCell((int(depth),), column, value, note, finding=finding)


# --- speed-ups ---


def speedup_sources(setting: Setting) -> Sequence[Source]:
    """Return a simulation of all numbers of processors and, except in a quick run, a measurement on 1 and 2 nodes."""
    depth = setting.effort.choose(9, 13, 15)
    cells = partial(_speedup_cells, depth_note=f"Depth {depth}.")
    sources = [simulated(setting, cells, thresholds=(5,), nodes=PROCESSORS, depth=depth)]
    if setting.effort == "quick":
        return sources
    measured = {"cluster": "inside:2", "program": "000", "positions": ("start",), "nodes": (1, 2), "threshold": 5}
    size = {"depth": setting.effort.choose(9, 11, 13), "rounds": 3, "policies": tuple(PROGRAMS.values())}
    return [*sources, ExperimentPart("scaling", {**measured, **size}, weight=5.0)]


def serial_seconds(samples: Sequence[Sample]) -> float:
    """Return the seconds that the serial search takes at the speed of report 000's nodes."""
    alone = [sample for sample in samples if sample.get("what") == "alone"]
    return median(alone, "nodes") / (RATE * 1e6)


def _speedup_cells(samples: Sequence[Sample], depth_note: str = "") -> Iterable[MeasuredCell]:
    note = f"{SIMULATED} {depth_note}".strip()
    yield MeasuredCell((1,), "seq_total_s", serial_seconds(samples), note)
    for (program, _, count), group in _replayed(samples).items():
        yield MeasuredCell((count,), f"{program}_app_s", median(group, "useful_per_node"), note)
        yield MeasuredCell((count,), f"{program}_overhead_s", median(group, "overhead_per_node"), note)
        yield MeasuredCell((count,), f"{program}_total_s", median(group, "seconds"), note)


def speedup_figure(cells: Sequence[MeasuredCell]) -> Sequence[Figure]:
    """Return report 000's plot of speed-ups: the serial time divided by the time of each parallel program."""
    ours = {(cell.row[0], cell.column): number(cell.ours) for cell in cells if cell.ours is not None}
    printed = {(row["processors"], name): row[name] for row in rows("000", "speedup") for name in row}
    series = []
    for seconds_by_cell, published in ((ours, False), (printed, True)):
        serial = seconds_by_cell.get((1, "seq_total_s"))
        if not serial:
            continue
        for program in PROGRAMS:
            times = [(count, seconds_by_cell.get((count, f"{program}_total_s"))) for count in PROCESSORS]
            name = f"000 {program}" if published else program
            ratios = tuple((float(count), serial / seconds) for count, seconds in times if seconds)
            series.append(Series(name=name, points=ratios, published=published))
    linear = Series(name="linear", points=tuple((float(count), float(count)) for count in PROCESSORS), style="dashed")
    return [
        Plot(
            title="speed-up by processors",
            x="processors",
            y="speed-up",
            series=(*series, linear),
            log_x=True,
            log_y=True,
            caption="Ours is simulated, on a smaller tree; par is hidden by par_tuple, which is the same here.",
        )
    ]


# --- numbers in the text ---


def discussion_sources(setting: Setting) -> Sequence[Source]:
    """Return a simulation on 1, 16 and 64 processors, to which the numbers in report 000's text refer."""
    depth = setting.effort.choose(7, 13, 15)
    counts = (1, 16, 64)
    cells = partial(_discussion_cells, depth_note=f"Depth {depth}.")
    return [simulated(setting, cells, thresholds=(5,), nodes=counts, depth=depth, show=False)]


def _discussion_cells(samples: Sequence[Sample], depth_note: str = "") -> Iterable[MeasuredCell]:
    note = f"{SIMULATED} {depth_note}".strip()
    serial = serial_seconds(samples)
    replayed = {(program, count): group for (program, _, count), group in _replayed(samples).items()}
    for program in PROGRAMS:
        if group := replayed.get((program, 64)):
            yield MeasuredCell((f"speedup_64_{program}",), "value", serial / median(group, "seconds"), note)
    if group := replayed.get(("par_tuple", 64)):
        useful = median(group, "useful_per_node")
        yield MeasuredCell(("application_speedup_64_par_tuple",), "value", serial / useful if useful else None, note)
        yield MeasuredCell(("boards_64_par_tuple",), "value", round(64 * useful * RATE * 1e6), note)
        yield MeasuredCell(("search_overhead_factor",), "value", 64 * useful / serial, note)
    for program in ("par_tuple", "par_rmi"):
        if group := replayed.get((program, 64)):
            spent = median(group, "broadcast_seconds") / 64
            yield MeasuredCell((f"broadcast_seconds_{program}",), "value", spent, note)
    for program, name in (("par", "par_overhead_percent"), ("par_tuple", "par_tuple_overhead_percent")):
        if group := replayed.get((program, 1)):
            yield MeasuredCell((name,), "value", 100 * (median(group, "seconds") / serial - 1), note)
    equal = [
        count
        for (program, count), group in replayed.items()
        if program == "par_tuple" and isinstance(count, int) and _equally_fast(group, replayed.get(("par_rmi", count)))
    ]
    counts_text = ", ".join(str(count) for program, count in replayed if program == "par_tuple")
    equality_note = f"par_tuple and par_rmi within a tenth of each other: {counts_text} processors were tried."
    finding = Finding.VALUE if equal else Finding.NO
    yield MeasuredCell(
        ("equally_fast_up_to_processors",), "value", max(equal, default=None), equality_note, finding=finding
    )


def _equally_fast(first: Sequence[Sample], second: Sequence[Sample] | None) -> bool:
    """Return whether two programs have median times within a tenth of each other, as in report 000."""
    return bool(second) and abs(median(first, "seconds") / median(second or first, "seconds") - 1) < 0.1
