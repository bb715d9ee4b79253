"""Report 002: fork-join with a granularity."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from outflank.lab.classroom import RULES_002, final_discs, new_board, self_play
from outflank.lab.experiment import core_counts
from outflank.lab.literature import published, rows
from outflank.lab.reproduction.sections import EQUAL, Found, Measure, Part, Section, Setting, Source
from outflank.lab.reproduction.timed_games import EFFICIENCY_002, FURTHER_002
from outflank.lab.spans import NO_SPANS
from outflank.search.contract import Stop
from outflank.search.probes import Counts


def _profile(setting: Setting) -> Sequence[Source]:
    depths = setting.effort.choose((3, 4, 5, 6), (3, 4, 5, 6, 7), (3, 4, 5, 6, 7))
    counted: list[Source] = [
        Measure(f"game at depth {depth}", partial(_game, setting.workers, depth), float(4 ** (depth - 6)))
        for depth in depths
    ]
    size = {"depths": depths, "rounds": setting.effort.choose(1, 5, 11), "workers": core_counts()}
    return [*counted, Part("parallelism", {"schemes": ("fork-join",), **size})]


def _game(workers: int, depth: int, stop: Stop) -> Iterable[Found]:
    counts = Counts()
    turns = 0
    shared: dict[str, Any] = {"parallel": "fork-join", "workers": workers}
    for _ in self_play(depth, RULES_002, new_board(), stop=stop, instrument=counts, **shared):
        turns += 1
    spawns = sum(counts.moves[3:])
    # A root is a call of its own in that program's game loop; every other node that it divides is a frame more.
    inner = sum(counts.movable[3:]) - turns
    return [Found((depth,), "spawns", spawns), Found((depth,), "frames", 2 * spawns + inner)]


def _speedups(stop: Stop) -> Iterable[Found]:
    """Its lower bounds, by our formula from its own work and burdened span: the formula is Cilkview's."""
    for row in rows("002", "profile"):
        spans = replace(NO_SPANS, work=row["work"], span=row["span"], burdened_span=row["burdened_span"])
        for processors in (2, 4, 8, 16, 32, 64, 128, 256):
            yield Found((row["depth"],), f"processors_{processors}", round(spans.slowest_speedup(processors), 2))


def _discs(stop: Stop) -> Iterable[Found]:
    known = published("002")["explained"]["final_discs"]
    for depth, (black, white) in zip(known["depths"], known["values"], strict=True):
        found = final_discs(depth, RULES_002, stop=stop)
        yield Found((depth,), "X", found[0], published=black)
        yield Found((depth,), "O", found[1], published=white)


def _granularity(setting: Setting) -> Sequence[Source]:
    size = {"rounds": setting.effort.choose(1, 1, 5), "depth": setting.effort.choose(5, 6, 7)}
    return [Part("granularity", {**size, "workers": setting.workers})]


SECTIONS: tuple[Section, ...] = (
    Section(report="002", where="Granularity", title="the granularity", sources=_granularity),
    FURTHER_002,
    Section(
        report="002",
        where="Figure 2",
        title="parallelism profile",
        table="profile",
        key=("depth",),
        expected={"spawns": EQUAL, "frames": EQUAL},
        sources=_profile,
    ),
    Section(
        report="002",
        where="Figure 3",
        title="speed-up by depth, from its own work and burdened span",
        table="speedup",
        key=("depth",),
        expected={f"processors_{2**power}": EQUAL for power in range(1, 9)},
        sources=lambda setting: [Measure("its formula", _speedups, 0.1)],
    ),
    EFFICIENCY_002,
    Section(
        report="002",
        where="The classroom program",
        title="its last line, by depth",
        key=("depth",),
        expected={"X": EQUAL, "O": EQUAL},
        printed=False,
        sources=lambda setting: [Measure("final discs", _discs, 0.2)],
    ),
)
