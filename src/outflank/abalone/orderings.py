"""Abalone's move ordering: by kind, or by the place in the lists of report 003's program."""

import numpy as np

from outflank.abalone.geometry import SPIRAL
from outflank.abalone.rules import Abalone, cell_of, direction_of, kind_of
from outflank.games.defaults import DefaultOrdering, OrderingWeights
from outflank.games.hints import promise, register_features, row

register_features(Abalone, "kind", "generated")

# The rank of a kind among the moves of one marble in one direction: one marble, two, three;
# side steps before the move along the line.
RANK = np.array([6, 6, 3, 6, 6, 3, 6, 4, 5, 1, 2, 3, 0], np.int64)

ROW = np.array([row for row, _ in SPIRAL], np.int64)
"""The row of each cell, by the cell's number."""


@promise.register(Abalone)
def _(game, position, move, child, weights):
    # A code is kind, cell, direction: the smallest is the one that report 003's program tries first.
    generated = (cell_of(move) * 6 + direction_of(move)) * 8 + RANK[kind_of(move)]
    return generated * weights[1] - np.int64(move) * weights[0]


@row.register(Abalone)
def _(game, move):
    return ROW[cell_of(move)]


ORDERINGS = {
    # Report 003's: by kind, in the generation order of the program it started from, and in the reverse of that.
    "kinds": OrderingWeights(weights={"kind": 1}),
    "generated": OrderingWeights(weights={"generated": -1}),
    "reversed": OrderingWeights(weights={"generated": 1}),
}

# Killers save an eighth of the nodes (five positions, depth 5); history changes hardly anything.
DEFAULT_ORDERING = DefaultOrdering(name="kinds", killers=True, history=True)
