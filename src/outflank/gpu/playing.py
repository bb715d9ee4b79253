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
from outflank.search.batches import Batch, tally
from outflank.search.division import Promise, Scheme
from outflank.search.montecarlo import FIRST_GAMES, LONGEST, OnePlayer, mixed, new_tree, play_out
from outflank.search.results import WorkerStatistics
from outflank.search.root import Root

THREADS = 128

MOST_BLOCKS = 1 << 12

FEW, MANY, MOST = 64, 256, 4096
"""Moves that a thread has room for in its own memory: as few as the game allows."""

GAMES = 1 << 19
"""Games of a batch, at most: some hundredths of a second at most, in which nothing is heard of a search."""

LEAVES, WAYS = 1 << 12, 1 << 9
"""Leaves of a tree that are chosen at once, and ways to them, at most. To begin a batch and to hear of it takes the CPU
a third of a millisecond, in which it would choose 250 ways in Othello; what is chosen at once is chosen by older
results."""

FEWEST_LEAVES = 1 << 8
"""And at least: fewer are not played sooner."""

GROWTH = 16
"""A batch has as many leaves as a tree has had, divided by this: it would else be chosen by what is not known yet."""

GAMES_PER_LEAF = 8
"""In 45 positions (`search/batches.py`) an H200 found a good move in 17 at 0.15 seconds, with 4 or 16 games in 14: no
more than chance may do."""

