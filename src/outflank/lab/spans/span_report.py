"""Reports on recorded searches: work and span, the speed-ups that they allow, and running strands over time."""

from collections.abc import Iterable, Sequence
from itertools import accumulate

from outflank.lab.experiment_report import Cell, Figure, Plot, ReportTable, Sample, Series
from outflank.lab.measuring.search_samples import (
    ENOUGH_CORES,
    RANGE_NOTE,
    grouped,
    median,
    number,
    processor_share,
    speed_up_range,
)
from outflank.lab.report_programs.published_numbers import curve
from outflank.lab.spans.work_and_span import Spans
from outflank.machine import usable_cores
from outflank.validation.text import how_many

PROCESSORS = (2, 4, 8, 16, 32, 64, 128, 256)
TOLERANCE = 0.1
"""Relative tolerance for measured speed-ups outside their bounds, because cores are shared and clocks imperfect."""


def spans_in(sample: Sample, unit: str) -> Spans:
    """Return the work and span in a sample, in nodes or nanoseconds."""
    return Spans(**{name: sample[f"{name}_{unit}"] for name in Spans.__dataclass_fields__})  # type: ignore[arg-type]  # as written


def profile_table(scheme: str, samples: Sequence[Sample], unit: str) -> ReportTable:
    """Return a table of the figures that cilkview prints, by depth, in `unit`."""
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
    return ReportTable.of(f"{scheme}: parallelism in {unit}", rows)


def clock_table(scheme: str, samples: Sequence[Sample]) -> ReportTable:
    """Return the table of cilkview's figures in nanoseconds, with columns that tell how reliable these times are."""
    table = profile_table(scheme, samples, "nanoseconds")
    rows: list[Sample] = []
    for cells, sample in zip(table.rows, samples, strict=True):
        row = dict(zip(table.columns, cells, strict=True))
        if "recordings" in sample:
            row |= {
                "recordings": sample["recordings"],
                "lost processor time, least": f"{number(sample['lost_share_least']):.1%}",
                "lost processor time, most": f"{number(sample['lost_share_most']):.1%}",
                "preempted, least": sample["switches_least"],
            }
        rows.append(row)
    note = (
        "Each strand is taken at its least time of all recordings. One preemption of milliseconds on a path of "
        "microseconds makes that path the longest: these hold here and now alone. The estimates are in nodes."
    )
    return ReportTable.of(table.title, rows, notes=(note,))


def estimates_table(scheme: str, samples: Sequence[Sample]) -> ReportTable:
    """Return a table of the speed-ups that work and span, in nodes, allow by number of workers."""
    rows: list[Sample] = []
    no_gain = False
    for sample in samples:
        spans = spans_in(sample, "nodes")
        cells: Sample = {"depth": sample["depth"]}
        for workers in PROCESSORS:
            low = spans.slowest_speedup(workers)
            no_gain = no_gain or low == 1.0
            cells[f"{workers}"] = f"{low:.2f} – {spans.fastest_speedup(workers):.2f}"
        rows.append(cells)
    notes = ["From work and span in nodes: the same on every machine."]
    if no_gain:
        notes.append(
            "A lower estimate of 1.00: sharing costs more there than it gains, and nobody has to share. (Cilkview's "
            "formula gives less than 1 then.)"
        )
    return ReportTable.of(f"{scheme}: speed-up estimate by processors, lower and upper bound", rows, notes=notes)


def speed_up_bounds(strands: Iterable[Sample], timed: Iterable[Sample]) -> tuple[ReportTable, str]:
    """Return a table of measured speed-ups with their bounds, and a note on how many are within their bounds."""
    profiles = {(sample["scheme"], sample["depth"]): sample for sample in strands}
    runs = grouped(timed, "scheme", "depth", "workers")
    rows: list[Sample] = []
    for (scheme, depth, workers), samples in runs.items():
        alone, profile = runs.get((scheme, depth, 1)), profiles.get((scheme, depth))
        if alone is None or profile is None or number(workers) > usable_cores():
            continue
        spans = spans_in(profile, "nodes")
        count = int(number(workers))
        speedup = median(alone, "seconds") / median(samples, "seconds")
        same_tree = speedup * median(samples, "nodes") / median(alone, "nodes")
        low, high = spans.slowest_speedup(count), spans.fastest_speedup(count)
        rows.append(
            {
                "scheme": scheme,
                "depth": depth,
                "workers": workers,
                "median T(p) (s)": median(samples, "seconds"),
                "speed-up": speedup,
                "speed-up in nodes/s": same_tree,
                "lower bound": low,
                "upper bound": high,
                "within bounds": bool(low * (1 - TOLERANCE) <= same_tree <= high * (1 + TOLERANCE)),
                "why not": _why_outside(same_tree, low, high, [*alone, *samples]),
            }
        )
    outside = [row for row in rows if not row["within bounds"]]
    if len(rows) == 1:
        verdict = "outside its" if outside else "within its"
    else:
        verdict = f"{len(outside)} outside their" if outside else "all within their"
    note = (
        "The bounds are those of the tree that one worker searches, in nodes. More workers search a larger one where "
        "brothers do not wait for each other, so nodes per second are held against them."
    )
    table = ReportTable.of("measured speed-up beside its bounds", rows, notes=(note,))
    return table, f"{how_many(len(rows), 'measured speed-up')}, {verdict} bounds (tolerance {TOLERANCE:.0%})."


