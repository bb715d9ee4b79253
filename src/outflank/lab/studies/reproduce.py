"""The reports' published numbers beside ours: integers must be equal, times and speed-ups are held side by side."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from outflank.boards import AbaloneBoard
from outflank.errors import UnknownName
from outflank.games.evaluation import evaluation_named, value
from outflank.lab.boards import othello_start
from outflank.lab.classroom import (
    REPORT_000,
    RULES_002,
    RULES_004,
    Stopped,
    closing_turns_004,
    final_discs,
    lab_search_003,
    new_board,
    self_play,
)
from outflank.lab.drawing import looks
from outflank.lab.experiment import (
    Conclusion,
    Experiment,
    Parameters,
    Task,
    core_counts,
    experiment_named,
    option,
    register,
)
from outflank.lab.literature import REPORTS, fact, published, rows
from outflank.lab.measuring import Side, grouped, median, number, searched, warm
from outflank.lab.report import Cell, Figure, Sample, Table
from outflank.lab.spans import NO_SPANS
from outflank.search.contract import Stop
from outflank.search.perft import perft
from outflank.search.probes import Counts

TITLES = {
    "000": "MTD(f) on a cluster",
    "001": "PVS, Jamboree and a shared table",
    "002": "fork-join with a granularity",
    "003": "Abalone, split at the root",
    "004": "fork-join minimax",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice(Parameters):
    """What is reproduced."""

    which: tuple[str, ...] = option(("all",), "000 to 004, or all.", argument=True)
    full: bool = option(False, "The deepest rows and more rounds too: some ten minutes longer.")
    workers: int = option(core_counts()[-1], "Workers of the parallel parts.")

    def __post_init__(self) -> None:
        super(Choice, self).__post_init__()
        for name in self.which:
            if name != "all" and name not in REPORTS:
                raise UnknownName.among("report", name, (*REPORTS, "all"))

    @property
    def reports(self) -> tuple[str, ...]:
        """Those wanted, each once."""
        return REPORTS if "all" in self.which else tuple(dict.fromkeys(self.which))


@dataclass(frozen=True, slots=True)
class Part:
    """An experiment that stands for tables of a report."""

    experiment: str
    parameters: dict[str, Any]
    full: dict[str, Any]
    """What changes when everything is wanted."""

    def chosen(self, *, full: bool) -> Any:
        """Its parameters."""
        return experiment_named(self.experiment).parameters(**{**self.parameters, **(self.full if full else {})})


def _parts(report: str, workers: int) -> list[Part]:
    """The experiments of a report, as small as they still say something."""
    one = {"rounds": 1}
    shared = {"rounds": 1, "workers": workers}
    counts = core_counts()
    five = {"rounds": 5}
    return {
        "000": [
            Part("orderings", one, five),
            Part("pivot", one, five),
            Part("coarseness", one, five),
            Part("symmetry", one, five),
            Part("table", {}, {}),
            Part("hash", {"boards": (16, 18)}, {"boards": (16, 18, 19, 20)}),
            Part("threshold", {**shared, "depth": 13}, {**five, "depth": 15}),
        ],
        "001": [
            Part("nodes", {"depth": 11, "workers": workers, "algorithms": NAMED_BY_001}, {}),
            Part("levels", {**shared, "depth": 11}, {**five, "depth": 12}),
            Part("branching", {"depth": 6, "games": 1}, {"games": 5}),
        ],
        "002": [
            Part(
                "parallelism",
                {"schemes": ("fork-join",), "depths": (3, 4, 5, 6, 7), "rounds": 5, "workers": counts},
                {"rounds": 11},
            ),
            Part("granularity", {**shared, "depth": 6}, {**five, "depth": 7}),
        ],
        "003": [
            Part("pruning", {}, {}),
            Part("depths", one, {"rounds": 3, "minimax_depth": 5}),
            Part("schedule", shared, five),
            Part(
                "scaling",
                {"game": "abalone", "schemes": ("root-split",), "depth": 5, "share_alpha": False, "rounds": 5},
                {"depth": 6},
            ),
        ],
        "004": [
            Part(
                "parallelism",
                {
                    "schemes": ("fork-join",),
                    "depths": (1, 2, 3, 4, 5),
                    "granularity": 0,
                    "rules": "004",
                    "rounds": 1,
                    "workers": (1,),
                },
                {"depths": (1, 2, 3, 4, 5, 6)},
            ),
            Part("shape", {**shared, "depth": 6}, {**five, "depth": 7}),
            Part("determinism", {"depth": 4, "rounds": 1}, {"depth": 6}),
            Part("profile", {"scheme": "fork-join", "workers": workers, "depth": 6}, {"depth": 7}),
        ],
    }[report]


NAMED_BY_001 = ("SerialPVS", "AlphaBeta", "ParallelPVS", "ParallelAlphaBeta")
"""The four whose nodes report 001 prints."""

Line = tuple[str, Cell, str, Cell, Cell]
"""A cell of a report's table: the table, the row, the column; as published, and as found."""


