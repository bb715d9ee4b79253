"""Exact scores of any number of endgame positions on a GPU, in batches and bounded memory."""

import math
from collections.abc import Callable
from functools import cache
from typing import Annotated

import numpy as np
import numpy.typing as npt

from outflank.errors import InvalidOption, keep_partial_result
from outflank.games.description import OWN_GAMES, game_named
from outflank.games.endings import BatchTables, batch_tables
from outflank.games.rules import Game
from outflank.gpu.choosing import DeviceOption, on_device
from outflank.gpu.device import DeviceArray, cuda
from outflank.gpu.device_table import ENTRY_BYTES, clear_table, free_bytes, highest_power, new_table, table_bits
from outflank.gpu.driver import simulated
from outflank.gpu.ending_kernels import UNSOLVED, solve_each
from outflank.gpu.jobs import NODES, TALLIES, Jobs, Plan, prepare
from outflank.gpu.positions import Words, checked_positions
from outflank.machine import usable_cores
from outflank.search.many_endings import ROWS, solve_many
from outflank.validation.values import Between, Misfit, conform

Values = npt.NDArray[np.int8]

SHORT, SERIAL_MOVES = 10, 2
"""Fields `short` and `serial_moves` of a `jobs.Plan`. 16,384 random positions of 14 free cells took 1.9 s. They took as
long with 9 for `SHORT`, and 2.5 s with three serial moves."""

FEW, SHORT_OF_FEW, SERIAL_MOVES_OF_FEW = 1 << 12, 8, 1
"""Number of positions up to which most threads would be idle, so that wasted work costs nothing; and the fields `short`
and `serial_moves` of a plan for at most `FEW` positions. 145 positions of 13 to 15 free cells took 0.18 s, and 0.5 s
with two serial moves."""

DIVIDED_ENDINGS = 1 << 17
"""Number of positions at the end of a batch that may be divided at once; earlier ones first get one thread each."""

BUDGET = 1 << 14
"""Number of tree nodes after which any position is divided among threads, if some are idle."""

ROOM = 1 << 22
"""Greatest number of positions in a batch: some thirty per thread. In small batches most threads wait at the end."""

LEAST_ROOM = LEAST_PARTS = 1 << 10

SLOTS = 2
"""Number of batches that run at a time: while one ends, the next begins."""

DIVIDED = 1 << 21
"""Greatest number of parts of divided positions that exist at a time: some ten per thread."""

THREADS = 64
BLOCKS_PER_MULTIPROCESSOR = 12
"""Number of thread blocks per multiprocessor. The registers suffice for 14 blocks, which were not faster."""

PARTS = 1024
"""Greatest number of threads per position of a batch: a hundred positions use the whole GPU. 145 positions took the
same time with 128 and with 4,096. More threads for one position would only look for work, all in the same few words."""

WHOLE = (-64, 64)


class Effort:
    """Scores of a call of `solve` so far, and the work of the GPU and of the CPU for them."""

    def __init__(self, endings: int) -> None:
        self.nodes = 0
        """Number of tree nodes that the GPU has visited."""
        self.nbytes = 0
        """Number of bytes of GPU memory used, without the transposition table."""
        self.table_bytes = 0
        """Number of bytes of the transposition table on the GPU."""
        self.scores: Values = np.full(endings, UNSOLVED, np.int8)
        """Score of each position for its side to move; `UNSOLVED` if not known."""
        self.solved_by_cpu: npt.NDArray[np.bool_] = np.zeros(endings, np.bool_)
        """For each position, whether the CPU has solved it."""