def _why_outside(speedup: float, low: float, high: float, samples: Sequence[Sample]) -> Cell:
    """Return a likely reason why a measured speed-up is outside its bounds, or None if it is within."""
    if low * (1 - TOLERANCE) <= speedup <= high * (1 + TOLERANCE):
        return None
    share = processor_share(samples)
    if share is not None and share < ENOUGH_CORES:
        return f"others had the cores: {share:.0%} of the processor time wanted was had"
    if speedup > high:
        return "one worker was slower per node than several: its time was disturbed, or memory favours more of them"
    return "a migration, or a worker's start, takes longer here than the estimate counts"


def figures(
    scheme: str, strands: Sequence[Sample], timed: Sequence[Sample], published: Sequence[tuple[str, str]]
) -> list[Figure]:
    """Return plots of work, span, parallelism and speed-up in nodes. `published` are pairs of report and table."""
    spans = {int(number(sample["depth"])): spans_in(sample, "nodes") for sample in strands}
    if not spans:
        return []

    def over_depth(name: str, values: dict[int, float]) -> Series:
        return Series(name=name, points=tuple(values.items()))

    parallel = [
        over_depth("parallelism", {depth: entry.parallelism for depth, entry in spans.items()}),
        over_depth("burdened parallelism", {depth: entry.burdened_parallelism for depth, entry in spans.items()}),
        *(curve(report, table, "depth", "parallelism") for report, table in published),
    ]
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
        speed_ups: list[tuple[float | str, float]] = []
        ranges = []
        for (workers,), samples in runs.items():
            speed_ups.append((number(workers), alone / median(samples, "seconds")))
            ranges.append(speed_up_range(runs[1,], samples))
        estimate.append(Series(name="measured", points=tuple(speed_ups), spread=tuple(ranges), style="points"))
    return [
        Plot(
            title=f"{scheme}: work and span",
            x="search depth (plies)",
            y="nodes",
            log_y=True,
            series=(
                over_depth("work", {depth: entry.work for depth, entry in spans.items()}),
                over_depth("burdened span", {depth: entry.burdened_span for depth, entry in spans.items()}),
                over_depth("span", {depth: entry.span for depth, entry in spans.items()}),
            ),
        ),
        Plot(
            title=f"{scheme}: parallelism",
            x="search depth (plies)",
            y="work / span",
            log_y=True,
            series=tuple(parallel),
            caption="Ours in nodes; the reports' in instructions." if published else "",
        ),
        Plot(
            title=f"{scheme}: speed-up at depth {deepest}",
            x="processors",
            y="speed-up",
            log_x=True,
            log_y=True,
            series=tuple(estimate),
            caption=f"The band lies between the lower estimate and the upper bound, in nodes. {RANGE_NOTE}",
        ),
    ]


def strands_over_time(scheme: str, moments: Sequence[Sample]) -> tuple[ReportTable, Plot]:
    """Return a table and a plot of the number of strands that could run at each time with unlimited processors."""
    widths = [number(sample["nodes"]) for sample in moments]
    running = [number(sample["strands"]) for sample in moments]
    ends = list(accumulate(widths))
    span = ends[-1]
    depth = moments[0]["depth"]
    edges = [
        (edge, height)
        for begin, end, height in zip([0.0, *ends[:-1]], ends, running, strict=True)
        for edge in (begin, end)
    ]
    rows: list[Sample] = []
    for count in PROCESSORS:
        busy_width = sum(width for width, height in zip(widths, running, strict=True) if height >= count)
        rows.append({"processors": count, "part of the span with work for all": f"{busy_width / span:.1%}"})
    title = f"{scheme}: strands at a time, depth {depth}"
    plot = Plot(
        title=title,
        x="time with unlimited processors (nodes)",
        y="strands",
        log_y=True,
        series=(
            Series(
                name="strands that could run",
                points=tuple(edges),
                spread=tuple((1.0, height) for _, height in edges),
                style="band",
            ),
            Series(
                name="parallelism, their mean",
                points=((0.0, _mean(widths, running)), (span, _mean(widths, running))),
                style="dashed",
            ),
        ),
        caption="Every strand begins as soon as what it waits for is done; means over equal parts of each root's span.",
    )
    return ReportTable.of(title, rows), plot


def _mean(widths: Sequence[float], heights: Sequence[float]) -> float:
    return sum(width * height for width, height in zip(widths, heights, strict=True)) / sum(widths)
