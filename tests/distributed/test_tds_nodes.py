"""Nodes that divide the table: homes, values, answers to every request, withdrawn requests."""

import random
import threading
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outflank import AbaloneBoard, Limits, OthelloBoard, OutflankError, Stop
from outflank.distributed.cluster import Cluster
from outflank.distributed.cluster_statistics import cluster_statistics
from outflank.distributed.engines.inside_engine import InsideFabric, InsidePeers
from outflank.distributed.engines.on_futures.futures_search import FuturesFabric
from outflank.distributed.engines.on_mpi.mpi_messages import ToPeer, read_message
from outflank.distributed.head import Tuning
from outflank.distributed.node_messages import PositionDone, PositionUnwanted, PositionWanted
from outflank.distributed.tds_node import TdsNode, home_of
from outflank.kernels.compiler import interpreted
from outflank.search.whole_search import search
from outflank.search.worker import COUNTERS
from outflank.validation.documents import encoded
from tests.conftest import examples

AT_ONCE = Tuning(alone_seconds=0.0, patience_seconds=30.0)
EVALUATION = "phased" if interpreted() else "discs"


def nodes_of(fabric: InsideFabric) -> list[TdsNode]:
    nodes = [thread.node for thread in fabric._node_threads.values()]
    assert all(isinstance(node, TdsNode) for node in nodes)
    return nodes  # type: ignore[return-value]


class Shuffled(InsidePeers):
    """Delays messages by chance, so that later ones pass them."""

    def __init__(self, number, node_threads, seed):
        super().__init__(number, node_threads)
        self.random = random.Random(f"{seed} {number}")

    def tell(self, node, message):
        if self.random.random() < 0.3:
            later = threading.Timer(0.01 * self.random.random(), super().tell, (node, message))
            later.daemon = True
            later.start()
        else:
            super().tell(node, message)


class ShuffledFabric(InsideFabric):
    def __init__(self, count, seed):
        super().__init__(count)
        self.seed = seed

    def peers_of(self, number):
        return Shuffled(number, self._node_threads, self.seed)


@given(
    words=st.tuples(st.integers(0, 2**64 - 1), st.integers(0, 2**64 - 1)),
    count=st.integers(1, 1000),
)
def test_every_position_has_a_home(words, count):
    assert 0 <= home_of(words, count) < count


def test_homes_have_about_as_many_positions_each():
    chance = random.Random(5)
    homes = [home_of((chance.getrandbits(64), chance.getrandbits(64)), 7) for _ in range(7000)]
    assert all(800 < homes.count(home) < 1200 for home in range(7))


BOARDS = {
    "othello": (OthelloBoard.start(6), 5, {"evaluation": EVALUATION}),
    "abalone": (AbaloneBoard.start("belgian-daisy"), 2, {}),
    "passes": (OthelloBoard.start(4), 20, {"exact": True}),
}


@pytest.mark.parametrize("algorithm", ["alphabeta", "pvs", "mtdf"])
@pytest.mark.parametrize("name", BOARDS)
def test_values_and_moves_are_those_of_one_worker(name, algorithm):
    board, depth, options = BOARDS[name]
    options = {**options, "algorithm": algorithm, "table_bits": 12}
    limits = Limits() if "exact" in options else Limits(depth=depth)
    alone = search(board, limits, workers=1, **options)
    with Cluster(InsideFabric(3), tuning=AT_ONCE) as cluster:
        for threshold in (1, 3):
            found = cluster.search(board, limits, workers=1, threshold=threshold, parallel="tds", **options)
            assert (found.value, found.move, found.depth) == (alone.value, alone.move, alone.depth)
            assert found.proved_text == alone.proved_text


@given(st.integers(0, 1000), st.integers(1, 4))
@examples(6)
def test_values_do_not_depend_on_the_order_of_messages(seed, nodes):
    board = OthelloBoard.start(6)
    alone = search(board, depth=4, workers=1, evaluation=EVALUATION)
    with Cluster(ShuffledFabric(nodes, seed), tuning=AT_ONCE) as cluster:
        found = cluster.search(board, depth=4, workers=1, threshold=1, parallel="tds", evaluation=EVALUATION)
    assert (found.value, found.move) == (alone.value, alone.move)


def test_nothing_is_left_open_after_a_search_and_counts_are_complete():
    fabric = InsideFabric(3)
    with Cluster(fabric, tuning=AT_ONCE) as cluster:
        found = cluster.search(
            OthelloBoard.start(6), depth=5, workers=1, threshold=2, parallel="tds", evaluation=EVALUATION
        )
        deadline = time.monotonic() + 30.0
        while any(node._open or node._waiting or node._requests for node in nodes_of(fabric)):
            assert time.monotonic() < deadline
            time.sleep(0.005)
        searched = sum(node.report().nodes for node in nodes_of(fabric))
        spare = sum(int(node._spare[COUNTERS.index("nodes")]) for node in nodes_of(fabric))
        assert cluster.head is not None
        statistics = cluster_statistics(cluster.head)
        assert statistics.total("nodes") == searched
        # The head has entered some itself; what is spare belongs to requests that were withdrawn.
        assert found.nodes >= searched - spare
        assert all(node.report().nodes > 0 for node in nodes_of(fabric))


def test_a_search_can_be_stopped():
    stop = Stop()
    with Cluster(InsideFabric(2), tuning=AT_ONCE) as cluster:
        results = cluster.iterate(OthelloBoard.start(), Limits(), stop=stop, workers=1, threshold=1, parallel="tds")
        first = next(iter(results))
        threading.Timer(0.3, stop).start()
        *_, last = [first, *results]
    assert last.stopped


def test_an_engine_that_loses_nodes_does_not_divide_the_table():
    with Cluster(FuturesFabric(1)) as cluster, pytest.raises(OutflankError, match="would be lost"):
        cluster.search(OthelloBoard.start(6), depth=3, workers=1, parallel="tds")


MESSAGES = (
    PositionWanted(
        era=1, asker=2, ticket=3, first=2**64 - 1, second=1, depth=9, ply=3, alpha=-5, beta=5, least=4, order=7
    ),
    PositionDone(era=1, ticket=3, valid=True, value=-7, line=(19, 26), counts=tuple(range(len(COUNTERS)))),
    PositionUnwanted(era=1, asker=2, ticket=3),
)


@pytest.mark.parametrize("message", MESSAGES, ids=lambda message: type(message).__name__)
def test_messages_travel_between_ranks(message):
    received = read_message(encoded(ToPeer.of(message)))
    assert isinstance(received, ToPeer)
    assert received.content == message
