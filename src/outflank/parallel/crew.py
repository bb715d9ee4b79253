"""The crew of a parallel search: its threads, their memory and their statistics."""

import contextlib
import threading
import time
from collections.abc import Callable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from outflank.errors import OutflankError
from outflank.games.rules import Game, Position, most_moves
from outflank.kernels.atomics import store
from outflank.kernels.compiler import Samples, kernel
from outflank.kernels.memory import address_of, record_at
from outflank.kernels.record_types import allocate
from outflank.kernels.workers import WorkerThread
from outflank.parallel.idling import wake_all
from outflank.parallel.shared_state import CREW, FRAME, HAND, STATISTICS, WORD_OF, Frame, frame_bytes
from outflank.placement import pinned
from outflank.search.probes import Probe
from outflank.search.results import WorkerStatistics
from outflank.search.root import Root
from outflank.search.root_moves import RootMove, RootValue, search_best_moves
from outflank.search.worker import WORKER

POOL = 96
"""Number of frames (split points) per worker. The worker's current line needs one per divided ply. Frames that the
worker has left stay in use while other workers search in them."""

_BY_HANDS = {
    "wasted_nodes": "wasted",
    "spawned": "spawned",
    "executed": "executed",
    "stolen": "stolen",
    "steals_tried": "tries",
    "steals_won": "steals",
    "aborts_sent": "sent",
    "aborts_obeyed": "obeyed",
}
_BY_WORKERS = {
    "nodes": "nodes",
    "table_lookups": "lookups",
    "table_hits": "hits",
    "cutoffs": "cutoffs",
    "first_cutoffs": "first_cutoffs",
}
"""Fields of a `WORKER` record by the names of the statistics in `WorkerStatistics`. `_BY_HANDS` has the fields of a
`HAND` record in the same way."""


@kernel
def dismiss(crew):
    """Tell the threads of the helpers (all workers but the leader) to end."""
    store(crew, "over", 1)
    wake_all(crew)


@dismiss.sample
def _dismiss_sample(game: Game, position: Position, every: bool) -> Samples:
    yield (allocate(CREW, 1)[0],)


@kernel
def open_root(crew, episode):
    """Let all workers begin a root: mark it as open, and wake the helpers that sleep."""
    store(crew, "open", episode)
    wake_all(crew)


@open_root.sample
def _open_root_sample(game: Game, position: Position, every: bool) -> Samples:
    yield allocate(CREW, 1)[0], 1


