"""Parts of reports 002 and 004 that use Cilk's tools: cilkview's profile of a game, estimated speed-ups, and races.

Spawns, strands and frames follow from the trees that the programs search (`lab/spans/cilkview_counts.py`). Cilkview
measures work in instructions, and we in nodes: ratios are close, but the numbers themselves are not comparable.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial

from outflank.lab.experiment_report import Figure, Plot, Sample, Series
from outflank.lab.measuring.search_samples import number
from outflank.lab.report_programs.published_numbers import published, rows
from outflank.lab.reproduction.published_sections import (
    EQUAL,
    FACTS,
    GIVEN,
    Expected,
    ExperimentPart,
    Finding,
    Measure,
    MeasuredCell,
    PublishedTable,
    Setting,
    Source,
    close,
    machine,
)
from outflank.lab.spans.cilkview_counts import Loops, loops_of_game
from outflank.lab.spans.work_and_span import NO_SPANS
from outflank.search.request import Stop

PROCESSORS = (2, 4, 8, 16, 32, 64, 128, 256)

INSTRUCTIONS = machine(
    "Work and spans are in instructions there, in nodes here: a node of the work is some 1 500 to 2 300 of theirs."
)
BURDEN = (
    "The burden is 20 000 to 25 000 of their instructions for each loop and halving on the longest path, and 10 nodes "
    "here, which are some 15 000 to 20 000: so our burdened parallelism is the greater one."
)
ALONG = close(
    1.05,
    "Strands along the span are those of the path that is longest in instructions there, in nodes here; instructions "
    "per strand on it are their span over our strands.",
)
PROFILE: dict[str, Expected] = {
    "work": INSTRUCTIONS,
    "span": INSTRUCTIONS,
    "burdened_span": INSTRUCTIONS,
    "spawns": EQUAL,
    "instructions_per_strand": machine("Instructions per strand are their work over our strands, 3 spawns + 1."),
    "strands_along_span": ALONG,
    "instructions_per_strand_on_span": ALONG,
    "frames": EQUAL,
}
"""Expected relation of our numbers to the published ones, for the columns of both reports' cilkview profiles."""

QUOTIENTS = ("instructions_per_strand", "instructions_per_strand_on_span")
"""Columns that divide the report's own instructions by our strands."""

SERIAL_PART_002 = (
    "Its span is some 1 475 instructions for each node of ours, and 10.4 million besides: what the program does "
    "between its searches. So shallow games are less parallel there; without that part its parallelism at depth 7 "
    "would be some 42 000."
)
PROFILE_002: dict[str, Expected] = {
    **PROFILE,
    "parallelism": close(2.5, SERIAL_PART_002),
    "burdened_parallelism": close(2.5, BURDEN),
    "atomic_instructions": machine("Atomic instructions are its library's there, our runtime's here."),
}
ATOMICS_004 = (
    "Atomic instructions are one a spawn, three an entry and 121 more, with our spawns and entries: a rule that was "
    "found from the table, which has one less at depth 1."
)
PROFILE_004: dict[str, Expected] = {
    **PROFILE,
    "parallelism": close(1.5),
    "burdened_parallelism": close(2.0, BURDEN),
    "atomic_instructions": close(1.01, ATOMICS_004),
    "entries": EQUAL,
}

StrandCount = Callable[[Loops], int]

ALONG_SPAN: dict[str, StrandCount] = {
    "002": lambda loops: 2 * (loops.levels + loops.nested) + 1,
    "004": lambda loops: loops.levels + loops.nested,
}
"""Number of strands along the span, by report. A loop or a halving is two strands in report 002's table and one in
004's; neither report gives the reason."""

TABLES = {"002": "profile", "004": "cilkview"}

_loops_cache: dict[tuple[str, int], Loops] = {}


def _loops(report: str, depth: int, stop: Stop) -> Loops:
    """Return cilkview's counts for a game of a report's program. Each game is played once and then cached."""
    if (report, depth) not in _loops_cache:
        _loops_cache[report, depth] = loops_of_game(report, depth, stop=stop)
    return _loops_cache[report, depth]


def _printed(report: str, depth: int) -> dict[str, float]:
    return next(row for row in rows(report, TABLES[report]) if row["depth"] == depth)


def games(report: str, depths: Iterable[int]) -> list[Measure]:
    """Return the sources of a report's cilkview profile, one for each depth."""
    return [
        Measure(f"game at depth {depth}", partial(_profile, report, depth), float(4 ** (depth - 6)), timed=False)
        for depth in depths
    ]


def _profile(report: str, depth: int, stop: Stop) -> Iterable[MeasuredCell]:
    loops, printed = _loops(report, depth, stop), _printed(report, depth)
    spans, strands_along_span = loops.spans, ALONG_SPAN[report](loops)
    cells: Sample = {
        "work": loops.work,
        "span": loops.span,
        "burdened_span": round(spans.burdened_span),
        "parallelism": round(spans.parallelism, 2),
        "burdened_parallelism": round(spans.burdened_parallelism, 2),
        "spawns": loops.spawns,
        "instructions_per_strand": int(printed["work"]) // loops.strands,
        "strands_along_span": strands_along_span,
        "instructions_per_strand_on_span": int(printed["span"]) // strands_along_span,
        "frames": loops.frames,
    }
    if report == "004":
        cells["atomic_instructions"] = loops.spawns + 3 * loops.turns + 121
        cells["entries"] = loops.turns
    return [
        MeasuredCell((depth,), column, ours, finding=Finding.DERIVED if column in QUOTIENTS else Finding.VALUE)
        for column, ours in cells.items()
    ]


