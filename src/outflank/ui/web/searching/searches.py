"""Every search of a server, and the one that a connection has under way."""

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress

from outflank.errors import OutflankError
from outflank.search.contract import Stop
from outflank.ui.web.searching.analysing import Analysing
from outflank.ui.web.searching.turns import Turns
from outflank.ui.web.settings import Settings

LARGE_BITS, SMALL_BITS, FEW = 20, 17, 4
"""Tables of 32 MiB for the first few searches, and of 4 for all others; a proof has one of half the size beside it."""

SOON_SECONDS = 0.3
"""After which a search that is not ready is said to compile."""


class Place:
    """Of one search, with the size of its table: taken before there is a search, so that none is promised twice. It is
    given back when the tables are freed."""

    def __init__(self, bits: int) -> None:
        self.bits = bits
        self.is_ending = False
        """Whether the search has ended while a thread still uses its tables."""


class Searches:
    """All analyses under way. Used on the event loop."""

    def __init__(self, settings: Settings) -> None:
        self.turns = Turns(settings.workers)
        self._most = settings.most_searches
        self._places: set[Place] = set()
        self._under_way: dict[Analysing, Place] = {}
        self._others: dict[Stop, Place] = {}
        self._freed = asyncio.Event()
        self._ready: set[tuple[str, ...]] = set()
        self._unready: dict[tuple[str, ...], list[Analysing]] = {}
        """Those that wait for kernels; of the first key they are being compiled."""

    def most_bytes(self) -> int:
        """Of all tables of analyses, reviews and comparisons together, whatever is asked."""
        large, small = (3 * (16 << bits) for bits in (LARGE_BITS, SMALL_BITS))
        return min(FEW, self._most) * large + max(0, self._most - FEW) * small

    def _check_room(self) -> None:
        if sum(not each.is_ending for each in self._places) >= self._most:
            raise OutflankError(f"{self._most} searches are under way, and no more at a time")

    async def enter(self, stop: Stop) -> int:
        """Count a comparison or a review, which `stop` ends; the bits of each of its two tables, which together are no
        larger than an analysis's."""
        place = self._others[stop] = await self.take_place()
        return place.bits - 1

    def leave(self, stop: Stop) -> None:
        """Note that the search has ended and its tables are freed."""
        self.give_back(self._others.pop(stop))

    async def take_place(self) -> Place:
        """For a search that is about to be made; whoever makes none gives it back.

        Tables of a search that has just ended may still be in use: where there is no room beside them this waits.
        """
        self._check_room()
        while len(self._places) >= self._most:
            self._freed.clear()
            await self._freed.wait()
            self._check_room()
        large = sum(each.bits == LARGE_BITS for each in self._places)
        place = Place(LARGE_BITS if large < FEW else SMALL_BITS)
        self._places.add(place)
        return place

    def give_back(self, place: Place) -> None:
        """Give the place back: no search uses its tables any more."""
        self._places.discard(place)
        self._freed.set()

    def begin(self, search: Analysing, place: Place, tell: Callable[[Analysing], None]) -> None:
        """Let it search, once its kernels are compiled."""
        self._under_way[search] = place
        if search.kernels in self._ready:
            self.turns.add(search)
            return

        def late() -> None:
            if search in self._under_way and search.waiting and not search.done:
                search.compiling = True
                tell(search)

        asyncio.get_running_loop().call_later(SOON_SECONDS, late)
        idle = not self._unready
        self._unready.setdefault(search.kernels, []).append(search)
        if idle:
            self._compile()

    def _compile(self) -> None:
        """The first kernels that somebody still waits for, in a thread: one at a time, however many are asked for."""
        loop = asyncio.get_running_loop()
        while self._unready:
            kernels, waiting = next(iter(self._unready.items()))
            search = next((each for each in waiting if each in self._under_way), None)
            if search is not None:
                work = threading.Thread(
                    target=self._prepared, args=(search, loop), name="outflank-compiling", daemon=True
                )
                work.start()
                return
            del self._unready[kernels]

    def _prepared(self, search: Analysing, loop: asyncio.AbstractEventLoop) -> None:
        failed = ""
        try:
            search.prepare(self.turns.cores)
        except Exception as error:
            failed = f"{type(error).__name__}: {error}"
        with suppress(RuntimeError):  # the server may have ended meanwhile
            loop.call_soon_threadsafe(self._go, search.kernels, failed)

    def _go(self, kernels: tuple[str, ...], failed: str) -> None:
        if not failed:
            self._ready.add(kernels)
        for search in self._unready.pop(kernels, []):
            if search in self._under_way:
                search.failed = failed
                self.turns.add(search)
        self._compile()

    def end(self, search: Analysing) -> None:
        """Stop a search and free its tables."""
        place = self._under_way.pop(search, None)
        self.turns.drop(search)
        if place is None:
            return
        place.is_ending = True
        loop = asyncio.get_running_loop()

        def freed() -> None:
            with suppress(RuntimeError):  # the server may have ended meanwhile
                loop.call_soon_threadsafe(self.give_back, place)

        search.close(freed)

    def close(self) -> None:
        """End all of them."""
        for stop in self._others:
            stop()
        for search in self._under_way:
            search.close(_nothing)
        self._under_way.clear()
        self.turns.close()


def _nothing() -> None:
    """Do nothing: the server shuts down."""
