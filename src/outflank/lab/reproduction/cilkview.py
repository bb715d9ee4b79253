"""Reports 002 and 004 under Cilk's tools: what cilkview counts of a game, what speed-up that allows, and races.

The integers follow from the trees that the programs search (`lab/cilk.py`). What they measure in instructions is in
nodes here, so that ratios are close and the numbers themselves are not to be compared.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial

from outflank.lab.cilk import Loops, loops_of_game
from outflank.lab.literature import published, rows
from outflank.lab.measuring import number
from outflank.lab.report import Figure, Plot, Sample, Series
from outflank.lab.reproduction.sections import (
    EQUAL,
    FACTS,
    GIVEN,
    Expected,
    ExperimentPart,
    FoundCell,
    Measure,
    PublishedTable,
    Setting,
    Source,
    close,
    machine,
)
from outflank.lab.spans import NO_SPANS
from outflank.search.contract import Stop

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
    # Equal to the digit, and yet no finding of ours alone: half of it is the report's own number.
    "instructions_per_strand": close(1.001, "Instructions per strand are their work over our strands, 3 spawns + 1."),
    "strands_along_span": ALONG,
    "instructions_per_strand_on_span": ALONG,
    "frames": EQUAL,
}
"""What the columns of both profiles have to be, as far as they are the same."""

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

Along = Callable[[Loops], int]

ALONG_SPAN: dict[str, Along] = {
    "002": lambda found: 2 * (found.levels + found.nested) + 1,
    "004": lambda found: found.levels + found.nested,
}
"""Strands along the span. A level is two strands in one report's table and one in the other's; neither says why."""

TABLES = {"002": "profile", "004": "cilkview"}

_played: dict[tuple[str, int], Loops] = {}


def _loops(report: str, depth: int, stop: Stop) -> Loops:
    """Of a game that is played once, however many tables it is in."""
    if (report, depth) not in _played:
        _played[report, depth] = loops_of_game(report, depth, stop=stop)
    return _played[report, depth]


def _printed(report: str, depth: int) -> dict[str, float]:
    return next(row for row in rows(report, TABLES[report]) if row["depth"] == depth)


def games(report: str, depths: Iterable[int]) -> list[Measure]:
    """A report's profile, a task for each depth."""
    return [
        Measure(f"game at depth {depth}", partial(_profile, report, depth), float(4 ** (depth - 6))) for depth in depths
    ]


def _profile(report: str, depth: int, stop: Stop) -> Iterable[FoundCell]:
    found, printed = _loops(report, depth, stop), _printed(report, depth)
    spans, along = found.spans, ALONG_SPAN[report](found)
    cells: Sample = {
        "work": found.work,
        "span": found.span,
        "burdened_span": round(spans.burdened_span),
        "parallelism": round(spans.parallelism, 2),
        "burdened_parallelism": round(spans.burdened_parallelism, 2),
        "spawns": found.spawns,
        "instructions_per_strand": int(printed["work"]) // found.strands,
        "strands_along_span": along,
        "instructions_per_strand_on_span": int(printed["span"]) // along,
        "frames": found.frames,
    }
    if report == "004":
        cells["atomic_instructions"] = found.spawns + 3 * found.turns + 121
        cells["entries"] = found.turns
    return [FoundCell((depth,), column, ours) for column, ours in cells.items()]


def atomics(samples: Sequence[Sample]) -> Iterable[FoundCell]:
    """What our runtime needs of them, from the samples of `parallelism`."""
    return [
        FoundCell((sample["depth"],), "atomic_instructions", sample["atomics_nodes"])
        for sample in samples
        if sample["what"] == "strands"
    ]