class Crew:
    """The workers of a search with their records, and the threads of all but the leader.

    `serve(index)` is the main function of a helper's thread: it returns once the crew is dismissed. An exception in
    `serve` stops the search and is raised in the leader's thread.
    """

    def __init__(self, root: Root, count: int) -> None:
        self.root, self.count = root, count
        room = most_moves(root.game)
        self._frame_bytes = frame_bytes(room)
        root.set_worker_count(count)
        self.hands = allocate(HAND, count)
        self._crews = allocate(CREW, 1)
        self.crew = self._crews[0]
        try:
            # One frame for the root, and a pool per worker.
            self._frames = np.zeros((count * POOL + 1) * self._frame_bytes + 128, np.uint8)
        except MemoryError:
            raise OutflankError(f"{count:,} workers need more memory than there is here") from None
        self.nbytes = count * (WORKER.itemsize + HAND.itemsize + POOL * self._frame_bytes)
        self.root_frame = address_of(self._frames) + -address_of(self._frames) % 128
        begin, size = self.root_frame - address_of(self._frames), self._frame_bytes
        self._frame_rows = self._frames[begin : begin + (count * POOL + 1) * size].view(np.int64).reshape(-1, size // 8)
        self._build(room)
        self._instruments = [root.instrument.alike() for _ in range(count - 1)] if root.instrument is not None else []
        self._threads: list[threading.Thread] = []
        self._failure: BaseException | None = None
        self._seconds = 0.0  # total time of searches of a root
        self._opened: float | None = None  # when the current search of a root began; None: there is none

    def _build(self, room: int) -> None:
        crew, hands = self.crew, self.hands
        crew.hands, crew.count, crew.room = address_of(hands), self.count, room
        crew.bell = int(self.root.worker.bell)
        hands["id"] = np.arange(self.count)
        hands["idle"] = 1
        hands["random"] = [(index + 1) * 0x9E3779B97F4A7C15 % 2**63 for index in range(self.count)]
        # The pools: linked lists of frames.
        size = self._frame_bytes
        words = self._frame_rows[1:].reshape(self.count, POOL, -1)
        first = self.root_frame + size + np.arange(self.count) * POOL * size
        links = first[:, None] + np.arange(1, POOL + 1) * size
        links[:, -1] = 0
        words[:, :, WORD_OF["owner"]] = np.arange(self.count)[:, None]
        words[:, :, WORD_OF["link"]] = links
        hands["free"] = first

    def probe(self, index: int) -> Probe:
        """Return the probe of a worker: each worker has its own, because probes are not atomic."""
        return self._instruments[index - 1].probe if index > 0 and self._instruments else self.root.probe

    # --- threads ---

    def start(self, serve: Callable[[int], None], *, first: int = 1) -> None:
        """Start the threads of the helpers, all workers from number `first` on; the leader is number 0."""
        for index in range(first, self.count):
            place = index if first == 1 else index - first
            thread = WorkerThread(
                target=self._run, args=(serve, index, place), name=f"outflank-worker-{index}", daemon=True
            )
            try:
                thread.start()
            except RuntimeError:
                self.close()
                raise OutflankError(
                    f"{self.count:,} workers: the system gives no more than {index:,} threads"
                ) from None
            self._threads.append(thread)

    def _run(self, serve: Callable[[int], None], index: int, place: int) -> None:
        try:
            with pinned(self.root.places, place):
                serve(index)
        except BaseException as failure:  # any exception is raised in the leader's thread
            self._failure = failure
            self.root.stop()
            self._abandon(index)

    def _abandon(self, index: int) -> None:
        """Dismiss the crew after worker `index` has failed: its subtree is lost, so the root cannot be completed."""
        dismiss(self.crew)
        store(self.hands[index], "idle", 1)

    def open(self, episode: int) -> None:
        """Let all workers begin the root, and wake sleeping helpers."""
        open_root(self.crew, episode)

    @contextlib.contextmanager
    def at_work(self) -> Iterator[None]:
        """Pin the leader's thread and measure the time while a root is searched. Then raise a helper's exception, or
        collect the helpers' probes."""
        # Pinned only here: between two iterations the leader's thread is the caller's own.
        with pinned(self.root.places, 0):
            began = self._opened = time.perf_counter()
            try:
                yield
            finally:
                self._opened = None
                self._seconds += time.perf_counter() - began
        self.check_failure()
        if self.root.instrument is not None:
            for instrument in self._instruments:
                self.root.instrument.absorb(instrument)

    def check_failure(self) -> None:
        """Raise the exception of a helper's thread, if one has failed."""
        if self._failure is not None:
            raise self._failure

    def close(self) -> None:
        """Dismiss the helpers and wait for their threads."""
        self.root.stop()
        dismiss(self.crew)
        for thread in self._threads:
            thread.join()
        self._threads.clear()
        self._failure = None  # avoid a cycle: the exception's traceback refers to this object and the table

    # --- statistics ---

    def begin(self) -> None:
        """Reset the statistics."""
        self._seconds = 0.0
        for name in STATISTICS:
            self.hands[name] = 0

    def statistics(self) -> tuple[WorkerStatistics, ...]:
        """Return the statistics of each worker so far. This may be called while the workers are searching."""
        opened, now = self._opened, time.perf_counter()
        seconds = self._seconds if opened is None else self._seconds + now - opened
        hands, workers = self.hands, self.root.workers
        useful = hands["busy_ns"] / 1e9
        if opened is not None:
            # Add the time of the current subtree. Its start may not be stored yet, but is not before `opened`.
            useful += np.where(hands["idle"] != 0, 0.0, now - np.maximum(opened, hands["since"] / 1e9))
        # Whole columns are read: reading single fields takes longer than a short search with many workers.
        counts = {name: hands[field] for name, field in _BY_HANDS.items()}
        counts |= {name: workers[field] for name, field in _BY_WORKERS.items()}
        rows = zip(*(column.tolist() for column in counts.values()), strict=True)
        return tuple(
            WorkerStatistics(
                useful_seconds=busy, idle_seconds=max(0.0, seconds - busy), **dict(zip(counts, row, strict=True))
            )
            for busy, row in zip(useful.tolist(), rows, strict=True)
        )

    def frame_or_none(self, address: int) -> Frame | None:
        """Return the split point at `address`, which was read from a running worker's record; None if there is none."""
        return None if self.frame_words(address) is None else record_at(address, FRAME)

    def frame_words(self, address: int) -> npt.NDArray[np.int64] | None:
        """Return the memory of the split point at `address`, like `frame_or_none`: its record and its two rows."""
        row, rest = divmod(address - self.root_frame, self._frame_bytes)
        return self._frame_rows[row] if rest == 0 and 0 <= row < len(self._frame_rows) else None


class CrewDivision:
    """Base class of divisions (the workers of one search) that run as a crew of threads."""

    reads_deadline = True

    def __init__(self, root: Root, workers: int) -> None:
        self.root = root
        self.crew = Crew(root, workers)
        self.nbytes = self.crew.nbytes

    def search_moves(self, depth: int, alpha: int, beta: int, moves: Sequence[RootMove]) -> RootValue:
        """Return the best of `moves`. Its value is exact inside (alpha, beta), otherwise a bound on that side."""
        raise NotImplementedError  # subclasses define it

    def search_window(
        self, depth: int, alpha: int, beta: int, *, best_count: int, moves: Sequence[RootMove]
    ) -> RootValue:
        """Return the best of `moves`, like `search_moves`; the `best_count` best moves get their values."""
        return search_best_moves(lambda left: self.search_moves(depth, alpha, beta, left), moves, best_count)

    def forget(self) -> None:
        """Clear the table."""
        self.root.forget()

    def statistics(self) -> tuple[WorkerStatistics, ...]:
        """Return the statistics of each worker so far."""
        return self.crew.statistics()

    def close(self) -> None:
        """Stop the helpers' threads."""
        self.crew.close()
