"""Sources of two sections without a published table: measurements that only report 000's conclusions need."""

import random
from collections.abc import Iterable, Sequence
from functools import partial
from statistics import correlation
from typing import Any

import numpy as np

from outflank.arena import Openings
from outflank.games.sides import Side
from outflank.lab.experiment_boards import default_board
from outflank.lab.measuring.search_log import search
from outflank.lab.report_programs.classroom import REPORT_000, BrokenOff
from outflank.lab.reproduction.cluster_000 import MACHINE
from outflank.lab.reproduction.published_sections import ExperimentPart, Measure, MeasuredCell, Setting, Source
from outflank.lab.reproduction.sequential_000 import sized
from outflank.lab.studies.choices import ORDERINGS
from outflank.lab.studies.edges import finish_game
from outflank.lab.studies.storage import CENTRE
from outflank.othello.board import OthelloBoard
from outflank.othello.evaluation import CORNERS, EDGES, X_SQUARES
from outflank.othello.rules import legal
from outflank.search.request import Limits, Stop

CLUSTER, SEQUENTIAL = "Conclusions, cluster", "Conclusions, sequential"
"""Names of the two sections."""

SENT_DEPTH = 4
"""Least depth of the entries that the simulated `par_tuple` sends, since it sends none of more plies than its jobs."""

MYRINET = {"latency": 10.0, "bandwidth": 160.0}
"""Microseconds and megabytes per second of the network that report 000 could not use: usual figures of its time."""

BATCHES = (1_000, 10_000, 100_000)
"""Compared numbers of entries per update of `par_rmi`."""

# --- the cluster ---


def _part(setting: Setting, label: str, policies: Sequence[str], nodes: Sequence[int], **more: Any) -> ExperimentPart:
    """Return a simulation of report 000's program on its cluster. Jobs have 5 plies, unless `more` says otherwise."""
    silent = {"message", "entry"} if set(policies) == {"none"} else set()
    parameters = {
        "program": "000",
        "positions": ("start",),
        "depth": setting.effort.choose(9, 11, 11),
        "thresholds": (5,),
        "nodes": tuple(nodes),
        "policies": tuple(policies),
        "hidden": (7,),
        "measured": (1,),
        "rounds": 1,
        **{name: value for name, value in MACHINE.items() if name not in silent},
        **more,
    }
    return ExperimentPart("simulate", parameters, show=False, weight=3.0, label=label)


def cluster(setting: Setting) -> Sequence[Source]:
    """Return simulations that vary one choice of report 000 each, at one depth, and a measurement on two nodes."""
    selective = f"depth:depth={SENT_DEPTH}"
    deep = setting.effort.choose(9, 13, 13)
    thresholds = setting.effort.choose((5, 7, 9), (3, 4, 5, 6, 7, 9), (3, 4, 5, 6, 7, 9))
    policies = ("none", "batch", *(f"depth:depth={depth}" for depth in (2, 3, 4, 5)), "async:depth=4")
    rounds = setting.effort.choose(1, 3, 5)
    limits = {
        "cluster": "inside:2",
        "policies": ("none", "depth:depth=2", "depth:plies=6", selective),
        "thresholds": (5,),
        "depth": setting.effort.choose(9, 11, 13),
        "rounds": rounds,
    }
    return [
        _part(setting, "thresholds", ("none", "batch"), (1, 4, 64), thresholds=thresholds, depth=11),
        _part(setting, "policies", policies, (16, 32, 64), depth=deep),
        *(_part(setting, f"{size} entries", (f"batch:batch={size}",), (64,), depth=deep) for size in BATCHES),
        _part(setting, "no waiting", ("async:depth=2,batch=10000",), (64,), depth=deep),
        _part(setting, "Myrinet", ("none", "batch", selective), (64,), depth=deep, **MYRINET),
        _part(setting, "start", ("none",), (1, 16, 64), depth=setting.effort.choose(11, 13, 13), rounds=rounds),
        _part(
            setting, "mid-game", ("none",), (16, 64), positions=("midgame",)
        ),  # about as many boards as from the start
        _part(setting, "unordered", ("none",), (16, 64), depth=setting.effort.choose(11, 13, 13), ordering="none"),
        ExperimentPart("threshold", limits, show=False, label="limits"),
    ]


