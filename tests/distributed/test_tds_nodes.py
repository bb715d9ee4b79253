"""Nodes that divide the table: homes, values, answers to every request, withdrawn requests, eras, errors."""

import random
import threading
import time
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outflank import AbaloneBoard, Limits, OthelloBoard, OutflankError, Stop
from outflank.distributed import node_steps
from outflank.distributed.cluster import Cluster
from outflank.distributed.cluster_statistics import cluster_statistics
from outflank.distributed.engines.inside_engine import InsideFabric, InsidePeers
from outflank.distributed.engines.on_futures.futures_search import FuturesFabric
from outflank.distributed.engines.on_mpi.mpi_messages import ToPeer, read_message
from outflank.distributed.head import Head, Tuning
from outflank.distributed.node import NodeSetup
from outflank.distributed.node_messages import (
    Job,
    JobResult,
    Left,
    PeerMessage,
    PositionDone,
    PositionUnwanted,
    PositionWanted,
)
from outflank.distributed.node_thread import NodeThread
from outflank.distributed.replication import replication_named
from outflank.distributed.tds_node import TdsNode, home_of
from outflank.games.rules import pack
from outflank.kernels.compiler import interpreted
from outflank.search.request import Options
from outflank.search.stopping import Stopped
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


def wait_until(holds: Callable[[], bool]) -> None:
    """Wait for what comes soon."""
    deadline = time.monotonic() + 30.0
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def check_counts(cluster: Cluster, nodes: list[TdsNode]) -> None:
    """Wait until nothing is open, and check that the head has counted every tree node once."""
    head, index = cluster.head, COUNTERS.index("nodes")
    assert head is not None
    wait_until(lambda: not any(node._open or node._waiting or node._requests for node in nodes))

    def is_complete() -> bool:
        for event in cluster.fabric.wait(0.01):  # results of jobs that were stopped when the search ended
            head._handle(None, event)
        searched = sum(node.report().nodes for node in nodes)
        spare = sum(int(node._spare[index]) for node in nodes)  # would be sent with the next answer
        return int(head.root.workers[1].nodes) == searched - spare

    wait_until(is_complete)
    statistics = cluster_statistics(head)
    assert statistics.total("nodes") == sum(node.report().nodes for node in nodes)


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
    "othello": (OthelloBoard.start(6), 4 if interpreted() else 5, {"evaluation": EVALUATION}),
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


@pytest.mark.slow(3)
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
        check_counts(cluster, nodes_of(fabric))
        assert cluster.head is not None
        assert found.nodes <= cluster.head.root.counter("nodes")
        assert all(node.report().nodes > 0 for node in nodes_of(fabric))


@pytest.mark.parametrize("threshold", [1, 3])
def test_what_is_sent_has_at_least_as_many_plies_as_the_threshold(monkeypatch, threshold):
    depths = []

    def record(self, node, message, send=TdsNode._send):
        if isinstance(message, PositionWanted) and message.ply > 1:  # not a job of the head
            depths.append(message.depth)
        send(self, node, message)

    monkeypatch.setattr(TdsNode, "_send", record)
    with Cluster(InsideFabric(2), tuning=AT_ONCE) as cluster:
        board = OthelloBoard.start(6)
        cluster.search(board, depth=5, workers=1, threshold=threshold, parallel="tds", evaluation=EVALUATION)
    assert min(depths) == threshold


# --- eras ---


def test_a_search_may_clear_the_tables(monkeypatch):
    """A search that reaches the end of the game is repeated without the estimates of its earlier iterations."""
    forgotten = []

    def forget_and_tell(self, forget=Head.forget):
        forgotten.append(self)
        forget(self)

    monkeypatch.setattr(Head, "forget", forget_and_tell)
    board = OthelloBoard.start(4)
    for _ in range(6):
        board.push(board.legal_moves[0])
    limits, options = Limits(depth=12), {"evaluation": EVALUATION, "workers": 1}
    alone = search(board, limits, **options)
    assert alone.exact
    for seed in range(3):
        fabric = ShuffledFabric(3, seed)
        with Cluster(fabric, tuning=AT_ONCE) as cluster:
            found = cluster.search(board, limits, threshold=1 + seed % 2, parallel="tds", **options)
            check_counts(cluster, nodes_of(fabric))
        assert (found.value, found.move, found.exact) == (alone.value, alone.move, True)
        assert len(forgotten) == seed + 1


