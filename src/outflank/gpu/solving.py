"""Exact scores of any number of endings on a device: batches that follow one another in bounded memory."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt

from outflank.errors import InvalidOption
from outflank.games.description import OWN_GAMES, game_named
from outflank.games.endings import batch_tables
from outflank.gpu.choosing import DeviceAsked, on_device
from outflank.gpu.device import cuda
from outflank.gpu.driver import simulated
from outflank.gpu.endings import UNSOLVED, solve_each
from outflank.gpu.jobs import NODES, TALLIES, Jobs, Plan, prepare
from outflank.gpu.memory import ENTRY_BYTES, empty, free_bytes, highest_power, new_table, table_bits
from outflank.gpu.positions import Words, checked_positions
from outflank.kinds import Between, Misfit
from outflank.machine import usable_cores
from outflank.schema import conform
from outflank.search.many_endings import ROWS, solve_many

Values = npt.NDArray[np.int8]

SHORT, SERIAL_MOVES = 10, 2
"""How endings are divided (`jobs.Plan`). 16,384 drawn ones of 14 free cells took 1.9 s, with 9 free cells as much, and
after three serial moves 2.5 s."""

FEW, SHORT_OF_FEW, SERIAL_MOVES_OF_FEW = 1 << 12, 8, 1
"""So many endings or fewer leave most threads without work, and nobody minds what these do in vain: 145 of 13 to 15
free cells took 0.18 s, after two serial moves 0.5 s."""

DIVIDED_ENDINGS = 1 << 17
"""Endings of a batch that are divided from the start, the last ones: the others are done by then, a thread each."""

BUDGET = 1 << 14
"""Nodes after which any ending is divided, once threads have nothing else to do."""

ROOM = 1 << 22
"""Endings of a batch, at most: some thirty for each thread, or most threads would wait for a few at its end."""

LEAST_ROOM = LEAST_PARTS = 1 << 10

SLOTS = 2
"""Batches under way at a time: while one ends the next begins."""

DIVIDED = 1 << 21
"""Room for the parts of endings that are divided, those that are under way at a time: some ten for each thread."""

THREADS = 64
BLOCKS_PER_MULTIPROCESSOR = 12
"""Its registers have room for 14, with which nothing was faster."""

PARTS = 1024
"""Threads for each ending of a batch, as far as the device has them: a hundred endings have all. 145 took the same time
with 128 and with 4,096; of one ending the others would only look for work, all at the same few words."""

WHOLE = (-64, 64)


@dataclass
class Effort:
    """Who did what of some endings."""

    nodes: int = 0
    """Positions that a device has entered."""
    nbytes: int = 0
    """Of its memory, at a time, beside the table."""
    table_bytes: int = 0
    """Of its table."""
    here: npt.NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, np.bool_))
    """Whether it was the CPU that solved each."""


def solve(
    positions: npt.ArrayLike,
    game: Any = None,
    *,
    device: DeviceAsked = "gpu",
    progress: Callable[[int, int], None] | None = None,
    room: int | None = None,
) -> Values:
    """The final scores of positions under perfect play, for the side to move, on a GPU.

    `positions` is an array of two words for each: in Othello the discs of the side to move, and the opponent's. `game`
    is the rules (`board.game`); None: those of the package's first game as they usually are. Of memory no more is
    taken than for two batches of `room` endings, however many there are. `progress(done, total)` is told how many are
    solved. With the device `gpu-or-cpu` the CPU solves what a GPU cannot, or could not before it was lost.

    Whatever ends it before, as Ctrl-C, has an attribute `found`: the scores so far, and `UNSOLVED` elsewhere.
    """
    if game is None:
        game = game_named(OWN_GAMES[0]).start().game
    return solve_counted(positions, game, Effort(), device=device, progress=progress, room=room)


def solve_counted(
    positions: npt.ArrayLike,
    game: Any,
    effort: Effort,
    *,
    device: DeviceAsked = "gpu",
    progress: Callable[[int, int], None] | None = None,
    room: int | None = None,
) -> Values:
    """What `solve` gives; `effort` has then who did what, however it ends."""
    room = _checked_room(room)
    words = checked_positions(positions, game)
    found = np.full(len(words), UNSOLVED, np.int8)
    effort.here = np.zeros(len(words), np.bool_)

    def tell() -> None:
        if progress is not None:
            progress(int((found != UNSOLVED).sum()), len(words))

    def there() -> None:
        solver = Solver(game, room)
        try:
            solver.values(words, found, done=tell)
        finally:
            effort.nodes, effort.nbytes, effort.table_bytes = solver.nodes, solver.nbytes, solver.table_bytes

    def here() -> None:
        left, cores = np.flatnonzero(found == UNSOLVED), math.ceil(usable_cores())
        for first in range(0, len(left), ROWS * cores):  # portions, so that it can be ended as there
            rows = left[first : first + ROWS * cores]
            found[rows] = solve_many(game, words[rows], cores)
            effort.here[rows] = True
            tell()

    try:
        on_device(device, there, here)
    except BaseException as error:
        error.found = found  # type: ignore[attr-defined]  # for whoever goes on from there
        raise
    return found


class Solver:
    """Endings of one game on a device."""

    def __init__(self, game: Any, room: int | None = None) -> None:
        self.game = game
        self.nodes = 0
        """Positions entered so far, by the device."""
        free = free_bytes()
        self._parts = _parts(free)
        self.room = min(_room(free, self._parts), max(1, room or ROOM))
        self._tables = tables_on_device(game)
        self._table = new_table(table_bits(free))
        self.table_bytes = len(self._table) * ENTRY_BYTES
        self._slots: list[Slot] = []
        self.nbytes = 0
        """Memory that it has on the device, beside the table."""

    def forget(self) -> None:
        """Solve endings as if none had been solved before."""
        empty(self._table)

    def values(self, words: Words, found: Values, done: Callable[[], None] = lambda: None) -> None:
        """Find what positions are worth; `done` is called each time that more of them are `found`."""
        size = max(1, min(self.room, len(words)))
        if not self._slots or self._slots[0].size < size:
            self._slots = [Slot(size, self._parts) for _ in range(SLOTS)]
            self.nbytes = sum(slot.nbytes for slot in self._slots)
        busy: list[tuple[Slot, slice]] = []

        def collect() -> None:
            slot, rows = busy.pop(0)
            found[rows], nodes = slot.collect()
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
    """A batch's memory, here and on the device, and the stream in which it is worked on."""

    def __init__(self, size: int, parts: int) -> None:
        self.size, self._count = size, 0
        self._stream = cuda.stream()
        self._sent = [cuda.pinned_array((size, 2), np.uint64), cuda.pinned_array((size, 2), np.int8)]
        self._found = [cuda.pinned_array(size, np.int8), cuda.pinned_array(TALLIES, np.int64)]
        self._jobs = Jobs(*(cuda.device_array(*row) for row in _rows(size, parts)))
        self._tally = cuda.device_array(TALLIES, np.int64)
        self.nbytes = _nbytes(size, parts)
        """On the device."""

    def begin(self, game: Any, tables: Any, table: Any, words: Words, windows: Values | tuple[int, int]) -> None:
        """Send endings, and have them solved; `table` is what is known of the game's positions."""
        self._count = count = len(words)
        for here, there, sent in zip(self._sent, self._jobs, (words, windows), strict=False):
            here[:count] = sent
            there[:count].copy_to_device(here[:count], stream=self._stream)
        prepare[_all_blocks(), THREADS, self._stream](self._jobs, self._tally, np.int64(count), np.int64(self.size))
        launch = solve_each[_blocks(count), THREADS, self._stream]
        launch(game, tables, table, self._jobs, self._tally, _plan(count))
        values, tally = self._found
        self._jobs.values[:count].copy_to_host(values[:count], stream=self._stream)
        self._tally.copy_to_host(tally, stream=self._stream)

    def collect(self) -> tuple[Values, int]:
        """Wait for the values, and the nodes that they took."""
        self._stream.synchronize()
        values, tally = self._found
        return np.array(values[: self._count]), int(tally[NODES])


