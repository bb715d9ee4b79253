"""Games of Monte-Carlo searches played on a GPU, many at a time, by the policy of `search/montecarlo.py`.

`flat` plays as many games after every move of the root. `uct` keeps its tree on the CPU: leaves are chosen in batches
(`search/batches.py`), the next ones while games are played from the last, several from each. What a game draws depends
on the seed and on its number alone, and results are sums of integers: a search repeats itself, however many threads a
device has.
"""

from typing import Any, NamedTuple

import numpy as np

from outflank.errors import InvalidOption
from outflank.games.hints import FEATURES, STAGES
from outflank.games.rules import MOVE, most_moves, pack, unpack
from outflank.gpu.choosing import on_device
from outflank.gpu.compiling import device_kernel
from outflank.gpu.device import cuda
from outflank.gpu.evaluations import placed
from outflank.kernels.bits import U64
from outflank.kernels.compiler import inner
from outflank.machine import DeviceUsed
from outflank.search.batches import Batch, choose, credit, withdraw
from outflank.search.division import Scheme
from outflank.search.montecarlo import LONGEST, OnePlayer, mixed, play_out, seedling
from outflank.search.results import WorkerStatistics
from outflank.search.root import Root

THREADS = 128

MOST_BLOCKS = 1 << 12

FEW, MANY, MOST = 64, 256, 4096
"""Moves that a thread has room for in its own memory: as few as the game allows."""

GAMES = 1 << 19
"""Games of a batch, at most: some hundredths of a second at most, in which nothing is heard of a search."""

LEAVES = 1 << 12
"""Leaves of a tree that are chosen at once, at most."""

GAMES_PER_LEAF = 32
"""Those of a tree's leaf are played by threads that take each step together."""

GROWTH = 4
"""A batch has as many games as a tree has had, divided by this: it would else be chosen by what is not known yet."""

POLICY = np.dtype(
    [("sorting", np.int64), ("staged", np.int64), ("weights", np.int64, (STAGES, FEATURES))],
    align=True,
)
"""What `play_out` reads of a worker's record."""