# --- the sequential program ---


def sequential(setting: Setting) -> Sequence[Source]:
    """Return measurements of algorithms, rules, growth and, except in a quick run, matches and the board of 6×6."""
    depths = setting.effort.choose((5, 7, 9), (7, 9, 11, 13), (7, 9, 11, 13, 15))
    sources: list[Source] = [
        ExperimentPart("algorithms", sized(setting), show=False),
        Measure("rules", partial(_rules, setting.effort.choose(20, 200, 2000)), 0.5),
        Measure("growth", partial(_growth, depths)),
    ]
    if setting.effort == "quick":
        return sources
    games = setting.effort.choose(4, 100, 400)
    return [
        *sources,
        Measure("6×6", partial(_six, setting.workers), 10.0),
        Measure("scores", partial(_scores, setting.effort.choose(20, 200, 1000)), 5.0),
        Measure("orderings by evaluation", _orderings_by_evaluation, 2.0),
        *(
            Measure(f"{first} against {second}", partial(_match, first, second, games), 5.0)
            for first, second in MATCHES
        ),
    ]


def _cell(name: str, value: float) -> MeasuredCell:
    return MeasuredCell((name,), "value", value)


def _rules(games: int, stop: Stop) -> Iterable[MeasuredCell]:
    """Yield how many boards of random games have an empty centre square, and how many first moves are different."""
    rng = random.Random(1)
    boards = empty = 0
    for _ in range(games):
        board = OthelloBoard.start()
        while not board.is_game_over():
            board.push(rng.choice(board.legal_moves))
        stones = [int(own | opp) for own, opp in (*board.positions, board.position)]
        boards += len(stones)
        empty += sum(word & int(CENTRE) != int(CENTRE) for word in stones)
    yield _cell("boards of random games", boards)
    yield _cell("boards with an empty centre square", empty)
    children = []
    for move in OthelloBoard.start().legal_moves:
        board = OthelloBoard.start()
        board.push(move)
        children.append(tuple(map(int, board.canonical().position)))
    yield _cell("first moves", len(children))
    yield _cell("first moves that differ", len(set(children)))


def _growth(depths: Sequence[int], stop: Stop) -> Iterable[MeasuredCell]:
    """Yield the boards that report 000's program visits from the start, by depth."""
    for depth in depths:
        result = search(OthelloBoard.start(), Limits(depth=depth), stop=stop, workers=1, **REPORT_000)
        if stop.called:
            raise BrokenOff
        yield MeasuredCell((f"depth {depth}",), "boards", result.nodes)


def _six(workers: int, stop: Stop) -> Iterable[MeasuredCell]:
    """Solve Othello on the 6×6 board, and yield the seconds and black's result."""
    result = search(OthelloBoard.start(6), exact=True, workers=workers, table_bits=24, stop=stop)
    if stop.called or result.value is None:
        raise BrokenOff
    yield _cell("6×6 solved (s)", result.seconds)
    yield _cell("6×6 result of black", result.value)


MATCHES = (
    ("phased", "four-part"),
    ("four-part", "discs"),
    ("mobility", "discs"),
    ("four-part-fine", "four-part"),
)
"""Pairs of evaluations that play a match at equal depth."""

MATCH_DEPTH = 3


