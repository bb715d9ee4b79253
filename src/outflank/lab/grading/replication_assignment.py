"""Assignment 6: clusters and the replication of table entries (report 000)."""

import random
from collections import Counter

from outflank import Limits, search
from outflank.distributed import connect
from outflank.distributed.cluster_statistics import cluster_statistics
from outflank.lab.grading.assignment import Assignment, Check, Program, Wrong, expect_equal, tuple_of
from outflank.lab.grading.oracles import drawn_positions
from outflank.othello.board import OthelloBoard
from outflank.othello.squares import othello

Entry = tuple[int, int, int]
"""Key, depth and value."""
Row = tuple[int, int, int, int]
"""Depth, number of entries, number of hits on other nodes, and microseconds that a hit saves."""

KEYS = 40
DEEPEST = 9


def _value(key: int, depth: int) -> int:
    """Return the value of a made-up position. It depends only on key and depth, and so is the same on every node."""
    return (key * 37 + depth * 101) % 129 - 64


class _Network:
    """A cluster of submitted nodes. Messages arrive late, and not in the order in which they were sent."""

    def __init__(self, program: Program, seed: str, nodes: int, depth: int, batch: int) -> None:
        self.generator = random.Random(seed)
        self.depth, self.batch = depth, batch
        self.nodes = [program.Node(number, nodes, depth, batch) for number in range(nodes)]
        self.own: list[dict[int, int]] = [{} for _ in range(nodes)]
        """Depth of each node's deepest own entry, by key."""
        self.sendable: Counter[int] = Counter()
        """Number of entries that each node should have sent."""
        self.messages: Counter[int] = Counter()
        """Number of messages that each node has sent."""
        self.under_way: list[tuple[int, tuple[Entry, ...]]] = []

    def run(self, steps: int) -> None:
        """Store an entry or deliver a message at random, `steps` times; then send and deliver everything that is
        left."""
        for _ in range(steps):
            if self.under_way and self.generator.random() < 0.3:
                self._deliver()
            else:
                self._store()
        for number, node in enumerate(self.nodes):
            self._send(number, node.flush(), full=False)
        while self.under_way:
            self._deliver()

    def _store(self) -> None:
        number = self.generator.randrange(len(self.nodes))
        key, depth = self.generator.randrange(KEYS), self.generator.randint(0, DEEPEST)
        before = self.nodes[number].probe(key)
        improves = before is None or before[0] < depth
        self.own[number][key] = max(self.own[number].get(key, -1), depth)
        self.sendable[number] += improves and depth >= self.depth
        self._send(number, self.nodes[number].store(key, depth, _value(key, depth)), full=True)

    def _send(self, sender: int, messages: object, *, full: bool) -> None:
        if not isinstance(messages, list):
            raise Wrong(f"a node returns {messages!r}, and not a list of messages")
        for message in messages:
            receiver, entries = tuple_of(message, 2, "a message")
            if receiver == sender or receiver not in range(len(self.nodes)):
                raise Wrong(f"node {sender} sends a message to {receiver!r}")
            if full and len(entries) != self.batch:
                raise Wrong(f"node {sender} sends {len(entries)} entries, and a batch has {self.batch}")
            if not 0 < len(entries) <= self.batch:
                raise Wrong(f"flush of node {sender} sends {len(entries)} entries, and a batch has {self.batch}")
            for key, depth, value in entries:
                if depth < self.depth:
                    raise Wrong(f"node {sender} sends an entry of depth {depth}, and {self.depth} is the least")
                if value != _value(key, depth):
                    raise Wrong(f"node {sender} sends {(key, depth, value)}, an entry that nobody has stored")
            self.messages[sender] += 1
            self.under_way.append((receiver, tuple(tuple(entry) for entry in entries)))

    def _deliver(self) -> None:
        index = self.generator.randrange(len(self.under_way))
        receiver, entries = self.under_way.pop(index)
        if self.nodes[receiver].receive(entries):
            raise Wrong(f"node {receiver} sends entries on that it has received: they would circulate for ever")

    def expected(self, number: int) -> dict[int, int]:
        """Return the entries that a node must have in the end: their depths, by key."""
        depths = dict(self.own[number])
        for own in self.own:
            for key, depth in own.items():
                if depth >= self.depth:
                    depths[key] = max(depths.get(key, -1), depth)
        return depths


def _networks(program: Program, seed: int) -> list[_Network]:
    networks = []
    for number, (nodes, depth, batch) in enumerate([(2, 0, 1), (2, 5, 4), (3, 6, 10), (4, 4, 7), (5, 9, 3)]):
        network = _Network(program, f"{seed}/{number}", nodes, depth, batch)
        network.run(400)
        networks.append(network)
    return networks


