"""Sources of report 000's tables on its cluster: its own machine, simulated, and two nodes of this machine.

The report's cluster no longer exists. The experiment `stealing` simulates it, at the costs that its own tables give.
"""

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

from outflank.lab.experiment_report import Cell, Figure, Plot, Sample, Series
from outflank.lab.measuring.search_samples import Groups, grouped, median, number
from outflank.lab.report_programs.published_numbers import fact, rows
from outflank.lab.reproduction.published_sections import (
    CellsOf,
    ExperimentPart,
    Finding,
    MeasuredCell,
    Setting,
    Source,
    no_cells,
)

PROGRAMS = {"par": "none", "par_rmi": "batch", "par_tuple": "depth:depth=7"}
"""Our replication policy for each of report 000's parallel programs, on real nodes."""

PROCESSORS = tuple(row["processors"] for row in rows("000", "speedup"))
THRESHOLDS = tuple(row["threshold"] for row in rows("000", "threshold_par"))
REPLICATED = tuple(row["min_depth"] for row in rows("000", "replication"))

BOARD_SECONDS: float = rows("000", "speedup")[0]["seq_total_s"] / fact("000", "boards_seq")
"""Seconds per board of the report's sequential program."""

SIMULATED = (
    "Simulated: nodes that steal from each other, with private tables, at the report's own costs; the search is real."
)


def plies(setting: Setting) -> int:
    """Return the depth of the simulated searches. In a full run it is the report's, and a search takes some minutes."""
    full: int = fact("000", "depth")
    return setting.effort.choose(11, 15, full)


def stealing(
    setting: Setting, cells: CellsOf = no_cells, *, show: bool = False, label: str = "", **more: Any
) -> ExperimentPart:
    """Return a simulation of report 000's programs; `more` are parameters of the experiment `stealing`."""
    usual = {"depth": plies(setting), "thresholds": (fact("000", "best_threshold"),)}
    parameters = {**usual, "table_bits": setting.effort.choose(14, 18, 18), **more}
    runs = len(parameters["programs"]) * len(parameters["thresholds"]) * len(parameters["nodes"])
    return ExperimentPart("stealing", parameters, cells, show=show, label=label, weight=0.5 * runs)


def _runs(samples: Sequence[Sample]) -> Groups:
    """Return the simulated runs by program, threshold and number of nodes."""
    return grouped([sample for sample in samples if sample.get("what") == "simulated"], "program", "threshold", "count")


def _times(
    key: Cell, group: Sequence[Sample], note: str, prefix: str = "", last: str = "sum_s"
) -> Iterable[MeasuredCell]:
    """Yield useful time, overhead and total time. Broadcasts count as useful, as in the report (`report_costs`)."""
    total = median(group, "seconds")
    overhead = median(group, "idle")
    yield MeasuredCell((key,), f"{prefix}app_s", total - overhead, note)
    yield MeasuredCell((key,), f"{prefix}overhead_s", overhead, note)
    yield MeasuredCell((key,), f"{prefix}{last}", total, note)


def steal_success(samples: Sequence[Sample]) -> float | None:
    """Return the share of requests for a job that were granted, in percent."""
    tried = sum(number(sample["tried"]) for sample in samples)
    return 100 * sum(number(sample["won"]) for sample in samples) / tried if tried else None


# --- thresholds ---


def threshold_sources(program: str, setting: Setting) -> Sequence[Source]:
    """Return simulations of 64 nodes with each of the report's thresholds, at one depth."""
    cells = partial(_threshold_cells, depth_note=f"Depth {plies(setting)}.")
    return [stealing(setting, cells, programs=(program,), thresholds=THRESHOLDS, nodes=(64,))]


def _threshold_cells(samples: Sequence[Sample], depth_note: str = "") -> Iterable[MeasuredCell]:
    note = f"{SIMULATED} {depth_note}".strip()
    for (_, threshold, _), group in _runs(samples).items():
        yield from _times(threshold, group, note)
        yield MeasuredCell((threshold,), "steal_success_percent", steal_success(group), note)
        yield MeasuredCell((threshold,), "bytes", round(median(group, "bytes")), note)