def atomics(samples: Sequence[Sample]) -> Iterable[MeasuredCell]:
    """Return the number of our runtime's atomic instructions by depth, from samples of experiment `parallelism`."""
    return [
        MeasuredCell((sample["depth"],), "atomic_instructions", sample["atomics_nodes"])
        for sample in samples
        if sample["what"] == "strands"
    ]


def profile_figures(report: str, cells: Sequence[MeasuredCell]) -> Sequence[Figure]:
    """Return plots of work and span by depth, and of parallelism by depth, beside the published values."""
    ours: dict[str, list[tuple[float | str, float]]] = {}
    for cell in cells:
        ours.setdefault(cell.column, []).append((number(cell.row[0]), number(cell.ours)))

    def series_of(*columns: str) -> tuple[Series, ...]:
        printed = rows(report, TABLES[report])
        published_series = (
            Series(
                name=f"{column.replace('_', ' ')}, {report}",
                points=tuple((row["depth"], row[column]) for row in printed),
                style="points",
                published=True,
            )
            for column in columns
        )
        own_series = (
            Series(
                name=column.replace("_", " "), points=tuple(sorted(ours[column], key=lambda point: number(point[0])))
            )
            for column in columns
            if column in ours
        )
        return (*own_series, *published_series)

    depth = "search depth (plies)"
    return [
        Plot(
            title="work, span and burdened span",
            x=depth,
            y="nodes; instructions there",
            log_y=True,
            series=series_of("work", "burdened_span", "span"),
            caption="Two units: it is the slopes that can be compared.",
        ),
        Plot(
            title="parallelism",
            x=depth,
            y="work / span",
            log_y=True,
            series=series_of("parallelism", "burdened_parallelism"),
        ),
    ]


# --- estimated speed-ups: report 002's figure 3 ---

SPEEDUPS: dict[str, Expected] = {
    f"processors_{count}": close(
        2.0, "Lower estimates by Cilkview's formula, from work and burdened span: in instructions there, in nodes here."
    )
    for count in PROCESSORS
}


def estimated(depths: Iterable[int]) -> list[Measure]:
    """Return the sources of report 002's estimated speed-ups, from our own work and span, one for each depth."""
    return [
        Measure(f"game at depth {depth}", partial(_estimated, depth), float(4 ** (depth - 6)), timed=False)
        for depth in depths
    ]


def _estimated(depth: int, stop: Stop) -> Iterable[MeasuredCell]:
    spans = _loops("002", depth, stop).spans
    return [
        MeasuredCell((depth,), f"processors_{count}", round(spans.slowest_speedup(count), 2)) for count in PROCESSORS
    ]


def by_formula(stop: Stop) -> Iterable[MeasuredCell]:
    """Yield our formula's speed-ups for report 002's work and burdened span, beside the published speed-ups."""
    for row, printed in zip(rows("002", "profile"), rows("002", "speedup"), strict=True):
        spans = replace(NO_SPANS, work=row["work"], span=row["span"], burdened_span=row["burdened_span"])
        for count in PROCESSORS:
            column = f"processors_{count}"
            yield MeasuredCell(
                (row["depth"],), column, round(spans.slowest_speedup(count), 2), published=printed[column]
            )


def speedup_figures(cells: Sequence[MeasuredCell]) -> Sequence[Figure]:
    """Return the plot of estimated speed-ups by number of processors, one curve per depth."""
    ours: dict[float, list[tuple[float | str, float]]] = {}
    for cell in cells:
        count = int(cell.column.removeprefix("processors_"))
        ours.setdefault(number(cell.row[0]), []).append((count, number(cell.ours)))
    published_series = (
        Series(
            name=f"depth {row['depth']}, 002",
            points=tuple((count, row[f"processors_{count}"]) for count in PROCESSORS),
            style="points",
            published=True,
        )
        for row in rows("002", "speedup")
    )
    own_series = (Series(name=f"depth {depth:g}", points=tuple(points)) for depth, points in sorted(ours.items()))
    return [
        Plot(
            title="speed-up, lower estimate",
            x="processors",
            y="speed-up",
            log_x=True,
            log_y=True,
            series=(*own_series, *published_series),
        )
    ]


# --- races ---


RACES = ("data_races", "race_checked_depths")
"""Names of the numbers on data races in the texts of the published reports."""

RACE_SIZE, RACE_DEPTH = 4, 3
"""Side of the board and search depth for the race check. Depth 3 is the least with nested split points."""


def races(report: str, where: str) -> PublishedTable:
    """Return the section on a report's data races. The report used Cilkscreen; we check our scheme `fork-join`."""
    return PublishedTable(
        report=report,
        where=where,
        title="unordered accesses to the same memory",
        table=FACTS,
        only=RACES,
        key=("fact",),
        expected={"value": EQUAL},
        single={((name,), "value"): GIVEN for name in published(report)["facts"] if name == "race_checked_depths"},
        sources=_races,
        notes=(
            "Races that the source declares, with a reason each, are counted apart; cilkscreen knows none such.",
            "Ours are looked for in our own runtime, every access watched in the interpreter: on a board of "
            f"{RACE_SIZE} × {RACE_SIZE} squares, to {RACE_DEPTH} plies, under the number of interleavings that is "
            "below as schedules. Cilkscreen ran the report's own program.",
        ),
    )


def _races(setting: Setting) -> Sequence[Source]:
    size = {"size": RACE_SIZE, "depth": RACE_DEPTH, "schedules": setting.effort.choose(1, 4, 16)}
    return [ExperimentPart("races", {"schemes": ("fork-join",), **size}, cells=_undeclared)]


def _undeclared(samples: Sequence[Sample]) -> Iterable[MeasuredCell]:
    """Return our number of data races that no declaration in the source accepts."""
    return [
        MeasuredCell(
            ("data_races",), "value", sum(sample["what"] == "race" and not sample["declared"] for sample in samples)
        )
    ]
