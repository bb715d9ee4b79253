"""What recorded searches say: tables of work and span, the speed-ups they allow, and strands over time."""

from collections.abc import Iterable, Sequence
from itertools import accumulate

from outflank.lab.literature import curve
from outflank.lab.measuring import ENOUGH_CORES, RANGES, grouped, median, number, processor_share, speed_up_range
from outflank.lab.report import Cell, Figure, Plot, ReportTable, Sample, Series
from outflank.lab.spans import Spans
from outflank.machine import usable_cores
from outflank.words import how_many

PROCESSORS = (2, 4, 8, 16, 32, 64, 128, 256)
TOLERANCE = 0.1
"""By how much a measured speed-up may lie outside its bounds: processors are shared, and clocks are not perfect."""


def spans_in(sample: Sample, unit: str) -> Spans:
    """The work and span that a sample holds, in one unit."""
    return Spans(**{name: sample[f"{name}_{unit}"] for name in Spans.__dataclass_fields__})  # type: ignore[arg-type]  # as written


def profile_table(scheme: str, samples: Sequence[Sample], unit: str) -> ReportTable:
    """What cilkview prints, by depth."""
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
    """The same as a clock saw it, with what is known about how well it saw."""
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


def estimates(scheme: str, samples: Sequence[Sample]) -> ReportTable:
    """The speed-up that work and span in nodes allow."""
    rows: list[Sample] = []
    worthless = False
    for sample in samples:
        spans = spans_in(sample, "nodes")
        cells: Sample = {"depth": sample["depth"]}
        for workers in PROCESSORS:
            low = spans.slowest_speedup(workers)
            worthless = worthless or low == 1.0
            cells[f"{workers}"] = f"{low:.2f} – {spans.fastest_speedup(workers):.2f}"
        rows.append(cells)
    notes = ["From work and span in nodes: the same on every machine."]
    if worthless:
        notes.append(
            "A lower estimate of 1.00: sharing costs more there than it gains, and nobody has to share. (Cilkview's "
            "formula gives less than 1 then.)"
        )
    return ReportTable.of(f"{scheme}: speed-up estimate by processors, lower and upper bound", rows, notes=notes)


def bounds(strands: Iterable[Sample], timed: Iterable[Sample]) -> tuple[ReportTable, str]:
    """Measured speed-ups beside their bounds."""
    profiles = {(sample["scheme"], sample["depth"]): sample for sample in strands}
    runs = grouped(timed, "scheme", "depth", "workers")
    rows: list[Sample] = []
    for (scheme, depth, workers), found in runs.items():
        alone, profile = runs.get((scheme, depth, 1)), profiles.get((scheme, depth))
        if alone is None or profile is None or number(workers) > usable_cores():
            continue
        spans = spans_in(profile, "nodes")
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
                "why not": _why_outside(same_tree, low, high, [*alone, *found]),
            }
        )
    outside = [row for row in rows if not row["within bounds"]]
    if len(rows) == 1:
        told = "outside its" if outside else "within its"
    else:
        told = f"{len(outside)} outside their" if outside else "all within their"
    note = (
        "The bounds are those of the tree that one worker searches, in nodes. More workers search a larger one where "
        "brothers do not wait for each other, so nodes per second are held against them."
    )
    table = ReportTable.of("measured speed-up beside its bounds", rows, notes=(note,))
    return table, f"{how_many(len(rows), 'measured speed-up')}, {told} bounds (tolerance {TOLERANCE:.0%})."


def _why_outside(speedup: float, low: float, high: float, samples: Sequence[Sample]) -> Cell:
    """What is known about a speed-up that its bounds do not allow; nothing to say of one that they do."""
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
    """Work, span, parallelism and speed-up, in nodes; beside the tables of the reports that are named."""
    spans = {int(number(sample["depth"])): spans_in(sample, "nodes") for sample in strands}
    if not spans:
        return []

    def over_depth(name: str, values: dict[int, float]) -> Series:
        return Series(name=name, points=tuple(values.items()))

    parallel = [
        over_depth("parallelism", {depth: each.parallelism for depth, each in spans.items()}),
        over_depth("burdened parallelism", {depth: each.burdened_parallelism for depth, each in spans.items()}),
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
            y="nodes",
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
            caption="Ours in nodes; the reports' in instructions." if published else "",
        ),
        Plot(
            title=f"{scheme}: speed-up at depth {deepest}",
            x="processors",
            y="speed-up",
            log_x=True,
            log_y=True,
            series=tuple(estimate),
            caption=f"The band lies between the lower estimate and the upper bound, in nodes. {RANGES}",
        ),
    ]


def over_time(scheme: str, moments: Sequence[Sample]) -> tuple[ReportTable, Plot]:
    """How many strands could run at each moment of the span, were there processors for all of them."""
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
    enough: list[Sample] = []
    for count in PROCESSORS:
        rich = sum(width for width, height in zip(widths, running, strict=True) if height >= count)
        enough.append({"processors": count, "part of the span with work for all": f"{rich / span:.1%}"})
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
    return ReportTable.of(title, enough), plot


def _mean(widths: Sequence[float], heights: Sequence[float]) -> float:
    return sum(width * height for width, height in zip(widths, heights, strict=True)) / sum(widths)
