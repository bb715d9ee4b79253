"""perft (counting the leaves of a game tree) on a GPU, one level of the tree at a time.

A CPU searches one line of moves after another. Threads of a GPU run in groups, and wait for each other if they execute
different code. Threads that searched different lines would wait often; threads that play moves of the same level do
not. So a level is a list of positions. All moves of these positions are listed, and each thread plays one move and
counts the moves that follow. The moves of the last ply are counted, never played. A level that exceeds the memory is
divided into portions. One portion is counted down to its leaves before the next one begins, so that memory is bounded
at any depth.
"""

import time
from collections.abc import Callable
from typing import Annotated, Any, NamedTuple

import numpy as np

from outflank.boards import Board
from outflank.errors import keep_partial_result
from outflank.games.rules import MOVE, Game, Position, count, fill, most_moves, pack, play, unpack
from outflank.gpu.compiling import device_kernel
from outflank.gpu.device import DeviceArray, check_device, cuda
from outflank.gpu.troubles import translate_cuda_errors
from outflank.kernels.compiler import inner
from outflank.search.perft import Perft, checked_depth, moves_of
from outflank.validation.values import Between, conform

THREADS = 256
"""Threads per block."""

MOST_THREADS = 1024
"""Greatest number of threads per block."""

ROOM = 1 << 25
"""Greatest number of moves that are listed at once. This many keep all threads of a GPU busy for milliseconds."""

SHARE_OF_MEMORY = 0.5
"""Greatest fraction of the GPU's free memory that one `perft` takes."""

FILLED = 0.9
"""Fraction of the list of moves that a portion should fill; below 1, because only the mean number of moves is known."""

PARTS = 1000
"""The `total` in calls of `progress(done, total)`."""


class _Level(NamedTuple):
    """Positions at the same distance from the root, in the GPU's memory. Finished games are not among them."""

    words: DeviceArray
    """The positions, packed into two words each."""
    roots: DeviceArray
    """Index of the root's move that leads to each position."""
    numbers: DeviceArray
    """Number of moves of each position."""
    length: int
    """Number of positions. The arrays may have unused elements after them."""
    moves: int
    """Total number of moves in all positions of this level."""


@translate_cuda_errors()
def perft(
    board: Board,
    depth: int,
    *,
    finished: bool = True,
    progress: Callable[[int, int], None] | None = None,
    room: int | None = None,
    threads: int = THREADS,
) -> Perft:
    """Count the leaves of a game tree on a GPU, with the same result as `outflank.perft`.

    `progress(done, total)` is called with the part of the tree that has been counted, in thousandths. Ctrl-C raises
    `KeyboardInterrupt`, and the loss of the GPU raises `DeviceLost`. The attribute `partial_result` of either exception
    is a `Perft` with the leaves counted so far. `room` is the number of moves that are listed at once, by default as
    many as the GPU has memory for. `threads` is the number of threads per block, 1024 at most.
    """
    depth = checked_depth(board, depth, progress)
    threads = conform(Annotated[int, Between(1, MOST_THREADS)], threads, "threads")
    room = conform(Annotated[int, Between(1)] | None, room, "room")
    check_device()
    game, position, ended = board.game, board.position, int(finished)
    roots = moves_of(game, position)
    if depth == 0 or not roots:
        return Perft(leaves=1 if depth == 0 else ended, seconds=0.0, workers=1, divide={}, device="gpu")
    counting = _Counting(game, ended, len(roots), _room(depth) if room is None else room, threads, progress)
    if depth > 2:
        counting.compile(position)
    started = time.perf_counter()

    def result() -> Perft:
        leaf_counts = counting.known_leaves()
        seconds = time.perf_counter() - started
        divide = {board.move(code): leaves for code, leaves in zip(roots, leaf_counts, strict=True)}
        return Perft(leaves=sum(leaf_counts), seconds=seconds, workers=1, divide=divide, device="gpu")

    with keep_partial_result(result), translate_cuda_errors():
        counting.count([play(game, position, MOVE(code)) for code in roots], depth - 1)
    return result()


def _room(depth: int) -> int:
    """Return the number of moves that can be listed at once in the GPU's memory, beside the levels of all plies."""
    bytes_per_move = 6 + 20 * max(depth - 2, 1)
    free = getattr(cuda.current_context(), "get_memory_info", lambda: (1 << 30, 0))()[0]
    return max(1 << 16, int(min(ROOM, SHARE_OF_MEMORY * free / bytes_per_move)))


