"""How large jobs are, in games of any branching; and what is said of searches that nobody divided."""

import itertools

import pytest

from outflank import AbaloneBoard, Limits, lab
from outflank.distributed.cluster import Cluster, connect, open_tasks
from outflank.distributed.cluster_statistics import cluster_statistics
from outflank.distributed.engines.inside_engine import InsideFabric
from outflank.distributed.head import Tuning
from outflank.distributed.replication import POLICIES
from outflank.distributed.sizing import FEWEST_JOBS, FINEST, JOBS_A_NODE, Costs
from outflank.lab.experiment import experiment_named
from outflank.lab.measuring.cluster_samples import CLUSTER_KINDS
from outflank.lab.measuring.search_samples import SEARCH_KINDS

WANTED = 0.1

RATE = 5e6

ABALONE = {1: 45, 2: 184, 3: 2577, 4: 7638, 5: 77_324, 6: 220_882, 7: 1_838_059}
"""Nodes of one worker's iterations from the start, which has 44 moves: 6.7 million are to come, then 41."""


def known(trees, moves):
    costs = Costs(moves)
    for depth, nodes in trees.items():
        costs.tree(depth, nodes, nodes / RATE)
    return costs


@pytest.mark.interpreted_only
@pytest.mark.parametrize("moves", [4, 10, 44, 80])
@pytest.mark.parametrize("a_ply", [2.0, 3.0, 8.0, 30.0])
@pytest.mark.parametrize("nodes", [1, 2, 16])
def test_jobs_take_about_as_long_as_they_should_whatever_a_ply_costs(moves, a_ply, nodes):
    depths = itertools.takewhile(lambda depth: a_ply**depth < 4000, range(1, 30))
    trees = {depth: 1e-4 * a_ply**depth for depth in depths}  # seconds
    costs, depth = known({each: round(RATE * seconds) for each, seconds in trees.items()}, moves), max(trees) + 2
    chosen = costs.threshold(depth, WANTED, nodes)
    true = {left: trees[max(trees)] * a_ply ** (left + 1 - max(trees)) / moves for left in range(1, depth)}
    assert 1 <= chosen < depth
    half_a_ply = a_ply**0.5 * 1.01
    assert true[chosen] <= WANTED * half_a_ply or chosen == 1
    # With one ply more they would be too long, or too few for all nodes.
    if chosen + 1 < depth:
        enough = trees[max(trees)] * a_ply**2 / (JOBS_A_NODE * nodes)
        assert true[chosen + 1] * half_a_ply > min(WANTED, max(enough, WANTED * FINEST))
    finer = costs.finer(chosen, WANTED)
    assert finer == chosen or true[finer] >= WANTED * FINEST * 0.99


