"""The laboratory: every experiment in small, and what happens to a run that does not go as planned."""

import csv
import io
import json
import os
import re
import shlex
import sys
from dataclasses import dataclass, make_dataclass, replace
from functools import partial
from pathlib import Path
from threading import Barrier, Event
from typing import ClassVar, Literal
from xml.etree import ElementTree

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from outflank import Board, OthelloBoard, lab
from outflank.distributed.cluster import Cluster
from outflank.distributed.engines import parse_address
from outflank.distributed.engines.inside_engine import InsideFabric
from outflank.distributed.head import Tuning
from outflank.errors import InvalidOption, OutflankError, UnknownName
from outflank.kernels.compiler import interpreted
from outflank.lab import experiment as registry
from outflank.lab.drawing.looks import number
from outflank.lab.experiment_boards import study_positions
from outflank.lab.measuring import cluster_samples
from outflank.lab.measuring.search_log import log_search
from outflank.lab.measuring.search_samples import search_overhead, speed_up_warnings
from outflank.lab.provenance import repeat_command
from outflank.lab.report_programs import program_001
from outflank.lab.report_programs.classroom import lab_positions
from outflank.lab.reproduction import report_003
from outflank.lab.reproduction.published_sections import EQUAL, ExperimentPart, Measure, MeasuredCell, PublishedTable
from outflank.lab.studies import compilation, reproduce
from outflank.othello.positions import MIDGAME_LINE
from outflank.search.request import Limits, Stop
from outflank.ui.cli import cli, main
from outflank.ui.cli.laboratory.lab_command import command as lab_command
from tests.installing import register_for_now

RESULTS = Path(__file__).parents[2] / "benchmarks" / "results" / "lab"

SMALL = {
    "parallelism": {
        "schemes": ("fork-join", "ybw"),
        "depths": (3,),
        "search_depths": (6,),
        "workers": (1, 2),
        "rounds": 1,
        "burden": 1000.0,
        "recordings": 1,
    },
    "scaling": {"depth": 5, "workers": (1, 2), "rounds": 2, "schemes": ("ybw",)},
    "threshold": {"depth": 6, "rounds": 1, "workers": 2, "thresholds": (1, 3), "evaluation": "discs"},
    "replication": {"cluster": "local:2", "depth": 6, "rounds": 1, "replication_depths": (2, 3), "threshold": 3},
    "replay": {"positions": ("start@5",), "workers": (1, 16), "rounds": 1},
    "simulate": {
        "depth": 8,
        "thresholds": (4, 5),
        "nodes": (1, 16),
        "policies": ("none", "async"),
        "depths": (3, 4),
        "hidden": (3,),
        "measured": (1, 2),
        "rounds": 1,
        "table_bits": 14,
    },
    "stealing": {
        "depth": 3,
        "thresholds": (1,),
        "nodes": (1, 3),
        "programs": ("par", "par_tuple:depth=2"),
        "table_bits": 8,
    },
    "growth": {
        "positions": ("start",),
        "depths": (2, 3, 4),
        "nodes": (2, 3),
        "networks": ("ethernet", "ray"),
        "thresholds": (1,),
        "tables": ("private", "distributed"),
        "replicated": (0, 2),
        "table_bits": 8,
    },
    "granularity": {"depth": 4, "rounds": 1, "workers": 2, "granularities": (1, 2)},
    "levels": {"depth": 5, "rounds": 1, "workers": 2, "levels": (1, 2)},
    "schedule": {"depth": 2, "rounds": 1, "workers": 2, "chunks": (1, 4)},
    "shape": {"depth": 4, "rounds": 1, "workers": 2},
    "orderings": {"depth": 5, "midgame_depth": 4, "rounds": 1},
    "pivot": {"depth": 5, "midgame_depth": 4, "rounds": 1},
    "coarseness": {"depth": 5, "midgame_depth": 4, "rounds": 1},
    "symmetry": {"depth": 5, "midgame_depth": 4, "rounds": 1},
    "algorithms": {"depth": 5, "midgame_depth": 4, "rounds": 1},
    "edges": {"midgame_depth": 3, "positions": ("opening1",), "games": 2, "game_depth": 1},
    "storage": {"boards": 16, "repeats": 1, "rounds": 1},
    "widths": {"depth": 3, "positions": ("opening1",), "boards": 500, "climbs": 1, "steps": 500},
    "sorting": {"depth": 5, "midgame_depth": 4, "rounds": 1},
    "stages": {"midgame_depth": 3, "positions": ("opening", "late1")},
    "table": {"depth": 6, "midgame_depth": 5, "near": 3},
    "hash": {"bits": 12, "boards": (8, 10)},
    "placement": {"depth": 5, "rounds": 1, "workers": 2, "schemes": ("ybw",)},
    "nodes": {"depth": 2, "algorithms": ("SerialPVS", "ParallelPVS"), "workers": 1},
    "times": {"depths": (2,), "algorithms": ("SerialPVS", "ParallelPVS"), "games": 1, "workers": (1, 2)},
    "branching": {"depth": 2, "games": 1, "evaluations": ("four-part", "discs")},
    "depths": {"depths": (1, 2, 3), "minimax_depth": 2, "rounds": 1},
    "pruning": {"depth": 2},
    "imbalance": {"positions": ("start", "endgame"), "depth": 2, "threads": (1, 4), "workers": (1, 2), "rounds": 1},
    "duels": {"about": ("opening", "rings"), "games": 2, "depth": 1, "plies": 6},
    "compiler": {"settings": ("O0",), "depth": 1, "rounds": 1},
    "determinism": {"depth": 2, "workers": (1, 2), "rounds": 1},
    "races": {"schemes": ("ybw",), "size": 4, "schedules": 1, "depth": 2},
    "tasks": {"arguments": (12,), "race_arguments": (4,), "workers": (1, 2), "rounds": 1, "schedules": 1},
    "within": {"positions": ("midgame",), "boards": 20, "rounds": 1},
    "profile": {"depth": 6, "workers": 2, "threshold": 2},
    "two-schemes": {"depth": 6, "workers": 2, "rounds": 1},
    "reproduce": {"which": ("003",)},
}

SAME_EVERY_TIME = (
    "orderings",
    "edges",
    "sorting",
    "stages",
    "storage",
    "widths",
    "pivot",
    "table",
    "hash",
    "nodes",
    "branching",
    "depths",
    "pruning",
    "imbalance",
    "duels",
    "determinism",
    "races",
    "parallelism",
)
"""Experiments whose integers do not depend on which worker was faster."""

WITH_SPEED_UPS = ("parallelism", "scaling", "threshold", "granularity", "levels", "schedule", "shape")
"""Experiments that measure speed-ups: each must say that it had few rounds."""

LUCK = ("seconds", "round", "nanoseconds", "burden", "aborts", "steal", "spawned", "stolen", "wasted", "switches")


def test_every_experiment_is_tried_here():
    assert set(SMALL) == set(lab.experiments())


@pytest.fixture(scope="module")
def few_sections():
    """What `reproduce` puts together is tried by itself: two sections of it are enough here."""
    one = PublishedTable(
        report="003", where="Figure", title="a part", sources=lambda setting: [ExperimentPart("pruning", {"depth": 2})]
    )
    leaves = partial(report_003._leaves, 1)
    (table,) = [section for section in report_003.SECTIONS if section.table == "evaluations"]
    counted = replace(table, sources=lambda setting: [Measure("leaves", leaves)], absent="too long")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reproduce, "sections_of", lambda report: (one, counted))
        yield


@pytest.fixture(scope="module")
def nothing_compiled():
    """Whatever the compiler is told, it has nothing to do: each setting would take it ten seconds."""
    with pytest.MonkeyPatch.context() as patch:
        plain = compilation._without_settings
        patch.setattr(compilation, "_without_settings", lambda: {**plain(), "NUMBA_DISABLE_JIT": "1"})
        yield


