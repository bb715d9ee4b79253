"""All analyses, comparisons and reviews of a server, and the memory for their tables."""

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress

from outflank.boards import Board
from outflank.errors import OutflankError
from outflank.search.keywords import SearchArguments
from outflank.search.request import Limits, Options, Stop
from outflank.search.request_checks import MONTE_CARLO, check
from outflank.search.results import Comparison, Progress, Result
from outflank.search.whole_search import iterate, iterate_alone
from outflank.ui.web.requests import Compare
from outflank.ui.web.searching.analysing import DEFAULT_ALGORITHM, AnalysisTask
from outflank.ui.web.searching.compilation import REPORT_SECONDS, Compilation
from outflank.ui.web.searching.core_sharing import Turns
from outflank.ui.web.searching.shared_cluster import SharedCluster
from outflank.ui.web.server_limits import Settings
from outflank.ui.web.server_messages import Compared, Message

DEFAULT_SECONDS = 2.0
"""Time limit in seconds of the parallel search if the request has neither a depth nor a time."""

MOST_SECONDS = 300.0
"""Time limit in seconds of the parallel search and the search by one worker together."""


class ComparisonTask:
    """One comparison of a parallel search with a search by one worker. `run` is called in a thread."""

    def __init__(self, board: Board, request: Compare, cores: int) -> None:
        if board.is_game_over:
            raise OutflankError("the game is over here: there is nothing to search")
        options = request.options
        algorithm = options.algorithm or DEFAULT_ALGORITHM
        if algorithm in MONTE_CARLO:
            raise OutflankError(f"{algorithm} has no depth at which two searches could be compared")
        self.board, self.of = board, request.ask
        self.workers = options.workers or max(cores, 2)
        self.options: SearchArguments = {
            "algorithm": algorithm,
            "workers": self.workers,
            "parallel": options.scheme,
            "exact": options.exact,
        }
        seconds = options.seconds if options.seconds or options.depth or options.exact else DEFAULT_SECONDS
        self.limits = Limits(depth=None if options.exact else options.depth, seconds=seconds)
        scheme, _ = check(board.game, Options(**self.options), self.limits)
        self.scheme = "" if scheme is None else scheme.name

    def run(self, stop: Stop, send: Callable[[Message], None], bits: int) -> None:
        """Search with several workers, then with one, each with tables of 2^`bits` entries, and send the progress."""
        options = {**self.options, "table_bits": bits}
        timer = threading.Timer(MOST_SECONDS, stop)
        timer.daemon = True
        timer.start()
        together: Result | None = None
        alone: Result | None = None

        def watch(progress: Progress) -> None:
            send(self._message(together, alone, progress))

        try:
            # A search that is stopped before it begins would still allocate tables and compile.
            if stop.called:
                send(self._message(None, None, None, done=True))
                return
            for together in iterate(self.board, self.limits, stop=stop, watch=watch, **options):
                send(self._message(together, None, None))
            assert together is not None
            if not stop.called:
                for alone in iterate_alone(self.board, together, stop=stop, **options):
                    send(self._message(together, alone, None))
        finally:
            timer.cancel()
        is_complete = alone is not None and not alone.stopped
        send(self._message(together, alone, None, done=True, is_complete=is_complete))

    def _message(
        self,
        together: Result | None,
        alone: Result | None,
        progress: Progress | None,
        *,
        done: bool = False,
        is_complete: bool = False,
    ) -> Compared:
        comparison = Comparison(alone=alone, together=together) if is_complete and alone and together else None
        now = (progress.seconds, progress.nodes) if progress else (0.0, 0)
        first = (together.seconds, together.nodes) if together else now
        second = (alone.seconds, alone.nodes) if alone else (0.0, 0)
        return Compared(
            of=self.of,
            stage="done" if done else "together" if alone is None else "alone",
            depth=together.depth if together else 0,
            scheme=self.scheme,
            workers=self.workers,
            together_seconds=max(first[0], now[0]) if alone is None else first[0],
            together_nodes=max(first[1], now[1]) if alone is None else first[1],
            alone_seconds=second[0],
            alone_nodes=second[1],
            speed_up=None if comparison is None else comparison.speed_up,
            efficiency=None if comparison is None else comparison.efficiency,
            overhead=None if comparison is None else comparison.search_overhead,
            same=None if comparison is None else comparison.alone.value == comparison.together.value,
            done=done,
        )


LARGE_BITS, SMALL_BITS, FEW = 20, 17, 4
"""Sizes of transposition tables, in bits, and the number of searches at a time that have a large table.

A large table has 32 MiB and a small one 4 MiB. A search for a proof has a second table of half the size.
"""


class Place:
    """Permission for one search to use transposition tables of a given size.

    A place is reserved before the search is created, so that memory is not promised twice. It is given back when the
    tables are freed.
    """

    def __init__(self, bits: int) -> None:
        self.bits = bits
        self.is_ending = False
        """Whether the search has ended while a thread still uses its tables."""


