"""Work and span, on trees where both are known."""

import time
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from outflank import Limits, OthelloBoard
from outflank.games.rules import MOVE, fill, most_moves, play
from outflank.kernels.compiler import interpreted
from outflank.kernels.observers import watched_by
from outflank.lab.spans.span_recordings import Cost, fastest_strands
from outflank.lab.spans.work_and_span import NO_SPANS, burden_of, migrations, moments_of, spans_of
from outflank.parallel.events import (
    CLOSED,
    FOUND,
    NODES,
    OFFERED,
    SEEKING,
    STARTED,
    TAKEN,
    TIME,
    EventRecording,
)
from outflank.search.whole_search import search
from tests.lab.event_trees import Leaf, Log, Node, span_of, spawns_of, trees, work_of


@given(trees.filter(lambda tree: isinstance(tree, Node)), st.integers(0, 100))
def test_work_and_span_of_any_tree(tree, burden):
    found = spans_of(Log().root(tree).events, burden=burden)
    assert found.work == work_of(tree)
    assert found.span == span_of(tree)
    assert found.burdened_span == span_of(tree, burden)
    assert found.spawns == spawns_of(tree)
    assert found.regions == 1
    assert found.span <= found.work


def steps_of(tree, begin=0):
    """When each piece of the tree runs with unlimited processors: its beginnings and ends, and when all is over."""
    pieces, now = [(begin, begin + tree.cost)], begin + tree.cost
    if isinstance(tree, Leaf):
        return pieces, now

    def follow(children, now):
        for child in children:
            found, now = steps_of(child, now)
            pieces.extend(found)
        return now

    now = follow(tree.elders, now)
    now = max((follow(job, now) for job in tree.jobs), default=now)
    return pieces, follow(tree.again, now)


@given(trees.filter(lambda tree: isinstance(tree, Node)), st.integers(1, 7))
def test_strands_that_run_at_each_moment(tree, parts):
    found = list(moments_of(Log().root(tree).events, parts, unit="nanoseconds"))
    pieces, span = steps_of(tree)
    if span == 0:
        assert found == []
        return
    ((length, running),) = found
    width = span / parts
    assert length == span
    for place, mean in enumerate(running):
        low, high = place * width, (place + 1) * width
        expected = sum(max(0, min(end, high) - max(begin, low)) for begin, end in pieces) / width
        assert mean == pytest.approx(expected, abs=1e-6 * max(1, span))


def test_a_tree_of_equal_branches_has_the_parallelism_of_its_width():
    tree = Node(0, shared=(Leaf(10),) * 8)
    found = spans_of(Log().root(tree).events)
    assert (found.work, found.span, found.parallelism) == (80, 10, 8.0)
    # Before them, the eight, and after them; on the longest path one of the eight.
    assert (found.strands, found.span_strands) == (10, 3)


@pytest.mark.parametrize(("width", "depth"), [(2, 1), (2, 5), (3, 4), (7, 2)])
def test_a_full_tree_in_closed_form(width, depth):
    """Each node costs 1: work is (w^(d+1) - 1)/(w - 1), span is d + 1."""

    def full(left):
        return Leaf(1) if left == 0 else Node(1, shared=(full(left - 1),) * width)

    found = spans_of(Log().root(full(depth)).events)
    assert found.work == (width ** (depth + 1) - 1) // (width - 1)
    assert found.span == depth + 1
    assert found.frames == (width**depth - 1) // (width - 1) - 1


def test_what_must_wait_is_added_up():
    tree = Node(1, elders=(Leaf(5), Leaf(6)), shared=(Leaf(3), Leaf(9), Leaf(2)), again=(Leaf(4),))
    found = spans_of(Log().root(tree).events)
    assert (found.work, found.span) == (30, 1 + 5 + 6 + 9 + 4)


def test_several_roots_follow_each_other():
    log = Log().root(Node(1, shared=(Leaf(4), Leaf(4))))
    log.time += 1000  # between two iterations nothing is searched
    found = spans_of(log.root(Node(1, shared=(Leaf(8), Leaf(8)))).events)
    assert (found.work, found.span, found.regions) == (26, 14, 2)


def test_bounds_of_the_speed_up():
    spans = spans_of(Log().root(Node(0, shared=(Leaf(100),) * 10)).events)
    assert spans.fastest_speedup(4) == 4
    assert spans.fastest_speedup(64) == 10
    assert spans.slowest_speedup(1) == 1
    # Report 002's, depth 3, from its work and burdened span.
    printed = spans_of(Log().root(Node(0, shared=(Leaf(1),))).events)
    printed = type(printed)(**{**as_fields(printed), "work": 53_268_493.0, "burdened_span": 21_165_349.0})
    assert [round(printed.slowest_speedup(count), 2) for count in (2, 4, 8, 16)] == [1.19, 1.32, 1.40, 1.44]
    assert NO_SPANS.parallelism == 1.0


