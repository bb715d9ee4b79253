"""Report 000: MTD(f) on a cluster."""

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

from outflank.lab.boards import othello_start
from outflank.lab.classroom import REPORT_000, Stopped
from outflank.lab.literature import fact, rows
from outflank.lab.measuring import Side, searched, warm
from outflank.lab.reproduction.sections import Found, Measure, Part, Section, Setting, Source
from outflank.search.contract import Stop


def _choices(name: str, setting: Setting) -> Sequence[Source]:
    small: dict[str, Any] = {"depth": 9, "midgame_depth": 8} if setting.effort == "quick" else {}
    return [Part(name, {"rounds": setting.effort.choose(1, 1, 5), **small})]


def _threshold(setting: Setting) -> Sequence[Source]:
    size = {"rounds": setting.effort.choose(1, 1, 5), "depth": setting.effort.choose(11, 13, 15)}
    return [Part("threshold", {**size, "workers": setting.workers})]


def _depth_17(setting: Setting) -> Sequence[Source]:
    if setting.effort == "quick":
        return []
    return [Measure("depth 17", partial(_searched_to_17, setting.workers), 3.0)]


def _searched_to_17(workers: int, stop: Stop) -> Iterable[Found]:
    speedups = {row["processors"]: row for row in rows("000", "speedup")}
    serial_s = speedups[1]["seq_total_s"]
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
        yield Found((name,), "time (s)", found.seconds, published=theirs)
        if not name.startswith("par"):
            yield Found((name,), "boards", found.nodes, published=fact("000", "boards_seq"))
    together = speedups.get(workers, {}).get("par_total_s")
    if together:
        ours = seconds["seq"] / seconds[f"par, {workers} workers"]
        yield Found((f"par, {workers} workers",), "speed-up", ours, published=serial_s / together)


SECTIONS: tuple[Section, ...] = (
    *(
        Section(report="000", where=title, title=title, sources=partial(_choices, name))
        for name, title in (
            ("orderings", "Move ordering"),
            ("pivot", "The pivot"),
            ("coarseness", "Coarseness"),
            ("symmetry", "Symmetry"),
        )
    ),
    Section(report="000", where="Transposition table", title="look-ups", sources=lambda setting: [Part("table", {})]),
    Section(
        report="000",
        where="Hashing",
        title="boards in a free slot",
        sources=lambda setting: [Part("hash", {"boards": setting.effort.choose((16,), (16, 18), (16, 18, 19, 20))})],
    ),
    Section(report="000", where="Threshold", title="the threshold", sources=_threshold),
    Section(report="000", where="Speed-ups", title="depth 17 from the start", key=("program",), sources=_depth_17),
)
