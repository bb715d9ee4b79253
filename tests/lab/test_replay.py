"""Replay: graphs of recorded searches, simulated schedulers against a naive one and closed forms, virtual workers."""

from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outflank import Limits, OthelloBoard, lab
from outflank.errors import OutflankError
from outflank.lab.replay.fork_join_graph import NONE, graphs_of
from outflank.lab.replay.recorded_graphs import inside_seconds, record_graphs
from outflank.lab.replay.replay_report import REAL, RECORDED, REPLAYED, replay_error, replay_lines
from outflank.lab.replay.schedulers import Costs, schedule
from outflank.lab.replay.sharing_costs import measured_costs
from outflank.lab.replay.virtual_workers import VirtualWorkers
from outflank.lab.studies import replay as replay_study
from outflank.parallel.events import NODES, OFFERS, EventRecording
from outflank.search.division import scheme_named
from outflank.search.request import Stop
from outflank.search.whole_search import search
from tests.lab.event_trees import Leaf, Log, Node, span_of, trees, work_of

nodes = trees.filter(lambda tree: isinstance(tree, Node))
costs = st.builds(
    Costs,
    offer=st.integers(0, 9).map(float),
    steal=st.integers(0, 99).map(float),
    attempt=st.integers(1, 9).map(float),
    wake=st.integers(0, 99).map(float),
    sleep_after=st.integers(0, 50).map(float),
)


def graph_of(tree):
    (graph,) = graphs_of(Log().root(tree).events)
    return graph


@given(nodes)
def test_a_graph_has_the_work_the_span_and_the_offers_of_its_tree(tree):
    log = Log().root(tree)
    (graph,) = graphs_of(log.events)
    assert graph.total_work == work_of(tree)
    assert graph.span == span_of(tree)
    assert graph.offers.sum() == log.offers


@given(nodes, st.integers(1, 50))
@settings(max_examples=30)
def test_the_cost_of_recording_is_taken_off(tree, cost):
    (graph,) = graphs_of(Log().root(tree).events, event_cost=cost)
    events = len(Log().root(tree).events) - 1
    assert max(0, work_of(tree) - cost * events) <= graph.total_work <= work_of(tree)


def test_the_graph_of_a_small_tree():
    graph = graph_of(Node(5, shared=(Leaf(1), Node(2, shared=(Leaf(3), Leaf(4)))), again=(Leaf(6),)))
    assert graph.work.tolist() == [5, 1, 2, 3, 4, 0, 6]
    assert graph.then.tolist()[:6] == [0, -1, 1, -2, -2, -1]
    assert graph.sibling.tolist() == [NONE, 2, NONE, 4, NONE, NONE, NONE]
    assert (graph.first.tolist(), graph.after.tolist()) == ([1, 3], [6, 5])


# --- schedulers ---


@settings(max_examples=40)
@given(nodes, st.integers(1, 9))
def test_greedy_workers_keep_the_bounds_of_graham(tree, workers):
    graph = graph_of(tree)
    time = schedule(graph, workers, "greedy").time
    assert max(work_of(tree) / workers, span_of(tree)) <= time <= work_of(tree) / workers + span_of(tree)


@given(nodes)
def test_enough_greedy_workers_take_the_span_and_one_takes_the_work(tree):
    graph = graph_of(tree)
    assert schedule(graph, len(graph.work), "greedy").time == span_of(tree)
    assert schedule(graph, 1, "greedy").time == work_of(tree)


@settings(max_examples=40)
@given(nodes, st.integers(1, 9), costs)
def test_stealing_is_never_faster_than_work_and_span_allow(tree, workers, costs):
    result = schedule(graph_of(tree), workers, costs=costs)
    assert result.time >= max(work_of(tree) / workers, span_of(tree))
    assert result.busy <= result.time * workers * (1 + 1e-9)


@given(nodes, costs)
def test_one_worker_that_steals_takes_the_work_and_offers_nothing(tree, costs):
    result = schedule(graph_of(tree), 1, costs=costs)
    assert (result.time, result.busy, result.steals) == (work_of(tree), work_of(tree), 0)