@pytest.fixture(scope="module")
def nodes_here():
    """Clusters of nodes within this process: what an engine adds is tried where it is."""
    with pytest.MonkeyPatch.context() as patch:

        def connect(text, *, workers):
            return Cluster(InsideFabric(parse_address(text).nodes), tuning=Tuning(alone_seconds=0.0))

        patch.setattr(cluster_samples, "connect", connect)
        yield
        for text in list(cluster_samples._clusters):
            cluster_samples.close_cluster(text)


@pytest.mark.compiled
def test_the_threshold_and_the_speed_up_are_measured_on_a_cluster(nodes_here, tmp_path):
    report = lab.run(
        "threshold",
        cluster="local:2",
        depth=7,
        thresholds=(3, 5),
        rounds=1,
        policies=("none", "async:depth=2"),
        out=tmp_path,
    )
    assert report.passed
    assert [table.column("threshold") for table in report.tables] == [[3, 5], [3, 5]]
    for column in ("useful (s)", "overhead (s)", "total (s)", "steal success", "bytes transferred"):
        assert all(value is not None for value in report.tables[0].column(column))
    again = lab.redraw(tmp_path / "threshold.json")
    assert again.tables == report.tables
    report = lab.run("scaling", cluster="local:2", depth=7, rounds=2, positions=("start", "diagonal"), nodes=(1, 2))
    assert report.passed
    assert set(report.tables[0].column("boards")) == {2}
    rows = [dict(zip(report.tables[1].columns, row, strict=True)) for row in report.tables[1].rows]
    assert len(rows) == 2 * (1 + 2 * 2)
    for row in rows:
        assert row["useful (s)"] + row["overhead (s)"] == pytest.approx(row["total (s)"], rel=0.2)
    assert any("async takes" in note for note in report.notes)


@pytest.mark.parametrize(
    ("name", "wrong", "says"),
    [
        ("threshold", {"cluster": "nowhere"}, "is no cluster"),
        ("threshold", {"cluster": "local:2", "policies": ("gossip",)}, "unknown replication 'gossip'"),
        ("scaling", {"cluster": "local:2", "positions": ("a9",)}, "a9"),
        ("replication", {"policies": ("none",)}, "policies=none: one of batch, depth, async"),
    ],
)
def test_a_cluster_that_is_none_is_refused_before_anything_starts(name, wrong, says):
    with pytest.raises(OutflankError, match=says):
        lab.run(name, **wrong)


@pytest.fixture(scope="module")
def small(tmp_path_factory, few_sections, nodes_here, nothing_compiled, plain_evaluation):
    """Runs an experiment in small, once for all tests: its report and where it was written."""
    done = {}

    def run(name):
        if name not in done:
            out = tmp_path_factory.mktemp(name)
            done[name] = (lab.run(name, out=out, **SMALL[name]), out)
        return done[name]

    return run


def file_name(name):
    experiment = registry.experiment_named(name)
    return experiment.file_name(experiment.parameters(**SMALL[name]))


def same_every_time(report):
    """The integers and texts of a report's samples, without those that depend on timing."""
    return [
        {key: cell for key, cell in sample.items() if isinstance(cell, int | str) and not key.startswith(LUCK)}
        for sample in report.samples
        if sample.get("what") != "time"
    ]


# Several tests in one: each of the others would run the experiment once more in another process.
@pytest.mark.compiled
@pytest.mark.parametrize("name", SMALL)
def test_an_experiment_says_what_it_searched_can_be_drawn_from_its_json_and_repeated(name, small, tmp_path):
    report, out = small(name)
    assert report.passed
    assert report.complete
    assert report.tables
    assert all(table.rows for table in report.tables)
    assert report.provenance["command"].startswith(f"outflank lab {name}")
    stem = file_name(name)
    page = (out / f"{stem}.html").read_text()
    ElementTree.fromstring(page.removeprefix("<!DOCTYPE html>"))
    rows = list(csv.DictReader(io.StringIO((out / f"{stem}.csv").read_text())))
    assert len(rows) == len(report.samples) == len(json.loads((out / f"{stem}.json").read_text())["samples"])
    again = lab.redraw(out / f"{stem}.json", out=tmp_path)
    assert again.tables == report.tables
    assert again.notes == report.notes
    for path in out.iterdir():
        assert (tmp_path / path.name).read_text() == path.read_text()
    check_searched(name, out)
    chosen = registry.experiment_named(name).parameters(**SMALL[name])
    said = [*report.notes, *(task.name for task in registry.experiment_named(name).tasks(chosen))]
    said += [text for table in report.tables for text in (table.title, *table.notes)]
    said += [text for figure in report.figures for text in (figure.title, figure.caption)]
    assert not [
        text for text in said if re.search(r"(?<![\d.,–-])1 (worker|node|round|game|board|turn|job|move)s\b", text)
    ]
    if name in WITH_SPEED_UPS:
        assert sum("too few for a conclusion" in note for note in report.notes) == 1
        assert not any("1 rounds" in note or "1 workers" in note for note in report.notes)
    if name in SAME_EVERY_TIME:
        assert same_every_time(lab.run(name, **SMALL[name])) == same_every_time(report)


@pytest.mark.interpreted_only
def test_a_serial_baseline_is_measured_once_for_all_schemes():
    schemes = ("ybw", "jamboree", "pv-split", "abdada", "fork-join")
    experiment = registry.experiment_named("scaling")
    chosen = experiment.parameters(schemes=schemes, workers=(1, 2), rounds=3)
    names = [task.name for task in experiment.tasks(chosen)]
    assert len(set(names)) == len(names) == 3 * (2 + 2 * len(schemes))
    rounds = [[name.rpartition(",")[0] for name in names if name.endswith(f"round {number}")] for number in (1, 2, 3)]
    assert [name for name in rounds[0] if "scheme serial" in name] == [
        "position midgame, scheme serial pvs, workers 1",
        "position midgame, scheme serial minimax, workers 1",
    ]
    assert rounds[0] == rounds[1][::-1] == rounds[2]


@pytest.mark.interpreted_only
def test_every_scheme_is_held_against_the_one_baseline():
    experiment = registry.experiment_named("scaling")
    chosen = experiment.parameters(schemes=("ybw", "jamboree"), workers=(1,), rounds=1, depth=5)
    sample = dict.fromkeys(COUNTED, 1) | {"workers": 1, "value": 3, "seconds": 1.0}
    samples = [sample | {"scheme": name} for name in ("ybw", "jamboree")]
    serial = sample | {"scheme": "serial pvs", "seconds": 3.0}
    (table,) = experiment.conclude(chosen, [serial, *samples]).tables
    assert table.column("speed-up") == [None, 3.0, 3.0]


COUNTED = ("user_seconds", "system_seconds", "nodes", "leaves", "useful_seconds", "idle_seconds", "steals_won")