def profile_figures(report: str, found: Sequence[FoundCell]) -> Sequence[Figure]:
    """Work and spans by depth, and both parallelisms, beside the published ones."""
    ours: dict[str, list[tuple[float | str, float]]] = {}
    for cell in found:
        ours.setdefault(cell.column, []).append((number(cell.row[0]), number(cell.ours)))

    def both(*columns: str) -> tuple[Series, ...]:
        printed = rows(report, TABLES[report])
        theirs = (
            Series(
                name=f"{column.replace('_', ' ')}, {report}",
                points=tuple((row["depth"], row[column]) for row in printed),
                style="points",
                published=True,
            )
            for column in columns
        )
        mine = (
            Series(
                name=column.replace("_", " "), points=tuple(sorted(ours[column], key=lambda point: number(point[0])))
            )
            for column in columns
            if column in ours
        )
        return (*mine, *theirs)

    depth = "search depth (plies)"
    return [
        Plot(
            title="work, span and burdened span",
            x=depth,
            y="nodes; instructions there",
            log_y=True,
            series=both("work", "burdened_span", "span"),
            caption="Two units: it is the slopes that can be compared.",
        ),
        Plot(
            title="parallelism",
            x=depth,
            y="work / span",
            log_y=True,
            series=both("parallelism", "burdened_parallelism"),
        ),
    ]


# --- the speed-ups that report 002's figure 3 allows ---

SPEEDUPS: dict[str, Expected] = {
    f"processors_{count}": close(
        2.0, "Lower estimates by Cilkview's formula, from work and burdened span: in instructions there, in nodes here."
    )
    for count in PROCESSORS
}


def estimated(depths: Iterable[int]) -> list[Measure]:
    """Report 002's table of speed-ups from our own work and span."""
    return [Measure(f"game at depth {depth}", partial(_estimated, depth), float(4 ** (depth - 6))) for depth in depths]


def _estimated(depth: int, stop: Stop) -> Iterable[FoundCell]:
    spans = _loops("002", depth, stop).spans
    return [FoundCell((depth,), f"processors_{count}", round(spans.slowest_speedup(count), 2)) for count in PROCESSORS]


def by_formula(stop: Stop) -> Iterable[FoundCell]:
    """The same table by our formula from its own work and burdened span: the formula is Cilkview's."""
    for row, printed in zip(rows("002", "profile"), rows("002", "speedup"), strict=True):
        spans = replace(NO_SPANS, work=row["work"], span=row["span"], burdened_span=row["burdened_span"])
        for count in PROCESSORS:
            column = f"processors_{count}"
            yield FoundCell((row["depth"],), column, round(spans.slowest_speedup(count), 2), published=printed[column])


def speedup_figures(found: Sequence[FoundCell]) -> Sequence[Figure]:
    """Speed-ups over processors, a curve for each depth."""
    ours: dict[float, list[tuple[float | str, float]]] = {}
    for cell in found:
        count = int(cell.column.removeprefix("processors_"))
        ours.setdefault(number(cell.row[0]), []).append((count, number(cell.ours)))
    theirs = (
        Series(
            name=f"depth {row['depth']}, 002",
            points=tuple((count, row[f"processors_{count}"]) for count in PROCESSORS),
            style="points",
            published=True,
        )
        for row in rows("002", "speedup")
    )
    mine = (Series(name=f"depth {depth:g}", points=tuple(points)) for depth, points in sorted(ours.items()))
    return [
        Plot(
            title="speed-up, lower estimate",
            x="processors",
            y="speed-up",
            log_x=True,
            log_y=True,
            series=(*mine, *theirs),
        )
    ]


# --- races ---


RACES = ("data_races", "race_checked_depths")
"""What the reports' texts say of them."""

RACE_SIZE, RACE_DEPTH = 4, 3
"""A small board, and no more plies than it takes to nest frames."""


def races(report: str, where: str) -> PublishedTable:
    """Cilkscreen's question, put to the scheme that stands for the report's program."""
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


def _undeclared(samples: Sequence[Sample]) -> Iterable[FoundCell]:
    """Races that nobody has accepted."""
    return [
        FoundCell(
            ("data_races",), "value", sum(sample["what"] == "race" and not sample["declared"] for sample in samples)
        )
    ]
