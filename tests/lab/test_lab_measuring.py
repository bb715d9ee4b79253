"""What is timed in the laboratory: every side warm before it counts, on memory that is there, and in turns."""

import inspect
import os
import sys
from contextlib import closing
from dataclasses import fields
from types import SimpleNamespace

import pytest

from outflank import OthelloBoard, Table, lab
from outflank.lab import experiment as registry
from outflank.lab.experiment import experiment_named
from outflank.lab.measuring import cluster_samples, search_log
from outflank.lab.measuring.child_process import ChildProcesses, Failed
from outflank.lab.measuring.search_samples import COUNT_KINDS, WARM_DEPTH, Contender, alternating, timing_warnings
from outflank.lab.studies.duel_bouts import DuelsParameters
from outflank.search import whole_search
from outflank.search.request import Limits, Options, Stop
from outflank.search.results import Result

pytestmark = pytest.mark.interpreted_only

COMPARED = {
    "scaling": {"depth": 8, "workers": (1, 2), "schemes": ("ybw", "jamboree")},
    "threshold": {"depth": 8, "workers": 2, "thresholds": (1, 3)},
    "granularity": {"depth": 6, "workers": 2, "granularities": (1, 2)},
    "levels": {"depth": 8, "workers": 2, "levels": (1, 2)},
    "schedule": {"depth": 6, "workers": 2, "chunks": (1, 4)},
    "shape": {"depth": 6, "workers": 2},
    **{
        name: {"depth": 7, "midgame_depth": 6}
        for name in ("orderings", "pivot", "coarseness", "symmetry", "algorithms")
    },
}
"""Experiments that compare times, with depths that no warming reaches."""


@pytest.fixture
def calls(monkeypatch):
    """Searches that were asked for; none is made."""
    found = []
    usual = Options(table_bits=12)  # the usual size takes 25 ms to clear

    def searched(board, limits, *, stop=None, table=None, **options):
        touched = table is not None and not table.words[::1000].any()
        how = repr((board.to_text(), sorted((name, repr(each)) for name, each in options.items())))
        bits = options.get("table_bits", usual.table_bits) if options.get("algorithm") != "minimax" else None
        found.append(SimpleNamespace(how=how, depth=limits.depth, table=table, touched=touched, bits=bits, stop=stop))
        if table is not None:
            table.words[::1000] = 7  # what a search leaves behind
            table.new_search()
        return Result(
            value=0, move=None, pv=(), depth=limits.depth, nodes=9, leaves=9, seconds=0.1, exact=False, scale=1
        )

    monkeypatch.setattr(whole_search, "search", searched)
    monkeypatch.setattr(search_log, "_idle_table", [])
    monkeypatch.setattr(search_log, "Options", lambda: usual)
    return found


def run(name, rounds, since=1):
    """The names of the tasks that were run, without their rounds, by round."""
    experiment = registry.experiment_named(name)
    names = {number: [] for number in range(since, rounds + 1)}
    for task in experiment.tasks(experiment.parameters(**COMPARED[name], rounds=rounds)):
        side, _, number = task.name.rpartition(", round ")
        if int(number) >= since:
            names[int(number)].append(side)
            list(task.measured(Stop()))
    return names


@pytest.mark.parametrize("name", COMPARED)
def test_every_side_is_searched_for_a_moment_before_it_counts_on_the_same_memory(name, calls):
    run(name, 2)
    warmed = {}
    for call in calls:
        if call.depth <= WARM_DEPTH:
            warmed[call.how] = call
            continue
        before = warmed[call.how]  # the same board and options
        assert before.bits == call.bits
        assert (call.table is None) == (call.bits is None)
        if call.table is not None:
            assert call.table.bits == call.bits
            assert call.table.nbytes == before.table.nbytes
            assert call.touched
            assert before.touched
    assert sum(call.depth > WARM_DEPTH for call in calls) == 2 * len(warmed)


@pytest.mark.parametrize("name", COMPARED)
def test_rounds_go_forth_and_back(name, calls):
    first, second, third = run(name, 3).values()
    assert first == second[::-1] == third
    assert len(first) > 1


