"""Sections of the published report 003: Abalone with alpha-beta that is split at the root."""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from outflank.abalone.board import AbaloneBoard
from outflank.abalone.rules import MARBLES, Kind
from outflank.games.evaluation import evaluation_named, value
from outflank.lab.experiment_report import Sample
from outflank.lab.measuring.search_log import log_search
from outflank.lab.report_programs.classroom import lab_search_003
from outflank.lab.report_programs.published_numbers import fact, published
from outflank.lab.reproduction.details_003 import detail_sources
from outflank.lab.reproduction.published_sections import (
    EQUAL,
    FACTS,
    GIVEN,
    Expected,
    ExperimentPart,
    Measure,
    MeasuredCell,
    PublishedTable,
    Setting,
    Source,
    close,
)
from outflank.lab.reproduction.text_003 import IN_TABLES, TEXT, check_stop, text_sources
from outflank.lab.studies.imbalance import allowed, root_work
from outflank.players.clock import Clock, TimeControl
from outflank.players.timing import Adaptive003, DepthRule
from outflank.search.perft import perft
from outflank.search.request import Stop
from outflank.validation.documents import JsonObject

RINGS = {"45/35/25/10/0": "rings-lab", "70/60/40/10/1": "rings"}
"""Our evaluation for each of report 003's two sets of ring weights: before and after its change of weights."""

THREADS = fact("003", "threads")


def _part(experiment: str, setting: Setting, *sizes: JsonObject, **more: Any) -> ExperimentPart:
    """Return an experiment with the parameters for the effort, from `sizes` for quick, usual and full runs."""
    return ExperimentPart(experiment, setting.effort.choose(*sizes), **more)


def _duels(
    setting: Setting, *about: str, usual: Mapping[str, object] = {}, full: Mapping[str, object] = {}, label: str = ""
) -> list[ExperimentPart]:
    """Return matches that test the ideas `about`. Each ends when a sequential test decides, or at a number of games.

    A quick run has no matches, because its few games would decide nothing. The default search depth is odd. At depth 2
    both sides move to and fro: all 70 games of five matches were drawn by repetition.
    """
    if setting.effort == "quick":
        return []
    games = setting.effort.choose({}, {"games": 16, **usual}, {"games": 80, **full})
    return [ExperimentPart("duels", {"about": about, "sequential": True, **games}, label=label)]


NO_GAMES = "Not with --quick: a few games would decide nothing."

FEW = {"games": 4}
"""Most games of a match in a usual run, for matches that decide no claim, and for matches that 16 games do not decide.
A full run plays more."""

SHORT_CLOCK, LONG_CLOCK = {"games": 10, "clock": "1s"}, {"games": 40, "clock": "3s"}
"""Games with a clock in usual and in full runs. With the report's 60 seconds a match could take half a day. The claim
on games that are lost on time needs at least 10 games."""


# --- move ordering ---

RANKED = (("OUT", "pushing out"), ("PUSH", "pushing"), ("MOVE", "inline"), ("", "board side"))
"""Kinds of Abalone moves: the beginning of our name, and report 003's name."""


def ranking() -> list[tuple[int, str]]:
    """Return the kinds of moves with their number of marbles, in our program's order, best first. Report 003 does not
    distinguish left from right, or how many marbles are pushed."""
    kinds = [(int(MARBLES[kind]), next(name for start, name in RANKED if kind.name.startswith(start))) for kind in Kind]
    return list(dict.fromkeys(kinds))


def _ranking(stop: Stop) -> Iterable[MeasuredCell]:
    for rank, (stones, kind) in enumerate(ranking(), 1):
        yield MeasuredCell((rank,), "stones", stones)
        if stones > 1:  # the report names no kind for a single marble
            yield MeasuredCell((rank,), "kind", kind)


OTHER_RANK: Expected = close(
    1.0,
    "Ranks 6 to 8: the program whose evaluations come out to the digit tries side steps before two marbles in line. "
    "By its text, the report did not sort by its list at all, but went through the moves backwards.",
)


# --- adaptive depth, rings ---

COLUMNS = {"remaining_s_below": "seconds_below", "remaining_s_above": "seconds_above", "score_below": "value_below"}
"""Field of `DepthRule` for each column of conditions in report 003's table of adaptive depths."""


