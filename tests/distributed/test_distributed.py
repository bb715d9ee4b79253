"""The distributed search against the definition, on nodes within this process; its parts against all that happens."""

import contextlib
import itertools
import queue
import random
import sys
import threading
import time
import weakref
from functools import cache
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outflank import AbaloneBoard, Limits, OthelloBoard, OutflankError, Stop
from outflank.distributed.cluster import Cluster, check_options
from outflank.distributed.cluster_statistics import cluster_statistics
from outflank.distributed.engines import inside_engine, parse_address
from outflank.distributed.engines.inside_engine import InsideFabric
from outflank.distributed.engines.on_mpi.mpi_messages import setup_from_json, setup_to_json
from outflank.distributed.engines.on_ray.ray_process import RayNode
from outflank.distributed.fabric import HeadLost
from outflank.distributed.head import Tuning
from outflank.distributed.job_tree import Tree
from outflank.distributed.node import Node, NodeSetup
from outflank.distributed.node_messages import Ended, Job, JobResult, Joined, Left, NodeEvent, NodeReport, Reported
from outflank.distributed.node_thread import NodeThread
from outflank.distributed.replication import POLICIES, replication_named
from outflank.distributed.splits import Homes, Splitting
from outflank.games.evaluation import evaluation_named
from outflank.games.rules import pack, unpack
from outflank.kernels.bits import U64
from outflank.kernels.compiler import interpreted
from outflank.kernels.record_types import allocate
from outflank.othello.rules import Othello
from outflank.othello.squares import START, othello
from outflank.search import stopping
from outflank.search.outbox import WORDS, Outbox, adopt, collect, post, release
from outflank.search.request import Options
from outflank.search.root import Root
from outflank.search.root_moves import HIGH, LOW
from outflank.search.stopping import BELL, halt
from outflank.search.table import EXACT, Table, adopted, is_foreign, looked_up, packed, value_of
from outflank.search.whole_search import search
from outflank.search.worker import COUNTERS, WORKER
from outflank.ui.cli.searching.search_documents import ClusterSearchDocument
from outflank.user_modules import pickle_for_nodes
from outflank.validation.documents import plain
from tests.conftest import examples
from tests.pairs import pairwise
from tests.search.test_search import PASSES, assert_played_out, check, positions, truth
from tests.walking import legal, walk

AT_ONCE = Tuning(alone_seconds=0.0, patience_seconds=30.0)
"""Everything is shared, however short it is."""

SMALL = ("none", "batch:batch=3", "depth:depth=2", "depth:plies=2", "async:depth=2,batch=4")
"""Every policy, with numbers that do something in a search of a few hundred nodes."""


# --- values ---

CHOICES = {
    "nodes": [1, 2, 4],
    "replication": list(SMALL),
    "parallel": ["ybw", "jamboree", "stealing"],
    "algorithm": ["alphabeta", "pvs", "mtdf"],
    "workers": [1] if interpreted() else [1, 2],
    "threshold": [None, 1, 2, 4],
    "table_bits": [None, 4, 12],
    "canonical": [False, True],
    "passes": list(PASSES),
    "quiescence": [0, 2],
    "ties": ["first", "lowest", "highest"],
    "share_alpha": [True, False],
    "aspiration": [None, 1],
    "deepen": [True, False],
    "sort": ["all", "best", "none"],
    "killers": [False, True],
    "history": [False, True],
    "moves": [1, 3],
}
EVALUATIONS = {"othello": ["phased", "discs"] if interpreted() else ["discs"], "abalone": ["rings"]}


def rows():
    for name, ordering in (("othello", "squares+mobility"), ("abalone", "kinds")):
        choices = {**CHOICES, "evaluation": EVALUATIONS[name], "ordering": ["none", ordering]}
        for number, row in enumerate(pairwise(choices)):
            if row["algorithm"] == "mtdf" and row["ties"] == "first":
                row["ties"] = "lowest"
            yield name, number, row


@pytest.mark.parametrize(
    ("name", "number", "row"), list(rows()), ids=lambda item: str(item) if isinstance(item, int) else ""
)
def test_pairs_of_options_agree_with_the_definition(name, number, row):
    row = dict(row)
    with Cluster(InsideFabric(row.pop("nodes")), tuning=AT_ONCE) as cluster:
        row["parallel"] = cluster.scheme(replication=row.pop("replication"), parallel=row["parallel"])
        for seed in range(8 * number, 8 * number + (1 if interpreted() else 2)):
            check(name, seed, row)


