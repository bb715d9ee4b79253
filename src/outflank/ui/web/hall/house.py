"""What everything in a server stands on: the disk, the threads that work, and those that search."""

import asyncio
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, ParamSpec, TypeVar

from outflank.search.table import tables_in_memory
from outflank.ui.web.games.store import Store
from outflank.ui.web.hall.laboratory import Laboratory
from outflank.ui.web.hall.reading import ReadingRoom
from outflank.ui.web.searching.computers import Computers
from outflank.ui.web.searching.searches import Searches
from outflank.ui.web.settings import Settings
from outflank.ui.web.warning_log import WarningLog

T = TypeVar("T")
P = ParamSpec("P")

WORKING_THREADS = 4
"""For what takes milliseconds: rules, pictures, texts of ours."""


class House:
    """Of one server; made on its event loop."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._log = WarningLog()
        self.store = Store(settings.games)
        self._threads = ThreadPoolExecutor(WORKING_THREADS, "outflank-web")
        self.reading = ReadingRoom(settings)
        self._begun: set[asyncio.Task[Any]] = set()
        self.store.forget_untouched().result()
        self._last = self.store.last_change().result()
        self.searches = Searches(settings)
        self.laboratory = Laboratory(settings.reports, self.searches.turns)
        self.computers = Computers(settings, self.searches.turns)

    async def work(self, job: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T:
        """Do this in a thread, while the event loop goes on."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, lambda: job(*arguments, **named))

    def begin(self, task: Coroutine[Any, Any, None]) -> None:
        """Let this go on by itself."""
        begun = asyncio.create_task(task)
        self._begun.add(begun)
        begun.add_done_callback(self._ended)

    def _ended(self, task: "asyncio.Task[Any]") -> None:
        self._begun.discard(task)
        if not task.cancelled() and task.exception() is not None:
            self.complain(task.exception())

    def complain(self, error: object) -> None:
        """Say what went wrong where a server's errors are read."""
        self._log.warn_of(error)

    def now(self) -> float:
        """The time, which never stands still: games are listed by it."""
        self._last = max(time.time(), self._last + 1e-4)
        return self._last

    def most_table_bytes(self) -> int:
        """Return the limit on the bytes of all tables, except those of experiments."""
        return self.searches.most_bytes() + self.computers.most_bytes()

    def in_memory(self) -> dict[str, int]:
        """Return the number of tables, their bytes and the number of players, including those of experiments."""
        tables, table_bytes = tables_in_memory()
        return {"tables": tables, "table_bytes": table_bytes, "players": self.computers.in_memory()}

    def close(self) -> None:
        """Stop what is under way, and let everything go."""
        self.laboratory.cancel()
        self.searches.close()
        self.computers.close()
        for task in self._begun:
            task.cancel()
        self._threads.shutdown(wait=False, cancel_futures=True)
        self.reading.close()
        self.store.close()
        self._log.close()