class Searches:
    """All current analyses, comparisons and reviews of a server. To be used on the event loop."""

    def __init__(self, settings: Settings, cluster: SharedCluster | None = None) -> None:
        self.turns = Turns(settings.workers)
        self.cluster = cluster
        self._most_searches = settings.most_searches
        self._places: set[Place] = set()
        self._under_way: dict[AnalysisTask, Place] = {}
        self._comparisons_and_reviews: dict[Stop, Place] = {}
        self._freed = asyncio.Event()
        self._ready: set[tuple[str, ...]] = set()
        self._compilation = Compilation()
        """The last compilation that was begun."""
        self._waiting_for_kernels: dict[tuple[str, ...], list[AnalysisTask]] = {}
        """Analyses that wait for kernels, by key of the kernels. The kernels of the first key are being compiled."""

    def most_bytes(self) -> int:
        """Return the maximum total size in bytes of the transposition tables of analyses, reviews and comparisons."""
        large, small = (3 * (16 << bits) for bits in (LARGE_BITS, SMALL_BITS))
        return min(FEW, self._most_searches) * large + max(0, self._most_searches - FEW) * small

    def _check_room(self) -> None:
        if sum(not place.is_ending for place in self._places) >= self._most_searches:
            raise OutflankError(f"{self._most_searches} searches are under way, and no more at a time")

    async def enter(self, stop: Stop) -> int:
        """Reserve a place for the comparison or review with this `stop`. Return the `bits` of each of its two tables.

        The two tables together are no larger than the tables of an analysis.
        """
        place = self._comparisons_and_reviews[stop] = await self.take_place()
        return place.bits - 1

    def leave(self, stop: Stop) -> None:
        """Give back the place of a comparison or review after its end."""
        self.give_back(self._comparisons_and_reviews.pop(stop))

    async def take_place(self) -> Place:
        """Reserve a place for a new search. If the search is not created, the caller must give the place back.

        Tables of a search that has just ended may still be in use. If they take the last place, wait until the tables
        are freed.
        """
        self._check_room()
        while len(self._places) >= self._most_searches:
            self._freed.clear()
            await self._freed.wait()
            self._check_room()
        large = sum(place.bits == LARGE_BITS for place in self._places)
        place = Place(LARGE_BITS if large < FEW else SMALL_BITS)
        self._places.add(place)
        return place

    def give_back(self, place: Place) -> None:
        """Release a place whose tables are no longer in use."""
        self._places.discard(place)
        self._freed.set()

    def begin(self, search: AnalysisTask, place: Place, tell: Callable[[AnalysisTask], None]) -> None:
        """Start an analysis as soon as its kernels are compiled."""
        self._under_way[search] = place
        if search.kernels in self._ready:
            self.turns.add(search)
            return

        loop = asyncio.get_running_loop()

        def report_compiling() -> None:
            if search not in self._under_way or search not in self._waiting_for_kernels.get(search.kernels, ()):
                return
            before, search.compiling = search.compiling, self._compilation.progress()
            if search.compiling != before:
                tell(search)
            loop.call_later(REPORT_SECONDS, report_compiling)

        loop.call_later(REPORT_SECONDS, report_compiling)
        idle = not self._waiting_for_kernels
        self._waiting_for_kernels.setdefault(search.kernels, []).append(search)
        if idle:
            self._compile_next()

    def _compile_next(self) -> None:
        """Start a thread that compiles the first set of kernels for which an analysis still waits, if there is one."""
        loop = asyncio.get_running_loop()
        while self._waiting_for_kernels:
            kernels, waiting = next(iter(self._waiting_for_kernels.items()))
            search = next((search for search in waiting if search in self._under_way), None)
            if search is not None:
                self._compilation = Compilation(exact=search.may_prove)
                thread = threading.Thread(
                    target=self._prepare, args=(search, loop), name="outflank-compiling", daemon=True
                )
                thread.start()
                return
            del self._waiting_for_kernels[kernels]

    def _prepare(self, search: AnalysisTask, loop: asyncio.AbstractEventLoop) -> None:
        failed = ""
        try:
            search.prepare(self.turns.cores)
        except Exception as error:
            failed = f"{type(error).__name__}: {error}"
        with suppress(RuntimeError):  # the server may have shut down meanwhile
            loop.call_soon_threadsafe(self._start_waiting, search.kernels, failed)

    def _start_waiting(self, kernels: tuple[str, ...], failed: str) -> None:
        if not failed:
            self._ready.add(kernels)
        for search in self._waiting_for_kernels.pop(kernels, []):
            search.compiling = None
            if search in self._under_way:
                search.failed = failed
                self.turns.add(search)
        self._compile_next()

    def end(self, search: AnalysisTask) -> None:
        """Stop an analysis and free its tables."""
        place = self._under_way.pop(search, None)
        self.turns.drop(search)
        if place is None:
            return
        place.is_ending = True
        loop = asyncio.get_running_loop()

        def freed() -> None:
            with suppress(RuntimeError):  # the server may have shut down meanwhile
                loop.call_soon_threadsafe(self.give_back, place)

        search.close(freed)

    def close(self) -> None:
        """End all searches."""
        for stop in self._comparisons_and_reviews:
            stop()
        for search in self._under_way:
            search.close(_nothing)
        self._under_way.clear()
        self.turns.close()


def _nothing() -> None:
    """Do nothing, because the server shuts down."""
