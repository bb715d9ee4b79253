"""Where the time of a parallel search goes: what HPCToolkit showed report 004."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Any, Literal

from outflank.boards import Board
from outflank.errors import OutflankError
from outflank.games.description import game_named
from outflank.kinds import Between, Count, Duration, Misfit, Shape
from outflank.lab.boards import GAME, POSITIONS, USUAL_GAME, by_game, chosen_boards
from outflank.lab.classroom import BrokenOff
from outflank.lab.experiment import Conclusion, Experiment, Parameters, Task, core_counts, option
from outflank.lab.function_profile import SHAPES as FUNCTION_SHAPES
from outflank.lab.function_profile import function_samples, views
from outflank.lab.literature import fact
from outflank.lab.measuring import (
    Contender,
    beyond_cores,
    check_divides,
    grouped,
    median,
    number,
    placed,
    searched,
    warm,
)
from outflank.lab.report import (
    Cell,
    Figure,
    Flame,
    FlameBox,
    Interval,
    Plot,
    ReportTable,
    Sample,
    Series,
    Timeline,
    sample_shape,
)
from outflank.lab.traces import IDLE, KINDS, SEARCH, chrome_trace, folded_stacks, intervals, joined, line_of
from outflank.lab.whole_games import WHOLE_GAME, check_playing, first_board, play, program_of
from outflank.parallel.events import EventRecording
from outflank.search.contract import Stop
from outflank.search.division import check_supports, scheme_named
from outflank.words import how_many

COLUMNS = 200
"""Points of the curve of busy workers."""

MOST_PLIES = 200
"""Moves of a line: more than a search has."""

MOST_INTERVALS = 20_000
"""Intervals that are kept; short ones are joined until there are no more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileParameters(Parameters):
    """What is measured."""

    game: str = option(USUAL_GAME, GAME)
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
        chosen_boards(self.game, self.positions)
        check_playing(self.whole_game, self.game, self.positions)
        check_divides(self.dividing)
        program = program_of(self.whole_game)
        if program is not None:
            check_supports(scheme_named(self.dividing), program.search["algorithm"])

    @property
    def dividing(self) -> str:
        """The scheme."""
        program = program_of(self.whole_game)
        return self.scheme or ("ybw" if program is None else str(program.shared["parallel"]))

    @property
    def minimax(self) -> bool:
        """Whether it searches by minimax, as reports 002 and 004 do."""
        return self.dividing == "fork-join" or "pvs" not in scheme_named(self.dividing).algorithms

    @property
    def sides(self) -> list[Contender]:
        """What is searched, or played: one for each position."""
        lab = game_named(self.game).lab
        program = program_of(self.whole_game)
        usual = lab.minimax_depth if self.minimax else lab.profile_depth
        options: dict[str, Any] = {"algorithm": "minimax" if self.minimax else "pvs", "deepen": not self.minimax}
        if self.minimax and lab.minimax_evaluation is not None:
            options["evaluation"] = lab.minimax_evaluation
        if program is not None:
            options |= {**program.search, **program.shared}
        options |= {"parallel": self.dividing, "workers": self.workers}
        if self.threshold is not None or "threshold" not in options:
            options["threshold"] = self.threshold
        found = []
        for place in chosen_boards(self.game, self.positions):
            board = first_board(self.whole_game, place.board)
            found.append(
                Contender(
                    labels={"position": place.name if board is place.board else "start"},
                    board=board,
                    depth=place.depth or self.depth or usual,
                    options=options,
                    plays=self.whole_game,
                )
            )
        return found


