"""Batches of leaves of a Monte-Carlo tree, selected together for a GPU that runs many playouts at once.

A path through the tree ends at a node without children. The node is expanded, and several playouts start from each of
its children, because selecting paths takes CPU time and playouts do not. Until the results of these playouts are known,
the nodes on the path get provisional results: each node is credited with its own mean result so far, and a node without
playouts is credited with losses. Later paths then diverge about where they would if the results were known. Selection
is deterministic: equal results give equal trees.

Variants were compared on a CPU in 45 balanced positions of tournament games with 19 to 26 empty squares. Good moves are
the moves that hold a win or a draw, a sixth of all moves. They were found by searches of six seconds, which reached the
end of the game in 21 of the positions. The measure is the share of playouts that went to good moves. The error of a
difference is 0.04. So the method in use is better than virtual losses in large batches and better than sixteen trees,
but the differences between similar variants may be chance.

- 100,000 playouts one after the other: 0.29. 160,000 playouts in sixteen trees: 0.22.
- Four playouts from each of 100,000 leaves, in large batches (a quarter as many leaves as in all earlier batches, at
  most 4,096): 0.21 with virtual losses on the whole path, 0.23 with provisional means. In small batches (a 64th as many
  leaves, at most 256): 0.24 with provisional means.
- The same, but the playouts of a leaf count as one visit in the exploration term: 0.28 in small batches, 0.19 in large
  batches. If each playout counts as a visit, a search trusts a leaf sooner the more playouts the leaf has, and in these
  positions playouts mislead.
- The same, but playouts start from all children of 50,000 nodes: 0.30. In batches of a 16th: 0.31 with at most 400
  paths, 0.28 with at most 900 paths. With one playout from each child: 0.25.
"""

import numpy as np
import numpy.typing as npt

from outflank.games.rules import Game, Position, most_moves, unpack
from outflank.kernels.compiler import Samples, kernel
from outflank.kernels.record_types import Records
from outflank.search.montecarlo import LONGEST_PATH, WIN, expand, new_tree, select_child
from outflank.search.request import Options
from outflank.search.root import Root
from outflank.search.worker import Worker


class Batch:
    """Leaves of a Monte-Carlo tree from which playouts start at the same time, and the paths to these leaves. There is
    room for `ways` paths, and for `leaves` leaves and the children of one more node."""

    def __init__(self, game: Game, ways: int, leaves: int) -> None:
        self.words = np.zeros((leaves + most_moves(game), 2), np.uint64)
        """Positions of the leaves, two words in each row."""
        self.leaves = 0
        """Number of leaves in the batch."""
        self.games = 0
        """Number of playouts from each leaf."""
        self._game = game
        self._ways = 0
        self._paths = np.zeros((ways, LONGEST_PATH), np.int32)
        self._lent = np.zeros((ways, LONGEST_PATH), np.int64)
        self._lengths = np.zeros(ways, np.int64)
        self._counts = np.zeros(ways, np.int64)

    def choose(self, tree: Records, used: int, leaves: int, games: int, worker: Worker) -> int:
        """Select about `leaves` leaves, from each of which `games` playouts will start. Select fewer leaves if there is
        no room for more paths. Return the tree's number of nodes."""
        ways = (self._paths, self._lent, self._lengths, self._counts, self.words)
        self.games = games
        used, self._ways, self.leaves = choose(self._game, tree, used, leaves, games, worker, *ways)
        return used

    def credit(self, tree: Records, results: npt.NDArray[np.int64]) -> None:
        """Replace the provisional results on the paths by the results of the playouts. `results` has the sum of the
        results of each leaf, from the point of view of the side to move at the leaf."""
        credit(tree, self._ways, self.games, results, self._paths, self._lent, self._lengths, self._counts)

    def withdraw(self, tree: Records) -> None:
        """Remove the provisional results of playouts that were not run; nodes that were added stay."""
        for way in range(self._ways):
            length, count = self._lengths[way], self._counts[way]
            path = self._paths[way, :length]
            tree["visits"][path] -= self.games * max(count, 1)
            tree["won"][path] -= self._lent[way, :length]
            first = tree["children"][path[-1]]
            tree["visits"][first : first + count] -= self.games
            tree["won"][first : first + count] += WIN * self.games