START, MIDGAME, ABALONE = OthelloBoard.start().to_text(), MIDGAME_LINE, lab_positions()["start"].to_text()
OPENING = Board.from_text("f5d6c3d3c4f4f6").to_text()
BOTH = {(START, 5), (MIDGAME, 4)}
FOUR = {(board.to_text(), 2) for board in lab_positions().values()}
SEARCHED = {
    "parallelism": {(START, 3), (MIDGAME, 6)},
    "scaling": {(MIDGAME, 5)},
    "threshold": {(START, 6)},
    "replication": {(START, 6)},
    "replay": {(START, 5)},
    "simulate": {(OPENING, 8)},
    "stealing": {(START, 3)},
    "growth": {(START, depth) for depth in (2, 3, 4)},
    "granularity": {(MIDGAME, 4)},
    "levels": {(MIDGAME, 5)},
    "schedule": {(lab_positions()["midgame1"].to_text(), 2)},
    "shape": {(MIDGAME, 4)},
    **dict.fromkeys(("orderings", "pivot", "coarseness", "symmetry", "algorithms", "sorting"), BOTH),
    **{name: {(study_positions("othello", ("opening1",))[0].board.to_text(), 3)} for name in ("edges", "widths")},
    "storage": set(),
    "tasks": set(),
    "stages": {(each.board.to_text(), 3) for each in study_positions("othello", ("opening", "late1"))},
    "table": {(START, 6), (MIDGAME, 5)},
    "hash": {*((START, depth) for depth in range(4, 10)), *((MIDGAME, depth) for depth in range(3, 8)), (ABALONE, 2)},
    "placement": {(MIDGAME, 5)},
    **{name: {(program_001.start().to_text(), 2)} for name in ("nodes", "times", "branching")},
    "determinism": {(START, 2)},
    "depths": {(ABALONE, depth) for depth in (1, 2, 3)},
    "pruning": FOUR,
    "imbalance": {(ABALONE, 2), (lab_positions()["endgame"].to_text(), 2)},
    "duels": {(ABALONE, 1)},
    "compiler": {(ABALONE, 1)},
    "races": {(OthelloBoard.start(4).to_text(), 2)},
    "within": {(MIDGAME, 2)},
    "profile": {(MIDGAME, 6)},
    "two-schemes": {(MIDGAME, 6)},
    "reproduce": FOUR | {(ABALONE, 5)},
}
"""The positions and depths that each experiment in small really searches."""


def check_searched(name, out):
    """The positions and depths that were really searched are in the JSON and on the page."""
    told = json.loads((out / f"{file_name(name)}.json").read_text())["searched"]
    assert {(each["position"], each["depth"]) for each in told} == SEARCHED[name]
    page = ElementTree.fromstring((out / f"{file_name(name)}.html").read_text().removeprefix("<!DOCTYPE html>"))
    if not told:
        assert "What was searched" not in "".join(page.itertext())
        return
    titled = [*page.iter("section"), *page.iter("details")]  # a reproduction's page folds it
    (section,) = [part for part in titled if "What was searched" in (part.findtext("h2"), part.findtext("summary"))]
    cards = [each for each in section.iter("div") if each.get("class") == "place"]
    shown = {card.findtext("div/code"): "".join(card.itertext()) for card in cards}
    for each in told:
        board = Board.from_text(each["position"])
        for move in each.get("moves", "").split():
            board.push(move)
        words = shown[each["position"]]
        assert each["algorithm"] in words
        assert re.search(rf"depths? [^·]*\b{each['depth']}\b", words)
        assert each.get("evaluation", "") in words
    assert len(list(section.iter("{http://www.w3.org/2000/svg}svg"))) == min(len(cards), 6)


@pytest.mark.compiled
def test_a_depth_that_is_never_reached_is_not_told_as_searched():
    report = lab.run("scaling", positions=("start4",), depth=40, workers=(1,), rounds=1)
    (told,) = report.searched
    assert told.depth < 40


@pytest.mark.interpreted_only
@pytest.mark.parametrize("kind", [Literal["fast", "slow"], Literal["fast", "slow"] | None])
def test_an_experiment_of_ones_own_may_offer_a_choice_of_words(kind, counting, monkeypatch, capsys):
    field = lab.option("fast", "How.")
    choice = make_dataclass("Choice", [("how", kind, field)], bases=(lab.Parameters,), frozen=True, kw_only=True)
    monkeypatch.setattr(counting, "parameters", choice)
    monkeypatch.setattr(counting, "tasks", lambda self, chosen: [lab.Task("one", lambda stop: [{"how": chosen.how}])])
    monkeypatch.setattr(
        counting, "conclude", lambda self, chosen, samples: lab.Conclusion(tables=(lab.ReportTable.of("how", samples),))
    )
    for words, status, shown in ((["--how", "slow"], 0, "slow"), (["--how", "so-so"], 2, "")):
        with pytest.raises(SystemExit) as ended:
            main(["lab", "counting", *words])
        assert (ended.value.code or 0) == status
        assert shown in capsys.readouterr().out


def test_an_experiment_of_ones_own_tells_what_it_searched(counting, monkeypatch):
    def task(stop):
        lab.search(OthelloBoard.start(4), Limits(depth=2), workers=1)
        return [{"number": 1, "square": 1}]

    monkeypatch.setattr(counting, "tasks", lambda self, chosen: [lab.Task("one", task)])
    (told,) = lab.run("counting").searched
    assert (told.position, told.depth, told.algorithm) == (OthelloBoard.start(4).to_text(), 2, "pvs")


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (7, "searched: expected a list, found 7"),
        ([7], r"searched\[0\]: expected an object, found 7"),
        ([{"game": "othello"}], r"searched\[0\].position: expected text, found nothing"),
        ([{"game": "othello", "position": 7}], r"searched\[0\]"),
    ],
)
def test_a_damaged_account_of_what_was_searched_is_one_line(counting, tmp_path, wrong, says):
    lab.run("counting", upto=2, out=tmp_path)
    path = tmp_path / "counting.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "searched": wrong}))
    with pytest.raises(OutflankError, match=says):
        lab.redraw(path)


def game_samples(scheme, values, moves, nodes=1):
    """A game as `determinism` notes it, a letter for each turn's move."""
    return [
        {
            "task": f"{scheme}, game",
            "scheme": scheme,
            "workers": 1 if scheme == "serial" else 2,
            "game": 1,
            "turn": turn,
            "move": move,
            "value": value,
            "nodes": nodes,
        }
        for turn, (value, move) in enumerate(zip(values, moves, strict=True), 1)
    ]


@pytest.mark.interpreted_only
@pytest.mark.parametrize(
    ("scheme", "schemes", "values", "moves", "nodes", "kept"),
    [
        ("abdada", ("abdada",), (3, 4), "xy", 7, True),  # it promises the value alone
        ("abdada", ("abdada",), (3, 5), "ab", 1, False),
        ("ybw", ("ybw",), (3, 4), "ab", 7, True),
        ("ybw", ("ybw",), (3, 4), "ax", 1, False),
        ("fork-join", ("fork-join",), (3, 4), "ab", 1, True),
        ("fork-join", ("fork-join",), (3, 4), "ab", 7, False),  # with minimax, the nodes too
        ("fork-join", ("fork-join", "ybw"), (3, 4), "ab", 7, True),  # with alpha-beta, not
    ],
)
def test_each_scheme_is_held_to_what_it_promises(scheme, schemes, values, moves, nodes, kept):
    experiment = registry.experiment_named("determinism")
    samples = [*game_samples("serial", (3, 4), "ab"), *game_samples(scheme, values, moves, nodes)]
    found = experiment.conclude(experiment.parameters(schemes=schemes), samples)
    assert found.passed is kept
    assert found.tables[0].column("keeps its promise") == [True, kept]


@pytest.mark.interpreted_only
def test_a_scheme_that_promises_nothing_is_not_held_to_it():
    with pytest.raises(OutflankError, match="root-parallel promises nothing"):
        registry.experiment_named("determinism").parameters(schemes=("root-parallel",))
    with pytest.raises(OutflankError, match="schedule=rows: abdada has no nodes whose moves are handed out"):
        registry.experiment_named("determinism").parameters(schemes=("abdada",), schedule="rows")


@pytest.mark.compiled
@pytest.mark.parametrize("options", [{"schemes": ("shared-table",)}, {"schedule": "rows"}], ids=["values", "rows"])
def test_determinism_of_values_and_by_rows(options):
    report = lab.run("determinism", depth=3, workers=(2,), rounds=1, **options)
    assert report.passed
    turns = report.tables[0].column("turns")
    assert turns[0] == turns[1] > 50


