"""Experiment `profile`: how workers of a parallel search spend their time. Report 004 used HPCToolkit for this."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Literal

from outflank.errors import OutflankError
from outflank.games.description import game_named
from outflank.lab.experiment import Conclusion, Experiment, Parameters, Task, core_counts, option
from outflank.lab.experiment_boards import DEFAULT_GAME, GAME, POSITIONS, by_game, study_positions
from outflank.lab.experiment_report import (
    Cell,
    Figure,
    Flame,
    FlameBox,
    Interval,
    Plot,
    Report,
    ReportTable,
    Sample,
    Series,
    Timeline,
    sample_shape,
)
from outflank.lab.measuring.function_profile import SHAPES as FUNCTION_SHAPES
from outflank.lab.measuring.function_profile import function_samples, function_tables
from outflank.lab.measuring.search_samples import (
    Contender,
    check_divides,
    grouped,
    measure_search,
    median,
    number,
    position_kinds,
    warm,
    worker_count_warnings,
)
from outflank.lab.measuring.traces import (
    IDLE,
    KINDS,
    SEARCH,
    folded_stacks,
    intervals,
    line_steps,
    merge_short,
    trace_lines,
    with_notation,
)
from outflank.lab.measuring.whole_games import WHOLE_GAME, check_playing, first_board, play, program_of
from outflank.lab.report_programs.classroom import BrokenOff
from outflank.lab.report_programs.published_numbers import fact
from outflank.parallel.events import EventRecording
from outflank.search.division import check_supports, scheme_named
from outflank.search.keywords import SearchArguments
from outflank.search.request import Stop
from outflank.validation.documents import Count, Duration
from outflank.validation.text import how_many
from outflank.validation.values import Between, Misfit, Shape

COLUMNS = 200
"""Number of points in the plot of busy workers over time."""

MOST_PLIES = 200
"""Greatest number of moves in the line of a stored interval. It is more than any search has."""

MOST_INTERVALS = 20_000
"""Greatest number of stored intervals. Short intervals are merged until the limit holds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileParameters(Parameters):
    """Parameters of the experiment `profile`."""

    game: str = option(DEFAULT_GAME, GAME)
    positions: tuple[str, ...] | None = option(None, f"{POSITIONS}  [the game's mid-game board]")
    whole_game: str | None = option(None, WHOLE_GAME)
    scheme: str | None = option(
        None, "fork-join, root-split, pv-split, jamboree or ybw.  [ybw; fork-join for a report's game]"
    )
    depth: int | None = option(None, f"Plies.  [{by_game('profile_depth')}; minimax: {by_game('minimax_depth')}]")
    workers: int = option(core_counts()[-1], "Workers.")
    threshold: int | None = option(None, "Plies left at which a part is searched alone.  [the scheme's own]")

    def __post_init__(self) -> None:
        super(ProfileParameters, self).__post_init__()
        study_positions(self.game, self.positions)
        check_playing(self.whole_game, self.game, self.positions)
        check_divides(self.scheme_name)
        program = program_of(self.whole_game)
        if program is not None:
            check_supports(scheme_named(self.scheme_name), program.search["algorithm"])

    @property
    def scheme_name(self) -> str:
        """Name of the requested scheme, otherwise of the scheme of the report's program, otherwise `ybw`."""
        program = program_of(self.whole_game)
        return self.scheme or ("ybw" if program is None else str(program.shared["parallel"]))

    @property
    def minimax(self) -> bool:
        """Whether the search is minimax, as in the programs of reports 002 and 004."""
        return self.scheme_name == "fork-join" or "pvs" not in scheme_named(self.scheme_name).algorithms

    @property
    def sides(self) -> list[Contender]:
        """The searches or games to measure, one for each position."""
        lab = game_named(self.game).lab
        program = program_of(self.whole_game)
        default_depth = lab.minimax_depth if self.minimax else lab.profile_depth
        options: SearchArguments = {"algorithm": "minimax" if self.minimax else "pvs", "deepen": not self.minimax}
        if self.minimax and lab.minimax_evaluation is not None:
            options["evaluation"] = lab.minimax_evaluation
        if program is not None:
            options |= {**program.search, **program.shared}
        options |= {"parallel": self.scheme_name, "workers": self.workers}
        if self.threshold is not None or "threshold" not in options:
            options["threshold"] = self.threshold
        sides = []
        for place in study_positions(self.game, self.positions):
            board = first_board(self.whole_game, place.board)
            sides.append(
                Contender(
                    labels={"position": place.name if board is place.board else "start"},
                    board=board,
                    depth=place.depth or self.depth or default_depth,
                    options=options,
                    plays=self.whole_game,
                )
            )
        return sides