@kernel
def choose(game, tree, used, leaves, games, worker, paths, lent, lengths, counts, words):
    """Select paths until they have `leaves` leaves. Return the numbers of tree nodes, of paths and of leaves.

    The leaves of a path are the children of its last node, and `counts` has their number. If the last node gets no
    children, it is itself the leaf of the path, and `counts` has 0.
    """
    ways, places = 0, 0
    while places < leaves and ways < len(paths):
        path = paths[ways]
        node, length = 0, 1
        path[0] = 0
        while tree[node].children != 0 and length < len(path):
            node = select_child(tree, node, games)
            path[length] = node
            length += 1
        count = 0
        if tree[node].children == 0:
            position = unpack(game, tree[node].first, tree[node].second)
            used = expand(game, position, tree, node, used, worker)
            first, count = tree[node].children, tree[node].count
            for child in range(first, first + count):
                tree[child].visits += games
                tree[child].won -= WIN * games
                words[places, 0], words[places, 1] = tree[child].first, tree[child].second
                places += 1
        if count == 0:
            words[places, 0], words[places, 1] = tree[node].first, tree[node].second
            places += 1
        games_below = games * max(count, 1)
        for back in range(length):
            visits = tree[path[back]].visits
            loan = games_below * tree[path[back]].won // visits if visits > 0 else -WIN * games_below
            tree[path[back]].visits += games_below
            tree[path[back]].won += loan
            lent[ways, back] = loan
        lengths[ways], counts[ways] = length, count
        ways += 1
    return used, ways, places


@kernel
def credit(tree, ways, games, results, paths, lent, lengths, counts):
    """Replace provisional results by the sums `results` of each leaf's playouts, for the side to move at the leaf."""
    place = 0
    for way in range(ways):
        length, count = lengths[way], counts[way]
        node = paths[way, length - 1]
        result = np.int64(0)  # for the side that moved to that node
        if count == 0:
            result -= results[place]
            place += 1
        for child in range(tree[node].children, tree[node].children + count):
            tree[child].won += WIN * games - results[place]
            result += results[place]
            place += 1
        for back in range(length - 1, -1, -1):
            tree[paths[way, back]].won += result - lent[way, back]
            result = -result


@kernel
def tally(results, lengths, leaves, games, sums):
    """Write the sum of the results of each leaf's `games` playouts to `sums`. Return the total number of positions."""
    positions = np.int64(0)
    for leaf in range(leaves):
        result = np.int64(0)
        for number in range(leaf * games, (leaf + 1) * games):
            result += results[number]
            positions += lengths[number]
        sums[leaf] = result
    return positions


@choose.sample
def _choose_sample(game: Game, position: Position, every: bool) -> Samples:
    root, batch = Root(game, position, Options(algorithm="uct")), Batch(game, 1, 1)
    ways = (batch._paths, batch._lent, batch._lengths, batch._counts, batch.words)
    yield game, *new_tree(root, room=512), 1, 1, root.worker, *ways


@credit.sample
def _credit_sample(game: Game, position: Position, every: bool) -> Samples:
    root, batch = Root(game, position, Options(algorithm="uct")), Batch(game, 1, 1)
    tree, _ = new_tree(root, room=512)
    yield tree, 0, 1, np.zeros(1, np.int64), batch._paths, batch._lent, batch._lengths, batch._counts


@tally.sample
def _tally_sample(game: Game, position: Position, every: bool) -> Samples:
    yield np.zeros(1, np.int16), np.zeros(1, np.int16), 1, 1, np.zeros(1, np.int64)