def solve(
    positions: npt.ArrayLike,
    game: Game = None,
    *,
    effort: Effort | None = None,
    device: DeviceOption = "gpu",
    progress: Callable[[int, int], None] | None = None,
    room: int | None = None,
) -> Values:
    """Return the final scores of positions under perfect play, for the side to move, computed on a GPU.

    `positions` is an array with two words for each position: in Othello the discs of the side to move, and the
    opponent's. `game` is the rules (`board.game`); None: the default rules of the package's first game. Memory is
    needed for two batches of `room` positions each. `progress(done, total)` is called with the number of solved
    positions. With `device="gpu-or-cpu"` the CPU solves all positions if there is no GPU, or the rest if a GPU is lost.

    `effort`, made for the same number of positions, records the work, even if the call ends early. An exception that
    ends it early, such as Ctrl-C, has the scores so far as its `partial_result`, with `UNSOLVED` for the rest.
    """
    game = game_named(OWN_GAMES[0]).start().game if game is None else game
    room = _checked_room(room)
    words = checked_positions(positions, game)
    effort = Effort(len(words)) if effort is None else effort
    scores = effort.scores

    def tell() -> None:
        if progress is not None:
            progress(int((scores != UNSOLVED).sum()), len(words))

    def on_gpu() -> None:
        solver = Solver(game, room)
        try:
            solver.values(words, scores, done=tell)
        finally:
            effort.nodes, effort.nbytes, effort.table_bytes = solver.nodes, solver.nbytes, solver.table_bytes

    def on_cpu() -> None:
        unsolved, cores = np.flatnonzero(scores == UNSOLVED), math.ceil(usable_cores())
        for first in range(0, len(unsolved), ROWS * cores):  # in portions, so that it can be interrupted as on the GPU
            rows = unsolved[first : first + ROWS * cores]
            scores[rows] = solve_many(game, words[rows], cores)
            effort.solved_by_cpu[rows] = True
            tell()

    with keep_partial_result(lambda: scores):
        on_device(device, on_gpu, on_cpu)
    return scores


class Solver:
    """Solves endgame positions of one game on a GPU."""

    def __init__(self, game: Game, room: int | None = None) -> None:
        self.game = game
        self.nodes = 0
        """Number of tree nodes that the GPU has visited so far."""
        free = free_bytes()
        self._parts = _parts(free)
        self.room = min(_room(free, self._parts), max(1, room or ROOM))
        self._tables = tables_on_device(game)
        self._table = new_table(table_bits(free))
        self.table_bytes = len(self._table) * ENTRY_BYTES
        self._slots: list[Slot] = []
        self.nbytes = 0
        """Number of bytes of GPU memory used, without the transposition table."""

    def forget(self) -> None:
        """Clear the transposition table, so that positions are solved as if none had been solved before."""
        clear_table(self._table)

    def values(self, words: Words, scores: Values, done: Callable[[], None] = lambda: None) -> None:
        """Solve the positions `words` and write their scores into `scores`; call `done` after each batch."""
        size = max(1, min(self.room, len(words)))
        if not self._slots or self._slots[0].size < size:
            self._slots = [Slot(size, self._parts) for _ in range(SLOTS)]
            self.nbytes = sum(slot.nbytes for slot in self._slots)
        busy: list[tuple[Slot, slice]] = []

        def collect() -> None:
            slot, rows = busy.pop(0)
            scores[rows], nodes = slot.collect()
            self.nodes += nodes
            self._slots.append(slot)
            done()

        for first in range(0, len(words), size):
            if not self._slots:
                collect()
            rows = slice(first, min(first + size, len(words)))
            slot = self._slots.pop()
            slot.begin(self.game, self._tables, self._table, words[rows], WHOLE)
            busy.append((slot, rows))
        while busy:
            collect()


