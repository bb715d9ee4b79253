"""Report 003: Abalone, split at the root."""

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

from outflank.boards import AbaloneBoard
from outflank.games.evaluation import evaluation_named, value
from outflank.lab.classroom import lab_search_003
from outflank.lab.literature import fact, published
from outflank.lab.reproduction.sections import EQUAL, Found, Measure, Part, Section, Setting, Source
from outflank.lab.searched import note
from outflank.search.contract import Stop
from outflank.search.perft import perft
from outflank.words import how_many

RINGS = {"45/35/25/10/0": "rings-lab", "70/60/40/10/1": "rings"}
"""Our names for the laboratory's ring values and for report 003's own."""


def _evaluations(setting: Setting) -> Sequence[Source]:
    return [
        Measure("leaves of the whole tree", partial(_perft, setting.workers), 0.5),
        Measure("leaves of alpha-beta", partial(_leaves, setting.workers), 0.5),
    ]


def _perft(workers: int, stop: Stop) -> Iterable[Found]:
    board = AbaloneBoard.start()
    note(board, 5, algorithm="perft", workers=workers)
    yield Found(("minimax", 5), "evaluations", perft(board, 5, workers=workers).leaves)


def _leaves(workers: int, stop: Stop) -> Iterable[Found]:
    board, shared = AbaloneBoard.start(), {"parallel": "root-split", "workers": workers}
    found = lab_search_003(board, 5, "rings", share_alpha=False, stop=stop, **shared)
    yield Found(("alpha-beta", 5), "evaluations", found.leaves)


def _laboratory(stop: Stop) -> Iterable[Found]:
    board, known = AbaloneBoard.start(), published("003")["explained"]
    for rings, shared, worth, leaves in known["lab_depth_3"]["rows"]:
        found = lab_search_003(board, 3, RINGS[rings], share_alpha=shared, stop=stop)
        row = (f"depth 3, rings {rings}, alpha {'shared' if shared else 'not shared'}",)
        yield Found(row, "value", found.value, published=worth)
        yield Found(row, "evaluations", found.leaves, published=leaves)
    evaluation = evaluation_named(board.game, "rings-lab")
    start = -int(value(evaluation, board.game, board.position, ()))
    (theirs,) = known["start_value"]["values"]
    yield Found(("the start, for the side that moved last",), "value", start, published=theirs)


def _rates(workers: int, stop: Stop) -> Iterable[Found]:
    board = AbaloneBoard.start()
    whole, pruned = fact("003", "minimax_evaluations_depth_5"), fact("003", "alphabeta_evaluations_depth_5")
    found = lab_search_003(board, 5, "rings", share_alpha=False, stop=stop)
    rate = 100 * (1 - found.leaves / whole)
    six = lab_search_003(board, 6, "rings", share_alpha=True, stop=stop, parallel="ybw", workers=workers)
    text = fact("003", "pruning_depth_5_percent")
    yield Found(("leaves pruned at depth 5 (%), as its text has it",), "", rate, published=text)
    yield Found(("the same, from its own counts",), "", rate, published=100 * (1 - pruned / whole))
    depth_6 = (f"time of depth 6, {how_many(workers, 'worker')} (s)",)
    yield Found(depth_6, "", six.seconds, published=fact("003", "opening_seconds_per_move"))


def _depths(setting: Setting) -> Sequence[Source]:
    small: dict[str, Any] = {"depths": (1, 2, 3, 4), "minimax_depth": 3}
    more = setting.effort.choose(small, {}, {"minimax_depth": 5})
    return [Part("depths", {"rounds": setting.effort.choose(1, 1, 3), **more})]


def _schedule(setting: Setting) -> Sequence[Source]:
    return [Part("schedule", {"rounds": setting.effort.choose(1, 1, 5), "workers": setting.workers})]


def _scaling(setting: Setting) -> Sequence[Source]:
    size = {"depth": setting.effort.choose(4, 5, 6), "rounds": setting.effort.choose(1, 5, 5)}
    return [Part("scaling", {"game": "abalone", "schemes": ("root-split",), "share_alpha": False, **size})]


SECTIONS: tuple[Section, ...] = (
    Section(
        report="003",
        where="Pruning Effects",
        title="evaluations at depth 5 from the start",
        table="evaluations",
        key=("algorithm", "depth"),
        expected={"evaluations": EQUAL},
        sources=_evaluations,
    ),
    Section(
        report="003",
        where="Figure 2.5",
        title="pruning effects at depth 4",
        sources=lambda setting: [Part("pruning", {"depth": 3} if setting.effort == "quick" else {})],
    ),
    Section(
        report="003",
        where="Rates",
        title="from the start",
        key=("rate",),
        sources=lambda setting: [Measure("rates", partial(_rates, setting.workers), 2.0)],
    ),
    Section(report="003", where="Adaptive Depth", title="what a ply costs", sources=_depths),
    Section(report="003", where="Figure 2.6", title="scaling runs", sources=_scaling),
    Section(report="003", where="Schedule", title="chunks of moves", sources=_schedule),
    Section(
        report="003",
        where="The laboratory's program",
        title="values and leaves that are known of it",
        key=("search",),
        expected={"value": EQUAL, "evaluations": EQUAL},
        printed=False,
        sources=lambda setting: [Measure("known values", _laboratory, 0.2)],
    ),
)
