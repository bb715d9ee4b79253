"""Sections of the published report 004: fork-join minimax that spawns rows of the board or single moves."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial

from outflank.games.sides import Side
from outflank.lab.measuring.search_log import search
from outflank.lab.report_programs.classroom import (
    RULES_004,
    BrokenOff,
    calls_and_turns_004,
    legal_count,
    new_board,
    self_play,
)
from outflank.lab.report_programs.published_numbers import published
from outflank.lab.reproduction import cilkview
from outflank.lab.reproduction.published_sections import (
    ExperimentPart,
    Measure,
    MeasuredCell,
    PublishedTable,
    Setting,
    Source,
)
from outflank.lab.reproduction.timed_games import EFFICIENCY_004, HPCTOOLKIT, TEXT_004
from outflank.lab.spans.cilkview_counts import ROWS
from outflank.search.request import Limits, Stop

PASSES, ONE_THREAD = "Minimax with Cilk", "Parallel Efficiency, one thread"
"""Names of sections without a published table, which decide conclusions of the report."""

TURNS, EQUAL_TURNS = "turns with a choice", "turns with several best moves"
"""Names of the rows on equal moves."""

BRANCHES = {"master": "rows", "dev": "one"}
"""The option `schedule` that corresponds to each branch of the report's program."""


def nodes_row(black: str, white: str) -> tuple[str, str, str]:
    """Return the key of the row for the nodes of a game. `black` and `white` are the sides' rules for equal moves."""
    return "nodes", black, white


def _spawns_with_passes(depths: Sequence[int], stop: Stop) -> Iterable[MeasuredCell]:
    """Yield the spawns of games in which searches continue after a pass. It costs a ply, as in the report's text."""
    for depth in depths:
        calls, _ = calls_and_turns_004(depth, passes="ply", stop=stop)
        yield MeasuredCell((depth,), "spawns", ROWS * calls)


def _passes(setting: Setting) -> Sequence[Source]:
    depths = setting.effort.choose((2, 3, 4), (2, 3, 4, 5), (2, 3, 4, 5, 6))
    return [Measure("games that search on after a pass", partial(_spawns_with_passes, depths), 0.3)]


def _equal_turns(depth: int, stop: Stop) -> Iterable[MeasuredCell]:
    """Yield how many turns of a game have several legal moves, and how many have several best moves."""
    board, turns, equal = new_board(), 0, 0
    while not board.is_game_over:
        lowest, highest = (
            search(board, Limits(depth=depth), stop=stop, in_game=True, workers=1, **RULES_004.search, ties=rule).move
            for rule in ("lowest", "highest")
        )
        if stop.called:
            raise BrokenOff
        turns += legal_count(board) > 1
        equal += lowest != highest
        board.push(str(highest if board.turn is Side.BLACK else lowest))
    yield MeasuredCell((TURNS,), "value", turns)
    yield MeasuredCell((EQUAL_TURNS,), "value", equal)


def _nodes_by_ties(depth: int, stop: Stop) -> Iterable[MeasuredCell]:
    """Yield the nodes of a game with the report's rule for equal moves, and of a game with another rule."""
    for black, white in (("highest", "lowest"), ("lowest", "lowest")):
        program = replace(RULES_004, ties={Side.BLACK: black, Side.WHITE: white})
        nodes = sum(result.nodes for result in self_play(depth, program, new_board(), stop=stop))
        yield MeasuredCell(nodes_row(black, white), "value", nodes)


def _determinism(setting: Setting) -> Sequence[Source]:
    size = {"depth": setting.effort.choose(3, 4, 6), "rounds": 1}
    depth = setting.effort.choose(4, 5, 6)
    return [
        *(
            ExperimentPart("determinism", {**size, "schedule": schedule}, label=branch)
            for branch, schedule in BRANCHES.items()
        ),
        Measure("equal moves", partial(_equal_turns, depth), 0.3),
        Measure("rules for equal moves", partial(_nodes_by_ties, depth), 0.3),
    ]


def _one_thread(setting: Setting) -> Sequence[Source]:
    size = {"whole_game": "004", "depth": setting.effort.choose(5, 6, 6), "workers": (1,)}
    rounds = setting.effort.choose(2, 3, 5)
    return [
        ExperimentPart("scaling", {**size, "schedule": schedule, "rounds": rounds}, label=branch)
        for branch, schedule in BRANCHES.items()
    ]


def _cilkview(setting: Setting) -> Sequence[Source]:
    size = {
        "depths": setting.effort.choose((1, 2, 3, 4), (1, 2, 3, 4, 5), (1, 2, 3, 4, 5, 6)),
        "recordings": setting.effort.choose(1, 2, 3),
        "granularity": 0,
        "rules": "004",
        "rounds": 1,
        "workers": (1,),
    }
    own_runtime = [
        ExperimentPart("parallelism", {"schemes": ("fork-join",), "schedule": schedule, **size}, label=branch)
        for branch, schedule in BRANCHES.items()
    ]
    return [*cilkview.games("004", range(1, 8)), *own_runtime]


SECTIONS: tuple[PublishedTable, ...] = (
    PublishedTable(
        report="004",
        where=PASSES,
        title="spawns of games that search on after a pass",
        sources=_passes,
    ),
    PublishedTable(
        report="004",
        where="Deterministic Policy",
        title="the same game from both branches, on any number of workers",
        sources=_determinism,
    ),
    cilkview.races("004", "Cilkscreen"),
    PublishedTable(
        report="004",
        where="Cilkview",
        title="a game of master, rows side by side, by depth",
        table="cilkview",
        key=("depth",),
        expected=cilkview.PROFILE_004,
        sources=_cilkview,
        figures=partial(cilkview.profile_figures, "004"),
        notes=(
            "The trees are those of a game by these rules, which its spawns, frames and entries follow from. "
            + published("004")["rule"],
            "The tables of `parallelism` below are of our own runtime: by rows, then by single moves (`dev`).",
        ),
    ),
    HPCTOOLKIT,
    EFFICIENCY_004,
    PublishedTable(
        report="004",
        where=ONE_THREAD,
        title="processor time of both branches and of the serial program",
        sources=_one_thread,
    ),
    TEXT_004,
)