@pytest.mark.interpreted_only
@pytest.mark.parametrize(("lost", "told"), [(0.02, False), (0.6, True)])
def test_recordings_without_a_processor_are_told(lost, told):
    experiment = registry.experiment_named("parallelism")
    (sample,) = [
        {**sample, "lost_share_least": lost, "lost_share_most": 0.9, "recordings": 3, "switches_least": 1}
        for sample in json.loads((RESULTS / "parallelism.json").read_text())["samples"]
        if sample["what"] == "strands" and sample["scheme"] == "fork-join" and sample["depth"] == 5
    ]
    found = experiment.conclude(experiment.parameters(schemes=("fork-join",), depths=(5,)), [sample])
    assert any("not to be trusted" in note for note in found.notes) is told


@pytest.mark.interpreted_only
def test_parallelism_lists_what_plays_a_part():
    parameters = registry.experiment_named("parallelism").parameters
    assert {"depths", "rules"} & set(parameters(schemes=("ybw",)).used()) == set()
    assert {"search_depths", "threshold"} & set(parameters(schemes=("fork-join",)).used()) == set()
    assert {"depths", "search_depths"} <= set(parameters().used())


@pytest.mark.compiled
@pytest.mark.slow(12)
def test_parallelism_in_nodes_is_the_same_every_time(small):
    """Work, span, burden, strands over time, estimates and figures: everything but what a clock saw."""
    first, _ = small("parallelism")
    second = lab.run("parallelism", **{**SMALL["parallelism"], "recordings": 2, "burden": 5000.0})

    def in_nodes(report):
        clocks = ("_nanoseconds", "_ns", "_seconds", "lost_share_least", "lost_share_most", "switches_least")
        return [
            {name: cell for name, cell in sample.items() if not name.endswith(clocks) and name != "recordings"}
            for sample in report.samples
            if sample["what"] != "time"
        ]

    assert in_nodes(first) == in_nodes(second)
    for scheme in ("fork-join", "ybw"):
        for title in ("parallelism in nodes", "speed-up estimate", "strands at a time"):
            assert first[f"{scheme}: {title}"] == second[f"{scheme}: {title}"]
    drawn = [
        [
            replace(figure, series=tuple(each for each in figure.series if each.name != "measured"))
            for figure in report.figures
        ]
        for report in (first, second)
    ]
    assert drawn[0] == drawn[1]
    assert any("strands at a time" in figure.title for figure in first.figures)
    assert first["fork-join: parallelism in nodes"].column("parallelism")[0] == pytest.approx(5.88, abs=0.005)


@pytest.mark.interpreted_only
@pytest.mark.parametrize(("planted", "status", "shown"), [(0, 0, "12 ✓"), (1, 1, "12 ≠ 13")])
def test_a_number_that_is_not_the_published_one_fails(planted, status, shown, monkeypatch, capsys):
    measure = Measure("planted", lambda stop: [MeasuredCell(("row",), "number", 12 + planted, published=12)])
    section = PublishedTable(
        report="003",
        where="Table 1",
        title="numbers",
        key=("name",),
        expected={"number": EQUAL},
        sources=lambda setting: [measure],
    )
    monkeypatch.setattr(reproduce, "sections_of", lambda report: (section,))
    with pytest.raises(SystemExit) as ended:
        main(["lab", "reproduce", "003"])
    assert (ended.value.code or 0) == status
    printed = capsys.readouterr().out
    assert shown in printed
    assert ("FAILED" in printed) == bool(planted)


@pytest.mark.compiled
def test_profile_writes_what_other_programs_open(small):
    _, out = small("profile")
    assert json.loads((out / "profile.trace.json").read_text())["traceEvents"]
    assert (out / "profile.folded").read_text().count("\n") > 3


@pytest.mark.compiled
def test_a_report_draws_itself_in_a_notebook(small):
    report, _ = small("pruning")
    assert "<table" in report._repr_html_()
    assert "<svg" in report.figures[0]._repr_html_()
    assert "<table" in report.tables[0]._repr_html_()
    assert report["pruning"] is report.tables[0]
    with pytest.raises(KeyError, match="pruning at depth"):
        report["nothing"]


@pytest.mark.compiled
def test_tables_and_samples_become_data_frames(small):
    pandas = pytest.importorskip("pandas")
    report, _ = small("pruning")
    assert isinstance(report.to_pandas(), pandas.DataFrame)
    assert list(report.tables[0].to_pandas().columns) == list(report.tables[0].columns)


# --- a run that does not go as planned, with an experiment that needs no kernel ---


@dataclass(frozen=True, slots=True, kw_only=True)
class CountingChoice(lab.Parameters):
    """What is counted."""

    upto: int = registry.option(3, "The last number.")
    workers: tuple[int, ...] = registry.option((1,), "Not used.")
    name: str | None = registry.option(None, "Not used either.")
    loud: bool = registry.option(False, "Nor is this.")
    names: tuple[str, ...] | None = registry.option(None, "Nor are these.")


class Counting(lab.Experiment):
    """Counts; fails at, or stops after, a number that tests set."""

    name = "counting"
    question = "How far can it count?"
    reports = ("000",)
    parameters = CountingChoice
    measured: ClassVar[list] = []
    fails_at = stops_at = None

    def tasks(self, chosen):
        def task(number):
            def run(stop):
                if number == Counting.fails_at:
                    raise OutflankError("it fails here")
                if number == Counting.stops_at:
                    stop()
                Counting.measured.append(number)
                return [{"number": number, "square": number * number}]

            return lab.Task(f"number {number}", run)

        return [task(number) for number in range(1, chosen.upto + 1)]

    def conclude(self, chosen, samples):
        rows = [{"number": sample["number"], "square": sample["square"]} for sample in samples]
        return lab.Conclusion(tables=(lab.ReportTable.of("squares", rows),), notes=(f"{len(rows)} numbers.",))


@pytest.fixture
def counting(monkeypatch):
    register_for_now(monkeypatch, registry.EXPERIMENTS)
    lab.register(Counting)
    monkeypatch.setattr(Counting, "measured", [])
    monkeypatch.setattr(Counting, "fails_at", None)
    monkeypatch.setattr(Counting, "stops_at", None)
    return Counting


def command(capsys, *arguments):
    with pytest.raises(SystemExit) as ended:
        main(["lab", *map(str, arguments)])
    captured = capsys.readouterr()
    return ended.value.code, captured.out, captured.err


def test_a_run_that_is_stopped_keeps_what_it_has_and_goes_on(counting, tmp_path, monkeypatch):
    monkeypatch.setattr(counting, "stops_at", 3)
    part = lab.run("counting", upto=5, out=tmp_path)
    assert not part.complete
    assert part.tables[0].column("number") == [1, 2]
    monkeypatch.setattr(counting, "stops_at", None)
    counting.measured.clear()
    whole = lab.run("counting", upto=5, out=tmp_path, resume=True)
    assert whole.complete
    assert whole.tables[0].column("number") == [1, 2, 3, 4, 5]
    assert counting.measured == [3, 4, 5]


@pytest.mark.interpreted_only
def test_tasks_that_are_not_timed_run_several_at_a_time_and_first(counting, tmp_path, monkeypatch):
    order, barrier = [], Barrier(2)

    def measure(number, is_timed, stop):
        if not is_timed:
            barrier.wait(timeout=30)  # raises unless another one is running
        order.append(number)
        log_search(OthelloBoard.start(), number, algorithm="alphabeta")
        return [{"number": number, "square": number**2}]

    def tasks(self, parameters):
        timed = {1: True, 2: False, 3: True, 4: False}
        return [lab.Task(f"{n}", partial(measure, n, is_timed), timed=is_timed) for n, is_timed in timed.items()]

    monkeypatch.setattr(counting, "tasks", tasks)
    monkeypatch.setattr("outflank.lab.experiment.usable_cores", lambda: 2)
    report = lab.run("counting", upto=4, out=tmp_path)
    assert report.complete
    assert sorted(order[:2]) == [2, 4]
    assert order[2:] == [1, 3]
    assert report.tables[0].column("number") == [1, 2, 3, 4]  # in the order of the tasks
    assert [entry.depth for entry in report.searched] == [2, 4, 1, 3]