ERA = 5


class Told:
    """Peers of a node that is alone in a test: they keep its messages."""

    def __init__(self) -> None:
        self.messages: list[PeerMessage] = []

    def others(self) -> list[int]:
        return [1]

    def tell(self, node: int, message: PeerMessage) -> None:
        self.messages.append(message)

    def all(self, kind: type) -> list:
        return [message for message in self.messages if isinstance(message, kind)]


def a_node() -> tuple[TdsNode, Told]:
    """Return node 0 of two. All positions that it asks for have their home at node 1."""
    board, told = OthelloBoard.start(6), Told()
    setup = NodeSetup(
        game=board.game,
        position=board.position,
        options=Options(evaluation=EVALUATION, workers=1, table_bits=12),
        replication=replication_named("none"),
        era=ERA,
        parallel="tds",
    )
    node = TdsNode(0, setup, lambda era, entries, wait: (0, 0), told)
    node._home = lambda words: 1  # type: ignore[method-assign]
    return node, told


WORDS = tuple(map(int, pack(OthelloBoard.start(6).game, OthelloBoard.start(6).position)))
HALF = {"first": WORDS[0], "second": WORDS[1], "ply": 1, "alpha": -100, "beta": 100, "least": 1}


def wanted(ticket: int, depth: int, era: int = ERA) -> PositionWanted:
    return PositionWanted(era=era, asker=1, ticket=ticket, depth=depth, order=0, **HALF)


def done(ticket: int, era: int = ERA, *, value: int = 0, nodes: int = 0) -> PositionDone:
    counts = [0] * len(COUNTERS)
    counts[COUNTERS.index("nodes")] = nodes
    return PositionDone(era=era, ticket=ticket, valid=True, value=value, line=(), counts=tuple(counts))


def begun(node: TdsNode, job: Job) -> tuple[threading.Thread, list[JobResult]]:
    """Begin a job of the head in a thread, and return its result later."""
    results: list[JobResult] = []
    thread = threading.Thread(target=lambda: results.append(node.search(job)), daemon=True)
    thread.start()
    return thread, results


def test_messages_of_an_era_that_is_being_left_are_ignored(monkeypatch):
    node, told = a_node()
    go_on = threading.Event()

    def value_or_moves(self, open_, value_or_moves=TdsNode._value_or_moves):
        if open_.depth > 1:
            return value_or_moves(self, open_)
        assert go_on.wait(30)  # a kernel that notices late that it has to stop
        raise Stopped

    monkeypatch.setattr(TdsNode, "_value_or_moves", value_or_moves)
    node.post(wanted(1, depth=3))
    wait_until(lambda: len(told.messages) == 1)
    (asked,) = told.all(PositionWanted)
    node.post(wanted(2, depth=1))
    wait_until(lambda: node._running is not None)
    thread, results = begun(node, Job(ticket=1, era=ERA + 1, depth=3, **HALF))
    wait_until(lambda: not node._requests)  # the job waits for the search of the old position to end
    for message in (done(asked.ticket, nodes=4), wanted(3, depth=3), PositionUnwanted(era=ERA, asker=1, ticket=1)):
        node.post(message)
    wait_until(node._inbox.empty)
    go_on.set()
    wait_until(lambda: len(told.messages) == 2)
    request = told.messages[1]
    assert isinstance(request, PositionWanted)
    assert (request.era, request.depth) == (ERA + 1, 3)
    assert not node._queue
    assert node._spare[COUNTERS.index("nodes")] == 4 + 1  # of the answer, and of the position that was divided
    node.post(done(request.ticket, ERA + 1, value=7))
    thread.join(30)
    assert [result.value for result in results] == [7]
    node.close()
    assert len(told.messages) == 2
    assert node._failure is None