class _Counting:
    """The state of one `perft`: the number of leaves after each move of the root, and the GPU's list of moves."""

    def __init__(self, game: Game, ended: int, roots: int, room: int, threads: int, progress: Any) -> None:
        self._game, self._ended, self._threads, self._progress = game, ended, threads, progress
        self._host_sums = np.zeros(roots, np.int64)
        self._last_sums = np.zeros_like(self._host_sums)
        """Latest copy of the GPU's leaf counts, which remains if the GPU is lost."""
        self._sums = cuda.to_device(self._host_sums)
        self._room = max(room, most_moves(game))
        self._parents = cuda.device_array(self._room, np.int32)
        self._moves = cuda.device_array(self._room, MOVE)
        self._done = 0.0

    def known_leaves(self) -> list[int]:
        """Return the number of leaves counted so far after each move of the root."""
        return [int(leaves) for leaves in self._host_sums + self._last_sums]

    def compile(self, position: Position) -> None:
        """Compile the kernels, by running them on empty lists."""
        level = self._level([position])
        listed = self._list(level, 0, 0)
        self._count(level, listed)
        self._play(level, listed)
        cuda.synchronize()

    def count(self, positions: list[Position], depth: int) -> None:
        """Count the leaves `depth` plies below `positions`, the positions after the root's moves."""
        if depth == 0:
            self._host_sums += 1
            return
        numbers = [int(count(self._game, position)) for position in positions]
        for root, number in enumerate(numbers):
            if number == 0 or depth == 1:
                self._host_sums[root] += number or self._ended
        unfinished = [root for root, number in enumerate(numbers) if number > 0]
        if depth > 1 and unfinished:
            self._descend(self._level([positions[root] for root in unfinished], unfinished), depth, 1.0)

    def _level(self, positions: list[Position], roots: list[int] | None = None) -> _Level:
        words = np.array([pack(self._game, position) for position in positions], np.uint64).reshape(-1, 2)
        numbers = np.array([count(self._game, position) for position in positions], np.int32)
        root_indices = np.array(range(len(positions)) if roots is None else roots, MOVE)
        to_device = cuda.to_device
        return _Level(to_device(words), to_device(root_indices), to_device(numbers), len(positions), int(numbers.sum()))

    def _descend(self, level: _Level, depth: int, share: float) -> None:
        """Count the leaves `depth` plies below `level`; `share` is the level's fraction of the tree, to report
        progress."""
        start, step = 0, level.length
        if level.moves > self._room:
            step = max(1, int(FILLED * self._room * level.length / level.moves))
        while start < level.length:
            end = min(start + step, level.length)
            listed = self._list(level, start, end)
            if listed > self._room:  # the list was too short for all moves
                step = max(1, step // 2)
                continue
            part = share * (end - start) / level.length
            if depth == 2:
                self._count(level, listed)
                self._report(part)
            else:
                below = self._play(level, listed)
                if below.length == 0:
                    self._report(part)
                else:
                    self._descend(below, depth - 1, part)
            start = end

    def _report(self, part: float) -> None:
        # This copies a few numbers per portion of millions of moves. The CPU waits for the end of a portion anyway.
        self._last_sums = self._sums.copy_to_host()
        self._done += part
        if self._progress is not None:
            self._progress(min(PARTS, round(PARTS * self._done)), PARTS)

    # --- launches ---

    def _blocks(self, lanes: int) -> int:
        return max(1, -(-lanes // self._threads))

    def _list(self, level: _Level, start: int, end: int) -> int:
        """List the moves of positions `start` to `end` of a level; return their number, which may exceed `room`."""
        listed = cuda.to_device(np.zeros(2, np.int64))
        launch = _list_moves[self._blocks(end - start), self._threads]
        launch(
            self._game, level.words, level.numbers, np.int64(start), np.int64(end), self._parents, self._moves, listed
        )
        return int(listed.copy_to_host()[0])

    def _count(self, level: _Level, listed: int) -> None:
        """Add the number of leaves after each listed move of a level to the count of its root move."""
        launch = _count_leaves[self._blocks(listed), self._threads]
        launch(
            self._game, level.words, level.roots, self._parents, self._moves, np.int64(listed), self._ended, self._sums
        )

    def _play(self, level: _Level, listed: int) -> _Level:
        """Return the next level: the positions after the listed moves of a level."""
        room = max(listed, 1)
        words, roots = cuda.device_array((room, 2), np.uint64), cuda.device_array(room, MOVE)
        numbers, totals = cuda.device_array(room, np.int32), cuda.to_device(np.zeros(2, np.int64))
        launch = _play_moves[self._blocks(listed), self._threads]
        parents = (level.words, level.roots, self._parents, self._moves, np.int64(listed))
        launch(self._game, *parents, self._ended, self._sums, words, roots, numbers, totals)
        length, moves = map(int, totals.copy_to_host())
        return _Level(words, roots, numbers, length, moves)


# --- on the device ---


@inner
def _reserve(size, extra, counts):
    """Reserve `size` elements for this thread in an array that all threads share; return the index of the first.
    `extra` is added to a second counter.

    Within a block, the elements are in the order of the threads. If they were in the order of requests, the positions
    below one root move would be scattered, and neighbouring threads would add to different sums, which takes three
    times as long.
    """
    lane = cuda.threadIdx.x
    ends = cuda.shared.array(MOST_THREADS, np.int32)
    extra_sum = cuda.shared.array(1, np.int32)
    first = cuda.shared.array(1, np.int64)
    ends[lane] = size
    if lane == 0:
        extra_sum[0] = 0
    cuda.syncthreads()
    cuda.atomic.add(extra_sum, 0, extra)
    reach = 1
    while reach < cuda.blockDim.x:
        before = ends[lane - reach] if lane >= reach else np.int32(0)
        cuda.syncthreads()
        ends[lane] += before
        cuda.syncthreads()
        reach *= 2
    if lane == cuda.blockDim.x - 1:
        first[0] = cuda.atomic.add(counts, 0, np.int64(ends[lane]))
        cuda.atomic.add(counts, 1, np.int64(extra_sum[0]))
    cuda.syncthreads()
    return first[0] + ends[lane] - size


@device_kernel
def _list_moves(game, words, numbers, first, end, parents, moves, listed):
    """Write the moves of positions `first` to `end` to `moves`, and the index of each move's position to `parents`."""
    index = first + cuda.grid(1)
    number = np.int32(0)
    if index < end:
        number = numbers[index]
    start = _reserve(number, np.int32(0), listed)
    if number > 0 and start + number <= len(moves):
        fill(game, unpack(game, words[index, 0], words[index, 1]), moves, start)
        for place in range(start, start + number):
            parents[place] = index


@device_kernel
def _count_leaves(game, words, roots, parents, moves, listed, ended, sums):
    """Add the number of leaves after each listed move to the sum of its root move."""
    block = cuda.shared.array(2, np.int32)
    index = cuda.grid(1)
    root, leaves = np.int32(0), np.int32(0)
    if index < listed:
        parent = parents[index]
        root = np.int32(roots[parent])
        child = play(game, unpack(game, words[parent, 0], words[parent, 1]), moves[index])
        leaves = np.int32(count(game, child)) or np.int32(ended)
    # A block adds to the shared sums about once, because most of its threads count leaves of the same root move.
    if cuda.threadIdx.x == 0:
        block[0], block[1] = root, 0
    cuda.syncthreads()
    if root == block[0]:
        cuda.atomic.add(block, 1, leaves)
    else:
        cuda.atomic.add(sums, root, np.int64(leaves))
    cuda.syncthreads()
    if cuda.threadIdx.x == 0:
        cuda.atomic.add(sums, block[0], np.int64(block[1]))


@device_kernel
def _play_moves(game, words, roots, parents, moves, listed, ended, sums, next_words, next_roots, next_numbers, totals):
    """Write the positions after the listed moves to `next_words`. Finished games are counted as leaves instead."""
    index = cuda.grid(1)
    number, parent = np.int32(0), np.int32(0)
    first, second = np.uint64(0), np.uint64(0)
    if index < listed:
        parent = parents[index]
        child = play(game, unpack(game, words[parent, 0], words[parent, 1]), moves[index])
        first, second = pack(game, child)
        number = np.int32(count(game, child))
        if number == 0:
            cuda.atomic.add(sums, np.int64(roots[parent]), np.int64(ended))
    place = _reserve(np.int32(number > 0), number, totals)
    if number > 0:
        next_words[place, 0], next_words[place, 1] = first, second
        next_roots[place], next_numbers[place] = roots[parent], number
