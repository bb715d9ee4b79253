"""perft on a GPU: the same rules, a level of the tree at a time.

A CPU goes down one line after the other. Threads of a GPU take their steps in groups, and wait for each other where
they differ: lines do, but all moves of a level are played alike. So a level is a list of positions; all their moves are
listed, and each thread plays one and counts what follows. The last ply is counted, never played. What a level would
need beyond its room is done in portions, each down to its leaves before the next: memory is bounded at any depth.
"""

import time
from collections.abc import Callable
from typing import Annotated, Any, NamedTuple

import numpy as np

from outflank.boards import Board
from outflank.games.rules import MOVE, count, fill, most_moves, pack, play, unpack
from outflank.gpu.compiling import device_kernel
from outflank.gpu.device import check_device, cuda
from outflank.gpu.troubles import DeviceTrouble, told_plainly
from outflank.kernels.compiler import inner
from outflank.kinds import Between
from outflank.schema import conform
from outflank.search.perft import Perft, checked_depth, moves_of

THREADS = 256
"""In a block."""

MOST_THREADS = 1024
"""A block has no more."""

ROOM = 1 << 25
"""Moves that are listed at once, at most: enough to keep every thread of a device busy for milliseconds."""

SHARE_OF_MEMORY = 0.5
"""How much of the device's free memory a count takes, at most."""

FILLED = 0.9
"""How much of its room a portion is meant to fill: of how many moves its positions have, only the mean is known."""

PARTS = 1000
"""Parts of the tree that `progress` is told of."""


class _Level(NamedTuple):
    """Positions that are as far from the root, on the device; in none of them the game is over."""

    words: Any
    """Two for each."""
    roots: Any
    """Which of the root's moves each is below."""
    numbers: Any
    """How many moves each has."""
    length: int
    """How many positions there are; the arrays may be longer."""
    moves: int
    """How many moves they have together."""