def as_fields(spans):
    return {name: getattr(spans, name) for name in spans.__dataclass_fields__}


def test_migrations_are_timed_from_when_both_were_ready():
    rows = [
        (0, 0, STARTED, 7, 0, 0),
        (5, 0, SEEKING, 0, 0, 1),
        (10, 0, OFFERED, 7, 0, 0),
        (14, 0, FOUND, 7, 0, 1),
        (15, 0, TAKEN, 7, 0, 1),  # 5 after the offer
        (30, 0, OFFERED, 8, 0, 0),
        (50, 0, SEEKING, 0, 0, 1),
        (52, 0, FOUND, 8, 0, 1),
        (53, 0, TAKEN, 8, 0, 1),  # 3 after it began to look
        (60, 0, SEEKING, 0, 0, 0),
        (61, 0, FOUND, 8, 0, 0),
        (62, 0, TAKEN, 8, 0, 0),  # 2: the permit that the thief left behind
    ]
    events = np.array(rows, np.int64)
    assert migrations(events) == [5, 3, 2]
    assert burden_of([events]) == (3, 3)
    assert burden_of([]) == (0.0, 0)


# --- real searches, beside a naive walk of the same tree ---


def nodes_below(game, position, depth):
    """Nodes of minimax, the position included; passes are not met on these boards."""
    if depth == 0:
        return 1
    return 1 + sum(nodes_below(game, child, depth - 1) for child in children(game, position))


def span_below(game, position, depth, threshold):
    if depth <= threshold:
        return nodes_below(game, position, depth)
    below = [span_below(game, child, depth - 1, threshold) for child in children(game, position)]
    return 1 + max(below, default=0)


def children(game, position):
    moves = np.zeros(most_moves(game), MOVE)
    return [play(game, position, move) for move in moves[: fill(game, position, moves, 0)]]


@pytest.mark.parametrize("threshold", [0, 1, 2])
def test_fork_join_in_nodes_is_the_tree(threshold):
    board = OthelloBoard.from_text("f5d6c3d3c4")
    depth = 3 if interpreted() else 4
    recording = EventRecording()
    search(
        board,
        Limits(depth=depth),
        algorithm="minimax",
        evaluation="discs",
        deepen=False,
        parallel="fork-join",
        workers=1,
        threshold=threshold,
        instrument=recording,
    )
    found = spans_of(recording.take(), unit="nodes")
    assert recording.lost == 0
    assert found.work == nodes_below(board.game, board.position, depth) - 1  # the root is entered by Python
    assert found.span == span_below(board.game, board.position, depth, threshold) - 1