class ProfileStudy(Experiment[ProfileParameters]):
    """Shows how workers spend their time: a timeline, a flame graph, and shares of the time."""

    name = "profile"
    question = "Where does the time of a parallel search go, worker by worker and over time?"
    reports = ("004",)
    parameters = ProfileParameters

    def tasks(self, parameters: ProfileParameters) -> Sequence[Task]:
        tasks = [Task(str(side.labels["position"]), partial(trace_samples, side)) for side in parameters.sides]
        if parameters.minimax:
            tasks += [
                Task(f"{side.labels['position']}, functions", partial(_function_samples, side))
                for side in parameters.sides
            ]
        return tasks

    def shape(self, parameters: ProfileParameters, sample: Sample) -> Shape:
        if (names := FUNCTION_SHAPES.get(str(sample.get("what")))) is not None:
            return sample_shape(position_kinds(sample), names, what=str)
        return sample_shape(
            position_kinds(sample),
            what=Literal["interval", "total", *FUNCTION_SHAPES],
            worker=Annotated[int, Between(0, parameters.workers - 1)],
            kind=Literal[*KINDS],
            begin_us=Duration,
            end_us=Duration,
            nodes=Count,
            line=str,
            also=_check_interval,
        )

    def conclude(self, parameters: ProfileParameters, samples: Sequence[Sample]) -> Conclusion:
        tables: list[ReportTable] = []
        figures: list[Figure] = []
        notes: list[str] = []
        places = grouped(samples, "position")
        for (position,), position_samples in places.items():
            spans = [sample for sample in position_samples if sample["what"] == "interval"]
            totals = [sample for sample in position_samples if sample["what"] == "total"]
            of_position = f" of {position}" if len(places) > 1 else ""
            end = max((number(sample["end_us"]) for sample in spans), default=0.0)
            tables.append(
                ReportTable.of(
                    f"{parameters.scheme_name}: time{of_position} by what it went into",
                    _shares(totals, parameters.workers),
                )
            )
            figures += [
                timeline_of(
                    f"{parameters.scheme_name}: what each worker did{of_position.replace(' of ', ' in ')}",
                    [("", spans)],
                ),
                _busy(spans, end, parameters.workers, of_position),
                flame_of(f"flame graph of the tree{of_position}", spans),
            ]
            nodes = sum(int(number(total["nodes"])) for total in totals)
            scheduler = share_of(totals, RUNTIME)
            notes.append(
                f"Runtime of its own (spawn, steal, schedule){of_position}: {scheduler:.2%} of the busy time "
                f"(report 004: {fact('004', 'scheduler_share_percent')} % at the scheduler). "
                f"{nodes:,} nodes{_settings_text(parameters)}."
            )
            view_tables, view_notes = function_tables(
                position_samples, {kind: seconds_of(totals, (kind,)) for kind in KINDS}, of_position
            )
            tables, notes = [*tables, *view_tables], [*notes, *view_notes]
        if len(places) > 1:
            tables.append(_over_positions(places))
        return Conclusion(
            tables=tuple(tables), figures=tuple(figures), notes=(*notes, *worker_count_warnings((parameters.workers,)))
        )

    def files(self, parameters: ProfileParameters, report: Report) -> dict[str, str]:
        texts: dict[str, str] = {}
        places = grouped(report.samples, "position")
        for (position,), position_samples in places.items():
            spans = [sample for sample in position_samples if sample["what"] == "interval"]
            name = f".{_file_name_part(str(position))}" if len(places) > 1 else ""
            texts |= {f"{name}.trace.json": "".join(trace_lines(spans)), f"{name}.folded": folded_stacks(spans)}
        return texts


