"""Report 000's tables of its cluster: 64 processors on paper, and two nodes of this machine beside them.

The machine is not there any more, and one like it is not here: a search is recorded and replayed on as many nodes at
the report's own speed, 55 million boards in 3 776 s. What its head, its messages and its network took is assumed.
"""

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

from outflank.lab.literature import fact, rows
from outflank.lab.measuring import grouped, median, number
from outflank.lab.report import Figure, Plot, Sample, Series
from outflank.lab.reproduction.sections import ExperimentPart, FoundCell, Setting, Source

PROGRAMS = {"par": "none", "par_rmi": "batch", "par_tuple": "depth:depth=7"}
"""The report's parallel programs, and how we call the way in which they tell each other of entries."""

PROCESSORS = tuple(row["processors"] for row in rows("000", "speedup"))
THRESHOLDS = tuple(row["threshold"] for row in rows("000", "threshold_par"))
REPLICATED = tuple(row["min_depth"] for row in rows("000", "replication"))

RATE: float = round(fact("000", "boards_seq") / rows("000", "speedup")[0]["seq_total_s"] / 1e6, 4)
"""Million boards a second."""

MACHINE: dict[str, Any] = {
    "rate": RATE,
    "latency": 100.0,
    "bandwidth": 12.5,
    "head": 500.0,
    "message": 200.0,
    "entry": 2.0,
}
"""Its nodes: the speed is the report's, 12.5 MB/s are Fast Ethernet's, the rest is guessed for Java of that time."""