class ProfileStudy(Experiment[ProfileParameters]):
    """A timeline, a flame graph, and shares."""

    name = "profile"
    question = "Where does the time of a parallel search go, worker by worker and over time?"
    reports = ("004",)
    parameters = ProfileParameters

    def tasks(self, chosen: ProfileParameters) -> Sequence[Task]:
        found = [Task(str(side.labels["position"]), partial(_traced, side)) for side in chosen.sides]
        if chosen.minimax:
            found += [Task(f"{side.labels['position']}, functions", partial(_functions, side)) for side in chosen.sides]
        return found

    def shape(self, chosen: ProfileParameters, sample: Sample) -> Shape:
        if (own := FUNCTION_SHAPES.get(str(sample.get("what")))) is not None:
            return sample_shape(placed(sample), own, what=str)
        return sample_shape(
            placed(sample),
            what=Literal["interval", "total", *FUNCTION_SHAPES],
            worker=Annotated[int, Between(0, chosen.workers - 1)],
            kind=Literal[*KINDS],
            begin_us=Duration,
            end_us=Duration,
            nodes=Count,
            line=str,
            also=_forwards,
        )

    def conclude(self, chosen: ProfileParameters, samples: Sequence[Sample]) -> Conclusion:
        tables: list[ReportTable] = []
        figures: list[Figure] = []
        notes: list[str] = []
        places = grouped(samples, "position")
        for (position,), here in places.items():
            spans = [sample for sample in here if sample["what"] == "interval"]
            totals = [sample for sample in here if sample["what"] == "total"]
            of = f" of {position}" if len(places) > 1 else ""
            end = max((number(sample["end_us"]) for sample in spans), default=0.0)
            tables.append(
                ReportTable.of(f"{chosen.dividing}: time{of} by what it went into", _shares(totals, chosen.workers))
            )
            figures += [_timeline(chosen, spans, of), _busy(spans, end, chosen.workers, of), _flame(spans, of)]
            nodes = sum(int(number(total["nodes"])) for total in totals)
            scheduler = share_of(totals, RUNTIME)
            notes.append(
                f"Runtime of its own (spawn, steal, schedule){of}: {scheduler:.2%} of the busy time "
                f"(report 004: {fact('004', 'scheduler_share_percent')} % at the scheduler). "
                f"{nodes:,} nodes{_told(chosen)}."
            )
            views_, said = views(here, {kind: seconds_of(totals, (kind,)) for kind in KINDS}, of)
            tables, notes = [*tables, *views_], [*notes, *said]
        if len(places) > 1:
            tables.append(_over_positions(places))
        return Conclusion(
            tables=tuple(tables), figures=tuple(figures), notes=(*notes, *beyond_cores((chosen.workers,)))
        )

    def files(self, chosen: ProfileParameters, samples: Sequence[Sample]) -> dict[str, str]:
        found: dict[str, str] = {}
        places = grouped(samples, "position")
        for (position,), here in places.items():
            spans = [sample for sample in here if sample["what"] == "interval"]
            name = f".{_in_a_file_name(str(position))}" if len(places) > 1 else ""
            found |= {f"{name}.trace.json": chrome_trace(spans), f"{name}.folded": folded_stacks(spans)}
        return found


def _told(chosen: ProfileParameters) -> str:
    """Depth and division, as far as they were asked for."""
    depth = "" if chosen.depth is None else f" at depth {chosen.depth}"
    if chosen.threshold is None:
        return depth
    return f"{depth}, undivided with {how_many(chosen.threshold, 'ply', 'plies')} left"


RUNTIME = ("spawn", "steal", "schedule")
"""What a worker does for the sake of sharing alone."""


def _in_a_file_name(position: str) -> str:
    return re.sub(r"[^A-Za-z0-9-]+", "-", position)


def _over_positions(places: Mapping[tuple[Cell, ...], Sequence[Sample]]) -> ReportTable:
    """The shares of all kinds, a row for each position and the medians."""
    rows: list[Sample] = []
    for (position,), here in places.items():
        totals = [sample for sample in here if sample["what"] == "total"]
        rows.append({"position": position, **{kind: share_of(totals, (kind,), of=KINDS) for kind in KINDS}})
    rows.append({"position": "median", **{kind: median(rows, kind) for kind in KINDS}})
    return ReportTable.of("shares of the time by position", rows)


def _forwards(sample: Sample) -> None:
    if number(sample["end_us"]) < number(sample["begin_us"]):
        raise Misfit("end_us", "expected a time after begin_us")
    if len(line_of(str(sample["line"]))) > MOST_PLIES:
        raise Misfit("line", f"expected {MOST_PLIES} moves at most")


def _functions(side: Contender, stop: Stop) -> list[Sample]:
    return [{**side.labels, **sample} for sample in function_samples(side, stop)]


def _traced(side: Contender, stop: Stop) -> list[Sample]:
    recording = EventRecording(1 << 20)
    recorded = replace(side, options={**side.options, "instrument": recording})
    warm(recorded)
    recording.take()
    try:
        every = list(_intervals(recorded, recording, stop))
    except BrokenOff:
        return []  # nothing of a stopped game is kept
    if recording.lost:
        raise OutflankError(f"{recording.lost:,} events found no room: choose a higher --threshold or a lower --depth")
    totals: list[Sample] = [
        {
            **side.labels,
            "what": "total",
            "worker": worker,
            "kind": kind,
            "begin_us": 0.0,
            "end_us": sum(number(each["end_us"]) - number(each["begin_us"]) for each in found),
            "nodes": sum(int(number(each["nodes"])) for each in found),
            "line": "",
        }
        for (worker, kind), found in grouped(every, "worker", "kind").items()
    ]
    least, kept = 0.0, every
    span = max((number(sample["end_us"]) for sample in every), default=0.0)
    while len(kept) > MOST_INTERVALS:
        least = 2 * least or span / 10 / MOST_INTERVALS
        kept = joined(every, least)
    return [
        *totals,
        *(
            {**side.labels, "what": "interval", **sample, "line": _named(str(sample["line"]), side.board)}
            for sample in kept
        ),
    ]