def test_a_position_of_a_new_era_waits_until_the_table_is_cleared(monkeypatch):
    """The thread of a job and that of the messages may enter an era at the same time."""
    node, told = a_node()
    go_on, depths_and_eras = threading.Event(), []

    def value_or_moves(self, open_):
        depths_and_eras.append((open_.depth, self._era))
        if open_.depth == 1:
            assert go_on.wait(30)
            raise Stopped
        return 0, ()

    monkeypatch.setattr(TdsNode, "_value_or_moves", value_or_moves)
    node.post(wanted(1, depth=1))
    wait_until(lambda: node._running is not None)
    thread, _ = begun(node, Job(ticket=1, era=ERA + 1, depth=3, **HALF))
    node.post(wanted(2, depth=2, era=ERA + 1))
    wait_until(node._inbox.empty)
    node.post(wanted(3, depth=3, era=ERA + 2))
    go_on.set()
    wait_until(lambda: done(3, ERA + 2) in told.messages)
    assert all(era == ERA + depth - 1 for depth, era in depths_and_eras)
    thread.join(30)  # the head gives up a job of an old era
    assert not thread.is_alive()
    node.close()


def test_a_job_of_an_old_era_is_not_searched():
    node, told = a_node()
    node.post(wanted(1, depth=1, era=ERA + 1))
    wait_until(lambda: bool(told.all(PositionDone)))
    thread, results = begun(node, Job(ticket=4, era=ERA, depth=3, **HALF))
    thread.join(30)
    assert results == [JobResult.unsearched(4)]
    node.close()


# --- the end of nodes ---


def test_a_job_that_begins_while_its_node_closes_ends():
    node, _ = a_node()
    with node._mutex:
        thread, results = begun(node, Job(ticket=4, era=ERA, depth=3, **HALF))
        wait_until(node._at_work.locked)
        time.sleep(0.05)  # it has seen that the node is open
        node._end_jobs()
    thread.join(30)
    assert results == [JobResult.unsearched(4)]
    node.close()


def test_kernels_are_compiled_before_a_node_joins(monkeypatch):
    called = []

    def record(name: str, kernel: Callable) -> None:
        monkeypatch.setattr(node_steps, name, lambda *arguments: (called.append(name), kernel(*arguments))[1])

    for name in ("open_node", "play_moves", "store_value"):
        record(name, getattr(node_steps, name))
    a_node()[0].close()
    assert called == ["open_node", "play_moves", "store_value"]


@pytest.mark.parametrize("method", ["_value_or_moves", "_take_request"])
def test_an_error_in_a_node_ends_the_search(monkeypatch, method):
    """Also in a node that has no job of the head: nobody else answers what is asked of it."""

    work = getattr(TdsNode, method)

    def fail(self, argument):
        if self.number == 2:
            raise ValueError("something is wrong")
        return work(self, argument)

    monkeypatch.setattr(TdsNode, method, fail)
    stop = Stop()
    too_late = threading.Timer(30.0, stop)
    too_late.start()
    with Cluster(InsideFabric(3), tuning=AT_ONCE) as cluster:
        board = OthelloBoard.start(6)
        found = cluster.search(board, depth=6, workers=1, threshold=1, parallel="tds", evaluation=EVALUATION, stop=stop)
        too_late.cancel()
        assert cluster.head is not None
        assert cluster.head.trouble == "node 2 (this process): ValueError: something is wrong"
        assert cluster.head.losses == [cluster.head.trouble]
        assert found.stopped
        assert (found.depth, found.move is None) == (2, False)  # the head searches two plies alone
        monkeypatch.undo()
        assert not cluster.search(board, depth=3, workers=1, threshold=1, parallel="tds", evaluation=EVALUATION).stopped


def test_an_error_is_told_once_and_at_once():
    node, _ = a_node()
    told: list = []
    node._guarded(lambda: 1 // 0)
    thread = NodeThread(3, node, told.append)
    thread.submit(Job(ticket=1, era=ERA, depth=3, **HALF))
    thread.close()
    assert told == [Left(node=3, why="ZeroDivisionError: integer division or modulo by zero")]


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