def _table(program: Program, seed: int) -> str:
    generator = random.Random(f"{seed}/table")
    node, deepest = program.Node(0, 1, 0, 10), dict[int, int]()
    for _ in range(300):
        key, depth = generator.randrange(KEYS), generator.randint(0, DEEPEST)
        if node.store(key, depth, _value(key, depth)):
            raise Wrong("a node without neighbours sends messages")
        deepest[key] = max(deepest.get(key, -1), depth)
        if (entry := node.probe(key)) != (deepest[key], _value(key, deepest[key])):
            raise Wrong(
                f"probe({key}) returns {entry} after entries of depth {depth} and {deepest[key]}: keep the deepest"
            )
    if (entry := node.probe(KEYS)) is not None:
        raise Wrong(f"probe returns {entry} for a key that was never stored")
    return "300 entries: the deepest of each key is found"


def _agreement(program: Program, seed: int) -> str:
    for network in _networks(program, seed):
        for number, node in enumerate(network.nodes):
            for key, depth in network.expected(number).items():
                entry, expected = node.probe(key), (depth, _value(key, depth))
                if entry != expected:
                    raise Wrong(
                        f"{len(network.nodes)} nodes, replication depth {network.depth}, batches of {network.batch}: "
                        f"in the end node {number} has {entry} for a key whose deepest entry is {expected}"
                    )
    return "five networks of 2 to 5 nodes: every node has every deep entry in the end"


def _messages(program: Program, seed: int) -> str:
    sent = 0
    for network in _networks(program, seed):
        for number in range(len(network.nodes)):
            batches = -(-network.sendable[number] // network.batch)
            most = batches * (len(network.nodes) - 1)
            if network.messages[number] > most:
                raise Wrong(
                    f"node {number} of {len(network.nodes)} sends {network.messages[number]} messages, and {most} are "
                    f"enough for its {network.sendable[number]} entries in batches of {network.batch}"
                )
            sent += network.messages[number]
    if sent == 0:
        raise Wrong("no node sends a message")
    return f"{sent:,} messages: full batches, no entry twice, none below the replication depth"


def _best_depth(rows: list[Row], batch: int, nodes: int, message_us: int) -> int:
    """Return the replication depth with the greatest gain: the time that hits save, minus the time of messages."""
    depths = [row[0] for row in rows]
    gains = []
    for least in [*depths, max(depths) + 1]:
        sent = [row for row in rows if row[0] >= least]
        messages = -(-sum(entries for _, entries, _, _ in sent) // batch) * (nodes - 1)
        gains.append((sum(hits * saved for _, _, hits, saved in sent) - messages * message_us, least))
    return max(gains)[1]


def _model(program: Program, seed: int) -> str:
    generator = random.Random(f"{seed}/model")
    for _ in range(30):
        rows = [
            (depth, 4 ** (9 - depth) * generator.randint(1, 9), generator.randint(0, 300), 10 * 3**depth)
            for depth in range(1, 10)
        ]
        batch, nodes, cost = generator.choice((1, 10, 1000)), generator.randint(2, 64), generator.randint(50, 1000)
        expected = _best_depth(rows, batch, nodes, cost)
        what = f"best_depth({rows}, {batch}, {nodes}, {cost})"
        expect_equal(program.best_depth(list(rows), batch, nodes, cost), expected, what)
    return "30 drawn tables: the replication depth with the greatest gain"


def _cluster(program: Program, seed: int) -> str:
    position = next(drawn_positions(seed, "cluster", 1, size=8, plies=(8, 12)))
    board, options = (
        OthelloBoard(othello(8, "discs"), position.words),
        {"algorithm": "mtdf", "evaluation": "discs", "workers": 1},
    )
    expected = search(board, Limits(depth=10), **options).value  # type: ignore[arg-type]
    with connect("inside:2") as cluster:
        result = cluster.search(
            board,
            Limits(depth=10),
            replication=program.REPLICATION,
            threshold=program.THRESHOLD,
            **options,  # type: ignore[arg-type]
        )
        assert cluster.head is not None
        statistics = cluster_statistics(cluster.head)
    expect_equal(result.value, int(expected or 0), "the value that two nodes find")
    jobs, messages = statistics.total("jobs"), statistics.total("messages")
    used = statistics.total("replicated_hits") + statistics.total("replicated_sorts")
    if jobs < 50:
        raise Wrong(f"THRESHOLD {program.THRESHOLD}: {jobs} jobs for two nodes; 50 are the least")
    if used < 20 or used < messages:
        raise Wrong(f"REPLICATION {program.REPLICATION}: {messages:,} messages, and {used:,} uses of their entries")
    return f"{jobs} jobs, {messages:,} messages, whose entries were used {used:,} times"


ASSIGNMENT = Assignment(
    title="Clusters and replication",
    required=("Node", "best_depth", "REPLICATION", "THRESHOLD"),
    checks=(
        Check(name="table", points=10, run=_table),
        Check(name="agreement", points=25, run=_agreement),
        Check(name="messages", points=25, run=_messages),
        Check(name="model", points=20, run=_model),
        Check(name="cluster", points=20, run=_cluster, compiled=True),
    ),
)