@dataclass
class NaiveGroup:
    """The jobs of a fork, each a list of pieces of work and of groups, and how many workers and permits are inside."""

    jobs: list
    inside: int = 0
    above: "tuple | None" = None


@dataclass
class NaiveWorker:
    number: int
    at: float = float("inf")
    pieces: list = field(default_factory=list)
    group: "NaiveGroup | None" = None
    permits: list = field(default_factory=list)
    idle_since: float = float("-inf")
    arriving: "NaiveGroup | None" = None


def pieces_of(tree, offer):
    """Return a tree as a list of times and groups, one after the other."""
    if isinstance(tree, Leaf):
        return [tree.cost]
    pieces = [tree.cost]
    for child in tree.elders:
        pieces += pieces_of(child, offer)
    if tree.shared:
        pieces[-1:] = [pieces[-1] + offer] if not isinstance(pieces[-1], NaiveGroup) else [pieces[-1], offer]
        pieces.append(NaiveGroup([[piece for child in job for piece in pieces_of(child, offer)] for job in tree.jobs]))
    for child in tree.again:
        pieces += pieces_of(child, offer)
    return pieces


class NaiveCrew:
    """Work stealing with lists and objects, one action at a time."""

    def __init__(self, tree, count, costs, seed):
        self.costs, self.random = costs, seed + 1
        self.workers = [NaiveWorker(number) for number in range(count)]
        leader = self.workers[0]
        leader.at, leader.pieces = 0.0, pieces_of(tree, costs.offer if count > 1 else 0.0)

    def run(self):
        while True:
            worker = min(self.workers, key=lambda worker: (worker.at, worker.number))
            if worker.arriving is not None:
                group, worker.arriving = worker.arriving, None
                self.offer(worker, group, at_least=2)
                if self.take(worker, group) and self.advance(worker):
                    return worker.at
            elif worker.pieces or worker.group is not None:
                if self.advance(worker):
                    return worker.at
            else:
                self.seek(worker)

    def advance(self, worker):
        """Go on with the worker's pieces; return whether the root is done."""
        while True:
            if worker.pieces:
                piece = worker.pieces.pop(0)
                if isinstance(piece, NaiveGroup):
                    piece.above = worker.pieces, worker.group
                    piece.inside = 1
                    worker.group = piece
                    self.offer(worker, piece, at_least=1)
                    worker.pieces = piece.jobs.pop(0)
                    continue
                worker.at += piece
                return not worker.pieces and worker.group is None
            if worker.group is None:
                return True
            if not self.take(worker, worker.group):
                return False

    def take(self, worker, group):
        """Take a job of the group, or leave it; return whether the worker has something to do now."""
        while True:
            worker.group = group
            if group.jobs:
                worker.pieces = group.jobs.pop(0)
                return True
            if worker.permits and worker.permits[-1] is group:
                worker.permits.pop()
                group.inside -= 1
            group.inside -= 1
            if group.inside == 0:
                worker.pieces, worker.group = group.above
                return True
            worker.group = None
            if not worker.permits:
                worker.idle_since = worker.at
                worker.at += self.costs.attempt
                return False
            group = worker.permits.pop()
            self.offer(worker, group, at_least=2)

    def offer(self, worker, group, at_least):
        if len(self.workers) == 1 or len(group.jobs) < at_least:
            return
        group.inside += 1
        worker.permits.append(group)
        woken = False
        for thief in self.workers:
            if thief.at != float("inf"):
                continue
            if worker.at - thief.idle_since <= self.costs.sleep_after:
                thief.at = worker.at + self.costs.attempt
            elif not woken:
                thief.at, woken = worker.at + self.costs.wake, True
            else:
                continue
            thief.idle_since = worker.at

    def seek(self, worker):
        self.random = self.random * 48271 % 2147483647
        victim = self.random % (len(self.workers) - 1)
        victim = self.workers[victim + (victim >= worker.number)]
        if victim.permits:
            worker.arriving = victim.permits.pop(0)
            worker.at += self.costs.steal
        elif any(other.permits for other in self.workers):
            worker.at += self.costs.attempt
        else:
            worker.at = float("inf")


