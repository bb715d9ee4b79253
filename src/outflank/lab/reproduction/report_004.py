"""Sections of the published report 004: fork-join minimax that spawns rows of the board or single moves."""

from collections.abc import Sequence
from functools import partial

from outflank.lab.report_programs.published_numbers import published
from outflank.lab.reproduction import cilkview
from outflank.lab.reproduction.published_sections import ExperimentPart, PublishedTable, Setting, Source
from outflank.lab.reproduction.timed_games import EFFICIENCY_004, HPCTOOLKIT, TEXT_004


def _determinism(setting: Setting) -> Sequence[Source]:
    size = {"depth": setting.effort.choose(3, 4, 6), "rounds": 1}
    return [
        ExperimentPart("determinism", {**size, "schedule": schedule}, label=branch)
        for branch, schedule in (("master", "rows"), ("dev", "one"))
    ]


def _cilkview(setting: Setting) -> Sequence[Source]:
    size = {
        "depths": setting.effort.choose((1, 2, 3, 4), (1, 2, 3, 4, 5), (1, 2, 3, 4, 5, 6)),
        "recordings": setting.effort.choose(1, 2, 5),
        "granularity": 0,
        "rules": "004",
        "rounds": 1,
        "workers": (1,),
    }
    own_runtime = [
        ExperimentPart("parallelism", {"schemes": ("fork-join",), "schedule": schedule, **size}, label=branch)
        for branch, schedule in (("master", "rows"), ("dev", "one"))
    ]
    return [*cilkview.games("004", range(1, 8)), *own_runtime]


SECTIONS: tuple[PublishedTable, ...] = (
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
    TEXT_004,
)
