"""Sections of reports 002 and 004 on timed games: times by number of threads, and a profile of the time."""

import statistics
import time
from collections.abc import Iterable, Mapping, Sequence
from functools import partial

from outflank.lab.experiment_report import Cell, Sample
from outflank.lab.measuring.search_samples import grouped, median, number
from outflank.lab.replay.replay_report import RECORDED, least_times, real_games, replayed_time
from outflank.lab.report_programs.classroom import legal_count, new_board, self_play
from outflank.lab.report_programs.published_numbers import fact, rows
from outflank.lab.reproduction.cilkview import RACES
from outflank.lab.reproduction.published_sections import (
    EQUAL,
    FACTS,
    GIVEN,
    Effort,
    Expected,
    ExperimentPart,
    Finding,
    Measure,
    MeasuredCell,
    PublishedTable,
    Setting,
    Source,
    machine,
    no_cells,
)
from outflank.lab.studies.profile import RUNTIME, share_of
from outflank.machine import usable_cores
from outflank.othello.programs import PROGRAMS
from outflank.search.keywords import SearchArguments
from outflank.search.request import Stop
from outflank.validation.documents import JsonObject

THREADS = tuple(range(1, 33))
DEPTH = 7
"""Search depth, in plies, of the games timed in both reports."""

ENOUGH = 0.8
"""Least efficiency that report 002 calls good."""

FLAT = 0.9
"""Least share of one thread's efficiency at which we call the efficiency curve of report 004 flat."""

FLAT_UP_TO: int = fact("004", "no_gain_beyond_threads")
EFFICIENT_UP_TO: int = fact("002", "efficient_up_to_threads")[1]
"""Greatest number of threads for which a report finds no loss of efficiency. `FLAT_UP_TO` is report 004's number, and
`EFFICIENT_UP_TO` report 002's."""

COARSE = 3
"""Remaining depth at which our additional games of report 004's program stop dividing. The report divides all nodes."""

LESS = 0.97
"""A time counts as less than another if it is below this multiple of the other, which means over 3 % less."""


def _thread_counts(setting: Setting, oversubscribed: tuple[int, ...] = (8, 32)) -> tuple[int, ...]:
    """Return the thread counts to measure: all up to twice the cores in a full run, and some up to the cores in others.

    Usual and full runs also measure a few larger counts. A quick run does not: threads that take turns on a core decide
    nothing, and 32 threads took as long as all other counts together.
    """
    if setting.effort is Effort.FULL:
        return tuple(count for count in THREADS if count <= 2 * usable_cores() or count in oversubscribed)
    within_cores = [count for count in THREADS if count <= usable_cores()]
    return tuple(sorted({*within_cores[:4], within_cores[-1], *setting.effort.choose((), oversubscribed, ())}))


def _scaling(setting: Setting, report: str, depth: int, **more: object) -> JsonObject:
    size = {"workers": _thread_counts(setting), "rounds": setting.effort.choose(1, 1, 3)}
    return {"whole_game": report, "depth": depth, **size, **more}


Times = dict[int, dict[str, float]]
"""Median real, user and system seconds of a game, by number of threads. The key 0 is the serial program."""


def _times(samples: Sequence[Sample]) -> Times:
    times: Times = {}
    for (scheme, workers), group in grouped(samples, "scheme", "workers").items():
        threads = 0 if str(scheme).startswith("serial ") else int(number(workers))
        times[threads] = {name: median(group, name) for name in ("seconds", "user_seconds", "system_seconds")}
    return times


def _efficiency(times: Times, threads: int) -> float:
    return times[0]["seconds"] / threads / times[threads]["seconds"]


def _on_cores(threads: int) -> Finding:
    return Finding.VALUE if threads <= usable_cores() else Finding.MORE_THREADS


# --- report 004's table ---

COLUMNS = {"real_s": "seconds", "user_s": "user_seconds", "sys_s": "system_seconds"}


def _real_rows_004(samples: Sequence[Sample]) -> Iterable[MeasuredCell]:
    """Yield the cells of the thread counts at which the experiment `replay` also ran the games on real workers."""
    for threads, games in real_games(samples).items():
        if threads in THREADS:
            for column, name in COLUMNS.items():
                yield MeasuredCell((threads,), column, median(games, name), finding=_on_cores(threads))


def _rows_004(samples: Sequence[Sample]) -> Iterable[MeasuredCell]:
    """Yield the cells of all thread counts. Above the number of cores, times are replayed.

    A replayed user time is the busy time of the workers and the time outside the trees.
    """
    yield from _real_rows_004(samples)
    outside = sum(number(sample["outside_seconds"]) for sample in samples if sample["what"] == RECORDED)
    system = sum(number(sample["system_seconds"]) for sample in samples if sample["what"] == RECORDED)
    for threads in THREADS:
        seconds, busy = replayed_time(samples, threads), replayed_time(samples, threads, "busy_seconds")
        if threads > usable_cores() and seconds is not None and busy is not None:
            for column, ours in (("real_s", seconds), ("user_s", busy + outside), ("sys_s", system)):
                yield MeasuredCell((threads,), column, ours, REPLAYED_NOTE, finding=Finding.REPLAYED)