@cache
def searched_alone():
    """Eight positions, how large the jobs are into which each is divided, and what one worker finds in it.

    Both games meet all sizes of jobs. Where they are smallest, a depth less has hundreds of them already.
    """
    found = []
    for number, size in enumerate((3, 2, 2, 3, 5, None, None, 5)):
        seed = number // 2
        if number % 2 == 0:
            game = othello(8)
            board, depth = OthelloBoard(game, walk(game, START, seed, 6 + 5 * seed % 40)), 6 if size in (2, 3) else 7
        else:
            board, depth = AbaloneBoard.start("belgian-daisy"), 4
            board = AbaloneBoard(board.game, walk(board.game, board.position, seed, 4 + seed % 20))
        found.append((board, size, search(board, Limits(depth=depth), workers=1)))
    return found


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("half", "policy"), list(enumerate(["none", "batch:batch=50", "depth:depth=3", "async:depth=3"])), ids=str
)
@pytest.mark.parametrize("nodes", [1, 2, 4])
def test_the_value_and_the_move_are_those_of_one_worker(half, policy, nodes):
    """On four of eight positions: each scheme meets both games; each policy and each number of nodes meets all eight,
    and with them jobs of all sizes."""
    for number, (board, size, alone) in enumerate(searched_alone()):
        if (number // 4 + half + nodes // 2) % 2:
            continue
        scheme = ("ybw", "jamboree", "stealing")[(number // 2 + half + nodes) % 3]  # the game is number % 2
        with Cluster(InsideFabric(nodes), tuning=AT_ONCE) as cluster:
            found = cluster.search(
                board, Limits(depth=alone.depth), workers=1, replication=policy, parallel=scheme, threshold=size
            )
        assert (found.value, found.move, found.depth) == (alone.value, alone.move, alone.depth)
        assert_played_out(board, found, evaluation_named(board.game), "free", 0)


@pytest.mark.compiled
def test_one_node_enters_the_nodes_of_one_worker():
    """What the head does at the top is what a worker does there: little is searched twice, or in a worse order."""
    board = OthelloBoard.start()
    alone = search(board, Limits(depth=11), workers=1)
    with Cluster(InsideFabric(1), tuning=AT_ONCE) as cluster:
        found = cluster.search(board, Limits(depth=11), workers=1, threshold=7, replication="none")
    assert abs(found.nodes / alone.nodes - 1) < 0.05


@pytest.mark.compiled
def test_an_exact_ending_and_a_finished_game():
    board = OthelloBoard.start(4, scoring="discs")
    with Cluster(InsideFabric(2), tuning=AT_ONCE) as cluster:
        found = cluster.search(board, exact=True, workers=1, threshold=6)
        assert (found.value, found.exact) == (-8, True)
        deeper = cluster.search(board, workers=1, threshold=3)  # until nothing is estimated: the tables are cleared
        assert (deeper.value > 0, deeper.exact) == (False, True)


@pytest.mark.compiled
def test_who_waits_for_delivery_goes_on_when_tables_are_cleared_in_the_middle_of_a_batch():
    with Cluster(InsideFabric(2), tuning=AT_ONCE) as cluster:
        found = cluster.search(
            OthelloBoard.start(4), Limits(seconds=60.0), workers=1, threshold=3, replication="batch:batch=50"
        )
    assert found.exact


def settled_statistics(head):
    """What the nodes have counted once no entry is under way between them any more: they report one after the other."""
    counted = cluster_statistics(head)
    for _ in range(100):
        time.sleep(0.02)
        head.close()  # which asks them again
        before, counted = counted, cluster_statistics(head)
        if all(before.total(name) == counted.total(name) for name in ("entries_sent", "entries_received")):
            break
    return counted


@pytest.mark.compiled
def test_statistics_add_up():
    board = OthelloBoard.start()
    with Cluster(InsideFabric(2), tuning=AT_ONCE) as cluster:
        found = cluster.search(board, Limits(depth=11), workers=1, threshold=7, replication="async:depth=3,batch=16")
        assert cluster.head is not None
        all_of_it = settled_statistics(cluster.head)
    assert len(all_of_it.nodes) == 2
    assert all_of_it.total("nodes") == sum(worker.nodes for worker in found.workers)
    assert all_of_it.total("entries_received") <= all_of_it.total("entries_sent")
    assert all_of_it.total("bytes_sent") == 24 * all_of_it.total("entries_sent")
    assert all_of_it.total("replicated_hits") + all_of_it.total("replicated_sorts") > 0
    assert all_of_it.total("steals_won") <= all_of_it.total("steals_tried")
    told = plain(ClusterSearchDocument.of(all_of_it))
    assert (told["engine"], len(told["nodes"]), told["messages"]) == ("inside", 2, all_of_it.total("messages"))


@pytest.mark.compiled
def test_limits_and_stops_hold():
    board = OthelloBoard.start()
    with Cluster(InsideFabric(2)) as cluster:
        found = cluster.search(board, Limits(seconds=0.3), workers=1)
        assert found.stopped
        assert found.move is not None
        stop = Stop()
        for found in cluster.iterate(board, stop=stop, workers=1):
            if found.depth == 8:
                stop()
        assert found.stopped
        assert found.depth >= 8
        limited = cluster.search(board, Limits(nodes=2_000_000), workers=1)
        assert limited.stopped
        assert cluster.search(board, Limits(depth=9), workers=1).depth == 9  # and the nodes are as good as new


# --- the tree, by whatever schedule ---


class Anybody:
    """Nodes that take and do jobs in any order, lose some, and bring back whatever the promise allows."""

    def __init__(self, root: Root, seed: int, nodes: int) -> None:
        self.root, self.random, self.nodes = root, random.Random(seed), nodes
        self.running: dict[int, Job] = {}

    def found(self, tree: Tree):
        for _ in range(100_000):
            if tree.result is not None:
                return tree.result
            idle = [node for node in range(self.nodes) if node not in self.running]
            if idle and self.random.random() < 0.6:
                node = self.random.choice(idle)
                job = tree.take(node)
                if job is not None:
                    self.running[node] = job
            elif self.running:
                self.end(tree, self.random.choice(list(self.running)))
            for ticket in tree.unwanted:
                assert not tree.is_wanted(ticket)
        raise AssertionError("the tree does not come to an end")

    def end(self, tree: Tree, node: int) -> None:
        job = self.running.pop(node)
        fate = self.random.random()
        if fate < 0.1:
            tree.lose(job.ticket)
            if fate < 0.05:  # and yet it answers
                assert not tree.deliver(self.outcome(job))
        elif fate < 0.15 and tree.is_wanted(job.ticket):
            assert not tree.deliver(JobResult.unsearched(job.ticket))
        else:
            wanted = tree.is_wanted(job.ticket)
            assert tree.deliver(self.outcome(job)) == wanted

    def outcome(self, job: Job) -> JobResult:
        game, options = self.root.game, self.root.options
        position = unpack(game, U64(job.first), U64(job.second))
        value = truth(game, self.root.evaluation, position, job.depth, options.passes, options.quiescence)
        if value <= job.alpha:
            value = self.random.randint(value, job.alpha)
        elif value >= job.beta:
            value = self.random.randint(job.beta, value)
        moves = legal(game, position)
        line = (self.random.choice(moves),) if moves else ()
        counts = (0,) * len(COUNTERS)
        return JobResult(ticket=job.ticket, valid=True, value=value, line=line, seconds=0.0, counts=counts)


def quick_evaluation(game) -> str | None:
    """One that the interpreter is quick at: the definition asks for thousands of values, and a learnt one takes half a
    millisecond, ten times as long."""
    if not interpreted():
        return "discs" if isinstance(game, Othello) else "rings"
    if isinstance(game, Othello):
        return "phased" if game.mask == othello(8).mask else None
    return "cohesion"


@pytest.mark.slow(6)
@given(st.data())
@examples(50)
def test_any_schedule_gives_the_value(data):
    name = data.draw(st.sampled_from(["othello", "abalone"]))
    seed = data.draw(st.integers(0, 10_000))
    game, position, deepest = positions(name, seed)
    depth = data.draw(st.integers(2, max(2, min(4, deepest))))
    options = Options(
        algorithm=data.draw(st.sampled_from(["alphabeta", "pvs"])),
        evaluation=quick_evaluation(game),
        ties=data.draw(st.sampled_from(["first", "lowest", "highest"])),
        passes=data.draw(st.sampled_from(list(PASSES))),
        table_bits=data.draw(st.sampled_from([None, 8])),
        share_alpha=data.draw(st.booleans()),
    )
    root = Root(game, position, options)
    if not root.moves or (root.passing and options.passes != "ply") or root.deepest < depth:
        return
    want = truth(game, root.evaluation, position, depth, options.passes, 0)
    window = data.draw(st.sampled_from(["open", "narrow", "null"]))
    low = data.draw(st.integers(want - 3, want + 2))
    alpha, beta = {"open": (LOW, HIGH), "narrow": (low, low + 3), "null": (low, low + 1)}[window]
    tree = Tree(
        root,
        Splitting(threshold=data.draw(st.integers(1, 3)), in_order=data.draw(st.booleans())),
        root.moves,
        depth=depth,
        alpha=alpha,
        beta=beta,
        era=1,
        tickets=itertools.count(1),
        places={},
        homes=Homes(),
    )
    found = Anybody(root, seed, data.draw(st.integers(1, 5))).found(tree)
    if found.value <= alpha:
        assert want <= found.value
    elif found.value >= beta:
        assert want >= found.value
    else:
        assert want == found.value
        below = root.depth_below(depth)
        worth = {move.code: -truth(game, root.evaluation, move.child, below, options.passes, 0) for move in root.moves}
        assert found.move is not None
        best = [move.code for move in root.moves if worth[move.code] == want]
        if options.ties != "first":
            best = [min(best) if options.ties == "lowest" else max(best)]
        assert found.move.code == best[0]


# --- a head that things happen to ---


class Scripted:
    """A fabric in this process whose nodes do what a test says."""

    name = "scripted"
    job_seconds = 0.0
    bytes_carried = 0

    def __init__(self, nodes: int) -> None:
        self.count = nodes
        self.nodes: dict[int, Node] = {}
        self.events: queue.SimpleQueue = queue.SimpleQueue()
        self.submitted: list[tuple[int, Job]] = []
        self.stopped: list[tuple[int, int]] = []
        self.dead: set[int] = set()
        self.deaths_heard: dict[int, int] = {}
        """The number of jobs submitted before the head heard of a node's death."""
        self.frozen: set[int] = set()
        self.lost = False
        self.setup: NodeSetup | None = None
        self.on_submit = lambda node, job: None

    def prepare(self, setup: NodeSetup) -> None:
        self.setup = setup
        for _ in range(self.count):
            self.join()

    def join(self) -> int:
        assert self.setup is not None
        number = len(self.nodes)
        self.nodes[number] = Node(self.setup, lambda era, entries, wait: (0, 0))
        self.events.put(Joined(node=number, where=f"place {number}", workers=1))
        return number

    def die(self, node: int) -> None:
        self.dead.add(node)
        self.events.put(Left(node=node, why="killed"))

    steal_seconds = None

    def fill(self, node: int, era: int, entries: object) -> None:
        pass

    def submit(self, node: int, job: Job) -> None:
        self.submitted.append((node, job))
        self.on_submit(node, job)
        if node not in self.dead and node not in self.frozen:
            self.events.put(Ended(node=node, result=self.nodes[node].search(job)))

    def stop(self, node: int, ticket: int) -> None:
        self.stopped.append((node, ticket))

    def ask(self) -> None:
        pass

    def note(self, text: str) -> None:
        pass

    @property
    def expected(self) -> int:
        return self.count

    def use(self, count: int | None) -> None:
        pass

    def wait(self, seconds: float):
        if self.lost:
            raise HeadLost("the head is gone")
        found = [
            Reported(node=node, report=NodeReport())
            for node in self.nodes
            if node not in self.dead and node not in self.frozen
        ]
        with contextlib.suppress(queue.Empty):
            found.append(self.events.get(timeout=seconds))
        if found and isinstance(found[-1], Left):
            self.deaths_heard[found[-1].node] = len(self.submitted)
        return found

    def close(self) -> None:
        for node in self.nodes.values():
            node.close()


BOARD, DEPTH = (OthelloBoard.start(6), 3) if interpreted() else (OthelloBoard.start(), 8)
OPTIONS = {"workers": 1, "threshold": 1 if interpreted() else 4, "replication": "none"}


def wanted(depth: int = DEPTH) -> int:
    return search(BOARD, Limits(depth=depth), workers=1).value


class Delaying(Scripted):
    """Nodes that end their jobs in a random order, but node 0 ends one only when the others have none."""

    def __init__(self, nodes: int, seed: int) -> None:
        super().__init__(nodes)
        self.random = random.Random(seed)
        self.jobs: dict[int, list[Job]] = {node: [] for node in range(nodes)}
        self.most = 0
        self.taken_back: list[Job] = []

    def submit(self, node: int, job: Job) -> None:
        self.submitted.append((node, job))
        self.jobs[node].append(job)
        self.most = max(self.most, sum((node, job.ticket) not in self.stopped for job in self.jobs[node]))

    def stop(self, node: int, ticket: int) -> None:
        super().stop(node, ticket)
        self.nodes[node].stop(ticket)
        self.taken_back += [job for job in self.jobs[node][1:] if job.ticket == ticket]

    def wait(self, seconds: float):
        busy = [node for node, jobs in self.jobs.items() if jobs]
        if busy:
            node = self.random.choice([node for node in busy if node] or busy)
            self.events.put(Ended(node=node, result=self.nodes[node].search(self.jobs[node].pop(0))))
        return super().wait(0.0)


@pytest.mark.parametrize("seed", range(3))
def test_a_node_has_a_second_job_until_another_node_needs_it(seed):
    fabric = Delaying(3, seed)
    with Cluster(fabric, tuning=AT_ONCE) as cluster:
        found = cluster.search(BOARD, Limits(depth=DEPTH + 1), **OPTIONS)
        assert (found.value, found.stopped) == (wanted(DEPTH + 1), False)
        assert cluster.head is not None
        assert sum(member.jobs for member in cluster.head.members.values()) == len(fabric.submitted)
    assert fabric.most == 2
    places = [(job.first, job.second) for _, job in fabric.submitted]
    assert any(places.count((job.first, job.second)) > 1 for job in fabric.taken_back)  # somebody else searched it


def test_a_node_that_dies_loses_only_work():
    fabric = Scripted(3)

    def killing(node, job):
        if len(fabric.submitted) in (3, 9):
            fabric.die(node)

    fabric.on_submit = killing
    with Cluster(fabric, tuning=AT_ONCE) as cluster:
        found = cluster.search(BOARD, Limits(depth=DEPTH), **OPTIONS)
        assert (found.value, found.stopped) == (wanted(), False)
        assert cluster.head is not None
        assert len(cluster.head.losses) == len(fabric.dead) == 2
    assert fabric.deaths_heard.keys() == fabric.dead
    for node, heard in fabric.deaths_heard.items():  # the dead get no jobs
        assert node not in {other for other, _ in fabric.submitted[heard:]}


def test_a_frozen_node_is_given_up_and_may_come_back(caplog):
    caplog.set_level("INFO", "outflank.distributed")
    fabric = Scripted(2)

    def freezing(node, job):
        if len(fabric.submitted) == 5:
            fabric.frozen.add(node)

    fabric.on_submit = freezing
    with Cluster(fabric, tuning=Tuning(alone_seconds=0.0, patience_seconds=0.2)) as cluster:
        found = cluster.search(BOARD, Limits(depth=DEPTH), **OPTIONS)
        assert found.value == wanted()
        assert cluster.head is not None
        assert "silent" in cluster.head.losses[0]
    (frozen,) = fabric.frozen
    node, job = fabric.submitted[4]
    assert node == frozen
    assert (node, job.ticket) in fabric.stopped
    again = [other for who, other in fabric.submitted[5:] if (other.first, other.second) == (job.first, job.second)]
    assert again  # somebody else has done it
    assert f"node {frozen} (place {frozen}): silent for 0." in caplog.text
    assert "; its jobs go to other nodes: 1" in caplog.text


def test_a_node_that_joins_is_used():
    fabric = Scripted(1)

    def joining(node, job):
        if len(fabric.submitted) == 4:
            fabric.join()

    fabric.on_submit = joining
    with Cluster(fabric, tuning=AT_ONCE) as cluster:
        assert cluster.search(BOARD, Limits(depth=DEPTH), **OPTIONS).value == wanted()
    assert {node for node, _ in fabric.submitted} == {0, 1}


def test_all_nodes_may_die_if_another_comes():
    fabric = Scripted(2)

    def dying(node, job):
        if len(fabric.submitted) in (4, 5):
            fabric.die(node)
            if len(fabric.submitted) == 5:
                fabric.join()

    fabric.on_submit = dying
    with Cluster(fabric, tuning=AT_ONCE) as cluster:
        assert cluster.search(BOARD, Limits(depth=DEPTH), **OPTIONS).value == wanted()


def test_without_a_head_the_best_so_far_is_the_result():
    fabric = Scripted(2)

    def losing(node, job):
        if job.depth == DEPTH - 1:  # the last iteration
            fabric.lost = True

    fabric.on_submit = losing
    with Cluster(fabric, tuning=AT_ONCE) as cluster:
        found = cluster.search(BOARD, Limits(depth=DEPTH), **{**OPTIONS, "threshold": DEPTH - 1})
        assert (found.depth, found.stopped) == (DEPTH - 1, True)
        assert cluster.head is not None
        assert cluster.head.trouble == "the head is gone"
    assert found.move is not None


def test_without_any_node_it_says_so():
    fabric = Scripted(0)
    with Cluster(fabric, tuning=Tuning(join_seconds=0.1)) as cluster, pytest.raises(OutflankError, match="no node has"):
        cluster.search(BOARD, Limits(depth=DEPTH), **OPTIONS)


# --- a node ---


def a_node(carry=lambda era, entries, wait: (0, 0), replication="none", **options) -> Node:
    setup = NodeSetup(
        game=othello(8),
        position=START,
        options=Options(workers=1, table_bits=10, **options),
        replication=replication_named(replication),
        era=1,
    )
    return Node(setup, carry)


def a_job(ticket: int, depth: int, era: int = 1) -> Job:
    first, second = pack(othello(8), START)
    return Job(ticket=ticket, era=era, first=int(first), second=int(second), depth=depth, ply=1, alpha=LOW, beta=HIGH)


def test_a_job_may_be_stopped_before_it_begins():
    node = a_node()
    node.stop(7)
    assert not node.search(a_job(7, 3)).valid
    outcome = node.search(a_job(8, 2))
    assert outcome.valid
    evaluation = evaluation_named(othello(8), None)
    assert outcome.value == truth(othello(8), evaluation, START, 2, "free", 0)
    node.stop(5)  # long past
    assert node.search(a_job(9, 1)).valid
    node.close()


def test_a_node_that_closes_searches_no_more():
    node = a_node()
    node.close()
    assert not node.search(a_job(1, 2)).valid


@pytest.mark.compiled
def test_a_job_is_stopped_while_it_runs():
    node = a_node()
    outcomes: list[JobResult] = []
    thread = threading.Thread(target=lambda: outcomes.append(node.search(a_job(1, 40))))
    thread.start()
    while node.report().nodes == 0:
        pass
    node.stop(2)  # another one
    assert thread.is_alive()
    node.stop(1)
    thread.join(30)
    assert not outcomes[0].valid
    assert node.report().nodes == outcomes[0].count("nodes") > 0
    node.close()


@pytest.mark.parametrize("parallel", ["ybw", "stealing"])
def test_nodes_keep_their_tables_as_long_as_the_head_does(parallel):
    table, board = Table(14), OthelloBoard.start()
    fabric = InsideFabric(2)
    with Cluster(fabric, tuning=AT_ONCE) as cluster:

        def tables_after(depth: int, table: Table) -> list[Table | None]:
            found = cluster.search(board, depth=depth, workers=1, table=table, parallel=parallel)
            alone = search(board, depth=depth, workers=1)
            assert (found.value, found.move) == (alone.value, alone.move)
            return [thread.node.root.table for thread in fabric._node_threads.values()]

        first = tables_after(3, table)
        assert tables_after(4, table) == first
        table.clear()
        second = tables_after(4, table)
        assert not set(map(id, first)) & set(map(id, second))
        assert not set(map(id, tables_after(4, Table(14)))) & set(map(id, second))


class NotingTables(InsideFabric):
    """Nodes whose tables are noted at the beginning of each search."""

    def __init__(self, count: int) -> None:
        super().__init__(count)
        self.bits: list[list[int]] = []
        self.kept: list[bool] = []
        self._tables: list[int] = []

    def prepare(self, setup: NodeSetup) -> None:
        super().prepare(setup)
        tables = [thread.node.root.table for thread in self._node_threads.values()]
        self.bits.append([table.bits for table in tables if table is not None])
        self.kept.append(list(map(id, tables)) == self._tables)
        self._tables = list(map(id, tables))


@pytest.mark.interpreted_only
def test_tables_of_nodes_are_of_the_size_of_the_searches_in_every_stage(monkeypatch):
    monkeypatch.setattr("outflank.search.whole_search.ESTIMATES_BITS", 7)
    start, fabric, table = OthelloBoard.start(4), NotingTables(2), Table(9)
    board = OthelloBoard(start.game, walk(start.game, start.position, 3, 7))
    with Cluster(fabric, tuning=AT_ONCE) as cluster:

        def prove(**options: object) -> list[tuple[int, bool]]:
            fabric.bits.clear()
            fabric.kept.clear()
            cluster.search(board, exact=True, seconds=60.0, workers=1, **options)
            assert all(len(set(bits)) == 1 for bits in fabric.bits)
            return [(bits[0], kept) for bits, kept in zip(fabric.bits, fabric.kept, strict=True)]

        # First the estimates, then the proof, which keeps their tables if it has their head's.
        assert prove(table_bits=10) == [(10, False), (10, True)]
        assert prove(table=table, table_bits=10) == [(9, False), (9, True)]
        assert prove(table=table) == [(7, False), (9, False)]
        assert prove(table=table, deepen=False) == [(9, True)]
        cluster.search(board, depth=3, workers=1, table_bits=None)
        assert fabric.bits[-1] == []


@pytest.mark.parametrize("parallel", ["ybw", "stealing", "tds"])
def test_tables_that_are_not_kept_are_freed_before_the_next_are_made(monkeypatch, parallel):
    make_node, tables = inside_engine.make_node, []

    def noting(*arguments, **more):
        if len(tables) >= 2:  # those of the first search
            assert [table() for table in tables[:2]] == [None, None]
        node = make_node(*arguments, **more)
        tables.append(weakref.ref(node.root.table))
        return node

    monkeypatch.setattr(inside_engine, "make_node", noting)
    with Cluster(InsideFabric(2), tuning=AT_ONCE) as cluster:
        for _ in range(2):
            cluster.search(OthelloBoard.start(), depth=3, workers=1, table_bits=12, parallel=parallel)
    assert len(tables) == 4


def test_a_new_era_begins_with_an_empty_table():
    node = a_node()
    assert node.root.table is not None
    node.search(a_job(1, 3))
    before = node.root.table.occupancy().entries
    assert before > 0
    node.search(a_job(2, 1, era=2))
    assert node.root.table.occupancy().entries == 0
    entry = np.array([[1, 2, int(packed(5, 4, EXACT, 7, 0))]], np.uint64)
    node.absorb(1, entry)  # of an era that is over
    assert node.report().entries_received == 0
    node.absorb(2, entry)
    assert node.report().entries_kept == 1
    node.close()


def test_entries_that_are_just_being_taken_do_not_survive_a_new_era(monkeypatch):
    node = a_node()
    assert node.root.table is not None
    taking, forgotten, go_on = threading.Event(), threading.Event(), threading.Event()
    forget = node.root.forget

    def slowly(entries, count, worker):
        taking.set()
        assert go_on.wait(30)
        return adopt(entries, count, worker)

    def forget_and_tell():
        forget()
        forgotten.set()

    monkeypatch.setattr("outflank.distributed.node.adopt", slowly)
    monkeypatch.setattr(node.root, "forget", forget_and_tell)
    entry = np.array([[1, 2, int(packed(5, 4, EXACT, 7, 0))]], np.uint64)
    absorbing = threading.Thread(target=node.absorb, args=(1, entry))
    absorbing.start()
    assert taking.wait(30)
    searching = threading.Thread(target=node.search, args=(a_job(1, 1, era=2),))
    searching.start()
    forgotten.wait(0.3)  # a node that clears its table now is filled again
    go_on.set()
    absorbing.join()
    searching.join()
    assert forgotten.is_set()
    assert looked_up(node.root.table.address, node.root.table.shift, U64(1), U64(2)) == 0
    node.close()


@pytest.mark.parametrize("policy", ["async:depth=2,batch=2", "batch:batch=2"])
def test_entries_that_wait_to_be_carried_keep_their_era(policy):
    carried: list[tuple[int, list[int]]] = []
    carrying, go_on = threading.Event(), threading.Event()

    def carry(era, entries, *, wait):
        carried.append((era, [int(first) for first, _, _ in entries]))
        carrying.set()
        assert go_on.wait(30)
        return 1, 0

    node = a_node(carry=carry, replication=policy)
    worker, outbox = node.root.worker, node._outboxes[0].record
    outbox.waits = 0  # nobody is here to wait

    def put(*names: int) -> None:
        for name in names:
            post(U64(name), U64(0), U64(1), worker)

    put(1, 2)
    assert carrying.wait(30)
    put(3, 4, 5)  # these wait, for the first two are under way
    node.search(a_job(1, 1, era=2))
    put(6, 7, 8, 9)
    go_on.set()
    for _ in range(1000):
        if outbox.carried < outbox.posted:
            time.sleep(0.01)
    assert carried == [(1, [1, 2]), (2, [6, 7]), (2, [8, 9])]
    assert outbox.carried == outbox.posted == 4
    node.close()


def test_a_job_fails_where_its_entries_cannot_be_sent():
    """A worker that must wait until they are delivered would wait for ever."""

    def carry(era, entries, *, wait):
        raise KeyError(27)

    node = a_node(carry=carry, replication="batch:depth=2,batch=1")
    told: queue.SimpleQueue[NodeEvent] = queue.SimpleQueue()
    thread = NodeThread(3, node, told.put)
    for ticket in (1, 2):  # the job in hand, and the one after it
        thread.submit(a_job(ticket, 5))
        assert told.get(timeout=60) == Left(node=3, why="entries could not be sent: KeyError: 27")
    thread.close()


def test_a_node_of_ray_meets_others_while_it_sends_to_those_before(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", SimpleNamespace(wait=lambda sent, **_: (sent, [])))
    sent: list[tuple[str, int]] = []

    class Actor:
        def __init__(self, name: str) -> None:
            self.push, self.name = self, name

        def options(self, concurrency_group: str) -> "Actor":
            return self

        def remote(self, era: int, data: bytes) -> int:
            sent.append((self.name, era))
            if self is first and era == 1:
                node.set_peers({1: first, 3: third})  # the head does so at any moment
            return len(sent)

    node, first, second, third = RayNode(), Actor("first"), Actor("second"), Actor("third")
    node.set_peers({1: first, 2: second})
    nothing = np.zeros((1, 3), np.uint64)
    assert node._carry(1, nothing, wait=True) == (2, 0)
    assert node._carry(2, nothing, wait=True) == (2, 0)
    assert sent == [("first", 1), ("second", 1), ("first", 2), ("third", 2)]


# --- entries ---


def a_worker(table: Table, outbox: Outbox | None = None):
    bells, workers = allocate(BELL, 1), allocate(WORKER, 1)
    bells[0].workers = 1
    stopping.begin(bells[0], workers, None)
    worker = workers[0]
    worker.bell = bells.ctypes.data
    table.attach(worker)
    if outbox is not None:
        worker.outbox = outbox.address
    return worker, bells


@given(st.lists(st.integers(0, 5), max_size=60), st.sampled_from([4, 8]))
@examples(50)
def test_a_ring_keeps_its_order_and_drops_what_does_not_fit(steps, room):
    outbox = Outbox(room, batch=3, waits=False)
    worker, _bells = a_worker(Table(4), outbox)
    posted, dropped, carried = [], 0, []
    buffer = np.zeros((3, WORDS), np.uint64)
    number = 0
    for step in steps:
        if step < 4:
            number += 1
            post(U64(number), U64(number + 1), U64(number + 2), worker)
            if len(posted) - len(carried) < room:
                posted.append(number)
            else:
                dropped += 1
        else:
            least = 1 if step == 4 else 3
            count = int(collect(outbox.record, buffer, least))
            left = len(posted) - len(carried)
            assert count == (0 if left < least else min(left, 3))
            assert [list(map(int, row)) for row in buffer[:count]] == [
                [value, value + 1, value + 2] for value in posted[len(carried) : len(carried) + count]
            ]
            carried += posted[len(carried) : len(carried) + count]
            release(outbox.record, count)
    assert int(outbox.record.dropped) == dropped


@pytest.mark.compiled
def test_who_waits_goes_on_when_entries_are_delivered_or_the_search_is_stopped():
    outbox = Outbox(4, batch=2, waits=True)
    worker, bells = a_worker(Table(4), outbox)

    def write():
        for number in range(1, 5):
            post(U64(number), U64(0), U64(0), worker)

    writer = threading.Thread(target=write)
    writer.start()
    buffer = np.zeros((2, WORDS), np.uint64)
    while int(collect(outbox.record, buffer, 2)) < 2:
        pass
    assert writer.is_alive()
    release(outbox.record, 2)
    while int(collect(outbox.record, buffer, 2)) < 2:
        pass
    assert [int(row[0]) for row in buffer] == [3, 4]
    halt(bells[0])
    writer.join(30)
    assert not writer.is_alive()


def test_others_entries_are_kept_unless_the_table_knows_better():
    table = Table(6)
    worker, _bells = a_worker(table)
    deep, shallow = packed(3, 9, EXACT, 1, 0), packed(4, 5, EXACT, 2, 0)
    theirs = np.array([[10, 20, int(shallow)], [30, 40, int(deep)]], np.uint64)
    assert int(adopt(theirs, 2, worker)) == 2
    found = U64(looked_up(table.address, table.shift, U64(30), U64(40)))
    assert (value_of(found), is_foreign(found), is_foreign(deep)) == (3, 1, 0)
    assert int(found) == int(adopted(deep, 0))
    better = np.array([[10, 20, int(deep)], [30, 40, int(shallow)]], np.uint64)
    assert int(adopt(better, 2, worker)) == 1
    assert int(looked_up(table.address, table.shift, U64(10), U64(20))) == int(adopted(deep, 0))
    assert int(looked_up(table.address, table.shift, U64(30), U64(40))) == int(adopted(deep, 0))


@pytest.mark.compiled
def test_nodes_that_flood_each_other_come_to_an_end():
    """Report 000's version for group communication did not on eight processors: all waited for others to read."""
    board = OthelloBoard.start()
    alone = search(board, Limits(depth=9), workers=1)
    floods = [(2, "async:depth=2,batch=1"), (2, "depth:depth=2"), (2, "batch:batch=1"), (8, "batch:batch=200")]
    for nodes, policy in floods:
        with Cluster(InsideFabric(nodes), tuning=AT_ONCE) as cluster:
            found = cluster.search(board, Limits(depth=9), workers=1, replication=policy, threshold=5)
            assert found.value == alone.value


class Aborting(InsideFabric):
    """Nodes that are told to give up every third job, before it begins or while it runs."""

    def submit(self, node, job):
        super().submit(node, job)
        if job.ticket % 3 == 0:
            self.stop(node, job.ticket)


@pytest.mark.compiled
def test_jobs_that_are_aborted_all_the_time_spoil_no_value():
    """In Satin an aborted job could spawn another, whose value reached a stranger, on 16 processors and more."""
    board = OthelloBoard.start()
    alone = search(board, Limits(depth=8), workers=1)
    for policy in ("none", "async:depth=2,batch=4"):
        with Cluster(Aborting(16), tuning=AT_ONCE) as cluster:
            found = cluster.search(board, Limits(depth=8), workers=1, replication=policy, threshold=4)
            assert (found.value, found.depth) == (alone.value, 8)


# --- words ---


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("sync", "unknown replication 'sync'"),
        ("async:depth", "async with depth=, plies= or batch="),
        ("none:depth=3", "none with depth=, plies= or batch="),
        ("async:depth=-1", "async with depth=, plies= or batch="),
        ("async:batch=0", "1 to 100,000 entries"),
        ("depth:width=3", "depth with depth=, plies= or batch="),
    ],
)
def test_a_policy_that_is_none(text, says):
    with pytest.raises(OutflankError, match=says):
        replication_named(text)


def test_policies_by_name():
    for name, policy in POLICIES.items():
        assert replication_named(name) == policy
        assert replication_named(str(policy)) == policy
    assert replication_named("depth:plies=3").plies == 3


@pytest.mark.interpreted_only
@given(st.text(max_size=20))
@settings(max_examples=200)
def test_any_text_is_an_address_or_one_line(text):
    says = ""
    try:
        parse_address(text)
    except OutflankError as error:
        says = str(error)
    assert "\n" not in says


def test_what_a_cluster_does_not_carry():
    for wrong, says in (
        ({"algorithm": "minimax"}, "does not support minimax"),
        ({"parallel": "abdada"}, "unknown scheme for a cluster 'abdada'"),
        ({"replication": "gossip"}, "unknown replication 'gossip'"),
    ):
        with pytest.raises(OutflankError, match=says):
            check_options(**{"replication": "async", "parallel": None, "algorithm": "pvs", **wrong})


@pytest.mark.parametrize("board", [OthelloBoard.start(6), AbaloneBoard.start()], ids=["othello", "abalone"])
def test_a_set_up_survives_json(board):
    setup = NodeSetup(
        game=board.game,
        position=board.position,
        options=Options(workers=2, ties="lowest", evaluation=None),
        replication=replication_named("async:depth=3"),
        era=4,
    )
    assert setup_from_json(setup_to_json(setup)) == setup
    own = NodeSetup(
        game=board.game,
        position=board.position,
        options=Options(evaluation=evaluation_named(board.game, None)),
        replication=setup.replication,
        era=4,
    )
    with pytest.raises(OutflankError, match="sends an evaluation by its name only"):
        setup_to_json(own)


class Undescribed(NamedTuple):
    size: int


@pytest.mark.interpreted_only
def test_a_game_that_nobody_has_described_has_no_name_to_travel_by():
    setup = NodeSetup(
        game=Undescribed(4), position=None, options=Options(), replication=replication_named("none"), era=1
    )
    with pytest.raises(OutflankError, match="by name: register Undescribed in the program that all ranks run"):
        setup_to_json(setup)


@pytest.mark.interpreted_only
@pytest.mark.slow(4)
def test_the_evaluation_of_the_estimates_before_a_proof_is_sent_by_name():
    sent = []

    class Recording(InsideFabric):
        def prepare(self, setup):
            sent.append((pickle_for_nodes(setup).load(), setup_from_json(plain(setup_to_json(setup)))))
            super().prepare(setup)

    board = OthelloBoard(othello(8), walk(othello(8), START, 1, 38))
    with Cluster(Recording(1)) as cluster:
        cluster.search(board, Limits(nodes=1, seconds=60.0), exact=True, workers=1, table_bits=10)
    for setup in sent[0]:
        assert not setup.options.exact
        assert isinstance(setup.options.evaluation, str)