def _settings_text(parameters: ProfileParameters) -> str:
    """Return the requested depth and threshold as text, or an empty text if there are none."""
    depth = "" if parameters.depth is None else f" at depth {parameters.depth}"
    if parameters.threshold is None:
        return depth
    return f"{depth}, undivided with {how_many(parameters.threshold, 'ply', 'plies')} left"


RUNTIME = ("spawn", "steal", "schedule")
"""Kinds of activity that occur only because the search is parallel."""


def _file_name_part(position: str) -> str:
    return re.sub(r"[^A-Za-z0-9-]+", "-", position)


def _over_positions(places: Mapping[tuple[Cell, ...], Sequence[Sample]]) -> ReportTable:
    """Return a table of the share of each kind of activity in each position, with the medians."""
    rows: list[Sample] = []
    for (position,), position_samples in places.items():
        totals = [sample for sample in position_samples if sample["what"] == "total"]
        rows.append({"position": position, **{kind: share_of(totals, (kind,), of=KINDS) for kind in KINDS}})
    rows.append({"position": "median", **{kind: median(rows, kind) for kind in KINDS}})
    return ReportTable.of("shares of the time by position", rows)


def _check_interval(sample: Sample) -> None:
    if number(sample["end_us"]) < number(sample["begin_us"]):
        raise Misfit("end_us", "expected a time after begin_us")
    if len(line_steps(str(sample["line"]))) > MOST_PLIES:
        raise Misfit("line", f"expected {MOST_PLIES} moves at most")


def _function_samples(side: Contender, stop: Stop) -> list[Sample]:
    return [{**side.labels, **sample} for sample in function_samples(side, stop)]


def trace_samples(side: Contender, stop: Stop) -> list[Sample]:
    """Search once with a recording of events. Return the intervals of each worker, and their totals by kind."""
    recording = EventRecording(1 << 20)
    recorded_side = replace(side, options={**side.options, "instrument": recording})
    warm(recorded_side)
    recording.take()
    try:
        all_intervals = list(_intervals(recorded_side, recording, stop))
    except BrokenOff:
        return []  # a stopped game is discarded
    if recording.lost:
        raise OutflankError(f"{recording.lost:,} events found no room: choose a higher --threshold or a lower --depth")
    totals: list[Sample] = [
        {
            **side.labels,
            "what": "total",
            "worker": worker,
            "kind": kind,
            "begin_us": 0.0,
            "end_us": sum(number(sample["end_us"]) - number(sample["begin_us"]) for sample in group),
            "nodes": sum(int(number(sample["nodes"])) for sample in group),
            "line": "",
        }
        for (worker, kind), group in grouped(all_intervals, "worker", "kind").items()
    ]
    least, stored_intervals = 0.0, all_intervals
    span = max((number(sample["end_us"]) for sample in all_intervals), default=0.0)
    while len(stored_intervals) > MOST_INTERVALS:
        least = 2 * least or span / 10 / MOST_INTERVALS
        stored_intervals = merge_short(all_intervals, least)
    return [
        *totals,
        *({**side.labels, "what": "interval", **sample} for sample in with_notation(stored_intervals, side.board)),
    ]


def _intervals(side: Contender, recording: EventRecording, stop: Stop) -> Iterator[Sample]:
    """Yield the workers' intervals of activity in a search, or turn by turn in a game."""
    if side.plays is None:
        measure_search(side, stop)
        yield from intervals(recording.take())
        return
    origin: int | None = None
    turns = play(side.plays, side.board.copy(), side.depth, stop, **side.options)
    for turn, _ in enumerate(turns, 1):
        events = recording.take()
        if origin is None and len(events):
            origin = int(events[0, 0])
        yield from intervals(events, origin=origin, turn=turn)