@register
class Reproduce(Experiment[Choice]):
    """Everything the reports published, from one command."""

    name = "reproduce"
    question = "Do the reports' numbers come out?"
    reports = REPORTS
    parameters = Choice

    def tasks(self, chosen: Choice) -> Sequence[Task]:
        found = []
        for report in chosen.reports:
            found += [
                Task(f"{report}: {what}", partial(_line_samples, report, kind, lines), weight)
                for what, kind, lines, weight in CHECKS[report](chosen)
            ]
            for part in _parts(report, chosen.workers):
                tasks = experiment_named(part.experiment).tasks(part.chosen(full=chosen.full))
                found += [
                    replace(
                        task,
                        name=f"{report}: {part.experiment}: {task.name}",
                        run=partial(_part_samples, report, part, task),
                    )
                    for task in _evened(tasks)
                ]
        return found

    def conclude(self, chosen: Choice, samples: Sequence[Sample]) -> Conclusion:
        tables: list[Table] = []
        figures: list[Figure] = []
        notes: list[str] = []
        passed = True
        equal, compared = 0, 0
        for report in chosen.reports:
            mine = [sample for sample in samples if sample["report"] == report]
            lines = [sample for sample in mine if sample["part"] in ("integer", "ratio")]
            for (table, kind), found in grouped(lines, "table", "part").items():
                title = f"{report}, {TITLES[report]}: {table}"
                tables.append(_checked(title, found) if kind == "integer" else _beside(title, found))
                if kind == "integer":
                    right = sum(sample["ours"] == sample["published"] for sample in found)
                    equal, compared = equal + right, compared + len(found)
            for part in _parts(report, chosen.workers):
                own = [_unwrapped(sample) for sample in mine if sample["part"] == part.experiment]
                if own:
                    said = experiment_named(part.experiment).conclude(part.chosen(full=chosen.full), own)
                    tables += [replace(table, title=f"{report}, {table.title}") for table in said.tables]
                    figures += [replace(figure, title=f"{report}, {figure.title}") for figure in said.figures]
                    notes += [f"{report}, {part.experiment}: {note}" for note in said.notes]
                    passed = passed and said.passed
        if compared:
            notes.insert(0, f"{equal} of {compared} integers that are explained are equal.")
        return Conclusion(
            tables=tuple(tables), figures=tuple(figures), notes=tuple(notes), passed=passed and equal == compared
        )


def _evened(tasks: Sequence[Task]) -> list[Task]:
    """Tasks of an experiment that weigh one together: weights of different experiments have no common unit."""
    total = sum(task.weight for task in tasks)
    return [replace(task, weight=len(tasks) ** 0.5 * task.weight / total) for task in tasks]


def _part_samples(report: str, part: Part, task: Task, stop: Stop) -> list[Sample]:
    # Its own task's name is kept beside ours: what it concludes may look at it.
    return [{"report": report, "part": part.experiment, "part_task": task.name, **sample} for sample in task.run(stop)]


def _unwrapped(sample: Sample) -> Sample:
    return {key: cell for key, cell in sample.items() if key not in ("report", "part", "part_task", "task")}