def _adaptive_rules(stop: Stop) -> Iterable[MeasuredCell]:
    """Yield the conditions of our player's depth rules, and its depth when each rule is the first that applies."""
    board, policy = AbaloneBoard.start(), Adaptive003()
    for row, rule in enumerate(policy.RULES, 1):
        for column, name in COLUMNS.items():
            if getattr(rule, name) is not None:
                yield MeasuredCell((row,), column, getattr(rule, name))
        seconds, last = _where_it_applies(rule)
        control = TimeControl(game_seconds=policy.MINUTE)
        clock = Clock(control=control, left_seconds=seconds)
        yield MeasuredCell((row,), "depth", policy.budget(board, clock, last).depth)


def _where_it_applies(rule: DepthRule) -> tuple[float, int]:
    """Return the seconds left and the last search's value for which `rule` is the first that applies."""
    if rule.seconds_below is not None:
        return rule.seconds_below - 0.1, 0
    seconds = Adaptive003.MINUTE / 2 if rule.seconds_above is None else rule.seconds_above + 0.1
    return seconds, 0 if rule.value_below is None else rule.value_below - 1


def _rings(stop: Stop) -> Iterable[MeasuredCell]:
    game = AbaloneBoard.start().game
    for column, name in (("weight_before", "rings-lab"), ("weight_after", "rings")):
        weights = tuple(evaluation_named(game, name))
        for (ring,) in {row for row, _ in _section("rings").published()}:
            yield MeasuredCell((ring,), column, weights[int(ring)])  # type: ignore[arg-type]  # rings are numbers


# --- pruning ---


def _evaluations(setting: Setting) -> Sequence[Source]:
    return [
        Measure("leaves of the whole tree", partial(_perft, setting.workers), 0.5, timed=False),
        Measure("leaves of alpha-beta", partial(_leaves, setting.workers), 0.5, timed=False),
    ]


def _perft(workers: int, stop: Stop) -> Iterable[MeasuredCell]:
    board = AbaloneBoard.start()
    log_search(board, 5, algorithm="perft", workers=workers)
    yield MeasuredCell(("minimax", 5), "evaluations", perft(board, 5, workers=workers).leaves)


def _leaves(workers: int, stop: Stop) -> Iterable[MeasuredCell]:
    board, shared = AbaloneBoard.start(), {"parallel": "root-split", "workers": workers}
    result = lab_search_003(board, 5, "rings", share_alpha=False, stop=stop, **shared)
    check_stop(stop)
    yield MeasuredCell(("alpha-beta", 5), "evaluations", result.leaves)


BY_PROGRAM = ("pruning at depth", "evaluations by program")
BY_ORDER = ("pruning by the order", "evaluations by the order")
"""Beginnings of titles of tables and figures of the experiment `pruning`. `BY_PROGRAM` belongs to the report's Figure
2.5, and `BY_ORDER` to Figure 2.4."""


def _pruning(setting: Setting, show: tuple[str, ...], label: str = "") -> ExperimentPart:
    """Return the experiment `pruning`, measured once, with the tables and figures for Figure 2.4 or for Figure 2.5."""
    return ExperimentPart("pruning", {"depth": setting.effort.choose(3, 4, 4)}, show=show, label=label)


def _imbalance(setting: Setting) -> Sequence[Source]:
    small = {"rounds": 1, "timed_depth": 4}
    return [_part("imbalance", setting, small, {"rounds": 3}, {"rounds": 5}, cells=_speedups)]


def _speedups(samples: Sequence[Sample]) -> Iterable[MeasuredCell]:
    """Yield the greatest speed-up on 48 threads that the root moves of report 003's positions allow."""
    work = root_work(samples)
    for row, column in _section("speedup").published():
        position = str(row[0])
        if position in work:
            yield MeasuredCell(row, column, round(allowed(work[position], THREADS), 2), note=SIMULATED)


SIMULATED = (
    "No 48 cores here: ours are the evaluations of the root moves, counted one by one and divided among 48 threads as "
    "its schedule does. What this machine measures on its own cores is beside them."
)


