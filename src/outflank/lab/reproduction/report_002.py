"""Sections of the published report 002: fork-join minimax with a granularity (least depth that is divided)."""

from collections.abc import Iterable, Sequence
from functools import partial

from outflank.lab.experiment import core_counts
from outflank.lab.experiment_report import Figure, Plot, Sample, Series
from outflank.lab.measuring.search_samples import number
from outflank.lab.report_programs.classroom import RULES_002, final_discs
from outflank.lab.report_programs.published_numbers import published
from outflank.lab.reproduction import cilkview
from outflank.lab.reproduction.published_sections import (
    EQUAL,
    FACTS,
    GIVEN,
    ExperimentPart,
    Measure,
    MeasuredCell,
    PublishedTable,
    Setting,
    Source,
    measure_games,
)
from outflank.lab.reproduction.text_001 import RANDOM, matches
from outflank.lab.reproduction.timed_games import EFFICIENCY_002, FURTHER_002, GRANULARITY
from outflank.lab.spans.cilkview_counts import loops_of_game
from outflank.othello.programs import SERIAL_PLY_002
from outflank.search.request import Stop

DEPTHS = (3, 4, 5, 6, 7)

GRANULARITIES = (1, 2, 3, 4)
"""Granularities as the report counts them: the least remaining depth of divided nodes. 1 divides all nodes."""

OWN_RUNTIME, CILK_LOOPS = "our runtime", "Cilk's loops"
"""Names of two ways to count the burden: by our way of handing out moves, and by the halvings of Cilk's loops."""


def _profile(setting: Setting) -> Sequence[Source]:
    size = {
        "depths": setting.effort.choose((3, 4, 5), DEPTHS, DEPTHS),
        "rounds": setting.effort.choose(1, 1, 5),
        "recordings": setting.effort.choose(1, 1, 5),
        "workers": core_counts(),
    }
    own_runtime = ExperimentPart("parallelism", {"schemes": ("fork-join",), **size}, cells=cilkview.atomics, weight=3.0)
    return [*cilkview.games("002", DEPTHS), own_runtime]


def _discs(stop: Stop) -> Iterable[MeasuredCell]:
    published_discs = published("002")["explained"]["final_discs"]
    for depth, (black, white) in zip(published_discs["depths"], published_discs["values"], strict=True):
        discs = final_discs(depth, RULES_002, stop=stop)
        yield MeasuredCell((depth,), "X", discs[0], published=black)
        yield MeasuredCell((depth,), "O", discs[1], published=white)


DISC_MATCHES = (("discs", RANDOM), ("discs", "mobility"))
"""Pairs of players whose matches show how strong the evaluation `discs` is."""


def _evaluation(setting: Setting) -> Sequence[Source]:
    if setting.effort == "quick":
        return []
    run = partial(matches, DISC_MATCHES, setting.effort.choose(2, 50, 200), 3)
    return [measure_games(setting.effort, "matches", run, 5.0)]


def _granularity(setting: Setting) -> Sequence[Source]:
    size = {"rounds": setting.effort.choose(1, 3, 5), "depth": setting.effort.choose(5, 6, 7)}
    return [ExperimentPart("granularity", {**size, "workers": setting.workers})]


def _parallelism_by_granularity(setting: Setting) -> Sequence[Source]:
    depth = setting.effort.choose(4, 5, 5)
    size = {"depths": (depth,), "rounds": 1, "recordings": 1, "workers": (1,), "burden": 0.0}
    own_runtime = [
        ExperimentPart(
            "parallelism",
            {"schemes": ("fork-join",), "granularity": granularity - 1, **size},
            cells=partial(_own_parallelism, granularity),
            show=False,
            label=f"granularity {granularity}",
            weight=0.5 / granularity,
        )
        for granularity in GRANULARITIES
    ]
    return [Measure("Cilk's loops", partial(_parallelism_of_loops, depth), 0.3, timed=False), *own_runtime]


