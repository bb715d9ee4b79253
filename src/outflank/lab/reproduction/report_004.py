"""Report 004: fork-join minimax."""

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

from outflank.lab.classroom import RULES_004, closing_turns_004, new_board, self_play
from outflank.lab.experiment import core_counts
from outflank.lab.literature import fact
from outflank.lab.measuring import median
from outflank.lab.reproduction.sections import EQUAL, Found, Measure, Part, Section, Setting, Source
from outflank.search.contract import Stop
from outflank.search.probes import Counts


def _cilkview(setting: Setting) -> Sequence[Source]:
    counted: list[Source] = [
        Measure(f"game at depth {depth}", partial(_game, setting.workers, depth), float(4 ** (depth - 6)))
        for depth in range(1, setting.effort.choose(7, 8, 8))
    ]
    depths = setting.effort.choose((1, 2, 3, 4), (1, 2, 3, 4, 5), (1, 2, 3, 4, 5, 6))
    size = {"depths": depths, "granularity": 0, "rules": "004", "rounds": 1, "workers": (1,)}
    return [*counted, Part("parallelism", {"schemes": ("fork-join",), **size})]


def _game(workers: int, depth: int, stop: Stop) -> Iterable[Found]:
    counts, board = Counts(), new_board()
    shared: dict[str, Any] = {"parallel": "fork-join", "workers": workers}
    for _ in self_play(depth, RULES_004, board, stop=stop, instrument=counts, **shared):
        pass
    closing = closing_turns_004(board)
    calls, turns = sum(counts.nodes[1:]) + closing, len(board.moves) + closing
    return [
        Found((depth,), "spawns", 8 * calls),
        Found((depth,), "frames", 17 * calls - turns),
        Found((depth,), "entries", turns),
    ]


def _threads(setting: Setting) -> Sequence[Source]:
    if setting.effort == "quick":
        return []
    return [Measure("games", _timed, 3.0)]


def _timed(stop: Stop) -> Iterable[Found]:
    """Its table of threads, on as many as there are cores; its depth is 7."""
    timed: dict[int, list[float]] = {}
    counts = sorted({1, *core_counts()})
    for _ in range(3):
        for workers in counts:
            turns = self_play(7, RULES_004, new_board(), stop=stop, parallel="fork-join", workers=workers)
            timed.setdefault(workers, []).append(sum(found.seconds for found in turns))
    for workers in counts:
        yield Found((workers,), "real_s", median([{"seconds": each} for each in timed[workers]], "seconds"))


def _serial(stop: Stop) -> Iterable[Found]:
    seconds = sum(found.seconds for found in self_play(7, RULES_004, new_board(), stop=stop, workers=1))
    yield Found(("serial",), "real (s)", seconds, published=fact("004", "serial_seconds"))


def _shape(setting: Setting) -> Sequence[Source]:
    size = {"rounds": setting.effort.choose(1, 1, 5), "depth": setting.effort.choose(5, 6, 7)}
    return [Part("shape", {**size, "workers": setting.workers})]


SECTIONS: tuple[Section, ...] = (
    Section(
        report="004",
        where="Deterministic Policy",
        title="the same game every time",
        sources=lambda setting: [Part("determinism", {"depth": setting.effort.choose(3, 4, 6), "rounds": 1})],
    ),
    Section(
        report="004",
        where="Cilkview",
        title="a game, by depth",
        table="cilkview",
        key=("depth",),
        expected={"spawns": EQUAL, "frames": EQUAL, "entries": EQUAL},
        sources=_cilkview,
    ),
    Section(
        report="004",
        where="HPCToolkit",
        title="where the time goes",
        sources=lambda setting: [
            Part(
                "profile",
                {"scheme": "fork-join", "workers": setting.workers, "depth": setting.effort.choose(5, 6, 7)},
            )
        ],
    ),
    Section(
        report="004",
        where="Parallel Efficiency",
        title="a game at depth 7, by threads",
        table="efficiency",
        key=("threads",),
        absent="This machine has no such number of cores.",
        sources=_threads,
    ),
    Section(
        report="004",
        where="Serial",
        title="the serial program",
        key=("program",),
        sources=lambda setting: [] if setting.effort == "quick" else [Measure("serial game", _serial, 1.0)],
    ),
    Section(report="004", where="Branches", title="rows, columns or moves", sources=_shape),
)
