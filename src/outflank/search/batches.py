"""Leaves of a Monte-Carlo tree chosen many at a time, for whoever plays many games at once.

A leaf that is chosen counts as lost games on the whole way to it (virtual losses) until the results are known, so that
the next ones are looked for elsewhere. Several games are played from each. Who chooses so repeats itself, too: the
tree is the same for the same results.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from outflank.games.rules import unpack
from outflank.kernels.compiler import kernel
from outflank.search.contract import Options
from outflank.search.montecarlo import LONGEST_PATH, WIN, chosen, expand, seedling
from outflank.search.root import Root


class Batch:
    """Room for leaves, and the ways to them."""

    def __init__(self, leaves: int) -> None:
        self.paths = np.zeros((leaves, LONGEST_PATH), np.int32)
        self.lengths = np.zeros(leaves, np.int64)
        self.words = np.zeros((leaves, 2), np.uint64)
        """The positions from which games are played."""


@kernel
def choose(game, tree, used, leaves, games, worker, paths, lengths, words):
    """Choose so many leaves, from each of which so many games will be played; how many nodes the tree has then."""
    for leaf in range(leaves):
        path = paths[leaf]
        node, length = 0, 1
        path[0] = 0
        while tree[node].children != 0 and length < len(path):
            node = chosen(tree, node)
            path[length] = node
            length += 1
        if tree[node].visits > 0 and length < len(path):
            position = unpack(game, tree[node].first, tree[node].second)
            used = expand(game, position, tree, node, used, worker)
            if tree[node].children != 0:
                node = tree[node].children
                path[length] = node
                length += 1
        for back in range(length):
            tree[path[back]].visits += games
            tree[path[back]].won -= WIN * games
        lengths[leaf] = length
        words[leaf, 0], words[leaf, 1] = tree[node].first, tree[node].second
    return used


@kernel
def credit(tree, leaves, games, results, paths, lengths):
    """Let nodes have what the games from the leaves brought, for the side to move there, instead of virtual losses."""
    for leaf in range(leaves):
        result = -results[leaf]  # for the side that moved there
        for back in range(lengths[leaf] - 1, -1, -1):
            tree[paths[leaf, back]].won += WIN * games + result
            result = -result


def withdraw(tree: Any, leaves: int, games: int, paths: Any, lengths: Any) -> None:
    """Take virtual losses back where the games from the leaves will never be played; nodes that were added stay."""
    for leaf in range(leaves):
        way = paths[leaf, : lengths[leaf]]
        tree["visits"][way] -= games
        tree["won"][way] += WIN * games


@choose.sample
def _choose_sample(game: Any, position: Any, every: bool) -> Iterator[tuple[Any, ...]]:
    root, batch = Root(game, position, Options(algorithm="uct")), Batch(1)
    yield game, *seedling(root, room=512), 1, 1, root.worker, batch.paths, batch.lengths, batch.words


@credit.sample
def _credit_sample(game: Any, position: Any, every: bool) -> Iterator[tuple[Any, ...]]:
    root, batch = Root(game, position, Options(algorithm="uct")), Batch(1)
    tree, _ = seedling(root, room=512)
    yield tree, 1, 1, np.zeros(1, np.int64), batch.paths, batch.lengths