def _match(first: str, second: str, games: int, stop: Stop) -> Iterable[MeasuredCell]:
    """Play `games` from random openings, each opening with both colours; yield the score of the first evaluation."""
    openings = Openings("random:8", OthelloBoard.start(), seed=1, count=games // 2)
    points = 0.0
    for pair in range(games // 2):
        for side in (Side.BLACK, Side.WHITE):
            board = openings[pair]
            assert isinstance(board, OthelloBoard)
            if not finish_game(board, {side: first, side.other: second}, MATCH_DEPTH, stop):
                raise BrokenOff
            margin = board.discs(side) - board.discs(side.other)
            points += 0.5 + 0.5 * ((margin > 0) - (margin < 0))
    yield MeasuredCell((first, second), "games", games)
    yield MeasuredCell((first, second), "points", points)


SCORED_DISCS = (12, 28, 44, 56)
"""Numbers of discs on the board at which scores are compared with the result of the game."""


def _scores(games: int, stop: Stop) -> Iterable[MeasuredCell]:
    """Yield the correlation of each score of report 000 with the result, by discs on the board, and the flipped discs.

    Games are played by report 000's evaluation at depth 1, from random openings of 8 plies.
    """
    openings = Openings("random:8", OthelloBoard.start(), seed=2, count=games)
    seen: dict[int, list[tuple[dict[str, int], int]]] = {discs: [] for discs in SCORED_DISCS}
    changes: dict[int, list[int]] = {discs: [] for discs in SCORED_DISCS}
    for number in range(games):
        board = openings[number]
        assert isinstance(board, OthelloBoard)
        if not finish_game(board, dict.fromkeys(Side, "four-part"), 1, stop):
            raise BrokenOff
        margin = board.discs(board.turn) - board.discs(board.turn.other)
        positions = [(int(own), int(opp)) for own, opp in (*board.positions, board.position)]
        for ply, (own, opp) in enumerate(positions[:-1]):
            discs = (own | opp).bit_count()
            if discs in seen:
                sign = 1 if (len(positions) - 1 - ply) % 2 == 0 else -1
                seen[discs].append((_score_parts(own, opp), sign * margin))
                after = positions[ply + 1]
                changes[discs].append(opp.bit_count() - after[0].bit_count())
    for discs, pairs in seen.items():
        margins = [margin for _, margin in pairs]
        for name in pairs[0][0]:
            values = [parts[name] for parts, _ in pairs]
            related = correlation(values, margins) if len(set(values)) > 1 else 0.0
            yield MeasuredCell((name, discs), "correlation", related)
        yield MeasuredCell(("flipped", discs), "value", sum(changes[discs]) / len(changes[discs]))


def _score_parts(own: int, opp: int) -> dict[str, int]:
    """Return report 000's four scores for the side to move, and parts of its square score, own minus opponent's."""
    empty = ~(own | opp) & (1 << 64) - 1

    def owned(mask: int | np.uint64) -> int:
        return (own & int(mask)).bit_count() - (opp & int(mask)).bit_count()

    def moves(mine: int, yours: int) -> int:
        return int(legal(np.uint64(mine), np.uint64(yours))).bit_count()

    return {
        "stones": own.bit_count() - opp.bit_count(),
        "squares": 90 * owned(CORNERS) - 60 * owned(X_SQUARES) + 5 * owned(EDGES),
        "corners": owned(CORNERS),
        "beside an empty corner": owned(_beside_empty_corners(empty)),
        "mobility": moves(own, opp) - moves(opp, own),
        "potential": _exposed(opp, empty) - _exposed(own, empty),
    }


def _beside_empty_corners(empty: int) -> int:
    """Return the squares diagonally beside those corners that are empty."""
    a1, h1, a8, h8 = (empty >> place & 1 for place in (0, 7, 56, 63))
    return a1 << 9 | h1 << 14 | a8 << 49 | h8 << 54


def _exposed(stones: int, empty: int) -> int:
    """Return how many of `stones` are next to an empty square."""
    a, h = 0x0101010101010101, 0x8080808080808080
    sides = (empty & ~h) << 1 | (empty & ~a) >> 1 | empty
    return (stones & (sides | sides << 8 | sides >> 8)).bit_count()


def _orderings_by_evaluation(stop: Stop) -> Iterable[MeasuredCell]:
    """Yield the boards visited with each ordering, with report 000's evaluation and with another one."""
    for evaluation in ("four-part", "phased"):
        for ordering in ORDERINGS:
            nodes = 0
            for board in (OthelloBoard.start(), default_board()):
                options = {**REPORT_000, "evaluation": evaluation, "ordering": ordering}
                nodes += search(board, Limits(depth=9), stop=stop, workers=1, **options).nodes
                if stop.called:
                    raise BrokenOff
            yield MeasuredCell((evaluation, ordering), "boards", nodes)