def _laboratory(stop: Stop) -> Iterable[MeasuredCell]:
    board, explained = AbaloneBoard.start(), published("003")["explained"]
    for rings, shares_alpha, published_value, leaves in explained["lab_depth_3"]["rows"]:
        result = lab_search_003(board, 3, RINGS[rings], share_alpha=shares_alpha, stop=stop)
        check_stop(stop)
        row = (f"depth 3, rings {rings}, alpha {'shared' if shares_alpha else 'not shared'}",)
        yield MeasuredCell(row, "value", result.value, published=published_value)
        yield MeasuredCell(row, "evaluations", result.leaves, published=leaves)
    evaluation = evaluation_named(board.game, "rings-lab")
    start = -int(value(evaluation, board.game, board.position, ()))
    (published_start,) = explained["start_value"]["values"]
    yield MeasuredCell(("the start, for the side that moved last",), "value", start, published=published_start)


# --- the sections, in the report's order ---


def _schedule(setting: Setting) -> Sequence[Source]:
    small: JsonObject = {"rounds": 1, "depth": 4, "positions": ("midgame2",)}
    size = setting.effort.choose(small, {"rounds": 3, "depth": 4}, {"rounds": 5})
    return [ExperimentPart("schedule", {**size, "workers": setting.workers})]


def _master(setting: Setting) -> Sequence[Source]:
    size = {"rounds": setting.effort.choose(1, 3, 5), "depth": setting.effort.choose(4, 5, 6)}
    common = {"game": "abalone", "algorithm": "alphabeta", **size}
    return [
        ExperimentPart("scaling", {"schemes": ("root-split", "pv-split", "ybw"), **common}),
        ExperimentPart("scaling", {"schemes": ("root-split",), "share_alpha": False, **common}, label=FULL_WINDOWS),
    ]


FULL_WINDOWS = "full windows"
"""Label of the part in which root moves do not share the best value, as in the report's program."""


def _processes(setting: Setting) -> Sequence[Source]:
    if setting.effort == "quick":
        return []
    size = {"rounds": setting.effort.choose(1, 3, 5), "depth": 7, "positions": ("midgame2",)}
    return [ExperimentPart("scaling", {"game": "abalone", "cluster": "futures:2", "policies": ("none",), **size})]


def _monte_carlo(setting: Setting) -> Sequence[Source]:
    return _duels(setting, "monte-carlo", usual={"games": 30, "seconds": 0.01})


def _adaptive(setting: Setting) -> Sequence[Source]:
    small = {"depths": (1, 2, 3, 4, 5), "minimax_depth": 3, "rounds": 1}
    return [
        Measure("its rules", _adaptive_rules, 0.1),
        _part("depths", setting, small, {"rounds": 1}, {"minimax_depth": 5, "rounds": 3}),
        *_duels(setting, "adaptive", usual=SHORT_CLOCK, full=LONG_CLOCK),
    ]


def _openings(setting: Setting) -> Sequence[Source]:
    return [
        *_duels(setting, "opening", "mirror", usual=FEW),
        *_duels(setting, "deeper-opening", usual=FEW, full={"games": 40}, label="one ply deeper"),
        *_duels(setting, "saved-time", usual={**FEW, "clock": "2s"}, full=LONG_CLOCK, label="with a clock"),
    ]


FEW_SETTINGS = ("O0", "any-processor", "scalar-loops", "calls-kept")
"""Settings of the compiler in a usual run, which are the settings that report 003 mentions."""


def _compiler(setting: Setting) -> Sequence[Source]:
    if setting.effort == "quick":
        return []
    return [_part("compiler", setting, {}, {"settings": FEW_SETTINGS, "depth": 4, "rounds": 2}, {})]


def _section(table: str) -> PublishedTable:
    """Return report 003's section for the published table called `table`."""
    return next(section for section in SECTIONS if section.table == table)