def test_work_and_span_are_timed_warm_and_in_turns_too(calls):
    experiment = registry.experiment_named("parallelism")
    chosen = experiment.parameters(schemes=("ybw", "jamboree"), search_depths=(8,), workers=(1, 2), rounds=2)
    timed = [task for task in experiment.tasks(chosen) if "round" in task.name]
    names = [task.name.rpartition(", round ")[0] for task in timed]
    assert names[:4] == names[4:][::-1]
    for task in timed:
        list(task.measured(Stop()))
    assert [call.depth for call in calls] == [WARM_DEPTH, 8] * 8
    assert [call.how for call in calls[::2]] == [call.how for call in calls[1::2]]


def test_nodes_of_a_cluster_are_searched_with_before_they_count_and_in_turns(calls, monkeypatch):
    asked = []

    def on_cluster(side, where, nodes, policy, stop):
        asked.append((side.name, side.depth, where, nodes, policy))
        return {"seconds": 1.0}

    monkeypatch.setattr(cluster_samples, "search_on_cluster", on_cluster)
    board = OthelloBoard.start()

    def side(name, depth=9):
        return Contender(labels={"policy": name}, board=board, depth=depth, options={})

    sides = [(side("none"), "local:2", 2, "none"), (side("async", 2), "local:2", None, "async")]
    tasks = cluster_samples.cluster_tasks(sides, [side("alone")], 2)
    names = [task.name.removeprefix("policy ") for task in tasks]
    assert names == [
        *("alone, round 1", "none, round 1", "async, round 1"),
        *("async, round 2", "none, round 2", "alone, round 2"),
    ]
    for task in tasks:
        list(task.measured(Stop()))
    assert [call.depth for call in calls] == [WARM_DEPTH, 9, 9]
    assert [depth for name, depth, *_ in asked if name == "policy none"] == [6, 9, 9]
    assert [depth for name, depth, *_ in asked if name == "policy async"] == [2, 2, 2]
    assert {(name, *where) for name, _, *where in asked} == {
        ("policy none", "local:2", 2, "none"),
        ("policy async", "local:2", None, "async"),
    }


REPEATING = ("rounds", "games")


@pytest.mark.parametrize("name", lab.experiments())
def test_whatever_is_repeated_goes_forth_and_back(name):
    experiment = registry.experiment_named(name)
    often = [each.name for each in fields(experiment.parameters) if each.name in REPEATING]
    timed = "seconds" in inspect.getsource(sys.modules[type(experiment).__module__])
    if not often or not timed or name in ("duels", "edges", "determinism", "replay", "simulate", "stealing", "growth"):
        pytest.skip("nothing is timed again and again there")
    tasks = experiment.tasks(experiment.parameters(**{often[0]: 2}))
    parts = [task.name.rpartition(", ") for task in tasks]
    rounds = [[side for side, _, which in parts if which.endswith(f" {number}")] for number in (1, 2)]
    first, second = rounds if rounds[0] and rounds[1] else pytest.fail(f"no rounds: {parts[:3]}")
    assert first == second[::-1]


def test_a_run_that_goes_on_is_warm_too(calls):
    run("threshold", 2, since=2)
    assert [call.depth <= WARM_DEPTH for call in calls] == [True, False] * 3


def test_sides_of_any_kind_alternate():
    assert list(alternating("ab", 3)) == [(1, "a"), (1, "b"), (2, "b"), (2, "a"), (3, "a"), (3, "b")]


def test_searches_that_are_too_short_say_so():
    def took(*seconds):
        idle = {"useful_seconds": 0.0, "user_seconds": 0.0, "system_seconds": 0.0}
        return [{"seconds": each, **idle} for each in seconds]

    assert timing_warnings({"ybw": took(0.02, 0.3), "pvs": took(0.4)}) == ()
    (note,) = timing_warnings({"ybw": took(0.0004, 0.0006, 0.1), "pvs": took(0.4)})
    assert note.startswith("Too short to mean anything: ybw took 0.6 ms. Below 20 ms")
    (note,) = timing_warnings({"ybw": took(0.01), "pvs": took(0.002), "jamboree": took(0.001)})
    assert "jamboree took 1 ms, and 2 others little more" in note