def _parallelism_of_loops(depth: int, stop: Stop) -> Iterable[MeasuredCell]:
    for granularity in GRANULARITIES:
        spans = loops_of_game("002", depth, serial_ply=granularity - 1, stop=stop).spans
        yield MeasuredCell((granularity,), CILK_LOOPS, spans.burdened_parallelism)


def _own_parallelism(granularity: int, samples: Sequence[Sample]) -> Iterable[MeasuredCell]:
    for sample in samples:
        if sample["what"] == "strands":
            burdened = number(sample["work_nodes"]) / number(sample["burdened_span_nodes"])
            yield MeasuredCell((granularity,), OWN_RUNTIME, burdened)


def _granularity_figure(cells: Sequence[MeasuredCell]) -> Sequence[Figure]:
    series = (
        Series(
            name=column,
            points=tuple((number(cell.row[0]), number(cell.ours)) for cell in cells if cell.column == column),
        )
        for column in (OWN_RUNTIME, CILK_LOOPS)
    )
    return [
        Plot(
            title="burdened parallelism by granularity",
            x="least plies left that are divided",
            y="work / burdened span",
            series=tuple(series),
        )
    ]


SECTIONS: tuple[PublishedTable, ...] = (
    PublishedTable(
        report="002",
        where="My Solution",
        title="counting discs, in matches at depth 3",
        printed=False,
        sources=_evaluation,
        absent="With --quick no games are played.",
    ),
    PublishedTable(
        report="002",
        where="Granularity",
        title="how many plies are left to one worker",
        table=FACTS,
        key=("fact",),
        only=GRANULARITY,
        single={((name,), "value"): GIVEN for name in GRANULARITY},
        sources=_granularity,
        notes=(
            "Its granularity of 3 is the least depth that is still divided; ours, in the table below, the greatest "
            f"that is not: {SERIAL_PLY_002} is its choice, with which its program is run on this page.",
        ),
    ),
    PublishedTable(
        report="002",
        where="Granularity, parallelism",
        title="burdened parallelism by granularity",
        printed=False,
        sources=_parallelism_by_granularity,
        figures=_granularity_figure,
    ),
    FURTHER_002,
    cilkview.races("002", "Data Races"),
    PublishedTable(
        report="002",
        where="Figures 1 and 2",
        title="parallelism profile",
        table="profile",
        key=("depth",),
        expected=cilkview.PROFILE_002,
        sources=_profile,
        figures=partial(cilkview.profile_figures, "002"),
        absent="With --quick our own runtime plays no deeper than 5 plies.",
        notes=(
            "The trees are those of a game by these rules, which its spawns and frames follow from. "
            + published("002")["rule"],
            "The tables of `parallelism` below are of our own runtime, which searches the same trees. Its work leaves "
            "out the roots, it shares no move that is alone (so it has fewer spawns), and what a migration delays is "
            "counted by its own way of handing out moves.",
        ),
    ),
    PublishedTable(
        report="002",
        where="Figure 3",
        title="speed-up by depth",
        table="speedup",
        key=("depth",),
        expected=cilkview.SPEEDUPS,
        sources=lambda setting: cilkview.estimated(DEPTHS),
        figures=cilkview.speedup_figures,
    ),
    PublishedTable(
        report="002",
        where="Figure 3, its formula",
        title="speed-up by depth, by our formula from its own work and burdened span",
        key=("depth",),
        expected=dict.fromkeys(cilkview.SPEEDUPS, EQUAL),
        printed=False,
        sources=lambda setting: [Measure("its formula", cilkview.by_formula, 0.1)],
    ),
    EFFICIENCY_002,
    PublishedTable(
        report="002",
        where="The classroom program",
        title="discs at the end of a game, by depth",
        key=("depth",),
        expected={"X": EQUAL, "O": EQUAL},
        printed=False,
        sources=lambda setting: [Measure("final discs", _discs, 0.2)],
        notes=("No report prints them: what the program says that reports 002 and 004 began with.",),
    ),
)