@settings(max_examples=40)
@given(nodes, st.integers(2, 6), costs, st.integers(1, 1000))
def test_stealing_agrees_with_a_naive_simulation(tree, workers, costs, seed):
    time = schedule(graph_of(tree), workers, costs=costs, seed=seed).time
    assert time == pytest.approx(NaiveCrew(tree, workers, costs, seed).run())


@settings(max_examples=40)
@given(nodes, st.integers(2, 6), costs)
def test_a_seed_repeats_its_schedule(tree, workers, costs):
    graph = graph_of(tree)
    assert schedule(graph, workers, costs=costs, seed=7) == schedule(graph, workers, costs=costs, seed=7)


@settings(max_examples=40)
@given(nodes, st.integers(1, 6))
def test_memory_that_serves_one_worker_makes_all_as_slow_as_one(tree, workers):
    graph = graph_of(tree)
    assert schedule(graph, workers, "greedy", bandwidth=1).time == pytest.approx(work_of(tree))
    assert schedule(graph, workers, "greedy", bandwidth=workers) == schedule(graph, workers, "greedy")


def test_costs_in_another_unit():
    assert Costs(offer=10.0, steal=600.0, attempt=30.0, wake=0.0, sleep_after=50.0).in_units(10) == Costs(
        offer=1.0, steal=60.0, attempt=3.0, wake=0.0, sleep_after=5.0
    )


def test_measured_costs_are_positive():
    measured = measured_costs()
    assert measured.wakes > 0
    assert measured.costs.attempt > 0
    assert measured.costs.sleep_after > measured.costs.attempt


# --- recorded and virtual searches ---

MINIMAX = {"algorithm": "minimax", "evaluation": "discs", "deepen": False, "threshold": 0}


def searches(depth, **options):
    yield search(OthelloBoard.start(), Limits(depth=depth), parallel="fork-join", workers=1, **MINIMAX, **options)


def test_split_points_that_are_not_recorded_are_part_of_strands():
    recordings = []
    for least_depth in (0, 2):
        recording = EventRecording(least_depth=least_depth)
        (result,) = searches(3, instrument=recording)
        recordings.append(recording.take())
        assert recordings[-1][-1, NODES] == recordings[0][-1, NODES] == result.nodes
    fine, coarse = recordings
    assert len(coarse) < len(fine)
    assert coarse[-1, OFFERS] == fine[-1, OFFERS] > 0
    for one, other in zip(graphs_of(fine, unit="nodes"), graphs_of(coarse, unit="nodes"), strict=True):
        assert one.total_work == other.total_work
        assert one.offers.sum() == other.offers.sum()
        assert len(one.work) > len(other.work)


def test_recorded_strands_take_as_long_as_the_fastest_recording():
    times = []

    def recorded(recording):
        for result in searches(3, instrument=recording):
            times.append(inside_seconds(result))
            yield result

    found = record_graphs(recorded, 3)
    assert (found.searches, found.unlike, found.lost) == (1, 0, 0)
    assert found.span_seconds < found.work_seconds <= min(times)
    assert found.seconds_of(found.on_workers(1)) == pytest.approx(found.outside_seconds + found.work_seconds)


COSTS = Costs(offer=1.0, steal=20.0, attempt=1.0, wake=50.0, sleep_after=30.0)


def test_virtual_workers_and_the_replayed_graph_agree_without_cut_offs():
    recording = EventRecording()
    list(searches(3, instrument=recording))
    (graph,) = graphs_of(recording.take(), unit="nodes")
    for workers in (1, 2):  # two thieves and more choose other victims
        costs = Costs(attempt=0.01)
        virtual = VirtualWorkers(costs)
        options = {"parallel": virtual.scheme(scheme_named("fork-join")), "workers": workers, **MINIMAX}
        result = search(OthelloBoard.start(), Limits(depth=3), **options)
        replayed = schedule(graph, workers, costs=costs)
        assert virtual.busy == graph.total_work == result.nodes - 1
        assert virtual.time == pytest.approx(replayed.time, rel=0.1)