# --- replication of every entry ---


def everything_sources(setting: Setting) -> Sequence[Source]:
    """Return measurements of two nodes that send each other every table entry, with real and with simulated nodes."""
    size = {"depth": setting.effort.choose(7, 9, 11), "rounds": setting.effort.choose(1, 1, 3), "threshold": 3}
    options = {"cluster": "inside:2", "policies": ("depth",), "replication_depths": (2,)}
    return [
        ExperimentPart("replication", {**options, **size}, show=False),
        stealing(
            setting,
            _everything_cells,
            depth=setting.effort.choose(9, 13, 15),
            programs=("par_tuple:depth=2",),
            nodes=(2,),
            label="every entry",
        ),
    ]


def _everything_cells(samples: Sequence[Sample]) -> Iterable[MeasuredCell]:
    for group in _runs(samples).values():
        useful, told = median(group, "useful"), median(group, "sending") + median(group, "receiving")
        exceeds = told > useful
        note = (
            f"{SIMULATED} Entries take {told:.3g} s of each of two machines, {'more' if exceeds else 'less'} than the "
            f"useful time, {useful:.3g} s."
        )
        row, finding = ("overhead_exceeds_application_from_processors",), Finding.VALUE if exceeds else Finding.NO
        yield MeasuredCell(row, "value", 2 if exceeds else None, note, finding=finding)


# --- replication depths ---


def replication_sources(setting: Setting) -> Sequence[Source]:
    """Return simulations of 32 nodes with each of the report's replication depths, at one depth."""
    programs = tuple(f"par_tuple:depth={depth}" for depth in REPLICATED)
    cells = partial(_replication_cells, depth_note=f"Depth {plies(setting)}.")
    return [stealing(setting, cells, programs=programs, nodes=(32,), show=True)]


def _replication_cells(samples: Sequence[Sample], depth_note: str = "") -> Iterable[MeasuredCell]:
    note = f"{SIMULATED} {depth_note}".strip()
    for (program, _, count), group in _runs(samples).items():
        depth = int(str(program).rpartition("=")[2])
        updates = round(median(group, "updates"))
        finding = Finding.VALUE if updates else Finding.NOTHING_SENT
        ours = {
            "tt_sorts_and_hits": round(median(group, "foreign_hits")),
            "broadcast_s": median(group, "sending") * number(count),
            "broadcast_messages": updates,
        }
        for cell in _times(depth, group, note):
            yield MeasuredCell(cell.row, cell.column, cell.ours, note, finding=finding)
        for column, value in ours.items():
            yield MeasuredCell((depth,), column, value, note, finding=finding)


# --- speed-ups ---


def speedup_sources(setting: Setting) -> Sequence[Source]:
    """Return simulations of all numbers of processors and, except in a quick run, a measurement on 1 and 2 nodes."""
    cells = partial(_speedup_cells, depth_note=f"Depth {plies(setting)}.")
    sources = [stealing(setting, cells, programs=tuple(PROGRAMS), nodes=PROCESSORS, show=True)]
    if setting.effort == "quick":
        return sources
    measured = {"cluster": "inside:2", "program": "000", "positions": ("start",), "nodes": (1, 2), "threshold": 5}
    size = {"depth": setting.effort.choose(9, 11, 13), "rounds": 3, "policies": tuple(PROGRAMS.values())}
    return [*sources, ExperimentPart("scaling", {**measured, **size}, weight=5.0)]


def serial_seconds(samples: Sequence[Sample]) -> float:
    """Return the seconds that the serial search takes at the speed of report 000's nodes."""
    alone = [sample for sample in samples if sample.get("what") == "alone"]
    return median(alone, "boards") * BOARD_SECONDS


def _speedup_cells(samples: Sequence[Sample], depth_note: str = "") -> Iterable[MeasuredCell]:
    note = f"{SIMULATED} {depth_note}".strip()
    yield MeasuredCell((1,), "seq_total_s", serial_seconds(samples), note)
    for (program, _, count), group in _runs(samples).items():
        yield from _times(count, group, note, f"{program}_", "total_s")


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
            caption="Ours is simulated.",
        )
    ]


