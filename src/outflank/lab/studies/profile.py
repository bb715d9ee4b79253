"""Where the time of a parallel search goes: what HPCToolkit showed report 004."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, Literal

from outflank.boards import Board
from outflank.errors import OutflankError
from outflank.lab.boards import chosen_board
from outflank.lab.experiment import Conclusion, Experiment, Parameters, Task, core_counts, option, register
from outflank.lab.literature import fact
from outflank.lab.measuring import Side, beyond_cores, check_divides, grouped, number, searched, warm
from outflank.lab.report import Flame, FlameBox, Interval, Plot, Sample, Series, Table, Timeline, sample_shape
from outflank.lab.traces import IDLE, KINDS, SEARCH, chrome_trace, folded_stacks, intervals, joined, line_of
from outflank.parallel.events import Recording
from outflank.schema import Between, Count, Duration, Misfit, Shape
from outflank.search.contract import Stop
from outflank.search.division import scheme_named

COLUMNS = 200
"""Points of the curve of busy workers."""

MOST_PLIES = 200
"""Moves of a line: more than a search has."""

MOST_INTERVALS = 20_000
"""Intervals that are kept; short ones are joined until there are no more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice(Parameters):
    """What is measured."""

    game: str = option("othello", "othello (a mid-game board) or abalone (report 003's first mid-game).")
    position: str | None = option(None, "A position in any notation.  [the game's]")
    scheme: str = option("ybw", "fork-join, root-split, pv-split, jamboree or ybw.")
    depth: int | None = option(None, "Plies.  [11 for Othello, 6 for Abalone; minimax 7 and 4]")
    workers: int = option(core_counts()[-1], "Workers.")
    threshold: int | None = option(None, "Plies left at which a part is searched alone.  [the scheme's own]")

    def __post_init__(self) -> None:
        super(Choice, self).__post_init__()
        chosen_board(self.game, self.position)
        check_divides(self.scheme)


@register
class Profile(Experiment[Choice]):
    """A timeline, a flame graph, and shares."""

    name = "profile"
    question = "Where does the time of a parallel search go, worker by worker and over time?"
    reports = ("004",)
    parameters = Choice

    def tasks(self, chosen: Choice) -> Sequence[Task]:
        return [Task("search", partial(_traced, chosen))]

    def shape(self, chosen: Choice, sample: Sample) -> Shape:
        return sample_shape(
            what=Literal["interval", "total"],
            worker=Annotated[int, Between(0, chosen.workers - 1)],
            kind=Literal[*KINDS],
            begin_us=Duration,
            end_us=Duration,
            nodes=Count,
            line=str,
            also=_forwards,
        )

    def conclude(self, chosen: Choice, samples: Sequence[Sample]) -> Conclusion:
        spans = [sample for sample in samples if sample["what"] == "interval"]
        totals = [sample for sample in samples if sample["what"] == "total"]
        end = max((number(sample["end_us"]) for sample in spans), default=0.0)
        rows = _shares(totals, chosen.workers)
        nodes = sum(int(number(total["nodes"])) for total in totals)
        scheduler = _share_of(totals, ("spawn", "steal", "schedule"))
        notes = [
            f"Runtime of its own (spawn, steal, schedule): {scheduler:.2%} of the busy time "
            f"(report 004: {fact('004', 'scheduler_share_percent')} % at the scheduler). {nodes:,} nodes.",
        ]
        return Conclusion(
            tables=(Table.of(f"{chosen.scheme}: time by what it went into", rows),),
            figures=(_timeline(chosen, spans), _busy(spans, end, chosen.workers), _flame(spans)),
            notes=(*notes, *beyond_cores((chosen.workers,))),
        )

    def files(self, chosen: Choice, samples: Sequence[Sample]) -> dict[str, str]:
        spans = [sample for sample in samples if sample["what"] == "interval"]
        return {".trace.json": chrome_trace(spans), ".folded": folded_stacks(spans)}


def _forwards(sample: Sample) -> None:
    if number(sample["end_us"]) < number(sample["begin_us"]):
        raise Misfit("end_us", "expected a time after begin_us")
    if len(line_of(str(sample["line"]))) > MOST_PLIES:
        raise Misfit("line", f"expected {MOST_PLIES} moves at most")


def _traced(chosen: Choice, stop: Stop) -> list[Sample]:
    board = chosen_board(chosen.game, chosen.position)
    minimax = "pvs" not in scheme_named(chosen.scheme).carries or chosen.scheme == "fork-join"
    othello = chosen.game == "othello"
    depth = chosen.depth or ((7 if othello else 4) if minimax else (11 if othello else 6))
    options: dict[str, Any] = {
        "algorithm": "minimax" if minimax else "pvs",
        "parallel": chosen.scheme,
        "workers": chosen.workers,
        "threshold": chosen.threshold,
        "deepen": not minimax,
    }
    recording = Recording(1 << 20)
    side = Side(labels={}, board=board, depth=depth, options={**options, "instrument": recording})
    warm(side)
    recording.taken()
    searched(side, stop)
    every = list(intervals(recording.taken()))
    if recording.lost:
        raise OutflankError(f"{recording.lost:,} events found no room: choose a higher --threshold or a lower --depth")
    totals: list[Sample] = [
        {
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
    names = _move_names(board, kept)
    return [*totals, *({"what": "interval", **sample, "line": _named(str(sample["line"]), names)} for sample in kept)]


def _move_names(board: Board[Any], samples: Sequence[Sample]) -> dict[str, str]:
    """The moves in the lines, by their codes, as people write them."""
    codes = {word for sample in samples for word in line_of(str(sample["line"]))[1:]}
    return {code: str(board.move(int(code))) for code in codes}


def _named(line: str, names: dict[str, str]) -> str:
    depth, *codes = line_of(line) or [""]
    return " ".join((depth, *(names[code] for code in codes)))


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


def _share_of(totals: Sequence[Sample], kinds: tuple[str, ...]) -> float:
    def seconds(wanted: tuple[str, ...]) -> float:
        return sum(number(each["end_us"]) for each in totals if each["kind"] in wanted)

    busy = seconds(tuple(kind for kind in KINDS if kind != IDLE))
    return seconds(kinds) / busy if busy else 0.0


def _timeline(chosen: Choice, samples: Sequence[Sample]) -> Timeline:
    return Timeline(
        title=f"{chosen.scheme}: what each worker did",
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
        caption="Blank: idle, or between two iterations.",
    )


def _busy(samples: Sequence[Sample], end: float, workers: int) -> Plot:
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
        title="busy workers over time",
        x="time (ms)",
        y="workers",
        series=(
            Series(name="busy", points=points, style="line"),
            Series(name="all", points=((0.0, float(workers)), (end / 1000, float(workers))), style="dashed"),
        ),
    )


def _flame(samples: Sequence[Sample]) -> Flame:
    root = FlameBox("all workers")
    for sample in samples:
        kind = str(sample["kind"])
        path = line_of(str(sample["line"])) if kind != IDLE else []
        root.add(
            [*path, *([] if kind == SEARCH else [kind])], (number(sample["end_us"]) - number(sample["begin_us"])) / 1000
        )
    return Flame(
        title="flame graph of the tree",
        unit="ms",
        root=root,
        caption="Iterations, then root moves, then the replies that became split points; idle time beside them.",
    )