@pytest.mark.interpreted_only
def test_timed_tasks_of_one_core_run_several_at_a_time_in_processes_before_the_others(counting, monkeypatch):
    order, barrier, in_child = [], Barrier(2), []

    def measure(number, stop):
        if number in (2, 4):
            barrier.wait(timeout=30)  # raises unless another one is running
        order.append(number)
        return [{"number": number, "square": number**2}]

    def measured_in_child(experiment, parameters, children, task, stop):
        in_child.append(task.name)
        return task.measured(stop)

    kinds = {1: {}, 2: {"one_core": True}, 3: {"timed": False}, 4: {"one_core": True}, 5: {"timed": False}}
    monkeypatch.setattr(
        counting, "tasks", lambda self, chosen: [lab.Task(f"{n}", partial(measure, n), **kinds[n]) for n in kinds]
    )
    monkeypatch.setattr("outflank.lab.experiment.usable_cores", lambda: 2)
    monkeypatch.setattr("outflank.lab.task_groups._in_child", measured_in_child)
    assert lab.run("counting", upto=5).complete
    assert sorted(order[:2]) == [3, 5]
    assert sorted(order[2:4]) == [2, 4]
    assert order[4:] == [1]
    assert sorted(in_child) == ["2", "3", "4", "5"]  # which leaves 3 and 5 in a thread


@pytest.mark.interpreted_only
def test_a_cluster_runs_the_tasks_that_are_not_timed(tmp_path, monkeypatch):
    from outflank.lab import task_process

    asked, do = [], task_process.NodeMeasurements.do
    monkeypatch.setattr(
        task_process.NodeMeasurements, "do", lambda self, *item: asked.append(item[0]) or do(self, *item)
    )
    chosen = {"positions": ("start",), "depths": (2, 3), "nodes": (2,), "thresholds": (1,), "real": (1,)}
    there = lab.run("growth", **chosen, table_bits=8, tasks_on="inside:2", out=tmp_path)
    here = lab.run("growth", **chosen, table_bits=8)
    names = sorted(item["task"].partition(",")[0] for item in asked)
    assert names == [f"start to depth {depth}{which}" for depth in (2, 3) for which in ("", " alone")]
    simulated = [[sample for sample in report.samples if sample["what"] == "simulated"] for report in (there, here)]
    assert simulated[0] == simulated[1]
    assert there.provenance["tasks on"] == "inside:2"
    assert len(lab.run("growth", **chosen, table_bits=8, tasks_on="inside:2", out=tmp_path, resume=True).samples) == 6
    assert len(asked) == 4, "nothing is measured again"


@pytest.mark.interpreted_only
def test_an_interrupt_ends_all_tasks_that_run_at_a_time(counting, tmp_path, monkeypatch):
    ended, begun, stopped = [], Event(), Event()

    def measure(number, stop):
        if number == 2:
            assert begun.wait(timeout=30)
            raise KeyboardInterrupt
        begun.set()
        stop.add_listener(stopped.set)
        assert stopped.wait(timeout=30)
        ended.append(number)
        return [{"number": number, "square": number**2}]

    monkeypatch.setattr(
        counting, "tasks", lambda self, chosen: [lab.Task(f"{n}", partial(measure, n), timed=False) for n in (2, 3)]
    )
    monkeypatch.setattr("outflank.lab.experiment.usable_cores", lambda: 2)
    with pytest.raises(KeyboardInterrupt):
        lab.run("counting", upto=3, out=tmp_path)
    assert ended == [3]
    assert not list(tmp_path.glob("*.json"))  # what was stopped is not kept


def test_a_run_that_fails_keeps_what_it_has(counting, tmp_path, monkeypatch):
    monkeypatch.setattr(counting, "fails_at", 4)
    with pytest.raises(OutflankError, match="it fails here"):
        lab.run("counting", upto=5, out=tmp_path)
    kept = json.loads((tmp_path / "counting.json").read_text())
    assert kept["complete"] is False
    assert [sample["number"] for sample in kept["samples"]] == [1, 2, 3]
    monkeypatch.setattr(counting, "fails_at", None)
    assert lab.run("counting", upto=5, out=tmp_path, resume=True).complete
    assert counting.measured == [1, 2, 3, 4, 5]


def test_progress_tells_what_comes_and_how_far_it_is(counting):
    told = []
    lab.run("counting", upto=4, progress=told.append)
    assert [each.task for each in told] == ["number 1", "number 2", "number 3", "number 4", ""]
    assert [each.done for each in told] == [0, 0.25, 0.5, 0.75, 1.0]
    assert told[0].seconds_left is None
    assert told[2].seconds_left is not None


def test_a_stop_before_the_start_measures_nothing(counting):
    stop = Stop()
    stop()
    assert lab.run("counting", stop=stop).samples == ()


@pytest.mark.parametrize(
    ("damaged", "said"),
    [
        ("", "damaged"),
        ('{"schema": "outflank/lab/1", "experiment": "counting"', "damaged"),
        ("[1, 2]", "not a result"),
        ('{"schema": "something/else"}', "not a result"),
        ('{"schema": "outflank/lab/1", "experiment": "counting", "parameters": {}, "samples": []}', "provenance"),
        (
            '{"schema": "outflank/lab/1", "experiment": "c", "parameters": {}, "provenance": {}, "samples": [7]}',
            "sample",
        ),
        ("[" * 100_000, "damaged"),
        ("\xff\xfe", "damaged"),
    ],
)
@pytest.mark.parametrize("how", ["resume", "redraw"])
def test_a_damaged_file_is_one_line_and_left_as_it_is(counting, tmp_path, capsys, damaged, said, how):
    path = tmp_path / "counting.json"
    path.write_bytes(damaged.encode("latin-1"))
    arguments = ["counting", "--out", tmp_path, "--resume"] if how == "resume" else ["redraw", path, "--out", tmp_path]
    status, out, err = command(capsys, *arguments)
    assert (status, out) == (2, "")
    assert err.count("\n") == 1
    assert said in err
    assert path.read_bytes() == damaged.encode("latin-1")
    assert counting.measured == []
    assert [each.name for each in tmp_path.iterdir()] == ["counting.json"]


def test_a_result_is_never_overwritten_unasked(counting, tmp_path, capsys):
    lab.run("counting", upto=2, out=tmp_path)
    before = (tmp_path / "counting.json").read_text()
    status, _, err = command(capsys, "counting", "--out", tmp_path)
    assert status == 2
    assert "--replace" in err
    assert (tmp_path / "counting.json").read_text() == before
    assert command(capsys, "counting", "--out", tmp_path, "--replace")[0] == 0
    assert (tmp_path / "counting.json").read_text() != before


def test_a_run_is_resumed_with_its_own_parameters_alone(counting, tmp_path, capsys):
    lab.run("counting", upto=2, out=tmp_path)
    status, _, err = command(capsys, "counting", "--upto", "4", "--out", tmp_path, "--resume")
    assert status == 2
    assert "outflank lab counting --upto 2" in err


@pytest.mark.interpreted_only
def test_a_terminal_is_told_what_was_searched(counting, tmp_path, capsys):
    lab.run("counting", upto=2, out=tmp_path)
    path = tmp_path / "counting.json"
    how = {"game": "othello", "algorithm": "pvs", "schemes": ["alone"], "workers": [1], "searches": 1}
    searched = [{**how, "position": f"{place} X", "depth": 3, "least_depth": 3} for place in range(6)]
    path.write_text(json.dumps({**json.loads(path.read_text()), "searched": searched}))
    _, out, _ = command(capsys, "redraw", path)
    assert "• searched: othello 0 X\n    depth 3 · pvs · one worker · 1 search\n" in out
    assert out.count("• searched: othello") == 4
    assert "2 more positions" in out


