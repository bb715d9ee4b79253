"""Nodes that steal from each other: values, whatever happens to their messages and to the nodes; nothing is left."""

import random
import threading
import time
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outflank import AbaloneBoard, Limits, OthelloBoard, OutflankError, Result, Stop
from outflank.boards import Board
from outflank.distributed import stealing_node
from outflank.distributed.cluster import Cluster
from outflank.distributed.cluster_statistics import cluster_statistics
from outflank.distributed.engines.inside_engine import InsideFabric, InsidePeers
from outflank.distributed.engines.on_mpi.mpi_messages import ToPeer, read_message
from outflank.distributed.head import Tuning
from outflank.distributed.node import Node
from outflank.distributed.node_kinds import post
from outflank.distributed.node_messages import (
    StolenMove,
    WorkDone,
    WorkGiven,
    WorkGoesOn,
    WorkUnwanted,
    WorkWanted,
)
from outflank.distributed.stealing_node import StealingNode
from outflank.kernels.compiler import interpreted
from outflank.search.whole_search import search
from outflank.search.worker import COUNTERS
from outflank.validation.documents import encoded
from tests.conftest import examples

AT_ONCE = Tuning(alone_seconds=0.0, patience_seconds=30.0)
EVALUATION = "phased" if interpreted() else "discs"


def nodes_of(fabric: InsideFabric) -> list[StealingNode]:
    nodes = [thread.node for thread in fabric._node_threads.values()]
    assert all(isinstance(node, StealingNode) for node in nodes)
    return nodes  # type: ignore[return-value]


def wait_until(holds) -> None:
    """Wait for what comes soon."""
    deadline = time.monotonic() + 30.0
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.005)


class Unreliable(InsidePeers):
    """Loses messages, sends some twice, and lets others pass them. During a partition one node gets and sends none."""

    def __init__(self, number, node_threads, seed, loss, partition):
        super().__init__(number, node_threads)
        self.random, self.loss = random.Random(f"{seed} {number}"), loss
        self.number, self.partition, self.late = number, partition, None

    def tell(self, node, message):
        self.partition.sent += 1
        if self.partition.separates(self.number, node):
            return
        fate = self.random.random()
        if fate < self.loss:
            return
        if fate < self.loss + 0.1:
            late, self.late = self.late, (node, message)
            if late is not None:
                super().tell(*late)
            return
        super().tell(node, message)
        if fate > 0.95:
            super().tell(node, message)


@dataclass
class Partition:
    """A node that is cut off from the others, but not from the head, while so many messages are sent."""

    node: int
    begin: int
    length: int
    sent: int = 0

    def separates(self, sender, receiver):
        return self.begin <= self.sent < self.begin + self.length and self.node in (sender, receiver)


class UnreliableFabric(InsideFabric):
    def __init__(self, count, seed, loss, partition):
        super().__init__(count)
        self.seed, self.loss, self.partition = seed, loss, partition

    def peers_of(self, number):
        return Unreliable(number, self._node_threads, self.seed, self.loss, self.partition)


@pytest.mark.slow(4)
@given(
    seed=st.integers(0, 10_000),
    count=st.integers(2, 4),
    loss=st.sampled_from([0.0, 0.05, 0.3]),
    partition=st.builds(Partition, st.integers(0, 3), st.integers(0, 30), st.integers(0, 100)),
)
@examples(24)
def test_lost_late_and_repeated_messages_and_partitions_change_no_value(seed, count, loss, partition):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stealing_node, "PATIENCE_SECONDS", 0.05)
        patch.setattr(stealing_node, "HEARTBEAT_SECONDS", 0.02)
        board = OthelloBoard.start(6) if seed % 2 else AbaloneBoard.start("belgian-daisy")
        depth = (4 if seed % 2 else 2) if interpreted() else (8 if seed % 2 else 3)
        evaluation = {"evaluation": EVALUATION} if seed % 2 and not interpreted() else {}
        alone = search(board, Limits(depth=depth), workers=1, **evaluation)
        with Cluster(UnreliableFabric(count, seed, loss, partition), tuning=AT_ONCE) as cluster:
            result = cluster.search(
                board, Limits(depth=depth), workers=1, parallel="stealing", threshold=1 + seed % 3, **evaluation
            )
        assert (result.value, result.move) == (alone.value, alone.move)


SEARCHES_UNTIL_A_STEAL = 10
"""On a busy machine, a node may get so little processor time that nothing is left when it asks for work."""


def search_with_thieves(board: Board, alone: Result, policy: str) -> int:
    """Search on three nodes with empty tables, and check that nothing is left behind. Return the number of steals."""
    fabric = InsideFabric(3)
    with Cluster(fabric, tuning=AT_ONCE) as cluster:
        result = cluster.search(
            board,
            Limits(depth=alone.depth),
            workers=1,
            evaluation="discs",
            parallel="stealing",
            threshold=4,
            replication=policy,
        )
        assert (result.value, result.move) == (alone.value, alone.move)
        assert cluster.head is not None
        statistics = cluster_statistics(cluster.head)
        assert statistics.total("steals_won") <= statistics.total("steals_tried")
        for node in nodes_of(fabric):
            wait_until(lambda node=node: not node._imports and not node._exports)
            hands = node._exchange.crew.hands
            # A worker that tries to steal is not idle for a moment.
            wait_until(lambda hands=hands: hands["idle"].all())
            assert hands["frames"].sum() == hands["released"].sum()
    assert not [thread for thread in threading.enumerate() if "steward" in thread.name]
    return statistics.total("steals_won")