REPLAYED_NOTE = (
    "Replayed times are those of the searches, without what a game does between them; user time is that in which "
    "workers search, and system time that of one worker, since the replay knows no system calls."
)


def _replay(setting: Setting, report: str, depth: int) -> JsonObject:
    size = {"rounds": setting.effort.choose(1, 1, 3)}
    return {"whole_game": report, "depth": depth, "workers": THREADS, **size}


def _misprinted() -> Mapping[tuple[tuple[Cell, ...], str], Expected]:
    """Return the expectations for user times in report 004 that lost a leading 6 in print.

    Such a user time is too short for the real time.
    """
    expectation = machine(
        "User times of 7 and of 25 to 32 threads have lost a leading 6 in print: 2.067 is 62.067, and so on to 68.004."
    )
    expected: dict[tuple[tuple[Cell, ...], str], Expected] = {}
    for row in rows("004", "efficiency"):
        if row["user_s"] + row["sys_s"] < 0.9 * row["real_s"] * min(row["threads"], 8):
            expected[(row["threads"],), "user_s"] = expectation
    return expected


def _threads_004(setting: Setting) -> Sequence[Source]:
    depth = setting.effort.choose(4, DEPTH, DEPTH)
    within_cores = {"workers": tuple(count for count in _thread_counts(setting) if count <= usable_cores())}
    dev = _scaling(setting, "004", setting.effort.choose(4, 6, DEPTH), schedule="one") | within_cores
    coarse = _scaling(setting, "004", setting.effort.choose(4, 6, DEPTH), threshold=COARSE) | within_cores
    return [
        ExperimentPart(
            "replay",
            _replay(setting, "004", depth),
            cells=_rows_004 if depth == DEPTH else no_cells,
            label="master",
            weight=3.0,
        ),
        ExperimentPart("scaling", dev, label="dev, single moves"),
        ExperimentPart("scaling", coarse, label="spawns only above three plies"),
    ]


EFFICIENCY_004 = PublishedTable(
    report="004",
    where="Parallel Efficiency",
    title="a game at depth 7, by threads",
    table="efficiency",
    key=("threads",),
    single=_misprinted(),
    sources=_threads_004,
    absent="Not measured: --quick plays to depth 4 (below).",
    notes=(
        "The efficiency S/(p·T(p)) is drawn with the report's own beside it, S its serial program's 47.166 s. In the "
        "tables below `master` spawns rows of the board, `dev` single moves (which the report found worse); the third "
        "spawns nothing below four plies, which neither branch does.",
    ),
)


# --- profile ---


def _profile_sources(setting: Setting) -> Sequence[Source]:
    size = {"depth": setting.effort.choose(4, 6, 7), "threshold": setting.effort.choose(1, 3, 4)}
    return [ExperimentPart("profile", {"whole_game": "004", "workers": setting.workers, **size})]


HPCTOOLKIT = PublishedTable(
    report="004",
    where="HPCToolkit",
    title="a game from the root down, from the leaves up, and over time",
    sources=_profile_sources,
    notes=(
        "`MaxValue` and `MinValue` are one function here, minimax. Its callees are inside it in the machine code: they "
        "are counted, and timed apart. Outside the search is what a game takes at a depth of 1: most of a shallow "
        "game, and little of a deep one.",
    ),
)


# --- numbers in the text of report 004 ---


def _flat(times: Times, least: float) -> str:
    """Return the range of thread counts, as `1 to N`, for which the efficiency is at least `least`."""
    last = 1
    for threads in sorted(count for count in times if count):
        if _efficiency(times, threads) < least:
            break
        last = threads
    return f"1 to {last}"


def _no_gain(times: Times) -> int:
    """Return the number of threads beyond which more threads do not reduce the time by 3 %."""
    best = min(count for count in times if count)
    for threads in sorted(count for count in times if count):
        if times[threads]["seconds"] < LESS * times[best]["seconds"]:
            best = threads
    return best


def _facts_004(samples: Sequence[Sample]) -> Iterable[MeasuredCell]:
    times = _times(samples)
    if 0 not in times or 1 not in times:
        return
    depth = int(number(samples[0]["depth"]))
    note = "" if depth == DEPTH else f"Ours of curves and times: games at depth {depth}, on {usable_cores():g} cores."
    flat = _flat(times, FLAT * _efficiency(times, 1))
    yield MeasuredCell(("flat_up_to_threads",), "value", flat, note, finding=_on_cores(FLAT_UP_TO))
    yield MeasuredCell(("no_gain_beyond_threads",), "value", _no_gain(times), note, finding=_on_cores(FLAT_UP_TO + 1))
    if depth == DEPTH:
        yield MeasuredCell(("serial_seconds",), "value", times[0]["seconds"])