def _plan(count: int) -> Plan:
    """How so many endings are divided."""
    return Plan(
        asked_for=np.int64(count),
        undivided=np.int64(max(0, count - DIVIDED_ENDINGS)),
        short=np.int32(SHORT if count > FEW else SHORT_OF_FEW),
        budget=np.int32(BUDGET),
        serial_moves=np.int32(SERIAL_MOVES if count > FEW else SERIAL_MOVES_OF_FEW),
    )


def tables_on_device(game: Any) -> Any:
    """What the kernels of a game read, on the device."""
    tables = batch_tables(game)
    arrays = (isinstance(field, np.ndarray) for field in tables)
    return type(tables)(*(cuda.to_device(field) if sent else field for sent, field in zip(arrays, tables, strict=True)))


def _rows(size: int, parts: int) -> Jobs:
    """The arrays of so many endings, and of so many parts of those that are divided: their shapes and types. Rings have
    a power of two of places, the waiting ones twice as many as can wait."""
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
    """Room for the parts of divided endings, a power of two: all slots have an eighth of the free memory for it."""
    return highest_power(min(DIVIDED, max(LEAST_PARTS, free // (8 * SLOTS * _nbytes(0, LEAST_PARTS) // LEAST_PARTS))))


def _room(free: int, parts: int) -> int:
    """Endings of a batch: as many as a quarter of the device's free memory holds in all slots, beside the parts of
    those that are divided; some are tried however little that is."""
    if simulated():
        return LEAST_ROOM
    without = _nbytes(0, parts)
    return max(LEAST_ROOM, min(ROOM, (free // (4 * SLOTS) - without) // (_nbytes(1, parts) - without)))


def _checked_room(room: Any) -> int | None:
    try:
        checked: int | None = conform(Annotated[int, Between(1)] | None, room, "room")
    except Misfit as wrong:
        raise InvalidOption(str(wrong)) from None
    return checked


def _blocks(count: int) -> int:
    """As many as can have work: so many endings, and what they are divided into."""
    return max(1, min(_all_blocks(), -(-count * PARTS // THREADS)))


def _all_blocks() -> int:
    return _multiprocessors() * BLOCKS_PER_MULTIPROCESSOR


@cache
def _multiprocessors() -> int:
    return 1 if simulated() else int(cuda.get_current_device().MULTIPROCESSOR_COUNT)
