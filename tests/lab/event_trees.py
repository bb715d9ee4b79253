"""Fork-join trees for tests: hand-made or drawn, with the events that one worker would record."""

from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from outflank.parallel.events import CLOSED, DONE, IN_TURN, MORE_SHIFT, OFFERED, OPENED, STARTED, TAKEN, WORDS


class Leaf(NamedTuple):
    """A part that is searched alone."""

    cost: int


class Node(NamedTuple):
    """A frame: what opening it costs, its eldest moves, those shared, and those searched again in turn.

    `lot` moves are shared at a time.
    """

    cost: int
    elders: tuple = ()
    shared: tuple = ()
    again: tuple = ()
    lot: int = 1

    @property
    def jobs(self):
        return [self.shared[begin : begin + self.lot] for begin in range(0, len(self.shared), self.lot)]


class Log:
    """Writes the events of a tree, with a clock that only costs move."""

    def __init__(self) -> None:
        self.rows, self.time, self.frames, self.offers = [], 0, 0, 0

    def note(self, kind, frame=0, more=0):
        self.offers += kind == OFFERED
        self.rows.append((self.time, self.time // 2, kind, frame, more << MORE_SHIFT, 0, self.offers))

    def root(self, tree):
        self.note(STARTED, 0)
        self.time += tree.cost
        self.inside(tree, 0)
        self.note(CLOSED, 0)
        return self

    def inside(self, tree, frame):
        for child in tree.elders:
            self.move(child, frame)
        if tree.shared:
            self.note(OFFERED, frame)
        for job in tree.jobs:
            for more, child in zip(reversed(range(len(job))), job, strict=True):
                self.move(child, frame, more)
        if tree.again:
            self.note(IN_TURN, frame)
        for child in tree.again:
            self.move(child, frame)

    def move(self, tree, frame, more=0):
        self.note(TAKEN, frame, more)
        self.time += tree.cost
        if isinstance(tree, Node):
            self.frames += 1
            mine = self.frames
            self.note(OPENED, mine)
            self.inside(tree, mine)
            self.note(CLOSED, mine)
        self.note(DONE, frame)

    @property
    def events(self):
        return np.array(self.rows, np.int64).reshape(-1, WORDS)


def work_of(tree):
    if isinstance(tree, Leaf):
        return tree.cost
    return tree.cost + sum(map(work_of, (*tree.elders, *tree.shared, *tree.again)))


def span_of(tree, burden=0):
    """The longest path; the k-th of the shared jobs starts k burdens late."""
    if isinstance(tree, Leaf):
        return tree.cost
    shared = (number * burden + sum(span_of(child, burden) for child in job) for number, job in enumerate(tree.jobs))
    alone = sum(span_of(child, burden) for child in (*tree.elders, *tree.again))
    return tree.cost + alone + max(shared, default=0)


def spawns_of(tree):
    if isinstance(tree, Leaf):
        return 0
    return len(tree.jobs) + sum(map(spawns_of, (*tree.elders, *tree.shared, *tree.again)))


leaves = st.builds(Leaf, st.integers(0, 1000))
trees = st.recursive(
    leaves,
    lambda children: st.builds(
        Node,
        st.integers(0, 50),
        st.lists(children, max_size=2).map(tuple),
        st.lists(children, max_size=4).map(tuple),
        st.lists(children, max_size=2).map(tuple),
        st.integers(1, 3),
    ),
    max_leaves=25,
)
