"""Sections of the published report 001: principal variation search, Jamboree and a shared table."""

from collections.abc import Iterable, Sequence
from functools import partial
from statistics import fmean

from outflank.lab.experiment import core_counts
from outflank.lab.experiment_report import Sample
from outflank.lab.measuring.hashes import hashes
from outflank.lab.report_programs.published_numbers import fact, rows
from outflank.lab.reproduction.published_sections import (
    EQUAL,
    FACTS,
    GIVEN,
    ExperimentPart,
    Finding,
    Measure,
    MeasuredCell,
    PublishedTable,
    Setting,
    Source,
    machine,
    measure_games,
)
from outflank.lab.reproduction.text_001 import evaluations, pruning
from outflank.lab.studies.windows import SERIAL, mean_of
from outflank.machine import this_machine
from outflank.placement import topology
from outflank.search.request import Stop

COUNTED = ("SerialPVS", "AlphaBeta", "ParallelPVS", "ParallelAlphaBeta")
"""The four algorithms for which report 001 prints node counts."""

TIMED = (*COUNTED, "Jamboree", "SharedHashtable", "ABDADA")
"""The algorithms that report 001's benchmarks time, and ABDADA, which is its future work."""

SCHEMES = ("root-split", "jamboree", "shared-table", "abdada", "ybw")
"""Schemes that divide one search: the report's three, the one of its future work, and our default."""

OUR_HASH = next(iter(hashes()))
"""Hash function of our transposition table."""

DEPTH = fact("001", "counted_depth")


def _nodes(setting: Setting) -> Sequence[Source]:
    # The report's counts take some fifteen seconds on two cores, so a quick run has them too. The correct windows take
    # as long again, so a quick run searches them less deep.
    quick = setting.effort == "quick"
    size = {"algorithms": COUNTED, "workers": setting.workers}
    sources = [ExperimentPart("nodes", {**size, "depth": DEPTH, "turned": not quick}, _means, weight=12.0)]
    return [*sources, ExperimentPart("nodes", {**size, "depth": 8}, label="windows turned over")] if quick else sources


def _means(samples: Sequence[Sample]) -> Iterable[MeasuredCell]:
    for name in COUNTED:
        mean = mean_of(samples, name)
        if mean is not None:
            yield MeasuredCell((name, DEPTH), "nodes_per_turn", round(mean))