@pytest.mark.interpreted_only
def test_a_terminal_has_sections_under_their_headings(counting, monkeypatch, capsys):
    drawn = lab.Plot(title="drawn", x="x", y="y", series=(), section="A figure")
    tables = (
        lab.ReportTable.of("all", [{"a": 1}]),
        lab.ReportTable.of("one", [{"b": 2}], section="A table", notes=["Odd."]),
    )
    monkeypatch.setattr(Counting, "conclude", lambda *_: lab.Conclusion(tables=tables, figures=(drawn,)))
    _, out, _ = command(capsys, "counting")
    lines = [line.strip() for line in out.splitlines() if line.strip()]
    figure = ["A figure", "========", "1 figure, which the page shows (--out): drawn"]
    assert [line for line in lines if line in ("all", "A table", "=======", "one", "Odd.", *figure)] == [
        *("all", *figure, "A table", "=======", "one", "Odd."),
    ]


@pytest.mark.interpreted_only
def test_a_terminal_says_a_heading_once(counting, monkeypatch, capsys):
    tables = (lab.ReportTable.of("A table", [{"b": 2}], section="A table"),)
    monkeypatch.setattr(Counting, "conclude", lambda *_: lab.Conclusion(tables=tables))
    assert command(capsys, "counting")[1].count("A table") == 1


@pytest.mark.interpreted_only
def test_a_kept_result_becomes_any_file_without_measuring(counting, tmp_path, capsys):
    lab.run("counting", upto=2, out=tmp_path / "kept")
    counting.measured.clear()
    kept = tmp_path / "kept" / "counting.json"
    status, out, _ = command(capsys, "redraw", kept, "--out", tmp_path / "paper", "--format", "md,latex,csv")
    assert (status, counting.measured) == (0, [])
    names = {path.name for path in (tmp_path / "paper").iterdir()}
    assert names == {f"counting.{end}" for end in ("json", "csv", "html", "squares.md", "squares.tex", "squares.csv")}
    assert "counting.csv, counting.html, counting.json, counting.squares.csv" in out
    assert (tmp_path / "paper" / "counting.squares.csv").read_text() == "number,square\n1,1\n2,4\n"


@pytest.mark.interpreted_only
def test_a_redrawn_table_has_the_columns_that_are_chosen(counting, tmp_path, capsys, monkeypatch):
    rows = [{"scheme": "ybw", "wall (s)": 1.5, "speed-up": 2.0, "nodes": 7}]
    tables = (lab.ReportTable.of("times", rows), lab.ReportTable.of("others", [{"moves": 3}]))
    monkeypatch.setattr(Counting, "conclude", lambda *_: lab.Conclusion(tables=tables))
    lab.run("counting", upto=2, out=tmp_path / "kept")
    kept, paper = tmp_path / "kept" / "counting.json", tmp_path / "paper"
    columns = ["--columns", "speed-up,scheme,wall"]
    status, out, _ = command(capsys, "redraw", kept, "--out", paper, "--format", "latex,md,csv", *columns)
    assert status == 0
    assert "nodes" not in out
    assert r"speed-up & scheme & wall (s) \\" in (paper / "counting.times.tex").read_text()
    assert (paper / "counting.times.csv").read_text() == "speed-up,scheme,wall (s)\n2.0,ybw,1.5\n"
    assert (paper / "counting.others.csv").read_text() == "moves\n3\n"  # it has none of them, and stays whole
    assert "nodes" not in (paper / "counting.html").read_text()
    assert '"nodes"' in (paper / "counting.json").read_text()  # the result itself keeps everything
    again = lab.redraw(kept, columns=("nodes",))
    assert (again.tables[0].columns, again.tables[0].rows) == (("nodes",), ((7,),))
    with pytest.raises(UnknownName, match=r"unknown column 'sped-up', did you mean 'speed-up'\?"):
        lab.redraw(kept, columns=("sped-up",), out=tmp_path / "none")
    assert list((tmp_path / "none").iterdir()) == []


@pytest.mark.parametrize(
    "arguments",
    [
        ["nothing"],
        ["counting", "--format", "gif", "--out", "somewhere"],
        ["counting", "--format", "md"],
        ["counting", "--format", "", "--out", "somewhere"],
        ["counting", "--theme", "blue"],
        ["redraw", "somewhere.json", "--format", "svg"],
        ["coutning"],
        ["counting", "--upto", "many"],
        ["counting", "--upto", "-1"],
        ["counting", "--workers", "0"],
        ["counting", "--workers", "1,x"],
        ["counting", "--workers", ""],
        ["counting", "--workers", "4-2"],
        ["counting", "--workers", "99999"],
        ["counting", "--workers", "1-99999999"],
        ["counting", "--nothing"],
        ["counting", "left over"],
        ["counting", "--resume"],
        ["counting", "--resume", "--out", "/nonexistent/directory"],
        ["counting", "--out", "/dev/null/directory"],
        ["redraw"],
        ["redraw", "/nonexistent.json"],
        ["reproduce", "005"],
        ["scaling", "--schemes", "none-such"],
        ["scaling", "--game", "go"],
        ["profile", "--scheme", "abdada"],
        ["nodes", "--algorithms", "Negascout"],
        ["races", "--schemes", "root-parallel"],
        ["schedule", "--positions", "elsewhere"],
        ["branching", "--evaluations", "luck"],
    ],
)
def test_wrong_usage_is_one_line_and_status_2(counting, capsys, arguments):
    status, out, err = command(capsys, *arguments)
    assert (status, out) == (2, "")
    assert err.count("\n") == 1
    assert counting.measured == []


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write everywhere")
def test_a_directory_that_cannot_be_written_is_told_before_anything_is_measured(counting, tmp_path, capsys):
    tmp_path.chmod(0o500)
    status, _, err = command(capsys, "counting", "--out", tmp_path)
    assert status == 2
    assert "cannot be written" in err
    assert counting.measured == []


def test_an_unknown_name_lists_what_there_is():
    with pytest.raises(UnknownName, match="did you mean 'scaling'"):
        lab.run("scalign")
    with pytest.raises(UnknownName, match="unknown parameter of scaling 'depht', did you mean 'depth'"):
        lab.run("scaling", depht=3)


def test_the_list_names_every_experiment_with_its_question(capsys):
    status, out, _ = command(capsys)
    assert status == 0
    for name in SMALL:
        assert f" {name} " in out
    assert "Do the reports' conclusions and numbers come out?" in out
    assert command(capsys, "list") == (0, out, "")
    assert len(out.splitlines()) == len(lab.experiments()) + 5  # a line each: a pipe has room


def test_json_is_one_object(counting, capsys):
    status, out, _ = command(capsys, "counting", "--upto", "2", "--json")
    found = json.loads(out)
    assert status == 0
    assert found["schema"] == "outflank/lab/1"
    assert [sample["square"] for sample in found["samples"]] == [1, 4]


def test_help_tells_the_defaults(counting, capsys):
    status, out, _ = command(capsys, "counting", "--help")
    assert status == 0
    assert "How far can it count?" in out
    assert "[3]" in out


def test_the_command_repeats_the_run(counting):
    defaults = {"upto": 3, "workers": (1,), "name": None, "loud": False}
    chosen = {"upto": 4, "workers": (1, 2), "name": "a b", "loud": True}
    assert (
        repeat_command("counting", chosen, defaults)
        == "outflank lab counting --upto 4 --workers 1,2 --name 'a b' --loud"
    )
    assert repeat_command("counting", defaults, defaults) == "outflank lab counting"
    assert (
        repeat_command("counting", {"which": ("000", "a b"), **chosen}, defaults, arguments=("which",))
        == "outflank lab counting 000 'a b' --upto 4 --workers 1,2 --name 'a b' --loud"
    )
    assert repeat_command("counting", {"which": ("--x",)}, defaults, arguments=("which",)).endswith(" -- --x")


