"""The integers that the reports explain, and the times that stand beside them, found anew."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from outflank.boards import AbaloneBoard
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
from outflank.lab.experiment import core_counts
from outflank.lab.literature import fact, published, rows
from outflank.lab.measuring import Side, median, searched, warm
from outflank.lab.report import Cell
from outflank.lab.searched import note
from outflank.lab.spans import NO_SPANS
from outflank.search.contract import Stop
from outflank.search.perft import perft
from outflank.search.probes import Counts

Line = tuple[str, Cell, str, Cell, Cell]
"""A cell of a report's table: the table, the row, the column; as published, and as found."""

Check = tuple[str, str, Callable[[Stop], Sequence[Line]], float]
"""What it is, `integer` or `ratio`, how it is found, and how long that takes beside the others."""


def _explained(report: str, name: str) -> dict[Any, Any]:
    """Integers that are understood, by depth."""
    found = published(report)["explained"][name]
    return dict(zip(found["depths"], found["values"], strict=True))


def _shared(workers: int) -> dict[str, Any]:
    return {"parallel": "fork-join", "workers": workers}


def _checks_000(workers: int) -> list[Check]:
    return [("depth 17", "ratio", partial(_depth_17, workers), 3.0)]


def _depth_17(workers: int, stop: Stop) -> list[Line]:
    speedups = {row["processors"]: row for row in rows("000", "speedup")}
    serial_s = speedups[1]["seq_total_s"]
    lines: list[Line] = []
    seconds: dict[str, float] = {}
    programs: dict[str, dict[str, Any]] = {
        "seq": {"workers": 1},
        "seq, symmetric positions shared": {"workers": 1, "canonical": True},
        f"par, {workers} workers": {"workers": workers, "parallel": "ybw"},
    }
    for name, options in programs.items():
        side = Side(labels={}, board=othello_start(), depth=17, options={**REPORT_000, **options})
        warm(side)
        found, _ = searched(side, stop)
        if stop.called:
            raise Stopped
        seconds[name] = found.seconds
        theirs = speedups.get(workers, {}).get("par_total_s") if name.startswith("par") else serial_s
        lines.append(("depth 17 from the start", name, "time (s)", theirs, found.seconds))
        boards = None if name.startswith("par") else fact("000", "boards_seq")
        lines.append(("depth 17 from the start", name, "boards", boards, found.nodes))
    together = speedups.get(workers, {}).get("par_total_s")
    lines.append(
        (
            "depth 17 from the start",
            f"par, {workers} workers",
            "speed-up",
            serial_s / together if together else None,
            seconds["seq"] / seconds[f"par, {workers} workers"],
        )
    )
    return lines


def _checks_001(workers: int) -> list[Check]:
    return []


def _checks_002(workers: int) -> list[Check]:
    checks: list[Check] = [
        (f"game at depth {depth}", "integer", partial(_game_002, workers, depth), float(4 ** (depth - 6)))
        for depth in _explained("002", "spawns")
    ]
    checks.append(("final discs", "integer", partial(_discs, "002"), 0.2))
    checks.append(("speed-up table from its own work and span", "integer", _speedups_002, 0.1))
    checks.append(("time of the game", "ratio", partial(_times_002, workers), 2.0))
    return checks


PROFILE = "parallelism profile, by depth"


def _game_002(workers: int, depth: int, stop: Stop) -> list[Line]:
    counts = Counts()
    turns = 0
    for _ in self_play(depth, RULES_002, new_board(), stop=stop, instrument=counts, **_shared(workers)):
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


def _times_002(workers: int, stop: Stop) -> list[Line]:
    depth = fact("002", "timed_depth")
    lines: list[Line] = []
    for count in (1, workers):
        options = {"parallel": "fork-join", "workers": count}
        seconds = sum(found.seconds for found in self_play(depth, RULES_002, new_board(), stop=stop, **options))
        theirs = fact("002", "seconds_on_1_thread_above") if count == 1 else None
        lines.append((f"a game at depth {depth}", f"{count} workers", "time (s)", theirs, seconds))
    return lines


def _checks_003(workers: int) -> list[Check]:
    return [
        ("leaves of the whole tree", "integer", partial(_perft_003, workers), 0.5),
        ("leaves of alpha-beta", "integer", partial(_leaves_003, workers), 0.5),
        ("rates", "ratio", partial(_rates_003, workers), 2.0),
    ]


def _perft_003(workers: int, stop: Stop) -> list[Line]:
    title, board = "evaluations from the start, by depth", AbaloneBoard.start()
    lines: list[Line] = []
    for depth, leaves in _explained("003", "perft").items():
        lines.append((title, depth, "minimax", leaves, perft(board, depth, workers=workers).leaves))
        note(board, depth, algorithm="perft", workers=workers)
    return lines


RINGS = {"45/35/25/10/0": "rings-lab", "70/60/40/10/1": "rings"}
"""Our names for the laboratory's ring values and for report 003's own."""


def _leaves_003(workers: int, stop: Stop) -> list[Line]:
    board = AbaloneBoard.start()
    lines: list[Line] = []
    for depth, leaves in _explained("003", "leaves_depth_5").items():
        found = lab_search_003(
            board, depth, "rings", share_alpha=False, stop=stop, parallel="root-split", workers=workers
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


def _rates_003(workers: int, stop: Stop) -> list[Line]:
    board = AbaloneBoard.start()
    whole, pruned = fact("003", "minimax_evaluations_depth_5"), fact("003", "alphabeta_evaluations_depth_5")
    found = lab_search_003(board, 5, "rings", share_alpha=False, stop=stop)
    rate, title = 100 * (1 - found.leaves / whole), "rates, from the start"
    six = lab_search_003(board, 6, "rings", share_alpha=True, stop=stop, parallel="ybw", workers=workers)
    return [
        (title, "leaves pruned at depth 5 (%), as its text has it", "", fact("003", "pruning_depth_5_percent"), rate),
        (title, "the same, from its own counts", "", 100 * (1 - pruned / whole), rate),
        (
            title,
            f"time of depth 6, {workers} workers (s)",
            "",
            fact("003", "opening_seconds_per_move"),
            six.seconds,
        ),
    ]


def _checks_004(workers: int) -> list[Check]:
    checks: list[Check] = [
        (f"game at depth {depth}", "integer", partial(_game_004, workers, depth), float(4 ** (depth - 6)))
        for depth in _explained("004", "calls")
    ]
    checks.append(("final discs", "integer", partial(_discs, "004"), 0.2))
    checks.append(("thread table", "ratio", _threads_004, 3.0))
    return checks


CILKVIEW = "cilkview, by depth"


def _game_004(workers: int, depth: int, stop: Stop) -> list[Line]:
    counts, board = Counts(), new_board()
    for _ in self_play(depth, RULES_004, board, stop=stop, instrument=counts, **_shared(workers)):
        pass
    closing = closing_turns_004(board)
    calls, turns = sum(counts.nodes[1:]) + closing, len(board.moves) + closing
    printed = {row["depth"]: row for row in rows("004", "cilkview")}[depth]
    return [
        (CILKVIEW, depth, "number of spawns/syncs", printed["spawns"], 8 * calls),
        (CILKVIEW, depth, "frame count", printed["frames"], 17 * calls - turns),
        (CILKVIEW, depth, "entries to parallel region", printed["entries"], turns),
    ]


def _threads_004(stop: Stop) -> list[Line]:
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


CHECKS: dict[str, Callable[[int], list[Check]]] = {
    "000": _checks_000,
    "001": _checks_001,
    "002": _checks_002,
    "003": _checks_003,
    "004": _checks_004,
}