ON_PAPER = (
    "Simulated: a recorded search of fewer plies than 17, replayed on so many nodes of the report's speed; network, "
    "messages and head are assumed."
)
SMALLER = "Two nodes of this machine instead of 64 processors, and fewer plies than 17."
OF_THE_HEAD = (
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
    """A part that replays report 000's programs on nodes of their time."""
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


def _replayed(samples: Sequence[Sample]) -> dict[tuple[Any, ...], list[Sample]]:
    """The simulated samples by program, threshold and nodes."""
    found = [sample for sample in samples if sample.get("what") == "simulated"]
    by_policy = {policy.partition(":")[0]: program for program, policy in PROGRAMS.items()}
    return {
        (by_policy[str(policy).partition(":")[0]], threshold, count): each
        for (policy, threshold, count), each in grouped(found, "policy", "threshold", "count").items()
    }


def _steals(found: Sequence[Sample]) -> float | None:
    tried = sum(number(sample["steals_tried"]) for sample in found)
    return 100 * sum(number(sample["steals_won"]) for sample in found) / tried if tried else None


# --- thresholds ---


def threshold_sources(program: str, setting: Setting) -> Sequence[Source]:
    """Simulated where there is time, else measured on two nodes; low thresholds in a search of fewer plies."""
    found = []
    for thresholds, depth in (
        ((1, 3, 5), setting.effort.choose(7, 9, 11)),
        ((7, 9), setting.effort.choose(11, 13, 15)),
    ):
        more: dict[str, Any] = {"show": False, "label": f"{program}, depth {depth}"}
        told = f"Thresholds {', '.join(map(str, thresholds))}: depth {depth}."
        if setting.effort == "quick":
            small = {"cluster": "inside:2", "policies": (PROGRAMS[program],), "thresholds": thresholds}
            cells = partial(_threshold_cells, PROGRAMS[program], told)
            found.append(ExperimentPart("threshold", {**small, "depth": depth, "rounds": 1}, cells, **more))
        else:
            size: dict[str, Any] = {"thresholds": thresholds, "nodes": (64,), "depth": depth, "programs": (program,)}
            found.append(simulated(setting, partial(_simulated_threshold_cells, program, told), **size, **more))
    return found


def _threshold_row(threshold: Any, found: Sequence[Sample], note: str) -> Iterable[FoundCell]:
    if not all(number(sample["jobs"]) for sample in found):
        return
    yield FoundCell((threshold,), "app_s", median(found, "useful_per_node"), note)
    yield FoundCell((threshold,), "overhead_s", median(found, "overhead_per_node"), note)
    yield FoundCell((threshold,), "sum_s", median(found, "seconds"), note)
    yield FoundCell((threshold,), "steal_success_percent", _steals(found), note)
    yield FoundCell((threshold,), "bytes", round(median(found, "bytes")), note)


def _threshold_cells(policy: str, told: str, samples: Sequence[Sample]) -> Iterable[FoundCell]:
    own = [sample for sample in samples if sample.get("replication") == policy]
    for (threshold,), found in grouped(own, "threshold").items():
        yield from _threshold_row(threshold, found, f"{SMALLER} {told}")


def _simulated_threshold_cells(program: str, told: str, samples: Sequence[Sample]) -> Iterable[FoundCell]:
    for (own, threshold, _), found in _replayed(samples).items():
        if own == program:
            yield from _threshold_row(threshold, found, f"{ON_PAPER} {told}")


# --- every entry is told ---


def everything_sources(setting: Setting) -> Sequence[Source]:
    """What it costs two nodes to tell each other of everything."""
    size = {"depth": setting.effort.choose(7, 9, 11), "rounds": setting.effort.choose(1, 1, 3), "threshold": 3}
    chosen = {"cluster": "inside:2", "policies": ("depth",), "replication_depths": (2,)}
    return [ExperimentPart("replication", {**chosen, **size}, _everything_cells, show=False)]


def _everything_cells(samples: Sequence[Sample]) -> Iterable[FoundCell]:
    told = [sample for sample in samples if str(sample.get("replication")).startswith("depth:")]
    if told:
        useful, overhead = median(told, "useful_per_node"), median(told, "overhead_per_node")
        untold = [sample for sample in samples if sample.get("replication") == "none"]
        without = median(untold, "overhead_per_node") if untold else 0.0
        exceeds = overhead - without > useful
        note = (
            f"On two nodes of this machine overhead is {overhead:.2g} s, and {without:.2g} s if nothing is told: what "
            f"entries add is {'more' if exceeds else 'less'} than the useful time, {useful:.2g} s."
        )
        yield FoundCell(("overhead_exceeds_application_from_processors",), "value", 2 if exceeds else None, note)


# --- what is replicated ---


def replication_sources(setting: Setting) -> Sequence[Source]:
    """On two nodes of this machine."""
    depth = setting.effort.choose(9, 12, 14)
    size = {"depth": depth, "rounds": setting.effort.choose(1, 1, 3), "threshold": 5}
    # Below the report's depths, for those above the threshold send nothing here.
    chosen = {"cluster": "inside:2", "policies": ("depth",), "replication_depths": (3, 4, *REPLICATED)}
    cells = partial(_replication_cells, told=f"Depth {depth}.")
    return [ExperimentPart("replication", {**chosen, **size}, cells, weight=4.0)]


def _replication_cells(samples: Sequence[Sample], told: str = "") -> Iterable[FoundCell]:
    note = f"{SMALLER} {told}".strip()
    for (policy,), found in grouped(samples, "replication").items():
        name, _, depth = str(policy).partition("=")
        if name != "depth:depth" or int(depth) not in REPLICATED:
            continue
        row = (int(depth),)
        yield FoundCell(row, "app_s", median(found, "useful_per_node"), note)
        yield FoundCell(row, "overhead_s", median(found, "overhead_per_node"), note)
        yield FoundCell(row, "sum_s", median(found, "seconds"), note)
        hits = median(found, lambda sample: number(sample["replicated_hits"]) + number(sample["replicated_sorts"]))
        yield FoundCell(row, "tt_sorts_and_hits", round(hits), note)
        yield FoundCell(row, "broadcast_s", median(found, "broadcast_seconds"), note)
        yield FoundCell(row, "broadcast_messages", round(median(found, "messages")), note)


# --- speed-ups ---


def speedup_sources(setting: Setting) -> Sequence[Source]:
    """On paper for all numbers of processors; really, where there is time, on one node and on two."""
    depth = setting.effort.choose(9, 13, 15)
    cells = partial(_speedup_cells, told=f"Depth {depth}.")
    found = [simulated(setting, cells, thresholds=(5,), nodes=PROCESSORS, depth=depth)]
    if setting.effort == "quick":
        return found
    real = {"cluster": "inside:2", "program": "000", "positions": ("start",), "nodes": (1, 2), "threshold": 5}
    size = {"depth": setting.effort.choose(9, 11, 13), "rounds": 3, "policies": tuple(PROGRAMS.values())}
    return [*found, ExperimentPart("scaling", {**real, **size}, weight=5.0)]


def serial_seconds(samples: Sequence[Sample]) -> float:
    """What the serial search takes at the report's speed."""
    alone = [sample for sample in samples if sample.get("what") == "alone"]
    return median(alone, "nodes") / (RATE * 1e6)


def _speedup_cells(samples: Sequence[Sample], told: str = "") -> Iterable[FoundCell]:
    note = f"{ON_PAPER} {told}".strip()
    yield FoundCell((1,), "seq_total_s", serial_seconds(samples), note)
    for (program, _, count), found in _replayed(samples).items():
        yield FoundCell((count,), f"{program}_app_s", median(found, "useful_per_node"), note)
        yield FoundCell((count,), f"{program}_overhead_s", median(found, "overhead_per_node"), note)
        yield FoundCell((count,), f"{program}_total_s", median(found, "seconds"), note)


def speedup_figure(found: Sequence[FoundCell]) -> Sequence[Figure]:
    """The report's plot: the serial time over that of each program."""
    ours = {(each.row[0], each.column): number(each.ours) for each in found if each.ours is not None}
    theirs = {(row["processors"], name): row[name] for row in rows("000", "speedup") for name in row}
    series = []
    for measured, published in ((ours, False), (theirs, True)):
        serial = measured.get((1, "seq_total_s"))
        if not serial:
            continue
        for program in PROGRAMS:
            points = [(count, measured.get((count, f"{program}_total_s"))) for count in PROCESSORS]
            name = f"000 {program}" if published else program
            drawn = tuple((float(count), serial / seconds) for count, seconds in points if seconds)
            series.append(Series(name=name, points=drawn, published=published))
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


# --- what the text says of them ---


def discussion_sources(setting: Setting) -> Sequence[Source]:
    """Facts about 64 processors and about the sixteen up to which two programs are equally fast."""
    depth = setting.effort.choose(7, 13, 15)
    counts = (1, 16, 64)
    cells = partial(_discussed, told=f"Depth {depth}.")
    return [simulated(setting, cells, thresholds=(5,), nodes=counts, depth=depth, show=False)]


def _discussed(samples: Sequence[Sample], told: str = "") -> Iterable[FoundCell]:
    note = f"{ON_PAPER} {told}".strip()
    serial = serial_seconds(samples)
    replayed = {(program, count): found for (program, _, count), found in _replayed(samples).items()}
    for program in PROGRAMS:
        if found := replayed.get((program, 64)):
            yield FoundCell((f"speedup_64_{program}",), "value", serial / median(found, "seconds"), note)
    if found := replayed.get(("par_tuple", 64)):
        useful = median(found, "useful_per_node")
        yield FoundCell(("application_speedup_64_par_tuple",), "value", serial / useful if useful else None, note)
        yield FoundCell(("boards_64_par_tuple",), "value", round(64 * useful * RATE * 1e6), note)
        yield FoundCell(("search_overhead_factor",), "value", 64 * useful / serial, note)
    for program in ("par_tuple", "par_rmi"):
        if found := replayed.get((program, 64)):
            spent = median(found, "broadcast_seconds") / 64
            yield FoundCell((f"broadcast_seconds_{program}",), "value", spent, note)
    for program, name in (("par", "par_overhead_percent"), ("par_tuple", "par_tuple_overhead_percent")):
        if found := replayed.get((program, 1)):
            yield FoundCell((name,), "value", 100 * (median(found, "seconds") / serial - 1), note)
    equal = [
        count
        for (program, count), found in replayed.items()
        if program == "par_tuple" and _equally_fast(found, replayed.get(("par_rmi", count)))
    ]
    tried = ", ".join(str(count) for program, count in replayed if program == "par_tuple")
    within = f"par_tuple and par_rmi within a tenth of each other: {tried} processors were tried."
    yield FoundCell(("equally_fast_up_to_processors",), "value", max(equal, default=None), within)


def _equally_fast(one: Sequence[Sample], other: Sequence[Sample] | None) -> bool:
    """Within a tenth, as the report's are."""
    return bool(other) and abs(median(one, "seconds") / median(other or one, "seconds") - 1) < 0.1