# --- numbers in the text ---


def best_sources(setting: Setting) -> Sequence[Source]:
    """Return simulations that find the best threshold and the best replication depth of `par_tuple`."""
    depths = tuple(f"par_tuple:depth={depth}" for depth in REPLICATED)
    return [
        stealing(
            setting,
            partial(_best_cell, "best_threshold", "threshold"),
            programs=("par_tuple",),
            thresholds=THRESHOLDS,
            nodes=(64,),
            label="thresholds",
        ),
        stealing(
            setting,
            partial(_best_cell, "best_replication_depth", "program"),
            programs=depths,
            nodes=(32,),
            label="replication depths",
        ),
    ]


def _best_cell(name: str, varied: str, samples: Sequence[Sample]) -> Iterable[MeasuredCell]:
    groups = grouped([sample for sample in samples if sample.get("what") == "simulated"], varied)
    if groups:
        seconds = {int(str(key).rpartition("=")[2]): median(group, "seconds") for (key,), group in groups.items()}
        text = ", ".join(f"{value:.4g} s ({key})" for key, value in seconds.items())
        yield MeasuredCell((name,), "value", min(seconds, key=lambda key: seconds[key]), f"{SIMULATED} {text}.")


def discussion_sources(setting: Setting) -> Sequence[Source]:
    """Return a simulation on 1, 16 and 64 processors, to which the numbers in report 000's text refer."""
    cells = partial(_discussion_cells, depth_note=f"Depth {plies(setting)}.")
    return [stealing(setting, cells, programs=tuple(PROGRAMS), nodes=(1, 16, 64))]


def _discussion_cells(samples: Sequence[Sample], depth_note: str = "") -> Iterable[MeasuredCell]:
    note = f"{SIMULATED} {depth_note}".strip()
    serial = serial_seconds(samples)
    runs = {(program, count): group for (program, _, count), group in _runs(samples).items()}
    for program in PROGRAMS:
        if group := runs.get((program, 64)):
            yield MeasuredCell((f"speedup_64_{program}",), "value", serial / median(group, "seconds"), note)
    if group := runs.get(("par_tuple", 64)):
        useful, boards = median(group, "useful"), median(group, "boards")
        yield MeasuredCell(("application_speedup_64_par_tuple",), "value", serial / useful if useful else None, note)
        yield MeasuredCell(("boards_64_par_tuple",), "value", round(boards), note)
        yield MeasuredCell(("search_overhead_factor",), "value", boards * BOARD_SECONDS / serial, note)
    for program in ("par_tuple", "par_rmi"):
        if group := runs.get((program, 64)):
            yield MeasuredCell((f"broadcast_seconds_{program}",), "value", median(group, "sending"), note)
    for program, name in (("par", "par_overhead_percent"), ("par_tuple", "par_tuple_overhead_percent")):
        if group := runs.get((program, 1)):
            percent = 100 * (median(group, "seconds") / serial - 1)
            derived = "The costs of a spawn and of a table are fitted to the report's times on one processor."
            yield MeasuredCell((name,), "value", percent, derived, finding=Finding.DERIVED)
    equal = [
        count
        for (program, count), group in runs.items()
        if program == "par_tuple" and isinstance(count, int) and _equally_fast(group, runs.get(("par_rmi", count)))
    ]
    counts_text = ", ".join(str(count) for program, count in runs if program == "par_tuple")
    equality_note = f"par_tuple and par_rmi within a tenth of each other: {counts_text} processors were tried."
    finding = Finding.VALUE if equal else Finding.NO
    yield MeasuredCell(
        ("equally_fast_up_to_processors",), "value", max(equal, default=None), equality_note, finding=finding
    )


def _equally_fast(first: Sequence[Sample], second: Sequence[Sample] | None) -> bool:
    """Return whether two programs have median times within a tenth of each other, as in report 000."""
    return bool(second) and abs(median(first, "seconds") / median(second or first, "seconds") - 1) < 0.1