class DevicePlayer:
    """One tree, whose games a device plays; if it is lost, and the CPU may go on, that plays from where the tree is."""

    def __init__(self, root: Root) -> None:
        self.root = root
        self.device: DeviceUsed = "gpu"
        self._here: OnePlayer | None = None
        """Who goes on."""
        tree, self._used = seedling(root)
        self.trees = [tree]
        self._flat = root.options.algorithm == "flat"
        self._games = Games(root)
        self._batches = [Batch(LEAVES), Batch(LEAVES)]
        self._chosen: _Chosen | None = None
        """The leaves from which the device plays now."""
        self._owed: list[tuple[Batch, int, int]] = []
        """Leaves that count as lost until their results are there, how many, and the games from each; the oldest
        first."""

    def play(self, games: int) -> None:
        """Play about so many games, or until stopped."""
        if self._here is None:
            on_device(self.root.options.device, lambda: self._play(games), lambda: self._go_on(games))
        else:
            self._here.play(games)

    def _go_on(self, games: int) -> None:
        self.device = "gpu+cpu" if self.root.worker.leaves else "cpu"
        self._here = OnePlayer(self.root, (self.trees[0], self._used))
        self._here.play(games)

    def _play(self, games: int) -> None:
        try:
            self._play_there(games)
        except Exception:
            for batch, leaves, each in self._owed:
                withdraw(self.trees[0], leaves, each, batch.paths, batch.lengths)
            self._owed.clear()
            self._chosen = None
            raise

    def _play_there(self, games: int) -> None:
        play = self._play_flat if self._flat else self._play_tree
        if games == 0:
            play(0)  # compiles
        while games > 0 and not self.root.bell.stop:
            games -= play(min(games, self._wanted()))
            if self.root.worker.nodes >= self.root.bell.node_limit:
                self.root.stop()
        self._credit()

    def _wanted(self) -> int:
        """Games of the next batch, at most: those that the limit of nodes leaves room for."""
        worker, under_way = self.root.worker, 0 if self._chosen is None else self._chosen.leaves * self._chosen.each
        usual = worker.nodes / worker.leaves if worker.leaves else LONGEST
        left = self.root.bell.node_limit - worker.nodes - under_way * usual
        return max(1, min(GAMES, int(left / usual)))

    def _play_flat(self, games: int) -> int:
        """As many after each move; how many that were."""
        tree, moves = self.trees[0], self.root.moves
        each = 0 if games == 0 else max(1, games // len(moves))
        words = np.array([pack(self.root.game, move.child) for move in moves], np.uint64).reshape(-1, 2)
        results = -self._results(self._games.begin(words, each))
        tree["visits"][1 : len(moves) + 1] += each
        tree["won"][1 : len(moves) + 1] += results
        tree["visits"][0] += each * len(moves)
        tree["won"][0] -= results.sum()
        return each * len(moves)

    def _play_tree(self, games: int) -> int:
        """From some leaves of the tree; the next ones are chosen meanwhile."""
        root, tree = self.root, self.trees[0]
        each = min(GAMES_PER_LEAF, games)
        most = min(games, int(tree[0]["visits"]) // GROWTH)
        leaves = 0 if games == 0 else max(1, min(LEAVES, most // each))
        self._batches.reverse()
        batch = self._batches[0]
        ways = (batch.paths, batch.lengths, batch.words)
        self._used = choose(root.game, tree, self._used, leaves, each, root.worker, *ways)
        self._owed.append((batch, leaves, each))
        begun = self._games.begin(batch.words[:leaves], each)
        self._credit()
        self._chosen = _Chosen(batch, leaves, each, begun)
        return leaves * each

    def _credit(self) -> None:
        """Wait for what the device plays, and let the tree have its results."""
        if self._chosen is not None:
            batch, leaves, each, begun = self._chosen
            self._chosen = None
            credit(self.trees[0], leaves, each, self._results(begun), batch.paths, batch.lengths)
            self._owed.pop(0)

    def _results(self, begun: "Begun") -> Any:
        results, positions = begun.wait()
        self.root.worker.nodes += positions
        self.root.worker.leaves += begun.games
        return results

    def statistics(self) -> tuple[WorkerStatistics, ...]:
        """What the device has done."""
        return (WorkerStatistics(nodes=int(self.root.worker.nodes)),)


class Games:
    """Games of one search on a device, numbered as they are played."""

    def __init__(self, root: Root) -> None:
        self._kernel = _kernel_for(root.game)
        self._game = root.game
        self._evaluation = placed(root.evaluation)
        policy = np.zeros(1, POLICY)
        for name in POLICY.names or ():
            policy[name] = root.worker[name]
        self._policy = cuda.to_device(policy)
        self._key = np.uint64(root.options.seed * 0x9E3779B97F4A7C15 % 2**64)
        self._next = 0
        self._streams = [cuda.stream(), cuda.stream()]

    def begin(self, words: Any, each: int) -> "Begun":
        """Play so many games from each of some positions; two that are begun wait for nothing of each other's."""
        games = len(words) * each
        blocks = max(1, min(MOST_BLOCKS, -(-games // THREADS)))
        self._streams.reverse()
        stream = self._streams[0]
        # A device has no arrays without elements.
        places = np.ascontiguousarray(words) if len(words) else np.zeros((1, 2), np.uint64)
        sums = cuda.to_device(np.zeros(max(len(words), 1) + 1, np.int64), stream=stream)
        asked = (cuda.to_device(places, stream=stream), np.int64(games), np.int64(max(each, 1)))
        lots = (self._key, np.uint64(self._next))
        self._kernel[blocks, THREADS, stream](
            self._game, self._evaluation.evaluation, self._policy, *asked, *lots, sums
        )
        self._next += games
        return Begun(games, len(words), sums, stream)


class Begun(NamedTuple):
    """Games that the device plays."""

    games: int
    places: int
    sums: Any
    stream: Any

    def wait(self) -> tuple[Any, int]:
        """For each position the sum of the results, for the side to move; and how many positions all games had."""
        found = self.sums.copy_to_host(stream=self.stream)
        self.stream.synchronize()
        return found[1 : self.places + 1], int(found[0])


class _Chosen(NamedTuple):
    """Leaves from which the device plays."""

    batch: Batch
    leaves: int
    each: int
    begun: Begun


def _kernel_for(game: Any) -> Any:
    """The kernel whose threads have room for the moves of any position."""
    for room, kernel in ((FEW, _play_few), (MANY, _play_many), (MOST, _play_most)):
        if most_moves(game) <= room:
            return kernel
    raise InvalidOption(f"device gpu: a thread has room for {MOST} moves, and this game for {most_moves(game)}")


def _divided(root: Root, workers: int) -> Any:
    return on_device(root.options.device, lambda: DevicePlayer(root), lambda: OnePlayer(root))


ON_GPU = Scheme(
    name="gpu",
    carries=("uct", "flat"),
    promises="value move nodes, for a seed: other games than a CPU's are played",
    costs="games from leaves that were chosen before the results of others were known",
    divide=_divided,
)


# --- on the device ---


@inner
def _play_games(game, evaluation, policies, words, games, each, key, first, sums, moves, random):
    """Play games number `first` and on, `each` from one position after the other."""
    positions = np.int64(0)
    for number in range(cuda.grid(1), games, cuda.gridsize(1)):
        place = number // each
        random[0] = mixed(mixed(key) ^ (first + U64(number)))
        position = unpack(game, words[place, 0], words[place, 1])
        result, entered = play_out(game, evaluation, position, policies[0], moves, random)
        cuda.atomic.add(sums, 1 + place, np.int64(result))
        positions += entered
    cuda.atomic.add(sums, 0, positions)


@device_kernel
def _play_few(game, evaluation, policies, words, games, each, key, first, sums):
    moves = cuda.local.array(FEW, MOVE)
    random = cuda.local.array(1, np.uint64)
    _play_games(game, evaluation, policies, words, games, each, key, first, sums, moves, random)


@device_kernel
def _play_many(game, evaluation, policies, words, games, each, key, first, sums):
    moves = cuda.local.array(MANY, MOVE)
    random = cuda.local.array(1, np.uint64)
    _play_games(game, evaluation, policies, words, games, each, key, first, sums, moves, random)


@device_kernel
def _play_most(game, evaluation, policies, words, games, each, key, first, sums):
    moves = cuda.local.array(MOST, MOVE)
    random = cuda.local.array(1, np.uint64)
    _play_games(game, evaluation, policies, words, games, each, key, first, sums, moves, random)
