"""Abalone's move orderings: by kind of move, or in the order in which report 003's program generates moves."""

import numpy as np

from outflank.abalone.geometry import SPIRAL
from outflank.abalone.rules import Abalone, cell_of, direction_of, kind_of
from outflank.games.defaults import DefaultOrdering, OrderingWeights
from outflank.games.hints import promise, register_features, row

register_features(Abalone, "kind", "generated")

# Rank of a kind among the moves with the same rear marble and direction: moves of one marble come before moves of two
# and of three, and side steps before moves along the line.
RANK = np.array([6, 6, 3, 6, 6, 3, 6, 4, 5, 1, 2, 3, 0], np.int64)

ROW = np.array([row for row, _ in SPIRAL], np.int64)
"""Row of each cell, by the cell's number."""


@promise.register(Abalone)
def _(game, position, move, child, weights):
    # A code consists of kind, cell and direction; report 003's program tries the move with the smallest code first.
    generated = (cell_of(move) * 6 + direction_of(move)) * 8 + RANK[kind_of(move)]
    return generated * weights[1] - np.int64(move) * weights[0]


@row.register(Abalone)
def _(game, move):
    return ROW[cell_of(move)]


ORDERINGS = {
    # Report 003's orderings: by kind, in the order in which the original program generates moves, and in reverse.
    "kinds": OrderingWeights(weights={"kind": 1}),
    "generated": OrderingWeights(weights={"generated": -1}),
    "reversed": OrderingWeights(weights={"generated": 1}),
}

# Killer moves save an eighth of the nodes (five positions, depth 5); history counters hardly change the number.
DEFAULT_ORDERING = DefaultOrdering(name="kinds", killers=True, history=True)
