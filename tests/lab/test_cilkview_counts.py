"""What cilkview counted for reports 002 and 004, from the trees that their programs search."""

import numpy as np
import pytest

from outflank import OthelloBoard, lab
from outflank.games.rules import MOVE, fill, most_moves, play
from outflank.kernels.compiler import interpreted
from outflank.lab.report_programs.published_numbers import rows
from outflank.lab.reproduction import cilkview
from outflank.lab.reproduction.compared_cells import Verdict, compare_cells
from outflank.lab.reproduction.published_sections import EQUAL, Effort, MeasuredCell, PublishedTable, Setting
from outflank.lab.spans.cilkview_counts import DEEPEST, walk
from outflank.lab.spans.work_and_span import spans_of
from outflank.parallel.events import EventRecording
from outflank.search.request import Limits, Stop
from outflank.search.whole_search import search

PRINTED = {report: {row["depth"]: row for row in rows(report, table)} for report, table in cilkview.TABLES.items()}


class Tree:
    """What a naive walk finds below a position: loops over jobs, each a list of moves that follow one another."""

    def __init__(self, game, position, depth, alone, by_rows):
        self.work, self.span, self.spawns, self.loops = 1, 1, 0, 0
        if depth == 0:
            return
        moves = np.zeros(most_moves(game), MOVE)
        jobs = {}
        for move in moves[: fill(game, position, moves, 0)]:
            below = Tree(game, play(game, position, move), depth - 1, alone, by_rows)
            jobs.setdefault(int(move) // 8 if by_rows else int(move), []).append(below)
        every = [below for job in jobs.values() for below in job]
        for name in ("work", "spawns", "loops"):
            setattr(self, name, getattr(self, name) + sum(getattr(below, name) for below in every))
        if depth > alone:
            self.span += max(sum(below.span for below in job) for job in jobs.values())
            self.spawns += 8 if by_rows else len(jobs)
            self.loops += 1
        else:
            self.span += sum(below.span for below in every)


@pytest.mark.parametrize("by_rows", [True, False])
@pytest.mark.parametrize("alone", [0, 1, 2])
def test_a_walk_counts_what_a_naive_one_does(by_rows, alone):
    board = OthelloBoard.from_text("f5d6c3d3c4")
    depth = 3 if interpreted() else 4
    tree = Tree(board.game, board.position, depth, alone, by_rows)
    moves = np.zeros(DEEPEST * most_moves(board.game), MOVE)
    found = walk(board.game, board.position, np.int64(depth), np.int64(alone), by_rows, moves, np.int64(0))
    assert (found[0], found[1], found[4], found[5]) == (tree.work, tree.span, tree.spawns, tree.loops)


@pytest.mark.parametrize("schedule", ["one", "rows"])
def test_our_runtime_divides_the_same_tree(schedule):
    """Its events, folded, are the walk's work and span; the root is entered by Python."""
    board = OthelloBoard.from_text("f5d6c3d3c4")
    depth, recording = 3, EventRecording()
    search(
        board,
        Limits(depth=depth),
        algorithm="minimax",
        evaluation="discs",
        deepen=False,
        parallel="fork-join",
        workers=1,
        threshold=0,
        schedule=schedule,
        instrument=recording,
    )
    spans = spans_of(recording.take(), unit="nodes")
    moves = np.zeros(DEEPEST * most_moves(board.game), MOVE)
    found = walk(board.game, board.position, np.int64(depth), np.int64(0), schedule == "rows", moves, np.int64(0))
    assert (spans.work, spans.span) == (found[0] - 1, found[1] - 1)


def check_profile(report, depth, factor):
    """Every cell of a row of the report's profile, as `reproduce` has it."""
    expected = cilkview.PROFILE_002 if report == "002" else cilkview.PROFILE_004
    section = PublishedTable(
        report=report,
        where="its profile",
        title="",
        table=cilkview.TABLES[report],
        key=("depth",),
        expected=expected,
        sources=lambda setting: (),
    )
    found = list(cilkview.games(report, [depth])[0].run(Stop()))
    cells = {cell.column: cell for cell in compare_cells(section, found) if cell.row == (depth,)}
    equal = [name for name, each in expected.items() if each.class_ is EQUAL.class_]
    assert {name: cells[name].verdict for name in equal} == dict.fromkeys(equal, Verdict.EQUAL)
    assert not [name for name, cell in cells.items() if cell.verdict is Verdict.FAR]
    theirs = PRINTED[report][depth]["parallelism"]
    assert 1 / factor < cells["parallelism"].ours / theirs < factor


@pytest.mark.compiled
@pytest.mark.parametrize("depth", [1, 2, 3, 4, 5])
def test_report_004_is_counted_by_rows(depth):
    check_profile("004", depth, 1.3)


@pytest.mark.compiled
@pytest.mark.parametrize(("depth", "factor"), [(3, 2), (4, 2.01), (5, 2), (7, 1.6)])
def test_report_002_is_counted(depth, factor):
    """The deepest too: there what its program does besides the searches hardly counts any more."""
    check_profile("002", depth, factor)


@pytest.mark.compiled
@pytest.mark.parametrize("depth", [3, 4, 5, 6])
def test_the_span_of_report_002_is_our_nodes_and_what_is_done_between_searches(depth):
    """As the page explains it: so many instructions a node, and so many besides."""
    explained = 1475 * cilkview._loops("002", depth, Stop()).span + 10.4e6
    assert explained == pytest.approx(PRINTED["002"][depth]["span"], rel=0.04)


@pytest.mark.compiled
def test_parallelism_by_rows_is_that_walk():
    found = lab.run(
        "parallelism",
        schemes=("fork-join",),
        depths=(2, 3),
        granularity=0,
        rules="004",
        schedule="rows",
        rounds=1,
        recordings=1,
        workers=(1,),
        burden=1000.0,
    )
    table = found["fork-join by rows: parallelism in nodes"]
    for depth, work, span in zip(*(table.column(name) for name in ("depth", "work (nodes)", "span")), strict=True):
        loops = cilkview._loops("004", depth, Stop())
        assert (work, span) == (loops.work - loops.turns, loops.span - loops.turns)
    (curve,) = [series for plot in found.figures for series in plot.series if series.published]
    assert curve.name == "report 004"


@pytest.mark.interpreted_only
def test_races_that_nobody_accepted_are_cells():
    samples = [
        {"what": "race", "declared": True},
        {"what": "race", "declared": False},
        {"what": "whole", "declared": False},
    ]
    section = cilkview.races("002", "Data Races")
    (part,) = section.sources(Setting(Effort.QUICK, 2))
    found = list(part.cells(samples))
    assert found == [MeasuredCell(("data_races",), "value", 1)]
    assert [cell.verdict for cell in compare_cells(section, found)] == [Verdict.GIVEN, Verdict.DIFFERENT]


@pytest.mark.interpreted_only
def test_the_speed_ups_of_report_002_by_its_own_numbers():
    found = list(cilkview.by_formula(Stop()))
    assert len(found) == 40
    assert all(cell.ours == cell.published for cell in found)
