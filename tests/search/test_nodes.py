"""A node's entry: five kinds of search take the same steps at a node, and raise the same counters."""

import numpy as np
import pytest

from outflank import OthelloBoard
from outflank.distributed.node_steps import open_node, store_value
from outflank.games.evaluation import begin
from outflank.games.rules import pack
from outflank.kernels.bits import U64
from outflank.kernels.compiler import interpreted
from outflank.parallel.delivering import store_frame_value
from outflank.parallel.divided import Divided, Plan
from outflank.parallel.shared_state import NOTHING, RANK_BITS, frame_at, rank_at
from outflank.parallel.splitting import open_frame
from outflank.parallel.table_driven import search_marked
from outflank.search.alphabeta import alphabeta
from outflank.search.minimax import minimax
from outflank.search.nodes import table_key
from outflank.search.outbox import WORDS, Outbox, adopt, collect
from outflank.search.probes import Counts
from outflank.search.request import Options
from outflank.search.root import Root
from outflank.search.root_moves import HIGH, LOW
from outflank.search.table import EMPTY, EXACT, LOWER, NO_MOVE, UPPER, is_foreign, looked_up, marked, packed, remember
from outflank.search.worker import COUNTERS, PASS_EVALUATES, PASS_FREE, PASS_PLY

pytestmark = pytest.mark.skipif(not interpreted(), reason="the steps are the same source: once is enough")

DEPTH = 1
EPISODE = 3
MARKS = EPISODE << 16

OPEN = OthelloBoard.from_text("f5 d6 c3 d3")
PASSING = OthelloBoard.from_text("XXO" + "-" * 61 + " O")
OVER = OthelloBoard.from_text("XX" + "-" * 62 + " O")


class Node:
    """A node that a search is about to enter, with a table that may know it."""

    def __init__(self, board=OPEN, *, table=True, pass_rule=PASS_FREE, window=(LOW, HIGH)):
        self.counts = Counts()
        options = Options(algorithm="alphabeta", evaluation="discs", table_bits=4 if table else None)
        self.root = Root(board.game, board.position, options, instrument=self.counts)
        self.root.begin_search(None)
        self.window = window
        worker = self.worker = self.root.worker
        worker.table_from, worker.pass_rule = DEPTH, pass_rule
        self.outbox = Outbox(16, 16, waits=False)
        worker.outbox, worker.send_from, worker.send_within = self.outbox.address, DEPTH, 1
        _, self.first, self.second = table_key(self.root.game, self.root.position, worker) if table else (0, 0, 0)

    def know(self, data, *, foreign=False):
        entry = np.array([[self.first, self.second, data]], np.uint64)
        if foreign:
            assert adopt(entry, 1, self.worker) == 1
        else:
            remember(self.worker.table, self.worker.table_shift, *entry[0])

    @property
    def known(self):
        return looked_up(self.worker.table, self.worker.table_shift, self.first, self.second)

    @property
    def subject(self):
        root = self.root
        return root.game, root.evaluation, root.position, begin(root.evaluation, root.game, root.position)

    @property
    def words(self):
        return pack(self.root.game, self.root.position)

    def sent(self):
        entries = np.zeros((16, WORDS), np.uint64)
        return entries[: collect(self.outbox.record, entries, 0)].tolist()

    def counted(self):
        """Everything that was counted, without the leaves below the node."""
        worker = self.worker
        found = {name: int(worker[name]) for name in COUNTERS}
        assert found["nodes"] == 1 + self.below
        for name in ("nodes", "leaves", "estimates"):
            found[name] -= self.below
        noted = {name: getattr(self.counts, name)[DEPTH] for name in ("nodes", "moves", "lookups", "hits", "movable")}
        return found | {f"noted {name}": count for name, count in noted.items()}

    below = 0
    """Leaves that the search went on to."""


def by_alphabeta(node):
    value = alphabeta(*node.subject, *node.window, DEPTH, 1, 0, node.worker, node.root.probe)
    node.below = int(node.worker.nodes) - 1
    return value


def by_minimax(node):
    value = minimax(*node.subject, DEPTH, 0, node.worker, node.root.probe)
    node.below = int(node.worker.nodes) - 1
    return value


def by_marks(node):
    value = search_marked(*node.subject, *node.window, DEPTH, 1, 0, 0, node.worker, node.root.probe, 0, MARKS)
    node.below = int(node.worker.nodes) - 1
    return value


def at_a_frame(node):
    division = Divided(node.root, 1, Plan(eldest_first=True))
    crew, hand, worker = division.crew.crew, division.crew.hands[0], node.root.worker
    kept = ("table_from", "pass_rule", "outbox", "send_from", "send_within")
    for name in kept:  # a crew has workers of its own
        worker[name] = node.worker[name]
    node.worker = worker
    hand.first, hand.second = node.words
    hand.depth, hand.ply, (hand.alpha, hand.beta) = DEPTH, 1, node.window
    hand.frame = division.crew.root_frame
    open_frame(node.root.game, node.root.evaluation, node.root.position, crew, hand, worker, node.root.probe)
    if hand.frame == division.crew.root_frame:
        return hand.value
    node.frame, node.kept_alive = hand.frame, division
    return None


def of_a_cluster(node):
    known, value, _, _ = open_node(
        node.root.game, node.root.evaluation, *node.words, *node.window, DEPTH, 1, node.worker, node.root.probe
    )
    return value if known else None


WITH_TABLE = (by_alphabeta, by_marks, at_a_frame, of_a_cluster)
ALL = (by_minimax, *WITH_TABLE)


