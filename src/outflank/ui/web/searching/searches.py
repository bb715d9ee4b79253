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


class Searches:
    """All analyses under way."""

    def __init__(self, settings: Settings) -> None:
        self.turns = Turns(settings.workers)
        self._most = settings.most_searches
        self._under_way: set[Analysing] = set()
        self._large: set[Analysing] = set()
        self._ready: set[tuple[str, ...]] = set()
        self._others: set[Stop] = set()

    def most_bytes(self) -> int:
        """Of all tables together, whatever is asked."""
        large, small = (3 * (16 << bits) for bits in (LARGE_BITS, SMALL_BITS))
        return FEW * large + max(0, self._most - FEW) * small

    def _check_room(self) -> None:
        if len(self._under_way) + len(self._others) >= self._most:
            raise OutflankError(f"{self._most} searches are under way, and no more at a time")

    def enter(self, stop: Stop) -> None:
        """Count a comparison or a review, which `stop` ends."""
        self._check_room()
        self._others.add(stop)

    def leave(self, stop: Stop) -> None:
        """It has ended."""
        self._others.discard(stop)

    def bits(self) -> int:
        """Of the table of the next search."""
        self._check_room()
        return LARGE_BITS if len(self._large) < FEW else SMALL_BITS

    def begin(self, search: Analysing, bits: int, tell: Callable[[Analysing], None]) -> None:
        """Let it search; called on the event loop. Kernels are compiled in a thread of its own, if they are not."""
        self._under_way.add(search)
        if bits == LARGE_BITS:
            self._large.add(search)
        if search.kernels in self._ready:
            self.turns.add(search)
            return
        loop = asyncio.get_running_loop()

        def late() -> None:
            if search in self._under_way and search.waiting and not search.done:
                search.compiling = True
                tell(search)

        loop.call_later(SOON_SECONDS, late)
        threading.Thread(target=self._prepared, args=(search, loop), name="outflank-compiling", daemon=True).start()

    def _prepared(self, search: Analysing, loop: asyncio.AbstractEventLoop) -> None:
        try:
            search.prepare(self.turns.cores)
        except Exception as error:
            search.failed = f"{type(error).__name__}: {error}"
        with suppress(RuntimeError):  # the server may have ended meanwhile
            loop.call_soon_threadsafe(self._go, search)

    def _go(self, search: Analysing) -> None:
        if not search.failed:
            self._ready.add(search.kernels)
        if search in self._under_way:
            self.turns.add(search)

    def end(self, search: Analysing) -> None:
        """Let it search no more; called on the event loop."""
        self._under_way.discard(search)
        self._large.discard(search)
        self.turns.drop(search)

    def close(self) -> None:
        """End all of them."""
        for stop in self._others:
            stop()
        self._under_way.clear()
        self.turns.close()
