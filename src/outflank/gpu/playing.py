"""Playouts of Monte-Carlo searches on a GPU, many at a time, with the policy of `search/montecarlo.py`.

The algorithm `flat` makes the same number of playouts after every move of the root. `uct` keeps its tree on the CPU,
which selects leaves in batches (`search/leaf_batches.py`). Meanwhile the GPU makes several playouts from each leaf of
the last batch. The random numbers of a playout depend only on the seed and on the playout's number, and results are
sums of integers. So a search is reproducible for any number of threads.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from outflank.errors import InvalidOption
from outflank.games.evaluation import Evaluation
from outflank.games.hints import FEATURES, STAGES
from outflank.games.pattern_sets import loaded
from outflank.games.patterns import Patterns
from outflank.games.rules import MOVE, Game, most_moves, pack, unpack
from outflank.gpu.choosing import on_device
from outflank.gpu.compiling import DeviceKernel, device_kernel
from outflank.gpu.device import DeviceArray, cuda
from outflank.gpu.positions import Words
from outflank.kernels.bits import U64
from outflank.kernels.compiler import inner
from outflank.machine import DeviceUsed
from outflank.search.division import Promise, Scheme
from outflank.search.leaf_batches import Batch, tally
from outflank.search.montecarlo import FIRST_GAMES, LONGEST, OnePlayer, mixed, new_tree, playout
from outflank.search.results import WorkerStatistics
from outflank.search.root import Root


class PlacedEvaluation(NamedTuple):
    """An evaluation for use on the GPU, with its arrays in the GPU's memory."""

    evaluation: Evaluation
    memory: list[DeviceArray]
    """Arrays on the GPU that the evaluation refers to. The caller must keep them alive."""


def place_on_device(evaluation: Evaluation) -> PlacedEvaluation:
    """Return `evaluation` for use on the GPU. The weights of `Patterns` are copied to the GPU's memory."""
    memory: list[DeviceArray] = []

    def device_address(array: npt.NDArray[np.generic]) -> int:
        memory.append(cuda.to_device(array))
        interface = getattr(memory[-1], "__cuda_array_interface__", None)
        return int((interface or memory[-1].__array_interface__)["data"][0])  # the simulator has only the second

    return PlacedEvaluation(
        loaded(evaluation).place_with(device_address) if isinstance(evaluation, Patterns) else evaluation, memory
    )


THREADS = 128

MOST_BLOCKS = 1 << 12

FEW, MANY, MOST = 64, 256, 4096
"""Possible capacities of a thread's list of moves. The smallest one that suffices for any position is used."""

GAMES = 1 << 19
"""Greatest number of playouts in a batch. A batch takes some hundredths of a second, and a stop waits for its end."""

LEAVES, WAYS = 1 << 12, 1 << 9
"""Greatest number of leaves that are selected for a batch of playouts, and of tree paths to them. Starting and
receiving a batch takes the CPU a third of a millisecond, in which it could select 250 paths in Othello. But the more
leaves a batch has, the older are the results by which they are selected."""

FEWEST_LEAVES = 1 << 8
"""Least number of tree leaves in a batch of playouts. A smaller batch takes just as long."""

GROWTH = 16
"""The next batch has about one playout for this many visits of the tree so far. The leaves of a larger batch would be
selected by too few results."""

GAMES_PER_LEAF = 8
"""Number of playouts from each leaf. In 0.15 seconds an H200 found a good move in 17 of 45 positions
(`search/leaf_batches.py`), and in 14 with 4 or 16 playouts. The difference is within chance."""

ROOM = 1 << 22
"""Greatest number of nodes of a search tree. They take 200 MB, and suffice for about a second of search in Othello."""

POLICY = np.dtype(
    [("sorting", np.int64), ("staged", np.int64), ("weights", np.int64, (STAGES, FEATURES))],
    align=True,
)
"""Type of a record with the fields of a `Worker` record that `playout` reads."""