def same(entries, prepare):
    """What all entries have counted at the same node, and the values that they knew at once."""
    counted, values = [], set()
    for enter in entries:
        node = prepare()
        value = enter(node)
        counted.append(node.counted())
        if node.below == 0 and value is not None:
            values.add(int(value))
    assert all(each == counted[0] for each in counted), [each.__name__ for each in entries]
    assert len(values) <= 1
    return counted[0], values


def knowing(*entry, foreign=False, mark=False, **setup):
    def prepare():
        node = Node(**setup)
        data = packed(*entry, node.worker.age)
        node.know(marked(data, 1, EPISODE) if mark else data, foreign=foreign)
        return node

    return prepare


def test_a_node_without_a_table_is_counted_alike_by_all_five():
    counted, _ = same(ALL, lambda: Node(table=False))
    moves = len(OPEN.legal_moves)
    assert (counted["nodes"], counted["lookups"], counted["leaves"]) == (1, 0, 0)
    assert (counted["noted nodes"], counted["noted moves"], counted["noted movable"]) == (1, moves, 1)


@pytest.mark.parametrize(
    ("board", "pass_rule", "leaves", "estimates"),
    [(PASSING, PASS_EVALUATES, 1, 1), (PASSING, PASS_PLY, 0, 0), (OVER, PASS_FREE, 1, 0)],
    ids=["pass evaluated", "pass for a ply", "game over"],
)
def test_an_end_and_a_pass_are_counted_alike_by_all_five(board, pass_rule, leaves, estimates):
    counted, values = same(ALL, lambda: Node(board, table=False, pass_rule=pass_rule))
    assert (counted["nodes"], counted["leaves"], counted["estimates"]) == (1, leaves, estimates)
    assert (counted["noted nodes"], counted["noted moves"]) == (1, 0)
    assert len(values) == leaves


def test_a_node_that_the_table_does_not_know_is_counted_alike():
    counted, _ = same(WITH_TABLE, Node)
    assert (counted["lookups"], counted["hits"], counted["noted lookups"], counted["noted hits"]) == (1, 0, 1, 0)


@pytest.mark.parametrize("foreign", [False, True], ids=["own", "of another node"])
def test_what_the_table_knows_is_counted_alike(foreign):
    null = {"window": (4, 5), "foreign": foreign}
    for prepare, cuts, found in (
        (knowing(7, DEPTH, LOWER, 5, **null), 1, {7}),
        (knowing(7, DEPTH, EXACT, 5, **null), 1, {7}),
        (knowing(4, DEPTH, UPPER, 5, **null), 1, {4}),
        (knowing(5, DEPTH, UPPER, 5, **null), 0, set()),
        (knowing(7, DEPTH + 1, EXACT, 5, **null), 0, set()),
    ):
        counted, values = same(WITH_TABLE, prepare)
        assert (counted["hits"], counted["cuts"], counted["noted hits"]) == (1, cuts, 1)
        assert (counted["foreign_hits"], counted["foreign_cuts"]) == (int(foreign), cuts * int(foreign))
        assert (counted["nodes"], counted["noted nodes"]) == (1, 1 - cuts)
        assert values == found


def test_an_exact_value_whose_line_is_wanted_is_a_hit_of_a_cluster_too():
    node = knowing(7, DEPTH, EXACT, 5, foreign=True)()
    assert of_a_cluster(node) is None
    counted = node.counted()
    assert (counted["hits"], counted["foreign_hits"], counted["cuts"], counted["foreign_cuts"]) == (1, 1, 0, 0)


def test_a_workers_mark_alone_is_no_hit():
    counted, _ = same(WITH_TABLE, knowing(0, DEPTH, EMPTY, NO_MOVE, mark=True))
    assert (counted["lookups"], counted["hits"], counted["noted hits"]) == (1, 0, 0)


def test_a_mark_leaves_it_known_who_found_the_value():
    data = packed(7, DEPTH, EXACT, 5, 0)
    node = Node()
    node.know(data, foreign=True)
    assert is_foreign(marked(node.known, 1, EPISODE)) == 1
    assert is_foreign(marked(data, 1, EPISODE)) == 0


def test_what_is_found_at_a_node_is_kept_and_told_alike():
    told = []
    for enter in WITH_TABLE:
        node = Node()
        value = enter(node)
        if enter is at_a_frame:
            frame = frame_at(node.frame)
            assert frame.key == NOTHING
            index = [int(code) for code in node.worker.moves[: int(frame.count)]].index(told[0][1])
            store_frame_value(
                node.root.game, node.frame, (told[0][2] << RANK_BITS) + rank_at(node.frame, index), EXACT, node.worker
            )
        elif enter is of_a_cluster:
            store_value(node.root.game, *node.words, told[0][2], EXACT, DEPTH, 1, told[0][1], node.worker)
        else:
            told.append((node.sent(), int(node.worker.line[1, 0]), int(value)))
            continue
        told.append((node.sent(), *told[0][1:]))
    assert told[0][0] == [[int(node.first), int(node.second), int(packed(told[0][2], DEPTH, EXACT, told[0][1], 0))]]
    assert all(each == told[0] for each in told)


def test_what_is_too_shallow_or_too_far_from_the_root_is_not_told():
    for name, limit in (("send_from", DEPTH + 1), ("send_within", 0)):
        node = Node()
        node.worker[name] = limit
        by_marks(node)
        assert node.sent() == []
        assert node.known != U64(0)