def _deeper_004(samples: Sequence[Sample]) -> Iterable[MeasuredCell]:
    times = _times(samples)
    if 1 in times:
        finding = _on_cores(FLAT_UP_TO + 1)
        yield MeasuredCell(("depth_8_no_gain_beyond_threads",), "value", _no_gain(times), finding=finding)


def _serial_004(stop: Stop) -> Iterable[MeasuredCell]:
    began = time.perf_counter()
    for _ in self_play(DEPTH, PROGRAMS["004"], new_board(), stop=stop):
        pass
    yield MeasuredCell(("serial_seconds",), "value", time.perf_counter() - began)


BRANCHES: tuple[SearchArguments, ...] = (
    {"workers": 1},
    {"parallel": "fork-join", "workers": 2, "threshold": 0, "schedule": "rows"},
    {"parallel": "fork-join", "workers": 2, "threshold": 0, "schedule": "one"},
    {"parallel": "fork-join", "workers": 2, "threshold": 3, "schedule": "rows"},
)
"""Search options of four programs: serial, spawning rows, spawning moves, and spawning rows only above 3 plies left."""


def _branches_004(depth: int, stop: Stop) -> Iterable[MeasuredCell]:
    """Yield the number of our four programs (`BRANCHES`) that play the same moves as the serial one."""
    games = []
    for options in BRANCHES:
        board = new_board()
        for _ in self_play(depth, PROGRAMS["004"], board, stop=stop, **options):
            pass
        games.append(board.moves)
    explanation = (
        "Ours of branches: of four programs (serial, rows, single moves, rows above three plies) those that play the "
        f"serial one's game, move by move; at depth {depth}."
    )
    yield MeasuredCell(("branches_compared",), "value", games.count(games[0]), note=explanation)


def _scheduler_004(samples: Sequence[Sample]) -> Iterable[MeasuredCell]:
    totals = [sample for sample in samples if sample["what"] == "total"]
    if totals:
        explanation = (
            f"Ours of the scheduler: spawning, stealing and scheduling, of the busy time of a game in which nothing is "
            f"divided with {COARSE} plies left or fewer. Where more is divided the share is greater."
        )
        yield MeasuredCell(("scheduler_share_percent",), "value", 100 * share_of(totals, RUNTIME), note=explanation)


def _text_004(setting: Setting) -> Sequence[Source]:
    sources: list[Source] = []
    shallow = _scaling(setting, "004", setting.effort.choose(4, 6, DEPTH), rounds=1)
    sources.append(ExperimentPart("scaling", shallow, cells=_facts_004, show=False, weight=2.0))
    sources.append(
        ExperimentPart(
            "profile",
            {
                "whole_game": "004",
                "workers": setting.workers,
                "depth": setting.effort.choose(4, 5, 6),
                "threshold": COARSE,
            },
            cells=_scheduler_004,
            show=False,
        )
    )
    if setting.effort is Effort.USUAL:  # with --full it is among the games above
        sources.append(Measure("the serial program", _serial_004, 2.0))
    sources.append(Measure("branches", partial(_branches_004, setting.effort.choose(2, 4, 5)), 0.3))
    if setting.effort is Effort.FULL:
        moderate = {"workers": tuple(count for count in (1, 2, 4, 8, 16) if count <= 2 * usable_cores())}
        deeper = {**_scaling(setting, "004", DEPTH + 1), **moderate, "rounds": 1}
        sources.append(ExperimentPart("scaling", deeper, cells=_deeper_004, label="depth 8", weight=20.0))
    return sources


def _given_facts(*names: str) -> Mapping[tuple[tuple[Cell, ...], str], Expected]:
    return {((name,), "value"): GIVEN for name in names}


TEXT_004 = PublishedTable(
    report="004",
    where="In the text",
    title="what it says of the scheduler and of the curves",
    table=FACTS,
    key=("fact",),
    without=RACES,
    single={**_given_facts("depth_of_the_curves", "threads_measured"), (("branches_compared",), "value"): EQUAL},
    expected={"value": machine("Shares, times and curves are the machine's.")},
    sources=_text_004,
    absent="Not measured: games at depth 8 with --full alone, the serial one at depth 7 not with --quick.",
    notes=(
        "The report takes the eight rows of the board for the reason why more than 8 threads gain nothing. Its own "
        "numbers speak against it: rows nest, and its parallelism is "
        f"{max(row['parallelism'] for row in rows('004', 'cilkview')):,.0f} at depth {DEPTH}; from 8 threads on user "
        "and system time (its misprints mended) are together 7.8 to 8.0 times the real time, as on eight processors.",
    ),
)