@pytest.mark.interpreted_only
def test_abalone_is_not_divided_into_thousands():
    costs = known(ABALONE, 44)
    assert costs.of_tree(8) == pytest.approx(1.0, rel=0.5)
    assert costs.of_tree(7) < 0.4  # too short to be shared
    assert costs.threshold(8, WANTED, 2) == costs.finer(7, WANTED) == 7
    for _ in range(50):  # an iteration to depth 8 in jobs of its root's moves
        costs.job(7, 6_743_758 // 44, 0.03)
    assert costs.threshold(9, WANTED, 2) in (7, 8)
    assert costs.finer(8, WANTED) == 7
    assert costs.worth(POLICIES["async"].entry_seconds, 7) in (3, 4)
    assert 5 <= costs.worth(POLICIES["depth"].entry_seconds, 7) <= 7


@pytest.mark.interpreted_only
def test_what_is_measured_counts_more_than_what_was_guessed():
    costs = known({5: 2_500_000, 6: 5_000_000}, 10)
    assert costs.of_job(5) == pytest.approx(0.1)
    for _ in range(FEWEST_JOBS - 1):
        costs.job(5, 50_000_000, 10.0)
    assert costs.of_job(5) == pytest.approx(0.1)  # a few say nothing yet
    costs.job(5, 50_000_000, 10.0)
    assert costs.of_job(5) == pytest.approx(10.0)
    for _ in range(200):
        costs.job(5, 5_000_000, 1.0)
    assert costs.of_job(5) == pytest.approx(1.0, rel=0.1)  # what was long ago is forgotten


@pytest.mark.interpreted_only
def test_a_machine_that_was_busy_for_a_moment_changes_nothing():
    quiet, busy = known(ABALONE, 44), Costs(44)
    for number, (depth, nodes) in enumerate(ABALONE.items()):
        busy.tree(depth, nodes, nodes / RATE * (1 if depth == 7 else 50 + 13 * number))
    for _ in range(50):
        quiet.job(7, 153_000, 0.0306)
        busy.job(7, 153_000, 0.5)
    assert busy.rate == quiet.rate
    assert busy.of_tree(8) == quiet.of_tree(8)
    assert busy.threshold(9, WANTED, 2) == quiet.threshold(9, WANTED, 2)


@pytest.mark.interpreted_only
def test_nothing_known_is_a_search_to_be_shared():
    assert Costs(10).of_tree(8) == float("inf")
    assert Costs(10).of_job(3) is None
    assert Costs(10).threshold(8, WANTED, 2) == 5
    assert Costs(10).finer(5, WANTED) == 3


@pytest.mark.compiled
def test_a_search_of_abalone_has_as_many_jobs_as_are_worth_it():
    board = AbaloneBoard.start()
    with Cluster(InsideFabric(2), tuning=Tuning(job_seconds=0.1, alone_seconds=0.01)) as cluster:
        found = cluster.search(board, Limits(depth=6), workers=1)
        done = cluster_statistics(cluster.head)
    assert found.depth == 6
    assert 0 < done.total("jobs") < 500  # it was 2 400 to 4 700


@pytest.mark.compiled
@pytest.mark.parametrize("threshold", [2, 4])
def test_a_threshold_that_is_given_is_kept_to(threshold):
    board = AbaloneBoard.start()
    with connect("inside:2") as cluster:
        cluster.fabric.submit = watched(cluster.fabric.submit, jobs := [])
        cluster.search(board, Limits(depth=5), workers=1, threshold=threshold, replication="none")
    assert {job.depth for job in jobs} == {threshold}


def watched(submit, jobs):
    def see(node, job):
        jobs.append(job)
        submit(node, job)

    return see


# --- a cluster within the process ---


@pytest.mark.interpreted_only
def test_nodes_within_the_process_need_nothing_installed(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "ray", None)
    with connect("inside:3") as cluster:
        assert cluster.fabric.expected == 3
    open_tasks("inside:2", None)


# --- searches that nobody divided ---


def sampled(kinds, **more):
    """A sample with a 1 in every cell that is not given."""
    texts = {"move": "f5", "task": "one"}
    numbers = {name: 1.0 if isinstance(kind, type) and kind is float else 1 for name, kind in kinds.items()}
    return numbers | texts | more


@pytest.mark.interpreted_only
def test_searches_that_nobody_divided_are_no_speed_ups():
    scaling = experiment_named("scaling")
    chosen = scaling.parameters(cluster="inside:2", positions=("start", "diagonal"), policies=("none",), nodes=(2,))
    alone = {"replication": "alone", "nodes_used": 1, "seconds": 8.0, "round": 1}
    together = {"replication": "none", "nodes_used": 2, "seconds": 4.0, "round": 1}
    samples = [
        sampled(SEARCH_KINDS, board="start", **alone),
        sampled(SEARCH_KINDS, board="diagonal", **alone),
        sampled(CLUSTER_KINDS, board="start", **together | {"jobs": 0, "seconds": 1.0}),
        sampled(CLUSTER_KINDS, board="diagonal", **together | {"jobs": 9}),
    ]
    report = scaling.conclude(chosen, samples)
    assert report.tables[0].column("speed-up, mean") == [2.0]
    assert report.tables[0].column("boards") == [1]
    assert report.tables[1].column("speed-up") == [None, None, None, 2.0]
    assert any(note.startswith("Nothing was divided in searches of start with none on 2") for note in report.notes)
    threshold = experiment_named("threshold")
    chosen = threshold.parameters(cluster="inside:2", policies=("none",), thresholds=(3, 9))
    samples = [
        sampled(SEARCH_KINDS, position="start", replication="alone", seconds=8.0, round=1),
        sampled(CLUSTER_KINDS, position="start", replication="none", threshold=3, seconds=4.0, round=1, jobs=7),
        sampled(CLUSTER_KINDS, position="start", replication="none", threshold=9, seconds=1.0, round=1, jobs=0),
    ]
    report = threshold.conclude(chosen, samples)
    assert report.tables[0].column("speed-up") == [2.0, None]
    assert "none: jobs of 3 plies are fastest." in report.notes
    assert any("none with threshold 9" in note for note in report.notes)


@pytest.mark.compiled
def test_report_000s_columns_are_measured_on_nodes_within_the_process():
    report = lab.run("threshold", cluster="inside:2", depth=5, thresholds=(3,), policies=("none", "batch"), rounds=1)
    together = [sample for sample in report.samples if sample["replication"] != "alone"]
    for sample in together:
        assert sample["members"] == 2
        assert sample["jobs"] > 0
        assert sample["bytes"] > 100 * sample["jobs"]
        assert sample["useful_per_node"] + sample["overhead_per_node"] == pytest.approx(sample["seconds"])
        assert 0 <= sample["steals_won"] <= sample["steals_tried"]
    assert {(each.algorithm, each.evaluation) for each in report.searched} == {("mtdf", "four-part")}