def _text(games: int, stop: Stop) -> Iterable[MeasuredCell]:
    """Yield our values for the numbers in report 001's text: its method, the machine, and a ratio of node counts."""
    published_games = fact("001", "runs_per_colour")
    note = (
        ""
        if games == published_games
        else f"Games of each colour: {games} in the benchmarks below; without --quick {published_games}."
    )
    yield MeasuredCell(("runs_per_colour",), "value", games, note)
    host, layout = this_machine(), topology()
    memory, cache = host.memory_bytes, layout.last_cache_bytes
    yield MeasuredCell(("numa_nodes",), "value", len(layout.nodes))
    yield MeasuredCell(("memory_gigabytes",), "value", None if memory is None else round(memory / 1e9))
    yield MeasuredCell(("l3_cache_kilobytes",), "value", None if cache is None else cache // 1024)
    printed = {row["algorithm"]: row["nodes_per_turn"] for row in rows("001", "nodes")}
    times = [printed[parallel] / printed[serial] for parallel, serial in SERIAL.items()]
    note = "Ten times: ours is the mean of 9.4 for PVS and 9.5 for alpha-beta, from its own four counts, which have to "
    note += "come out below."
    fact_name = ("parallel_over_serial_nodes_about",)
    yield MeasuredCell(fact_name, "value", round(fmean(times), 2), note, finding=Finding.DERIVED)


def _games(setting: Setting) -> int:
    """Return the number of games to play with each colour, by the run's effort."""
    count: int = setting.effort.choose(1, fact("001", "runs_per_colour"), fact("001", "runs_per_colour"))
    return count


def _benchmarks(setting: Setting) -> Sequence[Source]:
    effort = setting.effort
    size = {
        "depths": effort.choose((4, 5), (5, 6), (7, 8)),
        "games": _games(setting),
        "workers": core_counts(),
    }
    return [ExperimentPart("times", {**size, "algorithms": TIMED}, weight=effort.choose(1.0, 6.0, 60.0))]


def _placement(setting: Setting) -> Sequence[Source]:
    effort = setting.effort
    return [
        ExperimentPart(
            "placement",
            {"depth": effort.choose(9, 11, 13), "rounds": effort.choose(1, 3, 5), "workers": setting.workers},
            weight=effort.choose(0.5, 1.0, 2.0),
        )
    ]


def _levels(setting: Setting) -> Sequence[Source]:
    size = {"rounds": setting.effort.choose(1, 3, 5), "depth": setting.effort.choose(9, 11, 12)}
    return [ExperimentPart("levels", {**size, "workers": setting.workers})]


def _pruning(setting: Setting) -> Sequence[Source]:
    depth = setting.effort.choose(5, 7, 8)
    return [Measure("pruning", partial(pruning, depth), setting.effort.choose(0.3, 1.0, 3.0))]


def _evaluations(setting: Setting) -> Sequence[Source]:
    effort = setting.effort
    run = partial(evaluations, effort.choose(4, 20, 100), 3, effort == "quick")
    return [measure_games(effort, "games", run, effort.choose(1.0, 8.0, 20.0))]


def _shared_table(setting: Setting) -> Sequence[Source]:
    effort = setting.effort
    scaling = {
        "schemes": SCHEMES,
        "workers": tuple(dict.fromkeys((1, setting.workers))),
        "depth": effort.choose(9, 11, 13),
        "rounds": effort.choose(1, 3, 3),
    }
    hashed = {"hashes": (OUR_HASH,), "bits": effort.choose(16, 20, 20), "boards": (effort.choose(12, 16, 16),)}
    return [
        ExperimentPart("scaling", scaling, weight=effort.choose(0.3, 2.0, 10.0)),
        ExperimentPart("hash", hashed, weight=effort.choose(0.2, 0.5, 0.5)),
    ]


def _branching(setting: Setting) -> Sequence[Source]:
    depth = setting.effort.choose(4, 6, 6)
    first = {"depth": depth, "opponent": "first", "evaluations": ("mobility",)}
    return [
        ExperimentPart("branching", {"depth": depth, "games": setting.effort.choose(1, 1, 5)}),
        ExperimentPart("branching", first, label="against the first-move player"),
    ]


WINDOWS = (
    "The four are counted by the report's rules: every call below the root is a node, a pass costs a ply, moves come "
    "as the squares are numbered, black starts on d4 and e5, and the means are over the turns of one game as white. "
    "That start is the usual one (its Figure 1) with rows numbered from below, as in chess: its e6 of Figure 2 is e3.",
    "The report's 10 times is mostly the window of its serial programs: turned over, as it has to be, they enter "
    "1,169,204 (PVS) and 2,601,539 nodes a turn. That is a factor of 5.3 and 4.3, and 1.8 and 2.2 are left to "
    "parallelism; without --quick it is counted below.",
)

SECTIONS: tuple[PublishedTable, ...] = (
    PublishedTable(
        report="001",
        where="Algorithms",
        title="what alpha-beta and PVS leave out",
        sources=_pruning,
    ),
    PublishedTable(
        report="001",
        where="Implementation Details",
        title="levels of Jamboree",
        sources=_levels,
        notes=(
            "The report says that it divides the first log(P) levels. Its program divides the root, and below it half "
            "of log2(2P) levels, rounded down: 2 in all for 2 workers, 4 for 32.",
        ),
    ),
    PublishedTable(
        report="001",
        where="Implementation Details, evaluation",
        title="mobility against discs, in games",
        sources=_evaluations,
    ),
    PublishedTable(
        report="001",
        where="Evaluation",
        title="branching",
        sources=_branching,
        notes=(
            "The report found more branching in games against the random player than against others: its own moves "
            "per turn stand in both tables, and its counts below are against the first-move player.",
        ),
    ),
    PublishedTable(
        report="001",
        where="Evaluation, in the text",
        title="numbers of the method and of the machine",
        table=FACTS,
        key=("fact",),
        single={
            **{((name,), "value"): GIVEN for name in ("counted_depth", "runs_per_colour", "parallel_levels")},
        },
        expected={"value": machine("Memory nodes, memory and cache are the machine's.")},
        sources=lambda setting: [Measure("this machine, and its own numbers", partial(_text, _games(setting)), 0.1)],
    ),
    PublishedTable(
        report="001",
        where="Experimental Results",
        title="nodes per turn",
        table="nodes",
        key=("algorithm", "depth"),
        expected={"nodes_per_turn": EQUAL},
        sources=_nodes,
        notes=WINDOWS,
    ),
    PublishedTable(
        report="001",
        where="Experimental Results, benchmarks",
        title="running times by cores and depth, and their speed-up",
        sources=_benchmarks,
        notes=(
            "The report's figures (running times at depths 9 to 12, speed-up by depth) are pictures, whose numbers "
            "stand nowhere in its text: there is nothing to set beside ours. With --full the depths are the same.",
        ),
    ),
    PublishedTable(
        report="001",
        where="Future Work",
        title="workers and tables placed on cores and memory nodes",
        sources=_placement,
    ),
    PublishedTable(
        report="001",
        where="Future Work, shared table",
        title="schemes on a common table, and where boards collide",
        sources=_shared_table,
    ),
)