# --- report 002 ---


def _root_moves(moves: str) -> float:
    """Return the mean number of legal moves per turn of a game, not counting turns without a move."""
    board, legal = new_board(), []
    for move in moves.split():
        legal.append(legal_count(board))
        board.push(move)
    return statistics.mean(count for count in legal if count)


def _facts_002(samples: Sequence[Sample]) -> Iterable[MeasuredCell]:
    times = _times(samples)
    if 0 not in times or 1 not in times:
        return
    depth = int(number(samples[0]["depth"]))
    within_cores = [count for count in times if 0 < count <= usable_cores()]
    depth_note = "" if depth == DEPTH else f"Ours of efficiencies: games at depth {depth}, on {usable_cores():g} cores."
    least = min(_efficiency(times, count) for count in within_cores)
    yield MeasuredCell(("efficiency_above_percent",), "value", 100 * least, note=depth_note)
    finding = _on_cores(EFFICIENT_UP_TO)
    yield MeasuredCell(("efficient_up_to_threads",), "value", _flat(times, ENOUGH), depth_note, finding=finding)
    yield MeasuredCell(
        ("parallel_searches_at_a_time",),
        "value",
        _root_moves(str(samples[0]["moves"])),
        note="Ours of parallel searches at a time: the moves at the root, in the mean over the game's turns.",
    )
    if depth != DEPTH:
        return
    yield MeasuredCell(("seconds_on_1_thread_above",), "value", times[1]["seconds"])
    if 5 in times:
        yield MeasuredCell(("seconds_on_5_threads_about",), "value", times[5]["seconds"], finding=_on_cores(5))
    if 16 in times and 32 in times:
        saved = times[16]["seconds"] - times[32]["seconds"]
        yield MeasuredCell(("seconds_saved_by_doubling",), "value", saved, finding=_on_cores(32))


def _replayed_facts_002(samples: Sequence[Sample]) -> Iterable[MeasuredCell]:
    """Yield the numbers in the text on thread counts above the number of cores, from replayed games."""
    times: Times = {}
    for threads in THREADS:
        seconds = replayed_time(samples, threads)
        if seconds is not None:
            times[threads] = {"seconds": seconds}
    serial = least_times(samples, 0)
    if not times or serial is None or number(samples[0]["depth"]) != DEPTH:
        return
    times[0] = {"seconds": serial}
    facts: dict[str, tuple[int, Cell]] = {
        "efficient_up_to_threads": (EFFICIENT_UP_TO, _flat(times, ENOUGH)),
        "seconds_on_5_threads_about": (5, times[5]["seconds"]),
        "seconds_saved_by_doubling": (32, times[16]["seconds"] - times[32]["seconds"]),
    }
    for name, (threads, ours) in facts.items():
        if threads > usable_cores():
            yield MeasuredCell((name,), "value", ours, finding=Finding.REPLAYED)


def _threads_002(setting: Setting) -> Sequence[Source]:
    size = {"workers": tuple(count for count in _thread_counts(setting) if count <= usable_cores())}
    depth = setting.effort.choose(5, DEPTH, DEPTH)
    return [
        ExperimentPart("scaling", {**_scaling(setting, "002", depth), **size}, cells=_facts_002),
        ExperimentPart("replay", _replay(setting, "002", depth), cells=_replayed_facts_002),
    ]


GRANULARITY = ("granularity",)
"""Names of numbers in report 002's text that have a section of their own."""

EFFICIENCY_002 = PublishedTable(
    report="002",
    where="Figures 4 and 5",
    title="efficiency and run time of a game at depth 7, by workers",
    table=FACTS,
    key=("fact",),
    without=(*RACES, *GRANULARITY),
    single=_given_facts("timed_depth", "workers_measured"),
    expected={"value": machine("Times and curves are the machine's.")},
    sources=_threads_002,
    absent="Not measured here: times with --quick.",
    notes=(
        "The figures carry no numbers: these are the text's. Its 15 parallel searches at a time are a guess, which its "
        f"own parallelism of {max(row['parallelism'] for row in rows('002', 'profile')):,.0f} at depth "
        f"{fact('002', 'timed_depth')} speaks against: a processor more has work as long as there is any.",
    ),
)


def _within(setting: Setting) -> Sequence[Source]:
    places = setting.effort.choose(("midgame",), ("start", "midgame"), ("start", "midgame", "ffo40"))
    return [ExperimentPart("within", {"positions": places, "rounds": setting.effort.choose(1, 3, 9)})]


FURTHER_002 = PublishedTable(
    report="002",
    where="Further Parallelism",
    title="move generation, disk flipping and evaluation inside a node",
    sources=_within,
)
