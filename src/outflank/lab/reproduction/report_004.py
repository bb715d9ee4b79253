"""Report 004: fork-join minimax."""

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

from outflank.lab.classroom import RULES_004, closing_turns_004, new_board, self_play
from outflank.lab.reproduction.sections import EQUAL, Found, Measure, Part, Section, Setting, Source
from outflank.lab.reproduction.timed_games import EFFICIENCY_004, HPCTOOLKIT, TEXT_004
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
    HPCTOOLKIT,
    EFFICIENCY_004,
    TEXT_004,
)