SECTIONS: tuple[PublishedTable, ...] = (
    PublishedTable(report="003", where="Figure 2.1", title="root moves, one at a time or in chunks", sources=_schedule),
    PublishedTable(
        report="003",
        where="Figure 2.2",
        title="master and slaves: the first branch, then the others with its bound",
        sources=_master,
        notes=(
            "pv-split and ybw search the first branch before the others, at every level, as its picture does.",
            "All are our search, not the report's: root-split shares the best value so far between root moves, where "
            "the report's opens a full window for each. The part with full windows does so too.",
        ),
    ),
    PublishedTable(
        report="003",
        where="Processes",
        title="processes that send messages, on one node",
        sources=_processes,
        absent="Not with --quick: it starts processes.",
        notes=("Processes of the standard library: like MPI's, they share no memory, and send what they find.",),
    ),
    PublishedTable(
        report="003",
        where="Monte-Carlo Search",
        title="against alpha-beta",
        sources=_monte_carlo,
        absent=NO_GAMES,
    ),
    PublishedTable(
        report="003",
        where="Move Ordering",
        title="kinds of moves, best first",
        table="move_ranking",
        key=("rank",),
        expected={"stones": EQUAL, "kind": EQUAL},
        single={((rank,), column): OTHER_RANK for rank in (6, 7, 8) for column in ("stones", "kind")},
        sources=lambda setting: [
            Measure("our order", _ranking, 0.1),
            *_duels(setting, "orderings", usual={**FEW, "nodes": 5_000}, full={"nodes": 5_000}),
        ],
    ),
    PublishedTable(
        report="003",
        where="Figure 2.4",
        title="pruning of different move orderings",
        sources=lambda setting: [_pruning(setting, BY_ORDER, label="orders")],
        notes=(
            "Worst to best in the report: 2.4a as generated, 2.4c backwards (its zigzag), 2.4b the ideal order.",
            "Its text says that its program goes backwards; its 1,605,372 evaluations come out by kinds, at every "
            "level of the tree.",
        ),
    ),
    PublishedTable(
        report="003",
        where="Adaptive Depth",
        title="how deep, by the time left and the last value",
        table="adaptive_depth",
        expected=dict.fromkeys((*COLUMNS, "depth"), GIVEN),
        sources=_adaptive,
        notes=("Seconds left of 60; the value is the best of the last move. The first row that applies is taken.",),
    ),
    PublishedTable(
        report="003",
        where="Board Caching",
        title="two boards kept",
        sources=lambda setting: _duels(setting, "cache"),
        absent=NO_GAMES,
    ),
    PublishedTable(
        report="003",
        where="Evaluation Function",
        title="the worth of the rings",
        table="rings",
        key=("ring",),
        expected={"weight_before": GIVEN, "weight_after": GIVEN},
        sources=lambda setting: [Measure("our weights", _rings, 0.1), *_duels(setting, "rings")],
        notes=("With those after, and 10 for ring 3, which it does not name, its 1,605,372 evaluations come out.",),
    ),
    PublishedTable(
        report="003",
        where="Heuristic Opening",
        title="fixed moves, and the mirror",
        sources=_openings,
    ),
    PublishedTable(
        report="003",
        where="Final Setup",
        title="what the compiler's settings are worth",
        sources=_compiler,
        absent="Not with --quick: every setting is compiled anew.",
    ),
    PublishedTable(
        report="003",
        where="Pruning Effects",
        title="evaluations at depth 5 from the start",
        table="evaluations",
        key=("algorithm", "depth"),
        expected={"evaluations": EQUAL},
        sources=_evaluations,
    ),
    PublishedTable(
        report="003",
        where="Figure 2.5",
        title="pruning effects, one move",
        sources=lambda setting: [_pruning(setting, BY_PROGRAM)],
        notes=(
            "The report's bars are at depth 4, ours at the depth in the title of the table. Its counts stand nowhere "
            "in its text; the average does, and is among the numbers of the text, at depth 4 also with --quick.",
        ),
    ),
    PublishedTable(
        report="003",
        where="Figure 2.6",
        title="scaling runs, adaptive depth, one move",
        table="speedup",
        key=("position", "threads"),
        expected={"speedup": close(1.25)},
        sources=_imbalance,
        notes=("Of the report's curves only these two ends stand in its text.",),
    ),
    PublishedTable(
        report="003",
        where="The text",
        title="numbers between the figures",
        table=FACTS,
        key=("fact",),
        without=IN_TABLES,
        single={((name,), "value"): expected for name, expected in TEXT.items()},
        sources=text_sources,
        absent="Not with --quick: it takes some seconds.",
    ),
    PublishedTable(
        report="003",
        where="The laboratory's program",
        title="values and leaves that are known of it",
        key=("search",),
        expected={"value": EQUAL, "evaluations": EQUAL},
        printed=False,
        sources=lambda setting: [Measure("known values", _laboratory, 0.2)],
    ),
    PublishedTable(
        report="003",
        where="Details",
        title="what decides its smaller conclusions",
        sources=detail_sources,
        notes=("The ledger of conclusions has the figures.",),
    ),
)