def _intervals(side: Contender, recording: EventRecording, stop: Stop) -> Iterator[Sample]:
    """What workers did in a search, or turn by turn in a game."""
    if side.plays is None:
        searched(side, stop)
        yield from intervals(recording.take())
        return
    origin: int | None = None
    turns = play(side.plays, side.board.copy(), side.depth, stop, **side.options)
    for turn, _ in enumerate(turns, 1):
        events = recording.take()
        if origin is None and len(events):
            origin = int(events[0, 0])
        yield from intervals(events, origin=origin, turn=turn)


def _named(line: str, board: Board[Any]) -> str:
    """A line with its moves as people write them; it begins at the board, or at a turn of the game from there."""
    first, *codes = line_of(line) or [""]
    begun = board.copy()
    if first.startswith("turn ") and int(first.split()[1]) % 2 == 0:
        begun.turn = begun.turn.other
    return " ".join((first, *map(str, begun.line(map(int, codes)))))


def _shares(totals: Sequence[Sample], workers: int) -> list[Sample]:
    """Seconds by kind, all workers together and each; beyond eight, the least and the most."""
    by_kind: dict[str, dict[int, float]] = {kind: dict.fromkeys(range(workers), 0.0) for kind in KINDS}
    for sample in totals:
        by_kind[str(sample["kind"])][int(number(sample["worker"]))] += number(sample["end_us"]) / 1e6
    whole = sum(sum(each.values()) for each in by_kind.values()) or 1.0
    rows: list[Sample] = []
    for kind, each in by_kind.items():
        row: Sample = {"kind": kind, "all (s)": sum(each.values()), "share": f"{sum(each.values()) / whole:.2%}"}
        if workers <= 8:
            row |= {f"worker {worker} (s)": seconds for worker, seconds in each.items()}
        else:
            row |= {"least (s)": min(each.values()), "most (s)": max(each.values())}
        rows.append(row)
    return rows


BUSY = tuple(kind for kind in KINDS if kind != IDLE)


def seconds_of(totals: Sequence[Sample], kinds: tuple[str, ...]) -> float:
    """What all workers together spent on some kinds."""
    return sum(number(each["end_us"]) for each in totals if each["kind"] in kinds) / 1e6


def share_of(totals: Sequence[Sample], kinds: tuple[str, ...], *, of: tuple[str, ...] = BUSY) -> float:
    """Some kinds' part of the time that others took together."""
    whole = seconds_of(totals, of)
    return seconds_of(totals, kinds) / whole if whole else 0.0


def _timeline(chosen: ProfileParameters, samples: Sequence[Sample], of: str) -> Timeline:
    return Timeline(
        title=f"{chosen.dividing}: what each worker did{of.replace(' of ', ' in ')}",
        unit="ms",
        kinds=KINDS[:-1],
        intervals=tuple(
            Interval(
                lane=f"worker {sample['worker']}",
                kind=str(sample["kind"]),
                begin=number(sample["begin_us"]) / 1000,
                end=number(sample["end_us"]) / 1000,
            )
            for sample in samples
            if sample["kind"] != IDLE
        ),
        caption="Blank: idle, or between two iterations or turns.",
    )


def _busy(samples: Sequence[Sample], end: float, workers: int, of: str) -> Plot:
    """How many workers were busy, column by column."""
    columns = [0.0] * COLUMNS
    width = end / COLUMNS or 1.0
    for sample in samples:
        if sample["kind"] == IDLE:
            continue
        begin, until = number(sample["begin_us"]), number(sample["end_us"])
        for column in range(int(begin / width), min(int(until / width) + 1, COLUMNS)):
            columns[column] += max(0.0, min(until, (column + 1) * width) - max(begin, column * width))
    points = tuple(((column + 0.5) * width / 1000, filled / width) for column, filled in enumerate(columns))
    return Plot(
        title=f"busy workers{of} over time",
        x="time (ms)",
        y="workers",
        series=(
            Series(name="busy", points=points, style="line"),
            Series(name="all", points=((0.0, float(workers)), (end / 1000, float(workers))), style="dashed"),
        ),
    )


def _flame(samples: Sequence[Sample], of: str) -> Flame:
    root = FlameBox("all workers")
    for sample in samples:
        kind = str(sample["kind"])
        path = line_of(str(sample["line"])) if kind != IDLE else []
        root.add(
            [*path, *([] if kind == SEARCH else [kind])], (number(sample["end_us"]) - number(sample["begin_us"])) / 1000
        )
    return Flame(
        title=f"flame graph of the tree{of}",
        unit="ms",
        root=root,
        caption="Iterations or turns, root moves, the replies that became split points; idle time beside them.",
    )