def test_the_fastest_of_searches_too_short_is_not_told():
    experiment = registry.experiment_named("levels")
    chosen = experiment.parameters(**COMPARED["levels"], rounds=3)
    nothing = dict.fromkeys((*COUNT_KINDS, "user_seconds", "system_seconds"), 1)
    for seconds, told in ((0.001, False), (0.1, True)):
        times = ((search_log.ALONE, 2.0), (1, 1.0), (2, 0.5))
        samples = [
            {**nothing, "levels": label, "seconds": seconds * each, "round": number}
            for number in (1, 2, 3)
            for label, each in times
        ]
        notes = experiment.conclude(chosen, samples).notes
        assert ("Fastest here: levels 2." in notes) == told
        short = "Too short to mean anything: levels 2 took 0.5 ms, and 2 others"  # one worker alone among them
        assert any(note.startswith(short) for note in notes) != told


def test_pruning_is_told_at_the_greatest_depth_that_all_have():
    experiment = registry.experiment_named("depths")
    chosen = experiment.parameters(depths=(1, 2, 3), minimax_depth=2, rounds=1)
    leaves = {("minimax", 1): 44, ("minimax", 2): 1936, ("alpha-beta", 2): 242, ("alpha-beta", 3): 4270}
    samples = [
        {"program": program, "depth": depth, "leaves": count, "seconds": 1.0}
        for (program, depth), count in leaves.items()
    ]
    (note,) = experiment.conclude(chosen, samples).notes
    assert note == "At depth 2 minimax evaluates 1,936 leaves: 8.0 times those of alpha-beta."
    assert experiment.conclude(chosen, samples[:2]).notes == ()


def test_one_table_serves_search_after_search(calls):
    board = OthelloBoard.start()
    for bits in (12, 12, 14):
        lab.search(board, Limits(depth=1), table_bits=bits)
    first, second, third = (call.table for call in calls)
    assert first is second
    assert third.bits == 14
    assert all(call.touched for call in calls)
    with search_log.with_memory({"table_bits": 14}) as one, search_log.with_memory({"table_bits": 14}) as other:
        assert one["table"] is third
        assert other["table"] is not third


def test_a_table_of_ones_own_and_searches_without_one_are_left_alone(calls):
    own = Table(12)
    for options in ({"table": own}, {"table_bits": None}, {"algorithm": "minimax"}, {"exact": True}):
        lab.search(OthelloBoard.start(), Limits(depth=1), **options)
    assert [call.table for call in calls] == [own, None, None, None]
    assert search_log._idle_table == []


def test_an_interrupted_search_keeps_its_table(calls, monkeypatch):
    with pytest.raises(KeyboardInterrupt), search_log.with_memory({"table_bits": 12}):
        raise KeyboardInterrupt
    assert search_log._idle_table == []


def test_a_table_that_was_used_searches_like_a_new_one():
    board = OthelloBoard.start()
    options = {"depth": 4, "table_bits": 7, "workers": 1}
    new = whole_search.search(board, **options)
    with search_log.with_memory({"table_bits": 7}) as chosen:
        whole_search.search(board, **options, table=chosen["table"])
    for _ in range(2):
        again = lab.search(board, Limits(depth=4), table_bits=7, workers=1)
        assert (again.nodes, again.hits, again.value) == (new.nodes, new.hits, new.value)


def test_a_child_process_answers_several_requests_until_it_fails():
    children = ChildProcesses("outflank.lab.task_process", os.environ)
    parameters = {"about": ("rings",), "depth": 1, "games": 2, "plies": 4, "sequential": True}
    tasks = experiment_named("duels").tasks(DuelsParameters(**parameters))
    request = {"experiment": "duels", "parameters": parameters, "task": tasks[0].name}
    with closing(children):
        first = children.measure(request, Stop())
        (process,) = children._idle
        assert [game["points"] for game in children.measure(request, Stop())] == [game["points"] for game in first]
        assert list(children._idle) == [process]
        with pytest.raises(Failed, match="unknown experiment"):
            children.measure({**request, "experiment": "guesses"}, Stop())
        assert not children._idle
    assert process._process.returncode is not None