IN_SHELLS = st.text("abf5 $(){}`'\"\\;&|<>*?~#%!=,-\n\u201cé", max_size=12)


@pytest.mark.interpreted_only
@given(
    name=st.none() | IN_SHELLS,
    names=st.none() | st.lists(IN_SHELLS, min_size=1, max_size=3).map(tuple),
    workers=st.lists(st.integers(1, 9), min_size=1, max_size=3).map(tuple),
    loud=st.booleans(),
)
@example(name="`touch X`", names=('[Black "$(touch X)"] f5d6', "a,b", " 'c\n"), workers=(1,), loud=True)
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_command_is_read_as_the_parameters_that_it_repeats(counting, name, names, workers, loud):
    chosen = CountingChoice(name=name, names=names, workers=workers, loud=loud)
    words = shlex.split(repeat_command("counting", chosen.used(), CountingChoice().used()))
    assert words[:3] == ["outflank", "lab", "counting"]
    with cli.make_context("outflank", words[1:]) as outer, lab_command.make_context("lab", words[2:], outer) as group:
        read = lab_command.get_command(group, "counting").make_context("counting", words[3:], group).params
    given = {key: value for key, value in read.items() if key in chosen.used() and value is not None}
    assert CountingChoice(**given) == chosen


@pytest.mark.interpreted_only
def test_the_command_of_a_report_repeats_positions_that_hold_commands(monkeypatch, capsys):
    positions = ('[Black "$(touch X), `touch Y`"]\n[White "\'; touch Z"] f5d6', "f5d6")
    monkeypatch.setattr(type(registry.experiment_named("granularity")), "tasks", lambda *_: [])
    report = lab.run("granularity", positions=positions, depth=2)
    words = shlex.split(report.provenance["command"])
    assert words[:3] == ["outflank", "lab", "granularity"]
    repeated = {}
    monkeypatch.setattr(
        "outflank.ui.cli.laboratory.lab_command.run", lambda name, **asked: repeated.update(asked) or report
    )
    assert command(capsys, *words[2:])[0] == 0
    assert (repeated["positions"], repeated["depth"]) == (positions, 2)


@pytest.mark.interpreted_only
def test_reproductions_are_repeated_by_their_names(monkeypatch):
    monkeypatch.setattr(type(registry.experiment_named("reproduce")), "tasks", lambda *_: [])
    report = lab.run("reproduce", which=("003", "004"), workers=1)
    assert report.provenance["command"].startswith("outflank lab reproduce 003 004")


def test_the_checker_of_races_wants_the_interpreter():
    from outflank import OthelloBoard
    from outflank.lab.races import check

    if interpreted():
        assert check(OthelloBoard.start(4), parallel="fork-join", workers=2, depth=1, schedules=1).passed
    else:
        with pytest.raises(OutflankError, match="NUMBA_DISABLE_JIT"):
            check(OthelloBoard.start(4), parallel="fork-join", workers=2, depth=1)


@pytest.mark.interpreted_only
def test_a_redrawn_result_does_not_write_over_another_runs(counting, tmp_path, capsys):
    first, other = tmp_path / "first", tmp_path / "other"
    lab.run("counting", upto=2, out=first)
    lab.run("counting", upto=3, out=other)
    kept = (other / "counting.json").read_text()
    status, out, err = command(capsys, "redraw", first / "counting.json", "--out", other)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert "holds another result: --replace" in err
    assert (other / "counting.json").read_text() == kept
    assert command(capsys, "redraw", first / "counting.json", "--out", first)[0] == 0  # the same result
    assert command(capsys, "redraw", first / "counting.json", "--out", other, "--replace")[0] == 0
    assert (other / "counting.json").read_text() == (first / "counting.json").read_text()
    (other / "counting.json").write_text("damaged")
    with pytest.raises(OutflankError, match="holds another result"):
        lab.redraw(first / "counting.json", out=other)


@pytest.mark.interpreted_only
def test_a_run_names_the_files_that_it_wrote_alone(counting, tmp_path, capsys):
    (tmp_path / "counting.old.png").write_text("another's")
    _, out, _ = command(capsys, "counting", "--out", tmp_path)
    assert "counting.csv, counting.html, counting.json" in out
    assert "png" not in out
    _, out, _ = command(capsys, "redraw", tmp_path / "counting.json", "--out", tmp_path, "--format", "md")
    assert "counting.squares.md" in out
    assert "png" not in out


@pytest.mark.interpreted_only
def test_ctrl_c_in_a_notebook_gives_what_was_measured(counting, tmp_path, monkeypatch):
    def interrupted(self, chosen):
        def third(stop):
            raise KeyboardInterrupt

        return [*Counting.tasks(self, chosen)[:2], lab.Task("number 3", third)]

    patched = type("Interrupted", (Counting,), {"tasks": interrupted})
    lab.register(patched)
    with pytest.raises(KeyboardInterrupt):  # a script ends
        lab.run("counting")
    monkeypatch.setattr(sys, "ps1", ">>> ", raising=False)
    for out in (None, tmp_path):
        report = lab.run("counting", out=out)
        assert not report.complete
        assert report.tables[0].column("number") == [1, 2]
        assert "Incomplete." in report._repr_html_()
        assert "incomplete" in repr(report)
    assert json.loads((tmp_path / "counting.json").read_text())["complete"] is False
    monkeypatch.setattr(patched, "tasks", lambda self, chosen: interrupted(self, chosen)[2:])
    with pytest.raises(KeyboardInterrupt):  # there is nothing to give
        lab.run("counting")


@pytest.mark.interpreted_only
@pytest.mark.parametrize(
    ("name", "wrong", "says"),
    [
        ("scaling", {"nodes": (1, 4)}, "nodes plays no part without a cluster"),
        ("scaling", {"policies": ("batch",)}, "policies plays no part without a cluster"),
        ("scaling", {"cluster": "local:2", "workers": (7,)}, "workers plays no part on a cluster"),
        ("scaling", {"cluster": "local:2", "whole_game": "004"}, "whole_game plays no part on a cluster"),
        ("threshold", {"policies": ("none",)}, "policies plays no part without a cluster"),
        ("threshold", {"cluster": "local:2", "workers": 77}, "workers plays no part on a cluster"),
    ],
)
def test_a_parameter_that_would_play_no_part_is_refused(name, wrong, says):
    with pytest.raises(OutflankError, match=says):
        lab.run(name, **wrong)


@pytest.mark.interpreted_only
def test_parameters_that_played_no_part_are_not_told(monkeypatch, tmp_path):
    experiment = registry.experiment_named("scaling")
    sample = dict.fromkeys(COUNTED, 1) | {"workers": 1, "value": 3, "seconds": 1.0, "scheme": "ybw", "round": 1}
    sample |= dict.fromkeys(SEARCHED_CELLS, 1) | {"move": "f5"}
    monkeypatch.setattr(type(experiment), "tasks", lambda self, chosen: [lab.Task("one", lambda stop: [sample])])
    report = lab.run("scaling", workers=(1,), rounds=1, depth=3, out=tmp_path)
    assert not {"nodes", "policies"} & set(report.parameters)
    with pytest.raises(OutflankError, match="other parameters: outflank lab scaling --depth 3") as refused:
        lab.run("scaling", workers=(1,), rounds=1, depth=4, out=tmp_path, resume=True)
    assert "--boards" not in str(refused.value)
    assert lab.run("scaling", workers=(1,), rounds=1, depth=3, out=tmp_path, resume=True).complete


SEARCHED_CELLS = (
    "depth",
    "lookups",
    "hits",
    "wasted_nodes",
    "spawned",
    "stolen",
    "steals_tried",
    "aborts_sent",
    "aborts_obeyed",
)