@told_plainly()
def perft(
    board: Board[Any],
    depth: int,
    *,
    finished: bool = True,
    progress: Callable[[int, int], None] | None = None,
    room: int | None = None,
    threads: int = THREADS,
) -> Perft:
    """Count the leaves of a game tree on a GPU: what `outflank.perft` counts, to the same numbers.

    `progress(done, total)` is told how much of the tree has been counted. Ctrl-C raises `KeyboardInterrupt`, the loss
    of the device `DeviceLost`; their attribute `found` is a `Perft` of the portions that were counted. `room` is how
    many moves are listed at once; None: as many as the device has memory for. A block of its threads has `threads`,
    1024 at most.
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
        found = counting.found()
        seconds = time.perf_counter() - started
        divide = {board.move(code): leaves for code, leaves in zip(roots, found, strict=True)}
        return Perft(leaves=sum(found), seconds=seconds, workers=1, divide=divide, device="gpu")

    try:
        with told_plainly():
            counting.count([play(game, position, MOVE(code)) for code in roots], depth - 1)
    except (KeyboardInterrupt, DeviceTrouble) as ended:
        ended.found = result()  # type: ignore[union-attr]  # as on a CPU
        raise
    return result()


def _room(depth: int) -> int:
    """As much as the device has memory for: the listed moves, and a level for each ply."""
    each = 6 + 20 * max(depth - 2, 1)
    free = getattr(cuda.current_context(), "get_memory_info", lambda: (1 << 30, 0))()[0]
    return max(1 << 16, int(min(ROOM, SHARE_OF_MEMORY * free / each)))


class _Counting:
    """One count: the sums on the device, and the moves that are listed there."""

    def __init__(self, game: Any, ended: int, roots: int, room: int, threads: int, progress: Any) -> None:
        self._game, self._ended, self._threads, self._progress = game, ended, threads, progress
        self._here = np.zeros(roots, np.int64)
        self._known = np.zeros_like(self._here)
        """What the device had counted when it was last asked: its sums are lost with it."""
        self._sums = cuda.to_device(self._here)
        self._room = max(room, most_moves(game))
        self._parents = cuda.device_array(self._room, np.int32)
        self._moves = cuda.device_array(self._room, MOVE)
        self._done = 0.0

    def found(self) -> list[int]:
        """The leaves below each of the root's moves, as far as it was told that they are counted."""
        return [int(each) for each in self._here + self._known]

    def compile(self, position: Any) -> None:
        """Compile what will be needed, by a count of nothing."""
        level = self._level([position])
        listed = self._list(level, 0, 0)
        self._count(level, listed)
        self._play(level, listed)
        cuda.synchronize()

    def count(self, positions: list[Any], depth: int) -> None:
        """Count what is so many plies below positions, one for each of the root's moves."""
        if depth == 0:
            self._here += 1
            return
        numbers = [int(count(self._game, position)) for position in positions]
        for root, number in enumerate(numbers):
            if number == 0 or depth == 1:
                self._here[root] += number or self._ended
        going = [root for root, number in enumerate(numbers) if number > 0]
        if depth > 1 and going:
            self._descend(self._level([positions[root] for root in going], going), depth, 1.0)

    def _level(self, positions: list[Any], roots: list[int] | None = None) -> _Level:
        words = np.array([pack(self._game, position) for position in positions], np.uint64).reshape(-1, 2)
        numbers = np.array([count(self._game, position) for position in positions], np.int32)
        below = np.array(range(len(positions)) if roots is None else roots, MOVE)
        put = cuda.to_device
        return _Level(put(words), put(below), put(numbers), len(positions), int(numbers.sum()))

    def _descend(self, level: _Level, depth: int, share: float) -> None:
        """Count what is `depth` plies below a level, which is such a share of the tree."""
        start, step = 0, level.length
        if level.moves > self._room:
            step = max(1, int(FILLED * self._room * level.length / level.moves))
        while start < level.length:
            end = min(start + step, level.length)
            listed = self._list(level, start, end)
            if listed > self._room:  # some were not written
                step = max(1, step // 2)
                continue
            part = share * (end - start) / level.length
            if depth == 2:
                self._count(level, listed)
                self._tell(part)
            else:
                below = self._play(level, listed)
                if below.length == 0:
                    self._tell(part)
                else:
                    self._descend(below, depth - 1, part)
            start = end

    def _tell(self, part: float) -> None:
        # Some numbers for a portion of millions of moves, which is waited for anyway before the next is listed.
        self._known = self._sums.copy_to_host()
        self._done += part
        if self._progress is not None:
            self._progress(min(PARTS, round(PARTS * self._done)), PARTS)

    # --- launches ---

    def _blocks(self, lanes: int) -> int:
        return max(1, -(-lanes // self._threads))

    def _list(self, level: _Level, start: int, end: int) -> int:
        """List the moves of a part of a level; how many there are, which may be more than there is room for."""
        listed = cuda.to_device(np.zeros(2, np.int64))
        launch = _list_moves[self._blocks(end - start), self._threads]
        launch(
            self._game, level.words, level.numbers, np.int64(start), np.int64(end), self._parents, self._moves, listed
        )
        return int(listed.copy_to_host()[0])

    def _count(self, level: _Level, listed: int) -> None:
        """Add up the leaves that follow the listed moves of a level."""
        launch = _count_leaves[self._blocks(listed), self._threads]
        launch(
            self._game, level.words, level.roots, self._parents, self._moves, np.int64(listed), self._ended, self._sums
        )

    def _play(self, level: _Level, listed: int) -> _Level:
        """The level that the listed moves of a level lead to."""
        room = max(listed, 1)
        words, roots = cuda.device_array((room, 2), np.uint64), cuda.device_array(room, MOVE)
        numbers, kept = cuda.device_array(room, np.int32), cuda.to_device(np.zeros(2, np.int64))
        launch = _play_moves[self._blocks(listed), self._threads]
        above = (level.words, level.roots, self._parents, self._moves, np.int64(listed))
        launch(self._game, *above, self._ended, self._sums, words, roots, numbers, kept)
        length, moves = map(int, kept.copy_to_host())
        return _Level(words, roots, numbers, length, moves)


# --- on the device ---


@inner
def _reserved(wanted, also, counts):
    """Where the places begin that a thread gets of those that all share: as many as it wants. What it counts `also` is
    added up beside them.

    Places of a block are in the order of its threads. First come, first served would deal what is below one move of the
    root to all places, and neighbours would add to different sums: a third of the speed.
    """
    lane = cuda.threadIdx.x
    ends = cuda.shared.array(MOST_THREADS, np.int32)
    others = cuda.shared.array(1, np.int32)
    first = cuda.shared.array(1, np.int64)
    ends[lane] = wanted
    if lane == 0:
        others[0] = 0
    cuda.syncthreads()
    cuda.atomic.add(others, 0, also)
    reach = 1
    while reach < cuda.blockDim.x:
        before = ends[lane - reach] if lane >= reach else np.int32(0)
        cuda.syncthreads()
        ends[lane] += before
        cuda.syncthreads()
        reach *= 2
    if lane == cuda.blockDim.x - 1:
        first[0] = cuda.atomic.add(counts, 0, np.int64(ends[lane]))
        cuda.atomic.add(counts, 1, np.int64(others[0]))
    cuda.syncthreads()
    return first[0] + ends[lane] - wanted


@device_kernel
def _list_moves(game, words, numbers, first, end, parents, moves, listed):
    """The moves of some positions, side by side, with who has them."""
    index = first + cuda.grid(1)
    number = np.int32(0)
    if index < end:
        number = numbers[index]
    start = _reserved(number, np.int32(0), listed)
    if number > 0 and start + number <= len(moves):
        fill(game, unpack(game, words[index, 0], words[index, 1]), moves, start)
        for place in range(start, start + number):
            parents[place] = index


@device_kernel
def _count_leaves(game, words, roots, parents, moves, listed, ended, sums):
    """Add up how many moves follow each listed one."""
    block = cuda.shared.array(2, np.int32)
    index = cuda.grid(1)
    root, found = np.int32(0), np.int32(0)
    if index < listed:
        parent = parents[index]
        root = np.int32(roots[parent])
        child = play(game, unpack(game, words[parent, 0], words[parent, 1]), moves[index])
        found = np.int32(count(game, child)) or np.int32(ended)
    # A block adds to the sums that all share once, or nearly: most of its threads are below the same move of the root.
    if cuda.threadIdx.x == 0:
        block[0], block[1] = root, 0
    cuda.syncthreads()
    if root == block[0]:
        cuda.atomic.add(block, 1, found)
    else:
        cuda.atomic.add(sums, root, np.int64(found))
    cuda.syncthreads()
    if cuda.threadIdx.x == 0:
        cuda.atomic.add(sums, block[0], np.int64(block[1]))


@device_kernel
def _play_moves(game, words, roots, parents, moves, listed, ended, sums, next_words, next_roots, next_numbers, kept):
    """The positions after the listed moves, but those where the game is over, which are leaves."""
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
    place = _reserved(np.int32(number > 0), number, kept)
    if number > 0:
        next_words[place, 0], next_words[place, 1] = first, second
        next_roots[place], next_numbers[place] = roots[parent], number