def _shares(totals: Sequence[Sample], workers: int) -> list[Sample]:
    """Return rows of seconds by kind of activity: in total, and per worker or, above 8 workers, least and most."""
    by_kind: dict[str, dict[int, float]] = {kind: dict.fromkeys(range(workers), 0.0) for kind in KINDS}
    for sample in totals:
        by_kind[str(sample["kind"])][int(number(sample["worker"]))] += number(sample["end_us"]) / 1e6
    total = sum(sum(by_worker.values()) for by_worker in by_kind.values()) or 1.0
    rows: list[Sample] = []
    for kind, by_worker in by_kind.items():
        row: Sample = {
            "kind": kind,
            "all (s)": sum(by_worker.values()),
            "share": f"{sum(by_worker.values()) / total:.2%}",
        }
        if workers <= 8:
            row |= {f"worker {worker} (s)": seconds for worker, seconds in by_worker.items()}
        else:
            row |= {"least (s)": min(by_worker.values()), "most (s)": max(by_worker.values())}
        rows.append(row)
    return rows


BUSY = tuple(kind for kind in KINDS if kind != IDLE)


def seconds_of(totals: Sequence[Sample], kinds: tuple[str, ...]) -> float:
    """Return the seconds that all workers together spent on activities of `kinds`."""
    return sum(number(total["end_us"]) for total in totals if total["kind"] in kinds) / 1e6


def share_of(totals: Sequence[Sample], kinds: tuple[str, ...], *, of: tuple[str, ...] = BUSY) -> float:
    """Return the time spent on activities of `kinds`, as a share of the time spent on activities of the kinds `of`."""
    total = seconds_of(totals, of)
    return seconds_of(totals, kinds) / total if total else 0.0


def timeline_of(title: str, groups: Sequence[tuple[str, Sequence[Sample]]]) -> Timeline:
    """Return the timeline of the workers of one or several searches, each with a prefix for its lanes, on one clock."""
    return Timeline(
        title=title,
        unit="ms",
        kinds=KINDS[:-1],
        intervals=tuple(
            Interval(
                lane=f"{prefix}worker {sample['worker']}",
                kind=str(sample["kind"]),
                begin=number(sample["begin_us"]) / 1000,
                end=number(sample["end_us"]) / 1000,
            )
            for prefix, samples in groups
            for sample in sorted(samples, key=lambda sample: number(sample["worker"]))
            if sample["kind"] != IDLE
        ),
        caption="Blank: idle, or between two iterations or turns.",
    )


def _busy(samples: Sequence[Sample], end: float, workers: int, of_position: str) -> Plot:
    """Return the plot of the number of busy workers over time."""
    return Plot(
        title=f"busy workers{of_position} over time",
        x="time (ms)",
        y="workers",
        series=(
            Series(name="busy", points=busy_points(samples, end), style="line"),
            Series(name="all", points=((0.0, float(workers)), (end / 1000, float(workers))), style="dashed"),
        ),
    )


def busy_points(samples: Sequence[Sample], end: float) -> tuple[tuple[float, float], ...]:
    """Return the mean number of busy workers in each of `COLUMNS` parts of the time up to `end` (µs), by time (ms)."""
    columns = [0.0] * COLUMNS
    width = end / COLUMNS or 1.0
    for sample in samples:
        if sample["kind"] == IDLE:
            continue
        begin, until = number(sample["begin_us"]), number(sample["end_us"])
        for column in range(int(begin / width), min(int(until / width) + 1, COLUMNS)):
            columns[column] += max(0.0, min(until, (column + 1) * width) - max(begin, column * width))
    return tuple(((column + 0.5) * width / 1000, busy_us / width) for column, busy_us in enumerate(columns))


def flame_of(title: str, samples: Sequence[Sample]) -> Flame:
    """Return a flame graph of the time that workers spent in each part of the tree."""
    root = FlameBox("all workers")
    for sample in samples:
        kind = str(sample["kind"])
        path = line_steps(str(sample["line"])) if kind != IDLE else []
        root.add(
            [*path, *([] if kind == SEARCH else [kind])], (number(sample["end_us"]) - number(sample["begin_us"])) / 1000
        )
    return Flame(
        title=title,
        unit="ms",
        root=root,
        caption="Iterations or turns, root moves, the replies that became split points; idle time beside them.",
    )