@pytest.mark.compiled
def test_nodes_steal_and_leave_nothing_behind():
    board = OthelloBoard.start()
    alone = search(board, Limits(depth=14), workers=1, evaluation="discs")
    for policy in ("none", "async:depth=3"):
        assert any(search_with_thieves(board, alone, policy) for _ in range(SEARCHES_UNTIL_A_STEAL))


@pytest.mark.compiled
def test_every_node_that_searches_is_counted():
    board = OthelloBoard.start()
    with Cluster(InsideFabric(2), tuning=AT_ONCE) as cluster:
        result = cluster.search(
            board, Limits(depth=12), workers=1, evaluation="discs", parallel="stealing", threshold=5, replication="none"
        )
        assert cluster.head is not None
        cluster.head.close()
        counted = cluster_statistics(cluster.head).total("nodes")
    # What is given up last arrives too late for the result.
    assert 0.95 * counted <= result.nodes <= 1.05 * counted


@pytest.mark.compiled
def test_exact_endings_and_stops_go_through_to_thieves():
    board = OthelloBoard.start(4, scoring="discs")
    with Cluster(InsideFabric(2), tuning=AT_ONCE) as cluster:
        assert cluster.search(board, exact=True, workers=1, threshold=3, parallel="stealing").value == -8
        deeper = cluster.search(board, workers=1, threshold=3, parallel="stealing")  # the tables are cleared
        assert (deeper.value > 0, deeper.exact) == (False, True)
        stop = Stop()
        for result in cluster.iterate(OthelloBoard.start(), stop=stop, workers=1, parallel="stealing", threshold=5):
            if result.depth == 8:
                stop()
        assert result.stopped
        assert result.depth >= 8
        assert cluster.search(OthelloBoard.start(), Limits(depth=8), workers=1, parallel="stealing").depth == 8


@pytest.mark.compiled
def test_several_workers_on_each_node_find_the_same():
    board = OthelloBoard.start()
    alone = search(board, Limits(depth=11), workers=1, evaluation="discs")
    with Cluster(InsideFabric(2), tuning=AT_ONCE) as cluster:
        result = cluster.search(
            board, Limits(depth=11), workers=2, evaluation="discs", parallel="stealing", threshold=4
        )
    assert (result.value, result.move) == (alone.value, alone.move)


@pytest.mark.compiled
def test_a_node_that_fails_is_lost_and_its_job_is_searched_by_another(monkeypatch):
    return_results = StealingNode._return_results

    def fail(self):
        if self.number == 0 and self._imports:  # the head gives it the first job
            raise ValueError("something is wrong")
        return_results(self)

    monkeypatch.setattr(StealingNode, "_return_results", fail)
    with Cluster(InsideFabric(2), tuning=AT_ONCE) as cluster:
        result = cluster.search(
            OthelloBoard.start(), Limits(depth=12), workers=1, evaluation="discs", parallel="stealing", threshold=4
        )
        assert cluster.head is not None
        assert ["something is wrong" in loss for loss in cluster.head.losses] == [True]
    assert result.value == search(OthelloBoard.start(), Limits(depth=12), workers=1, evaluation="discs").value


@pytest.mark.parametrize(("later", "is_served"), [(-1, False), (0, True), (1, False)])
def test_a_thief_of_another_search_gets_nothing(monkeypatch, later, is_served):
    fabric, asked = InsideFabric(1), []
    with Cluster(fabric, tuning=AT_ONCE) as cluster:
        cluster.search(OthelloBoard.start(4), Limits(depth=4), workers=1, parallel="stealing", threshold=1)
        (node,) = nodes_of(fabric)
        monkeypatch.setattr(node._exchange, "export", lambda exporter, least: asked.append(exporter))
        with node._stealing:
            node._sleepers = 0
            node._give(7, node.setup.era + later)
    assert bool(asked) is is_served


def test_nodes_that_cannot_send_work_are_refused():
    class Deaf(InsideFabric):
        steal_seconds = None

    with Cluster(Deaf(2)) as cluster, pytest.raises(OutflankError, match="nodes of inside cannot send"):
        cluster.search(OthelloBoard.start(4), Limits(depth=4), workers=1, parallel="stealing")


def test_an_old_message_does_not_disturb_a_node_that_does_not_steal():
    assert post(object.__new__(Node), WorkWanted(era=1, thief=2)) is None


MOVE = StolenMove(
    ticket=3,
    first=2**64 - 1,
    second=1,
    depth=9,
    ply=4,
    alpha=-3,
    beta=5,
    expected=1,
    least=4,
    send_from=6,
)


@pytest.mark.interpreted_only
@pytest.mark.parametrize(
    "message",
    [
        WorkWanted(era=1, thief=2),
        WorkGiven(era=1, victim=2, move=MOVE),
        WorkGiven(era=1, victim=2, move=None),
        WorkDone(era=1, thief=2, ticket=3, valid=True, value=-7, line=(19, 26), counts=tuple(range(len(COUNTERS)))),
        WorkUnwanted(era=1, victim=2, ticket=3),
        WorkGoesOn(era=1, thief=2, tickets=(3, 4)),
    ],
)
def test_messages_between_ranks_arrive_as_they_were_sent(message):
    received = read_message(encoded(ToPeer.of(message)))
    assert isinstance(received, ToPeer)
    assert received.content == message