def span_by_rows(game, position, depth):
    """As report 004's first program divides: rows side by side, the moves of a row one after the other."""
    if depth == 0:
        return 1
    moves = np.zeros(most_moves(game), MOVE)
    rows = {}
    for move in moves[: fill(game, position, moves, 0)]:
        below = span_by_rows(game, play(game, position, move), depth - 1)
        rows[int(move) // 8] = rows.get(int(move) // 8, 0) + below
    return 1 + max(rows.values(), default=0)


def test_fork_join_by_rows_is_the_tree_of_rows():
    board = OthelloBoard.from_text("f5d6c3d3c4")
    depth = 3 if interpreted() else 4
    recording = EventRecording()
    search(
        board,
        Limits(depth=depth),
        algorithm="minimax",
        evaluation="discs",
        deepen=False,
        parallel="fork-join",
        workers=1,
        threshold=0,
        schedule="rows",
        instrument=recording,
    )
    found = spans_of(recording.take(), unit="nodes")
    assert found.work == nodes_below(board.game, board.position, depth) - 1
    assert found.span == span_by_rows(board.game, board.position, depth) - 1


@pytest.mark.parametrize("scheme", ["ybw", "jamboree", "pv-split", "root-split"])
def test_work_is_what_was_searched(scheme):
    recording = EventRecording()
    found = search(
        OthelloBoard.from_text("f5d6c3d3c4"),
        Limits(depth=4 if interpreted() else 8),
        evaluation="discs",
        parallel=scheme,
        workers=1,
        threshold=1,
        levels=8,
        instrument=recording,
    )
    events = recording.take()
    spans = spans_of(events, unit="nodes")
    assert spans.work == found.nodes - spans.regions
    assert 0 < spans.span <= spans.work
    assert spans.regions == found.depth


def test_an_event_without_room_is_counted():
    recording = EventRecording(capacity=5)
    options = {"evaluation": "discs", "parallel": "ybw", "workers": 1, "threshold": 0}
    search(OthelloBoard.start(), Limits(depth=3), instrument=recording, **options)
    lost = recording.lost
    events = recording.take()
    assert len(events) == 5
    assert recording.lost > lost == 0


class Tally:
    """Counts the atomic operations of a search in the interpreter: updates, and stores that must not be passed."""

    def __init__(self) -> None:
        self.count = 0

    def touched(self, address, kind, order):
        self.count += kind == "update" or (kind == "write" and order == "seq_cst")

    def run(self, body):
        body()

    def ignore(self, *_):
        pass

    turn = rests = sleeps = wakes = placed = started = joins = ignore


@pytest.mark.skipif(not interpreted(), reason="compiled kernels are not watched")
@pytest.mark.parametrize("schedule", ["one", "rows"])
def test_atomic_operations_are_those_of_the_steps(schedule):
    def counted(depth):
        recording, tally = EventRecording(), Tally()
        with watched_by(tally):
            search(
                OthelloBoard.from_text("f5d6c3d3c4"),
                Limits(depth=depth),
                algorithm="minimax",
                evaluation="discs",
                deepen=False,
                parallel="fork-join",
                workers=1,
                threshold=0,
                schedule=schedule,
                instrument=recording,
            )
        return tally.count, spans_of(recording.take()).atomics

    (few, steps_of_few), (many, steps_of_many) = counted(2), counted(3)
    # What opening and closing a root takes is the same for both.
    assert many - few == steps_of_many - steps_of_few


@pytest.mark.interpreted_only
def test_nothing_to_do_is_not_done_faster():
    assert replace(NO_SPANS, burdened_span=1.0).slowest_speedup(2) == 1.0


@pytest.mark.interpreted_only
def test_sharing_that_costs_more_than_it_gains_slows_nobody_down():
    """Report 004's depth 1, burdened parallelism 0.17: Cilkview's formula gives 0.18 there, but nobody has to share."""
    printed = replace(NO_SPANS, work=1_007_000.0, span=357_000.0, burdened_span=5_818_000.0)
    for count in (1, 2, 4, 256):
        assert printed.slowest_speedup(count) == 1.0 <= printed.fastest_speedup(count)


@pytest.mark.interpreted_only
@given(st.floats(1, 1e12), st.floats(0, 1), st.floats(1, 1e6), st.integers(1, 1024))
def test_the_estimates_lie_between_one_and_the_processors(work, part, burdened, workers):
    spans = replace(NO_SPANS, work=work, span=max(work * part, 1e-3), burdened_span=max(work * part, 1e-3) * burdened)
    assert 1.0 <= spans.slowest_speedup(workers) <= max(1.0, spans.fastest_speedup(workers)) <= workers


def events_at(*times, nodes=(0, 1, 2)):
    kinds = (STARTED, TAKEN, CLOSED)
    return np.array(
        [(when, done, kind, 0, 0, 0) for when, done, kind in zip(times, nodes, kinds, strict=True)], np.int64
    )


@pytest.mark.interpreted_only
def test_a_strand_is_as_long_as_when_nobody_disturbed_it():
    """The first was preempted in its second strand, the second in its first one."""
    events, same = fastest_strands([events_at(100, 105, 9000), events_at(50, 7000, 7020)])
    assert same
    assert np.diff(events[:, TIME]).tolist() == [5, 20]
    assert events[:, NODES].tolist() == [0, 1, 2]


@pytest.mark.interpreted_only
@pytest.mark.parametrize(
    "other", [events_at(0, 1, 2, nodes=(0, 1, 3)), events_at(0, 1, 2)[:2]], ids=["nodes", "length"]
)
def test_recordings_of_other_searches_are_told_apart(other):
    events, same = fastest_strands([events_at(0, 10, 20), other])
    assert not same
    assert np.diff(events[:, TIME]).tolist() == [10, 10]


@pytest.mark.interpreted_only
def test_lost_processor_time_is_counted():
    cost = Cost(seconds=2.0, processor_seconds=1.5)
    assert cost.lost_share == 0.25
    assert Cost(seconds=1.0, processor_seconds=1.001).lost_share == Cost().lost_share == 0.0

    def resting():
        time.sleep(0.05)
        yield "a search"

    cost = Cost()
    assert cost.next_of(resting()) == "a search"
    assert cost.seconds >= 0.05
    assert cost.lost_share > 0.1