def _line_samples(report: str, kind: str, lines: Callable[[Stop], Sequence[Line]], stop: Stop) -> list[Sample]:
    try:
        return [
            {
                "report": report,
                "part": kind,
                "table": table,
                "row": row,
                "column": column,
                "published": theirs,
                "ours": ours,
            }
            for table, row, column, theirs, ours in lines(stop)
        ]
    except Stopped:
        return []  # nothing of a stopped task is kept


def _checked(title: str, lines: Sequence[Sample]) -> Table:
    """A report's table in its own shape, a mark at every number that is equal."""
    found: list[Sample] = []
    for (row,), cells in grouped(lines, "row").items():
        shown: Sample = {"": row}
        for sample in cells:
            theirs, ours = looks.number(sample["published"]), looks.number(sample["ours"])
            shown[str(sample["column"])] = f"{theirs} ✓" if theirs == ours else f"{theirs} ≠ {ours}"
        found.append(shown)
    return Table.of(title, found, notes=("✓: ours is equal. ≠: ours follows.",))


def _beside(title: str, lines: Sequence[Sample]) -> Table:
    """A report's table in its own shape, with ours and the ratio beside each of its numbers."""
    found: list[Sample] = []
    for (row,), cells in grouped(lines, "row").items():
        shown: Sample = {"": row}
        for sample in cells:
            theirs, ours, column = sample["published"], sample["ours"], sample["column"]
            shown[f"{column}, published"] = theirs
            shown[f"{column}, ours"] = ours
            shown[f"{column}, ratio"] = number(ours) / number(theirs) if ours is not None and theirs else None
        found.append(shown)
    return Table.of(title, found)


# --- the integers, and the times that stand beside them ---

Check = tuple[str, str, Callable[[Stop], Sequence[Line]], float]
"""What it is, `integer` or `ratio`, how it is found, and how long that takes beside the others."""


def _explained(report: str, name: str) -> dict[Any, Any]:
    """Integers that are understood, by depth."""
    found = published(report)["explained"][name]
    return dict(zip(found["depths"], found["values"], strict=True))


def _shared(chosen: Choice) -> dict[str, Any]:
    return {"parallel": "fork-join", "workers": chosen.workers}


def _checks_000(chosen: Choice) -> list[Check]:
    return [("depth 17", "ratio", partial(_depth_17, chosen), 3.0)]


def _depth_17(chosen: Choice, stop: Stop) -> list[Line]:
    speedups = {row["processors"]: row for row in rows("000", "speedup")}
    serial_s = speedups[1]["seq_total_s"]
    lines: list[Line] = []
    seconds: dict[str, float] = {}
    programs: dict[str, dict[str, Any]] = {
        "seq": {"workers": 1},
        "seq, symmetric positions shared": {"workers": 1, "canonical": True},
        f"par, {chosen.workers} workers": {"workers": chosen.workers, "parallel": "ybw"},
    }
    for name, options in programs.items():
        side = Side(labels={}, board=othello_start(), depth=17, options={**REPORT_000, **options})
        warm(side)
        found, _ = searched(side, stop)
        if stop.called:
            raise Stopped
        seconds[name] = found.seconds
        theirs = speedups.get(chosen.workers, {}).get("par_total_s") if name.startswith("par") else serial_s
        lines.append(("depth 17 from the start", name, "time (s)", theirs, found.seconds))
        boards = None if name.startswith("par") else fact("000", "boards_seq")
        lines.append(("depth 17 from the start", name, "boards", boards, found.nodes))
    together = speedups.get(chosen.workers, {}).get("par_total_s")
    lines.append(
        (
            "depth 17 from the start",
            f"par, {chosen.workers} workers",
            "speed-up",
            serial_s / together if together else None,
            seconds["seq"] / seconds[f"par, {chosen.workers} workers"],
        )
    )
    return lines


def _checks_001(chosen: Choice) -> list[Check]:
    return []


def _checks_002(chosen: Choice) -> list[Check]:
    checks: list[Check] = [
        (f"game at depth {depth}", "integer", partial(_game_002, chosen, depth), float(4 ** (depth - 6)))
        for depth in _explained("002", "spawns")
    ]
    checks.append(("final discs", "integer", partial(_discs, "002"), 0.2))
    checks.append(("speed-up table from its own work and span", "integer", _speedups_002, 0.1))
    checks.append(("time of the game", "ratio", partial(_times_002, chosen), 2.0))
    return checks