class Slot:
    """The memory of one batch of positions, on the host and on the GPU, and its CUDA stream."""

    def __init__(self, size: int, parts: int) -> None:
        self.size, self._count = size, 0
        self._stream = cuda.stream()
        self._inputs = [cuda.pinned_array((size, 2), np.uint64), cuda.pinned_array((size, 2), np.int8)]
        self._outputs = [cuda.pinned_array(size, np.int8), cuda.pinned_array(TALLIES, np.int64)]
        self._jobs = Jobs(*(cuda.device_array(*row) for row in _rows(size, parts)))
        self._tally = cuda.device_array(TALLIES, np.int64)
        self.nbytes = _nbytes(size, parts)
        """Number of bytes of GPU memory."""

    def begin(
        self, game: Game, tables: BatchTables, table: DeviceArray, words: Words, windows: Values | tuple[int, int]
    ) -> None:
        """Send positions to the GPU and start solving them; `table` is the GPU's transposition table."""
        self._count = count = len(words)
        for host_array, device_array, data in zip(self._inputs, self._jobs, (words, windows), strict=False):
            host_array[:count] = data
            device_array[:count].copy_to_device(host_array[:count], stream=self._stream)
        prepare[_all_blocks(), THREADS, self._stream](self._jobs, self._tally, np.int64(count), np.int64(self.size))
        launch = solve_each[_blocks(count), THREADS, self._stream]
        launch(game, tables, table, self._jobs, self._tally, _plan(count))
        values, tally = self._outputs
        self._jobs.values[:count].copy_to_host(values[:count], stream=self._stream)
        self._tally.copy_to_host(tally, stream=self._stream)

    def collect(self) -> tuple[Values, int]:
        """Wait for the batch; return the values of its positions and the number of tree nodes visited."""
        self._stream.synchronize()
        values, tally = self._outputs
        return np.array(values[: self._count]), int(tally[NODES])


def _plan(count: int) -> Plan:
    return Plan(
        requested=np.int64(count),
        undivided=np.int64(max(0, count - DIVIDED_ENDINGS)),
        short=np.int32(SHORT if count > FEW else SHORT_OF_FEW),
        budget=np.int32(BUDGET),
        serial_moves=np.int32(SERIAL_MOVES if count > FEW else SERIAL_MOVES_OF_FEW),
    )


def tables_on_device(game: Game) -> BatchTables:
    """Return the lookup tables that a game's endgame kernels read, with their arrays copied to the GPU."""
    tables = batch_tables(game)
    are_arrays = (isinstance(field, np.ndarray) for field in tables)
    return type(tables)(
        *(cuda.to_device(field) if is_array else field for is_array, field in zip(are_arrays, tables, strict=True))
    )


def _rows(size: int, parts: int) -> Jobs:
    """Return the shapes and types of the arrays for `size` positions and `parts` parts. The length of a ring buffer is
    a power of two; `waiting` is twice as long as the greatest number of waiting parts."""
    places = size + parts
    return Jobs(
        words=((places, 2), np.uint64),
        windows=((places, 2), np.int8),
        values=(size, np.int8),
        parents=(places, np.int32),
        order=(places, np.uint64),
        left=(places, np.uint64),
        tried=(places, np.int32),
        best=(places, np.int32),
        pending=(places, np.int32),
        waiting=(max(2 * parts, LEAST_PARTS), np.int32),
        free=(parts, np.int32),
    )


def _nbytes(size: int, parts: int) -> int:
    return sum(int(np.prod(shape)) * np.dtype(kind).itemsize for shape, kind in _rows(size, parts))


def _parts(free: int) -> int:
    """Return the number of parts per batch, a power of two. Usually, the parts of all batches take
    at most an eighth of the `free` bytes of the GPU's memory."""
    return highest_power(min(DIVIDED, max(LEAST_PARTS, free // (8 * SLOTS * _nbytes(0, LEAST_PARTS) // LEAST_PARTS))))


def _room(free: int, parts: int) -> int:
    """Return the number of positions in a batch, at least `LEAST_ROOM`. Usually, all batches with their parts
    take at most a quarter of the `free` bytes of the GPU's memory."""
    if simulated():
        return LEAST_ROOM
    without = _nbytes(0, parts)
    return max(LEAST_ROOM, min(ROOM, (free // (4 * SLOTS) - without) // (_nbytes(1, parts) - without)))


def _checked_room(room: object) -> int | None:
    try:
        checked_room: int | None = conform(Annotated[int, Between(1)] | None, room, "room")
    except Misfit as error:
        raise InvalidOption(str(error)) from None
    return checked_room


def _blocks(count: int) -> int:
    """Return the number of thread blocks for a batch of `count` positions, which may be divided."""
    return max(1, min(_all_blocks(), -(-count * PARTS // THREADS)))


def _all_blocks() -> int:
    return _multiprocessors() * BLOCKS_PER_MULTIPROCESSOR


@cache
def _multiprocessors() -> int:
    return 1 if simulated() else int(cuda.get_current_device().MULTIPROCESSOR_COUNT)