class DevicePlayer:
    """A Monte-Carlo search of one tree with playouts on a GPU. If the GPU is lost, the CPU may continue the tree."""

    def __init__(self, root: Root) -> None:
        self.root = root
        self.device: DeviceUsed = "gpu"
        self._cpu_player: OnePlayer | None = None
        """The search that continues on the CPU; None while the GPU is used."""
        tree, self._used = new_tree(root, ROOM)
        self.trees = [tree]
        self._flat = root.options.algorithm == "flat"
        self.first_games = FIRST_GAMES if self._flat else LEAVES * GAMES_PER_LEAF // GROWTH
        self._games = Games(root)
        if not self._flat:
            leaves = LEAVES + most_moves(root.game)
            self._games.make_room(leaves, leaves * GAMES_PER_LEAF)
        self._batches = [Batch(root.game, WAYS, LEAVES), Batch(root.game, WAYS, LEAVES)]
        self._running: RunningGames | None = None
        """Playouts that run on the GPU now, from the leaves of the first batch in `_pending`."""
        self._pending: list[Batch] = []
        """Batches of leaves that have no results yet, the oldest first."""

    def play(self, games: int) -> None:
        """Make about `games` playouts, or fewer if the search is stopped."""
        if self._cpu_player is None:
            on_device(self.root.options.device, lambda: self._play(games), lambda: self._continue_on_cpu(games))
        else:
            self._cpu_player.play(games)

    def _continue_on_cpu(self, games: int) -> None:
        self.device = "gpu+cpu" if self.root.worker.leaves else "cpu"
        self._cpu_player = OnePlayer(self.root, (self.trees[0], self._used))
        self._cpu_player.play(games)

    def _play(self, games: int) -> None:
        try:
            self._play_on_gpu(games)
        except Exception:
            for batch in self._pending:
                batch.withdraw(self.trees[0])
            self._pending.clear()
            self._running = None
            raise

    def _play_on_gpu(self, games: int) -> None:
        play = self._play_flat if self._flat else self._play_tree
        if games == 0:
            play(0)  # to compile the kernel
        while games > 0 and not self.root.bell.stop:
            games -= play(min(games, self._next_games()))
            if self.root.worker.nodes >= self.root.bell.node_limit:
                self.root.stop()
        self._credit()

    def _next_games(self) -> int:
        """Return the greatest number of playouts in the next batch, within the search's limit on nodes."""
        worker, running_games = self.root.worker, 0 if self._running is None else self._running.games
        nodes_per_game = worker.nodes / worker.leaves if worker.leaves else LONGEST
        nodes_left = self.root.bell.node_limit - worker.nodes - running_games * nodes_per_game
        return max(1, min(GAMES, int(nodes_left / nodes_per_game)))

    def _play_flat(self, games: int) -> int:
        """Make the same number of playouts after each move of the root; return their total."""
        tree, moves = self.trees[0], self.root.moves
        games_each = 0 if games == 0 else max(1, games // len(moves))
        words = np.array([pack(self.root.game, move.child) for move in moves], np.uint64).reshape(-1, 2)
        results = -self._results(self._games.begin(words, games_each))
        tree["visits"][1 : len(moves) + 1] += games_each
        tree["won"][1 : len(moves) + 1] += results
        tree["visits"][0] += games_each * len(moves)
        tree["won"][0] -= results.sum()
        return games_each * len(moves)

    def _play_tree(self, games: int) -> int:
        """Select leaves while the last batch runs, and start playouts from them; return the number of playouts."""
        tree = self.trees[0]
        games_each = min(GAMES_PER_LEAF, games)
        leaves = 0
        if games:
            most_leaves = min(LEAVES, games // games_each)
            leaves = min(most_leaves, max(FEWEST_LEAVES, int(tree[0]["visits"]) // (games_each * GROWTH)))
        self._batches.reverse()
        batch = self._batches[0]
        self._used = batch.choose(tree, self._used, leaves, games_each, self.root.worker)
        self._pending.append(batch)
        running = self._games.begin(batch.words[: batch.leaves], games_each)
        self._credit()
        self._running = running
        return running.games

    def _credit(self) -> None:
        """Wait for the playouts on the GPU, and add their results to the tree."""
        if self._running is not None:
            running, self._running = self._running, None
            self._pending[0].credit(self.trees[0], self._results(running))
            self._pending.pop(0)

    def _results(self, running: "RunningGames") -> npt.NDArray[np.int64]:
        results, positions = running.wait()
        self.root.worker.nodes += positions
        self.root.worker.leaves += running.games
        return results

    def statistics(self) -> tuple[WorkerStatistics, ...]:
        """Return the statistics of the GPU, which counts as one worker."""
        return (WorkerStatistics(nodes=int(self.root.worker.nodes)),)


class Games:
    """Makes the playouts of one search on a GPU, and numbers them in order."""

    def __init__(self, root: Root) -> None:
        self._kernel = _kernel_for(root.game)
        self._game = root.game
        self._evaluation = place_on_device(root.evaluation)
        policy = np.zeros(1, POLICY)
        for name in POLICY.names or ():
            policy[name] = root.worker[name]
        self._policy = cuda.to_device(policy)
        self._key = np.uint64(root.options.seed * 0x9E3779B97F4A7C15 % 2**64)
        self._next = 0
        self._buffers = [_Buffers(), _Buffers()]

    def make_room(self, positions: int, games: int) -> None:
        """Allocate memory for batches of this size. Call it before time is measured, because it takes a millisecond."""
        for buffers in self._buffers:
            buffers.make_room(positions, games)

    def begin(self, words: Words, games_each: int) -> "RunningGames":
        """Start `games_each` playouts from each position in `words`. Two batches can run at the same time."""
        games = len(words) * games_each
        # Few sizes are used, because Numba caches launch configurations, and is slow to set up a new one.
        blocks = min(MOST_BLOCKS, _rounded(-(-games // THREADS)))
        self._buffers.reverse()
        buffers = self._buffers[0]
        buffers.make_room(len(words), games)
        buffers.words.host[: len(words)] = words
        batch = (buffers.words.device, np.int64(games), np.int64(max(games_each, 1)))
        random_key = (self._key, np.uint64(self._next))
        self._kernel[blocks, THREADS, buffers.stream](
            self._game,
            self._evaluation.evaluation,
            self._policy,
            *batch,
            *random_key,
            buffers.results.device,
            buffers.lengths.device,
        )
        self._next += games
        return RunningGames(games, len(words), games_each, buffers)


class RunningGames(NamedTuple):
    """A batch of playouts that runs on the GPU."""

    games: int
    positions: int
    games_each: int
    buffers: "_Buffers"

    def wait(self) -> tuple[npt.NDArray[np.int64], int]:
        """Wait for the playouts; return the sum of their results for the side to move of each start position, and the
        number of positions in all playouts."""
        self.buffers.stream.synchronize()
        sums = np.zeros(self.positions, np.int64)
        return sums, tally(self.buffers.results.host, self.buffers.lengths.host, self.positions, self.games_each, sums)


class _Shared(NamedTuple):
    """An array in memory that the GPU and the CPU share, so that nothing is copied."""

    device: DeviceArray
    host: npt.NDArray[Any]


def _shared(shape: int | tuple[int, ...], kind: type[np.generic]) -> _Shared:
    device = cuda.mapped_array(shape, kind)
    return _Shared(device, np.asarray(device))


class _Buffers:
    """The memory of a batch of playouts: start positions, and the result and the number of positions of every playout.

    The memory is shared with the GPU. Copying it took three quarters of a millisecond for each batch, several times as
    long as a playout: half of a search of 0.15 seconds had passed before the batches were large.
    """

    def __init__(self) -> None:
        self.stream = cuda.stream()
        self.words = self.results = self.lengths = _Shared(None, np.zeros(0))

    def make_room(self, positions: int, games: int) -> None:
        """Allocate memory for this many positions and playouts, at least one: a GPU has no empty arrays."""
        if len(self.words.host) < max(positions, 1):
            self.words = _shared((_rounded(positions), 2), np.uint64)
        if len(self.results.host) < max(games, 1):
            self.results, self.lengths = (_shared(_rounded(games), np.int16) for _ in range(2))


def _rounded(size: int) -> int:
    """Return the least power of two that is at least `size`."""
    return 1 << max(size - 1, 0).bit_length()


def _kernel_for(game: Game) -> DeviceKernel:
    """Return the playout kernel with the smallest list that can hold all moves of any position of the game."""
    for room, kernel in ((FEW, _play_few), (MANY, _play_many), (MOST, _play_most)):
        if most_moves(game) <= room:
            return kernel
    raise InvalidOption(f"device gpu: a thread has room for {MOST} moves, and this game for {most_moves(game)}")


def _divide(root: Root, workers: int) -> object:
    return on_device(root.options.device, lambda: DevicePlayer(root), lambda: OnePlayer(root))


ON_GPU = Scheme(
    name="gpu",
    algorithms=("uct", "flat"),
    promises=Promise.VALUE | Promise.MOVE | Promise.NODES,
    promises_note="for a seed; a CPU plays other games",
    overhead="games from leaves that were chosen before the results of others were known",
    divide=_divide,
)


# --- on the device ---


@inner
def _play_games(game, evaluation, policies, words, games, games_each, key, first, results, lengths, moves, random):
    """Make `games` playouts, `games_each` from each position in `words`; their numbers begin with `first`."""
    for number in range(cuda.grid(1), games, cuda.gridsize(1)):
        place = number // games_each
        random[0] = mixed(mixed(key) ^ (first + U64(number)))
        position = unpack(game, words[place, 0], words[place, 1])
        results[number], lengths[number] = playout(game, evaluation, position, policies[0], moves, random)


@device_kernel
def _play_few(game, evaluation, policies, words, games, games_each, key, first, results, lengths):
    moves = cuda.local.array(FEW, MOVE)
    random = cuda.local.array(1, np.uint64)
    _play_games(game, evaluation, policies, words, games, games_each, key, first, results, lengths, moves, random)


@device_kernel
def _play_many(game, evaluation, policies, words, games, games_each, key, first, results, lengths):
    moves = cuda.local.array(MANY, MOVE)
    random = cuda.local.array(1, np.uint64)
    _play_games(game, evaluation, policies, words, games, games_each, key, first, results, lengths, moves, random)


@device_kernel
def _play_most(game, evaluation, policies, words, games, games_each, key, first, results, lengths):
    moves = cuda.local.array(MOST, MOVE)
    random = cuda.local.array(1, np.uint64)
    _play_games(game, evaluation, policies, words, games, games_each, key, first, results, lengths, moves, random)
