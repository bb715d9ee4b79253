"""Tree-parallel Monte-Carlo: all workers grow one tree, without locks.

On its way down a worker counts a loss at every node (a virtual loss), so that the others search elsewhere until its
playout has ended. The worker that wins a compare-exchange on a node adds the node's children; meanwhile the others
treat the node as a leaf.
"""

import math

import numpy as np

from outflank.games.rules import Game, Position, fill, pack, play, unpack
from outflank.kernels.atomics import compare_exchange, fetch_add, load, store
from outflank.kernels.compiler import Samples, inner, kernel
from outflank.kernels.record_types import allocate, record_type
from outflank.kernels.workers import run_workers
from outflank.search.division import Promise, Scheme
from outflank.search.montecarlo import EXPLORE, LONGEST_PATH, WIN, new_tree, random_state, worker_playout
from outflank.search.request import Options
from outflank.search.results import WorkerStatistics
from outflank.search.root import Root
from outflank.search.stopping import poll_stop

TREE_STATE = record_type({"games": np.int64, "used": np.int64}, own_lines=("games", "used"))
"""Record that all workers share: the number of playouts left, and the number of nodes of the tree."""

GROWING = -1
"""Value of a node's `children` while a worker is expanding the node."""


@kernel
def grow_together(game, evaluation, tree, tree_state, worker, random, path):
    """Run playouts from the root of a tree that other workers grow too, until no playout is left."""
    while fetch_add(tree_state, "games", -1, "relaxed") > 0:
        if poll_stop(worker):
            break
        node, length = 0, 0
        while True:
            path[length] = node
            length += 1
            before = fetch_add(tree[node], "visits", 1, "relaxed")
            fetch_add(tree[node], "won", -WIN, "relaxed")
            children = load(tree[node], "children")
            if children == 0 and before > 0:
                children = _expand(game, tree, tree_state, node, worker)
            if children <= 0 or length == len(path):
                break
            node = _select_child(tree, node, children)
        position = unpack(game, tree[node].first, tree[node].second)
        result = worker_playout(game, evaluation, position, worker, random)
        for back in range(length - 1, -1, -1):
            fetch_add(tree[path[back]], "won", WIN + result, "relaxed")
            result = -result


@inner
def _expand(game, tree, tree_state, node, worker):
    """Add a node's children, unless another worker does. Return the first child; 0 or `GROWING` if there is none."""
    position = unpack(game, tree[node].first, tree[node].second)
    end = fill(game, position, worker.moves, 0)
    if end == 0 or load(tree_state, "used", "relaxed") + end > len(tree):
        return np.int64(0)
    if not compare_exchange(tree[node], "children", 0, GROWING):
        return np.int64(GROWING)
    first = fetch_add(tree_state, "used", end, "relaxed")
    if first + end > len(tree):
        store(tree[node], "children", 0)
        return np.int64(0)
    for index in range(end):
        child = tree[first + index]
        words = pack(game, play(game, position, worker.moves[index]))
        child.first, child.second = words
        child.move = worker.moves[index]
    tree[node].count = end
    store(tree[node], "children", first)
    return first


@inner
def _select_child(tree, node, first):
    """Return the child to follow: one without visits first, else the one with the highest upper confidence bound."""
    spread = EXPLORE * math.sqrt(math.log(load(tree[node], "visits", "relaxed") + 1.0))
    best, best_bound = first, -1e30
    for child in range(first, first + tree[node].count):
        visits = load(tree[child], "visits", "relaxed")
        if visits == 0:
            return child
        bound = load(tree[child], "won", "relaxed") / (WIN * visits) + spread / math.sqrt(visits)
        if bound > best_bound:
            best, best_bound = child, bound
    return best


@grow_together.sample
def _sample(game: Game, position: Position, every: bool) -> Samples:
    root = Root(game, position, Options(algorithm="uct"))
    tree, used = new_tree(root, room=512)
    tree_state = allocate(TREE_STATE, 1)[0]
    tree_state.games, tree_state.used = 1, used
    yield game, root.evaluation, tree, tree_state, root.worker, random_state(1), np.zeros(32, np.int64)


class SharedTree:
    """Tree-parallel Monte-Carlo: one tree for all workers."""

    reads_deadline = True

    def __init__(self, root: Root, workers: int) -> None:
        self.root = root
        root.set_worker_count(workers)
        tree, used = new_tree(root)
        self.trees = [tree]
        self._tree_state = allocate(TREE_STATE, 1)[0]
        self._tree_state.used = used
        self._random = [random_state(root.options.seed * 1_000_003 + index) for index in range(workers)]
        self._paths = np.zeros((workers, LONGEST_PATH), np.int64)

    def play(self, games: int) -> None:
        """Run `games` playouts, which the workers take one by one."""
        root = self.root
        self._tree_state.games = games
        arguments = [
            (root.game, root.evaluation, self.trees[0], self._tree_state, worker, random, path)
            for worker, random, path in zip(root.workers, self._random, self._paths, strict=True)
        ]
        if games == 0:
            grow_together(*arguments[0])  # compiles once, not in every thread
            return
        run_workers(grow_together, arguments, stop=root.stop, places=root.places)

    def statistics(self) -> tuple[WorkerStatistics, ...]:
        """Return the number of nodes of each worker."""
        return tuple(WorkerStatistics(nodes=int(worker.nodes)) for worker in self.root.workers)


TREE_PARALLEL = Scheme(
    name="tree-parallel",
    algorithms=("uct",),
    promises=Promise(0),
    promises_note="other games are played",
    overhead="games that the virtual losses sent elsewhere",
    divide=SharedTree,
)