ROOM = 1 << 22
"""Nodes of a tree, at most: so many are there after a second of Othello, and take 200 MB."""

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
        tree, self._used = new_tree(root, ROOM)
        self.trees = [tree]
        self._flat = root.options.algorithm == "flat"
        self.first_games = FIRST_GAMES if self._flat else LEAVES * GAMES_PER_LEAF // GROWTH
        self._games = Games(root)
        if not self._flat:
            leaves = LEAVES + most_moves(root.game)
            self._games.make_room(leaves, leaves * GAMES_PER_LEAF)
        self._batches = [Batch(root.game, WAYS, LEAVES), Batch(root.game, WAYS, LEAVES)]
        self._begun: Begun | None = None
        """What the device plays now, from the leaves of the batch that is owed first."""
        self._owed: list[Batch] = []
        """Whose results are not there yet; the oldest first."""

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
            for batch in self._owed:
                batch.withdraw(self.trees[0])
            self._owed.clear()
            self._begun = None
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
        worker, under_way = self.root.worker, 0 if self._begun is None else self._begun.games
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
        tree = self.trees[0]
        each = min(GAMES_PER_LEAF, games)
        leaves = 0
        if games:
            most = min(LEAVES, games // each)
            leaves = min(most, max(FEWEST_LEAVES, int(tree[0]["visits"]) // (each * GROWTH)))
        self._batches.reverse()
        batch = self._batches[0]
        self._used = batch.choose(tree, self._used, leaves, each, self.root.worker)
        self._owed.append(batch)
        begun = self._games.begin(batch.words[: batch.leaves], each)
        self._credit()
        self._begun = begun
        return begun.games

    def _credit(self) -> None:
        """Wait for what the device plays, and let the tree have its results."""
        if self._begun is not None:
            begun, self._begun = self._begun, None
            self._owed[0].credit(self.trees[0], self._results(begun))
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
        self._buffers = [_Buffers(), _Buffers()]

    def make_room(self, places: int, games: int) -> None:
        """Have room for batches of so many, before time counts: it takes a millisecond."""
        for buffers in self._buffers:
            buffers.make_room(places, games)

    def begin(self, words: Any, each: int) -> "Begun":
        """Play so many games from each of some positions; two that are begun wait for nothing of each other's."""
        games = len(words) * each
        # A few sizes only: Numba remembers how a kernel is launched, and is slow to make out another way.
        blocks = min(MOST_BLOCKS, _rounded(-(-games // THREADS)))
        self._buffers.reverse()
        buffers = self._buffers[0]
        buffers.make_room(len(words), games)
        buffers.words.here[: len(words)] = words
        asked = (buffers.words.there, np.int64(games), np.int64(max(each, 1)))
        lots = (self._key, np.uint64(self._next))
        self._kernel[blocks, THREADS, buffers.stream](
            self._game,
            self._evaluation.evaluation,
            self._policy,
            *asked,
            *lots,
            buffers.results.there,
            buffers.lengths.there,
        )
        self._next += games
        return Begun(games, len(words), each, buffers)


class Begun(NamedTuple):
    """Games that the device plays."""

    games: int
    places: int
    each: int
    buffers: "_Buffers"

    def wait(self) -> tuple[Any, int]:
        """For each position the sum of the results, for the side to move; and how many positions all games had."""
        self.buffers.stream.synchronize()
        sums = np.zeros(self.places, np.int64)
        return sums, tally(self.buffers.results.here, self.buffers.lengths.here, self.places, self.each, sums)


class _Shared(NamedTuple):
    """An array that a device and the CPU have in common: nothing is copied for either."""

    there: Any
    here: Any


def _shared(shape: Any, kind: Any) -> _Shared:
    there = cuda.mapped_array(shape, kind)
    return _Shared(there, np.asarray(there))


class _Buffers:
    """Where the positions of a batch lie, and the result of every game and how many positions it had.

    Arrays that were sent and fetched for each batch took three quarters of a millisecond, several times what a game
    takes: half of a search of 0.15 seconds had gone by before its batches were large.
    """

    def __init__(self) -> None:
        self.stream = cuda.stream()
        self.words = self.results = self.lengths = _Shared(None, np.zeros(0))

    def make_room(self, places: int, games: int) -> None:
        """See that so many places and games have room; a device has no arrays without elements."""
        if len(self.words.here) < max(places, 1):
            self.words = _shared((_rounded(places), 2), np.uint64)
        if len(self.results.here) < max(games, 1):
            self.results, self.lengths = (_shared(_rounded(games), np.int16) for _ in range(2))


def _rounded(size: int) -> int:
    """A power of two that is not less."""
    return 1 << max(size - 1, 0).bit_length()


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
    algorithms=("uct", "flat"),
    promises=Promise.VALUE | Promise.MOVE | Promise.NODES,
    promises_note="for a seed; a CPU plays other games",
    overhead="games from leaves that were chosen before the results of others were known",
    divide=_divided,
)


# --- on the device ---


@inner
def _play_games(game, evaluation, policies, words, games, each, key, first, results, lengths, moves, random):
    """Play games number `first` and on, `each` from one position after the other."""
    for number in range(cuda.grid(1), games, cuda.gridsize(1)):
        place = number // each
        random[0] = mixed(mixed(key) ^ (first + U64(number)))
        position = unpack(game, words[place, 0], words[place, 1])
        results[number], lengths[number] = play_out(game, evaluation, position, policies[0], moves, random)


@device_kernel
def _play_few(game, evaluation, policies, words, games, each, key, first, results, lengths):
    moves = cuda.local.array(FEW, MOVE)
    random = cuda.local.array(1, np.uint64)
    _play_games(game, evaluation, policies, words, games, each, key, first, results, lengths, moves, random)


@device_kernel
def _play_many(game, evaluation, policies, words, games, each, key, first, results, lengths):
    moves = cuda.local.array(MANY, MOVE)
    random = cuda.local.array(1, np.uint64)
    _play_games(game, evaluation, policies, words, games, each, key, first, results, lengths, moves, random)


@device_kernel
def _play_most(game, evaluation, policies, words, games, each, key, first, results, lengths):
    moves = cuda.local.array(MOST, MOVE)
    random = cuda.local.array(1, np.uint64)
    _play_games(game, evaluation, policies, words, games, each, key, first, results, lengths, moves, random)