PROFILE = "parallelism profile, by depth"


def _game_002(chosen: Choice, depth: int, stop: Stop) -> list[Line]:
    counts = Counts()
    turns = 0
    for _ in self_play(depth, RULES_002, new_board(), stop=stop, instrument=counts, **_shared(chosen)):
        turns += 1
    spawns = sum(counts.moves[3:])
    frames = {row["depth"]: row["frames"] for row in rows("002", "profile")}
    # A root is a call of its own in that program's game loop; every other node that it divides is a frame more.
    inner = sum(counts.movable[3:]) - turns
    return [
        (PROFILE, depth, "spawns/syncs", _explained("002", "spawns")[depth], spawns),
        (PROFILE, depth, "frame count", frames[depth], 2 * spawns + inner),
    ]


def _discs(report: str, stop: Stop) -> list[Line]:
    lines: list[Line] = []
    for depth, (black, white) in _explained(report, "final_discs").items():
        found = final_discs(depth, RULES_002, stop=stop)
        title = "the classroom program's last line, by depth"
        lines += [(title, depth, "X", black, found[0]), (title, depth, "O", white, found[1])]
    return lines


def _speedups_002(stop: Stop) -> list[Line]:
    """Its lower bounds, by our formula from its own work and burdened span: the formula is Cilkview's."""
    profile = {row["depth"]: row for row in rows("002", "profile")}
    lines: list[Line] = []
    title = "speed-up by depth, from its own work and burdened span"
    for row in rows("002", "speedup"):
        own = profile[row["depth"]]
        spans = replace(NO_SPANS, work=own["work"], span=own["span"], burdened_span=own["burdened_span"])
        for name, theirs in row.items():
            if name != "depth":
                processors = int(name.removeprefix("processors_"))
                ours = round(spans.slowest_speedup(processors), 2)
                lines.append((title, row["depth"], f"{processors} processors", theirs, ours))
    return lines


def _times_002(chosen: Choice, stop: Stop) -> list[Line]:
    depth = fact("002", "timed_depth")
    lines: list[Line] = []
    for workers in (1, chosen.workers):
        options = {"parallel": "fork-join", "workers": workers}
        seconds = sum(found.seconds for found in self_play(depth, RULES_002, new_board(), stop=stop, **options))
        theirs = fact("002", "seconds_on_1_thread_above") if workers == 1 else None
        lines.append((f"a game at depth {depth}", f"{workers} workers", "time (s)", theirs, seconds))
    return lines


def _checks_003(chosen: Choice) -> list[Check]:
    return [
        ("leaves of the whole tree", "integer", partial(_perft_003, chosen), 0.5),
        ("leaves of alpha-beta", "integer", partial(_leaves_003, chosen), 0.5),
        ("rates", "ratio", partial(_rates_003, chosen), 2.0),
    ]


def _perft_003(chosen: Choice, stop: Stop) -> list[Line]:
    title, board = "evaluations from the start, by depth", AbaloneBoard.start()
    return [
        (title, depth, "minimax", leaves, perft(board, depth, workers=chosen.workers).leaves)
        for depth, leaves in _explained("003", "perft").items()
    ]


RINGS = {"45/35/25/10/0": "rings-lab", "70/60/40/10/1": "rings"}
"""Our names for the laboratory's ring values and for report 003's own."""


def _leaves_003(chosen: Choice, stop: Stop) -> list[Line]:
    board = AbaloneBoard.start()
    lines: list[Line] = []
    for depth, leaves in _explained("003", "leaves_depth_5").items():
        found = lab_search_003(
            board, depth, "rings", share_alpha=False, stop=stop, parallel="root-split", workers=chosen.workers
        )
        title = "evaluations from the start, by depth"
        lines.append((title, depth, "alpha-beta, full windows", leaves, found.leaves))
    table = published("003")["explained"]["lab_depth_3"]
    for rings, shared, worth, leaves in table["rows"]:
        found = lab_search_003(board, 3, RINGS[rings], share_alpha=shared, stop=stop)
        how = f"{rings}, alpha {'shared' if shared else 'not shared'}"
        title = "the laboratory's program at depth 3, by rings"
        lines += [(title, how, "value", worth, found.value), (title, how, "evaluations", leaves, found.leaves)]
    evaluation = evaluation_named(board.game, "rings-lab")
    start = -int(value(evaluation, board.game, board.position, ()))
    lines.append(
        ("the start itself", "for the side that moved last", "value", _explained("003", "start_value")[0], start)
    )
    return lines