@pytest.mark.interpreted_only
def test_a_report_is_short_and_its_names_are_forgiving(counting, monkeypatch):
    report = lab.run("counting", upto=200)
    assert repr(report) == "<Report of counting: 200 samples, tables 'squares'>"
    assert repr(report.tables[0]) == "<Table 'squares': 200 rows, 2 columns>"
    with pytest.raises(UnknownName, match="unknown column 'sqare', did you mean 'square'"):
        report["squares"].column("sqare")
    monkeypatch.setitem(sys.modules, "pandas", None)
    for each in (report, report.tables[0]):
        with pytest.raises(OutflankError, match=r"the table needs pandas: pip install .*tables"):
            each.to_pandas()


@pytest.mark.interpreted_only
def test_a_task_that_cannot_be_called_or_gives_no_samples_is_one_line(counting, monkeypatch):
    wrong = [lab.Task("first", lambda stop: pytest.fail("it was begun")), lab.Task("one", lambda chosen, stop: [])]
    monkeypatch.setattr(counting, "tasks", lambda self, chosen: wrong)
    with pytest.raises(OutflankError, match=r"task 'one': it is called with the stop alone"):
        lab.run("counting")
    monkeypatch.setattr(counting, "tasks", lambda self, chosen: [lab.Task("one", lambda stop: {"number": 1})])
    with pytest.raises(OutflankError, match="task 'one': expected a list of samples, found dict"):
        lab.run("counting")


@pytest.mark.skipif(not interpreted(), reason="once is enough, and the interpreter has nothing to compile")
def test_the_experiment_of_ones_own_in_the_documentation_runs(monkeypatch):
    register_for_now(monkeypatch, registry.EXPERIMENTS)
    text = (Path(__file__).parents[2] / "docs" / "lab.md").read_text()
    (example,) = [each for each in re.findall(r"```python\n(.*?)```", text, re.DOTALL) if "@lab.register" in each]
    exec(compile(example.replace("depth=5", "depth=2"), "docs/lab.md", "exec"), {"__name__": "example"})
    report = lab.run("orders", depth=1)
    assert report["orders"].column("ordering") == ["none", "mobility"]
    assert report.searched


@pytest.mark.interpreted_only
def test_nobody_takes_over_an_experiment_of_the_package():
    own = lab.experiment_named("scaling")
    says = r"^experiment 'scaling' is outflank\.lab\.studies\.scaling: choose another name$"
    with pytest.raises(OutflankError, match=says):
        lab.register(type("Scaling", (type(own),), {"__module__": "elsewhere"}))
    assert lab.experiment_named("scaling") is own


@pytest.mark.interpreted_only
@pytest.mark.parametrize(
    ("name", "wrong", "says"),
    [
        ("scaling", {"algorithm": "minimax"}, "ybw does not support minimax: only"),
        ("scaling", {"schemes": ("fork-join", "jamboree"), "algorithm": "minimax"}, "jamboree does not support"),
        ("scaling", {"algorithm": "negascout"}, "ybw does not support negascout"),
        ("scaling", {"game": "abalone", "positions": ("f5d6",)}, "game=abalone, but the position is one of othello"),
        ("profile", {"game": "abalone", "positions": ("f5d6",)}, "game=abalone, but the position is one of othello"),
        ("profile", {"positions": (ABALONE,)}, "game=othello, but the position is one of abalone"),
    ],
)
def test_what_does_not_go_together_is_refused(name, wrong, says):
    with pytest.raises(InvalidOption, match=says):
        registry.experiment_named(name).parameters(**wrong)


@pytest.mark.interpreted_only
def test_error_bars_of_a_speed_up_have_the_baselines_spread_too():
    experiment = registry.experiment_named("scaling")
    chosen = experiment.parameters(schemes=("ybw",), workers=(1,), rounds=3, depth=5)
    sample = dict.fromkeys(COUNTED, 1) | {"workers": 1, "value": 3}
    times = {"serial pvs": (6.0, 3.0, 4.0), "ybw": (2.0, 3.0, 2.0)}
    samples = [
        sample | {"scheme": scheme, "round": number, "seconds": seconds}
        for scheme, each in times.items()
        for number, seconds in enumerate(each, 1)
    ]
    found = experiment.conclude(chosen, samples)
    (curve,) = [each for each in found.figures[0].series if each.name == "ybw"]
    assert curve.points == ((1, 2.0),)
    assert curve.spread == ((1.0, 3.0),)
    assert "baseline" in found.figures[0].caption


@pytest.mark.interpreted_only
def test_nodes_are_drawn_for_more_workers_than_cores_and_speed_ups_are_not():
    experiment = registry.experiment_named("scaling")
    chosen = experiment.parameters(schemes=("ybw",), workers=(1, 999), rounds=1, depth=5)
    sample = dict.fromkeys(COUNTED, 1) | {"value": 3, "round": 1, "seconds": 1.0}
    sides = (("serial pvs", 1, 100), ("ybw", 1, 100), ("ybw", 999, 150))
    found = experiment.conclude(
        chosen, [sample | {"scheme": scheme, "workers": count, "nodes": nodes} for scheme, count, nodes in sides]
    )
    drawn = {plot.title: {each.name: each.points for each in plot.series} for plot in found.figures}
    assert drawn["search overhead"]["ybw"] == ((1, 0.0), (999, 0.5))
    assert drawn["speed-up against the serial program"]["ybw"] == ((1, 1.0),)
    assert found.notes[0] == "Fastest: ybw on 1 worker, 1.00 times as fast as the serial program."
    assert found.tables[0].column("search overhead") == [None, 0.0, 0.5]
    assert found.tables[0].column("speed-up") == [None, 1.0, None]


@pytest.mark.interpreted_only
def test_a_speed_up_below_one_is_no_gain_and_short_turns_are_said_to_be():
    experiment = registry.experiment_named("scaling")
    chosen = experiment.parameters(whole_game="004", schedule="one", workers=(1, 2), rounds=1, depth=4)
    sample = dict.fromkeys(COUNTED, 1) | {"value": 3, "round": 1, "depth": 4, "moves": "f5", "turns": 50}
    sides = (("serial minimax", 1, 0.25), ("fork-join", 1, 0.30), ("fork-join", 2, 0.50))
    found = experiment.conclude(
        chosen, [sample | {"scheme": scheme, "workers": count, "seconds": seconds} for scheme, count, seconds in sides]
    )
    assert found.notes[0].endswith("next is fork-join on 1 worker, 0.83 times as fast as the serial program.")
    assert any(note.startswith("A turn took 5 ms") for note in found.notes)
    assert "Whole games of 50 searched turns at depth 4: every side played the same moves." in found.notes
    assert all(figure.title.endswith(", single moves") for figure in found.figures)
    assert [table.title for table in found.tables] == [
        "scaling, othello, whole games (004), single moves",
        "threads: a game by report 004's rules, single moves",
    ]


@pytest.mark.interpreted_only
def test_speed_ups_that_are_too_good_or_measured_too_seldom_say_so():
    assert speed_up_warnings([("ybw", 2, 1.9), ("pvs", 1, 1.004), ("alone", 1, None)], 3) == ()
    (note,) = speed_up_warnings([("ybw", 2, 2.4), ("jamboree", 2, 2.1)], 5)
    assert note.startswith("A speed-up of 2.40 (ybw) on 2 workers is more than workers can give, and 1 other too")
    assert speed_up_warnings([], 1) == ("1 round is too few for a conclusion: take 3 or more.",)
    assert speed_up_warnings([], 4, fewest=5) == ("4 rounds are too few for a conclusion: take 5 or more.",)


@pytest.mark.interpreted_only
@pytest.mark.parametrize(
    ("nodes", "overhead"), [(999_948, -0.0001), (1_000_010, 0.0), (999_990, 0.0), (1_250_000, 0.25)]
)
def test_search_overhead_is_written_without_powers_of_ten(nodes, overhead):
    found = search_overhead([{"nodes": nodes}], [{"nodes": 1_000_000}])
    assert found == overhead
    assert "e" not in number(found)
    assert number(found)[:2] != "-0" or found < 0
