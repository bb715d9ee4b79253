"""Fork-join programs of one's own in the laboratory: work and span, steals, races, the experiment `tasks`."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from outflank import forkjoin, lab
from outflank.errors import OutflankError
from outflank.forkjoin.fibonacci import fib
from outflank.forkjoin.recording import BEGIN, END, JOINED, SPAWN, SYNC
from outflank.lab.races import check_program
from outflank.lab.replay.schedulers import schedule
from outflank.lab.replay.task_graphs import task_graph
from outflank.lab.spans.task_spans import (
    RUNS,
    WAITS,
    fastest_task_strands,
    steal_cost,
    steal_nanoseconds,
    task_spans,
    top_intervals,
)
from tests.forkjoin import programs

EXAMPLES = Path(__file__).parents[2] / "examples" / "fork_join.py"
pytestmark = pytest.mark.interpreted_only


def recorded(task, *arguments):
    recording = forkjoin.Recording(1 << 12)
    forkjoin.measure(task, *arguments, workers=1, recording=recording)
    assert recording.lost == 0
    return recording.events


# --- work and span ---


class Graph:
    """The strands of a program that spawns and syncs, with the longest path to each."""

    def __init__(self):
        self.strands, self.path = 1, 1

    def spawn(self, child):
        """Run `child` as a spawned task. Return the longest path to its end."""
        before = self.path
        self.strands += 1
        self.path = before + 1
        child()
        after, self.path = self.path, before + 1
        self.strands += 1
        return after

    def sync(self, path):
        self.strands += 1
        self.path = max(self.path, path) + 1


def walk(graph, n):
    """The strands of `fib`."""
    if n >= 2:
        left = graph.spawn(lambda: walk(graph, n - 1))
        walk(graph, n - 2)
        graph.sync(left)


@given(st.integers(0, 9))
def test_strands_are_those_of_the_graph(n):
    graph = Graph()
    walk(graph, n)
    spans = task_spans(recorded(fib, n), unit="strands")
    assert spans.work == spans.strands == graph.strands
    assert spans.span == spans.span_strands == graph.path
    assert spans.spawns == (graph.strands - 1) // 3


def test_children_that_are_synced_in_another_order_are_parallel_too():
    spans = task_spans(recorded(programs.words, 3, 0.5, 1, (1, 2.0)), unit="strands")
    assert spans.spawns == 39
    assert spans.work == 1 + 3 * 39
    # The youngest child is last: it begins after three strands and its sync is followed by one more, in the first
    # generation (synced last), by two in the second and by three in the third. Leaves are too short to wait for.
    assert spans.span == 7 + (3 + 2) + (3 + 3)


@given(st.integers(0, 9))
def test_a_replay_has_the_work_and_span_of_the_recording(n):
    recording = recorded(fib, n)
    spans, graph = task_spans(recording), task_graph(recording)
    assert graph.total_work == spans.work
    assert graph.span == spans.span
    assert len(graph.work) == spans.strands
    for scheduler in ("greedy", "stealing"):
        assert schedule(graph, 1, scheduler).time == pytest.approx(spans.work)
        assert spans.span <= schedule(graph, 3, scheduler).time * (1 + 1e-9)
    assert schedule(graph, 3, "greedy").time <= spans.work / 3 + spans.span + 1e-6


def test_a_replay_refuses_children_that_are_not_synced_newest_first():
    with pytest.raises(OutflankError, match="newest first"):
        task_graph(recorded(programs.words, 1, 0.5, 1, (1, 2.0)))


A, B = 1000, 2000  # addresses of frames


def events(*rows):
    return np.array(rows, np.int64)


ONE_CHILD = events(
    (0, BEGIN, 0, 0),
    (10, SPAWN, A, 0),
    (40, SYNC, A, 0),
    (40, BEGIN, A, 0),
    (140, END, A, 0),
    (140, JOINED, A, 0),
    (147, END, 0, 0),
)


def test_nanoseconds_of_a_small_graph():
    spans = task_spans(ONE_CHILD, burden=5.0)
    assert (spans.work, spans.span, spans.burdened_span, spans.spawns) == (147.0, 117.0, 122.0, 1)
    assert spans.parallelism == 147 / 117
    longer = ONE_CHILD.copy()
    longer[2:, 0] += 200  # the parent does more before it syncs than the child
    spans = task_spans(longer, burden=5.0)
    assert (spans.work, spans.span, spans.burdened_span) == (347.0, 247.0, 247.0)


def test_the_cost_of_an_event_is_taken_off():
    slow = ONE_CHILD.copy()
    slow[:, 0] += 3 * np.arange(len(slow))  # each event takes 3 ns
    assert task_spans(slow).work == 147.0
    assert task_spans(slow).span == 117.0


def test_each_strand_counts_with_its_least_time():
    slower = ONE_CHILD.copy()
    slower[4:, 0] += 1000
    faster = ONE_CHILD.copy()
    faster[1:, 0] += 50
    assert (fastest_task_strands([slower, faster]) == ONE_CHILD).all()
    assert (fastest_task_strands([ONE_CHILD, ONE_CHILD[:2]]) == ONE_CHILD).all()  # another program's: left out


TWO_WORKERS = events(
    (100, BEGIN, 0, 0),
    (110, SPAWN, A, 0),
    (150, BEGIN, A, 1),
    (160, SYNC, A, 0),
    (165, SPAWN, B, 1),
    (170, BEGIN, B, 0),
    (190, END, B, 0),
    (200, SYNC, B, 1),
    (201, JOINED, B, 1),
    (210, END, A, 1),
    (215, JOINED, A, 0),
    (220, END, 0, 0),
)


def test_steals_are_timed_from_when_there_were_a_task_and_an_idle_worker():
    assert steal_nanoseconds(TWO_WORKERS) == [40, 5]
    assert steal_cost([TWO_WORKERS, ONE_CHILD]) == (22.5, 2)
    assert steal_cost([ONE_CHILD]) == (0.0, 0)


def test_the_time_of_workers_is_divided_into_running_and_waiting():
    assert sorted(top_intervals(TWO_WORKERS)) == [
        (0, RUNS, 0, 60),
        (0, RUNS, 70, 90 + 30),
        (0, WAITS, 60, 70),
        (1, RUNS, 50, 100),
        (1, RUNS, 101, 110),
        (1, WAITS, 100, 101),
    ]
    assert list(top_intervals(ONE_CHILD)) == [(0, RUNS, 0, 147)]


# --- races ---


@pytest.fixture
def fork_join(monkeypatch):
    monkeypatch.syspath_prepend(EXAMPLES.parent)
    import fork_join

    return fork_join


def test_the_race_is_found_with_its_place_in_the_source(fork_join):
    findings = check_program(fork_join.racy_sum, schedules=6)
    assert not findings.passed
    assert {race.what for race in findings.undeclared} == {"data.total[0]"}
    lines = EXAMPLES.read_text().splitlines()
    for race in findings.undeclared:
        for side in (race.first, race.second):
            assert Path(side.place.file).name == "fork_join.py"
            assert "total[0] +=" in lines[side.place.line - 1]


def test_the_other_examples_have_no_race(fork_join):
    for program in (
        fork_join.reduced_sum,
        lambda: fork_join.sorting(12, grain=2),
        lambda: fork_join.multiplication(3),
        lambda: fork_join.queens(4),
    ):
        assert check_program(program, schedules=4).passed


@pytest.mark.parametrize("frames", [2, 4096])
def test_the_runtime_has_no_race(monkeypatch, frames):
    monkeypatch.setattr(forkjoin.running, "FRAMES", frames)
    findings = check_program(lambda: forkjoin.Program(programs.words, 2, 0.5, 1, (1, 2.0)), workers=3, schedules=8)
    assert findings.passed, findings


# --- the experiment ---


@pytest.mark.slow(4)
def test_the_experiment_measures_a_program():
    parameters = {"task": f"{EXAMPLES}:racy_sum", "arguments": (6,), "workers": (1, 2), "rounds": 2, "schedules": 4}
    report = lab.run("tasks", **parameters)
    assert not report.passed
    titles = [table.title for table in report.tables]
    assert titles == [
        "work and span of one worker's run",
        "speed-up",
        "replay of one worker's run",
        "what each worker did",
        "races: two workers, interleaved at random",
        "accesses that race",
    ]
    assert report.tables[0].rows[1][:2] == ("strands", 16.0)
    assert all("fork_join.py" in str(row[1]) for row in report.tables[5].rows)


def test_parts_are_chosen_and_wrong_ones_refused():
    report = lab.run("tasks", parts=("scaling",), arguments=(5,), workers=(1, 2), rounds=2)
    assert report.passed
    assert [table.title for table in report.tables] == ["speed-up"]
    with pytest.raises(OutflankError, match="parts=speed"):
        lab.run("tasks", parts=("speed",))
    with pytest.raises(OutflankError, match="no task or function 'nothing'"):
        lab.run("tasks", task=f"{EXAMPLES}:nothing")