def _rates_003(chosen: Choice, stop: Stop) -> list[Line]:
    board = AbaloneBoard.start()
    whole, pruned = fact("003", "minimax_evaluations_depth_5"), fact("003", "alphabeta_evaluations_depth_5")
    found = lab_search_003(board, 5, "rings", share_alpha=False, stop=stop)
    rate, title = 100 * (1 - found.leaves / whole), "rates, from the start"
    six = lab_search_003(board, 6, "rings", share_alpha=True, stop=stop, parallel="ybw", workers=chosen.workers)
    return [
        (title, "leaves pruned at depth 5 (%), as its text has it", "", fact("003", "pruning_depth_5_percent"), rate),
        (title, "the same, from its own counts", "", 100 * (1 - pruned / whole), rate),
        (
            title,
            f"time of depth 6, {chosen.workers} workers (s)",
            "",
            fact("003", "opening_seconds_per_move"),
            six.seconds,
        ),
    ]


def _checks_004(chosen: Choice) -> list[Check]:
    checks: list[Check] = [
        (f"game at depth {depth}", "integer", partial(_game_004, chosen, depth), float(4 ** (depth - 6)))
        for depth in _explained("004", "calls")
    ]
    checks.append(("final discs", "integer", partial(_discs, "004"), 0.2))
    checks.append(("thread table", "ratio", partial(_threads_004, chosen), 3.0))
    return checks


CILKVIEW = "cilkview, by depth"


def _game_004(chosen: Choice, depth: int, stop: Stop) -> list[Line]:
    counts, board = Counts(), new_board()
    for _ in self_play(depth, RULES_004, board, stop=stop, instrument=counts, **_shared(chosen)):
        pass
    closing = closing_turns_004(board)
    calls, turns = sum(counts.nodes[1:]) + closing, len(board.moves) + closing
    printed = {row["depth"]: row for row in rows("004", "cilkview")}[depth]
    return [
        (CILKVIEW, depth, "number of spawns/syncs", printed["spawns"], 8 * calls),
        (CILKVIEW, depth, "frame count", printed["frames"], 17 * calls - turns),
        (CILKVIEW, depth, "entries to parallel region", printed["entries"], turns),
    ]


def _threads_004(chosen: Choice, stop: Stop) -> list[Line]:
    """Its table of threads, on as many as there are cores; its depth is 7."""
    printed = {row["threads"]: row for row in rows("004", "efficiency")}
    lines: list[Line] = []
    timed: dict[int, list[float]] = {}
    counts = sorted({1, *core_counts()})
    for _ in range(3):
        for workers in (0, *counts):  # 0: the serial program
            options: dict[str, Any] = {"parallel": "fork-join", "workers": workers} if workers else {"workers": 1}
            turns = self_play(7, RULES_004, new_board(), stop=stop, **options)
            timed.setdefault(workers, []).append(sum(found.seconds for found in turns))
    serial = median([{"seconds": each} for each in timed[0]], "seconds")
    title = "a game at depth 7, by threads"
    lines.append((title, "serial", "real (s)", fact("004", "serial_seconds"), serial))
    for workers in counts:
        seconds = median([{"seconds": each} for each in timed[workers]], "seconds")
        theirs = printed.get(workers, {}).get("real_s")
        efficiency = fact("004", "serial_seconds") / workers / theirs if theirs else None
        lines.append((title, workers, "real (s)", theirs, seconds))
        lines.append((title, workers, "efficiency", efficiency, serial / workers / seconds))
    return lines


CHECKS: dict[str, Callable[[Choice], list[Check]]] = {
    "000": _checks_000,
    "001": _checks_001,
    "002": _checks_002,
    "003": _checks_003,
    "004": _checks_004,
}