@pytest.mark.parametrize("scheme", ["ybw", "jamboree", "pv-split"])
def test_virtual_workers_find_the_value_and_the_move_of_one(scheme):
    board, limits = OthelloBoard.from_text("f5d6c3d3c4"), Limits(depth=4)
    options = {"algorithm": "pvs", "evaluation": "discs", "threshold": 1}
    alone = search(board, limits, parallel=scheme, workers=1, **options)
    for workers in (1, 2, 5):
        virtual = VirtualWorkers(Costs(attempt=1.0), seed=workers)
        result = search(board, limits, parallel=virtual.scheme(scheme_named(scheme)), workers=workers, **options)
        assert (result.value, result.move) == (alone.value, alone.move)
        assert virtual.time <= virtual.busy
        assert workers == 1 or virtual.time < virtual.busy
        if workers == 1:
            assert result.nodes == alone.nodes


def test_virtual_workers_repeat_themselves():
    def run():
        virtual = VirtualWorkers(COSTS, seed=3)
        scheme = virtual.scheme(scheme_named("ybw"))
        options = {"algorithm": "pvs", "evaluation": "discs", "threshold": 1, "workers": 3}
        result = search(OthelloBoard.start(), Limits(depth=4), parallel=scheme, **options)
        return result.nodes, virtual.time, virtual.steals, virtual.tries

    assert run() == run()


# --- the experiment ---


def sample(what, workers, tree_seconds, **more):
    labels = {"position": "start", "scheme": "fork-join", "depth": 3}
    return {"what": what, **labels, "workers": workers, "tree_seconds": tree_seconds, "seconds": tree_seconds, **more}


def test_the_error_is_that_of_the_sum_of_least_times():
    samples = [
        sample(REAL, 2, 3.0, turn=1, round=1, nodes=10),
        sample(REAL, 2, 1.0, turn=1, round=2, nodes=10),
        sample(REAL, 2, 1.0, turn=2, round=1, nodes=20),
        *(
            sample(REPLAYED, workers, 4.2 / workers, scheduler=name, busy_seconds=4.2, steals=1, tries=2, nodes=30)
            for workers in (1, 2, 4)
            for name in ("stealing", "greedy")
        ),
    ]
    assert replay_error(samples, 2) == pytest.approx(0.05)
    assert replay_error(samples, 4) is None
    lines = {line["workers"]: line for line in replay_lines(samples)}
    assert lines[2]["error"] == "+5.0%"
    assert (lines[2]["real (s)"], lines[2]["real nodes"]) == (2.0, 20)
    assert (lines[4]["speed-up"], lines[4]["real (s)"], lines[4]["error"]) == (pytest.approx(4.0), None, None)


def test_the_experiment_replays_a_search_on_more_workers_than_cores():
    report = lab.run("replay", positions=("start@3",), schemes=("fork-join", "ybw"), workers=(1, 64), rounds=1)
    kinds = {(row["what"], row["scheme"]) for row in report.samples}
    assert kinds == {(what, scheme) for what in (REAL, REPLAYED, RECORDED) for scheme in ("fork-join", "ybw")}
    for table in report.tables:
        assert table.column("workers") == [1, 64]
        assert table.column("speed-up")[0] == 1
        assert all(cell is None or cell > 0 for cell in table.column("real (s)"))
    assert report.passed


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"schemes": ("abdada",)}, "scheme with split points"),
        ({"schemes": ("ybw",), "whole_game": "002"}, "searches by minimax"),
        ({"bandwidth": 0.5}, "bandwidth=0.5: at least 1"),
        ({"schedule": "columns"}, "schedule"),
    ],
)
def test_impossible_replays_are_refused(options, message):
    with pytest.raises(OutflankError, match=message):
        lab.run("replay", **options)


@pytest.mark.interpreted_only
def test_rounds_of_real_searches_go_forth_and_back(monkeypatch):
    order = []

    def turns(subject, workers, round_, stop):
        for turn in (1, 2):
            order.append((turn, round_, workers))
            yield {"workers": workers}

    monkeypatch.setattr(replay_study, "_timed_turns", turns)
    real = replay_study.RealSearches(None, (1, 2), 2, Stop())
    for round_ in (0, 1):
        real.run_turn(round_)
    assert order == [(1, 1, 0), (1, 1, 1), (1, 1, 2), (1, 2, 2), (1, 2, 1), (1, 2, 0)]
    real.run_all()
    assert len(real.samples) == len(order) == 12
