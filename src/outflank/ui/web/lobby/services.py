"""The services that all games and connections of a server share: storage, threads, searches, the laboratory."""

import asyncio
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, ParamSpec, TypeVar

from outflank.search.table import tables_in_memory
from outflank.ui.web.games.store import Store
from outflank.ui.web.lobby.laboratory import Laboratory
from outflank.ui.web.lobby.reading import TextReader
from outflank.ui.web.searching.computers import Computers
from outflank.ui.web.searching.searches import Searches
from outflank.ui.web.settings import Settings
from outflank.ui.web.warning_log import WarningLog

T = TypeVar("T")
P = ParamSpec("P")

WORKING_THREADS = 4
"""Threads for jobs of milliseconds: rules, pictures, own texts."""


class Services:
    """The services of one server; created on its event loop."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._log = WarningLog()
        self.store = Store(settings.games)
        self._threads = ThreadPoolExecutor(WORKING_THREADS, "outflank-web")
        self.reading = TextReader(settings)
        self._tasks: set[asyncio.Task[Any]] = set()
        self.store.forget_untouched().result()
        self._last_time = self.store.last_change().result()
        self.searches = Searches(settings)
        self.laboratory = Laboratory(settings.reports, self.searches.turns)
        self.computers = Computers(settings, self.searches.turns)

    async def work(self, job: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T:
        """Run a job in a thread without blocking the event loop, and return its result."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, lambda: job(*arguments, **named))

    def begin(self, task: Coroutine[Any, Any, None]) -> None:
        """Run a task in the background."""
        running = asyncio.create_task(task)
        self._tasks.add(running)
        running.add_done_callback(self._task_ended)

    def _task_ended(self, task: "asyncio.Task[Any]") -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            self.warn(task.exception())

    def warn(self, error: object) -> None:
        """Write an error to the server's warning log."""
        self._log.warn_of(error)

    def now(self) -> float:
        """Return the time, later than at every call before: games are listed by it."""
        self._last_time = max(time.time(), self._last_time + 1e-4)
        return self._last_time

    def most_table_bytes(self) -> int:
        """Return the limit on the bytes of all tables, except those of experiments."""
        return self.searches.most_bytes() + self.computers.most_bytes()

    def in_memory(self) -> dict[str, int]:
        """Return the number of tables, their bytes and the number of players, including those of experiments."""
        tables, table_bytes = tables_in_memory()
        return {"tables": tables, "table_bytes": table_bytes, "players": self.computers.in_memory()}

    def close(self) -> None:
        """Stop everything that is running, and release all resources."""
        self.laboratory.cancel()
        self.searches.close()
        self.computers.close()
        for task in self._tasks:
            task.cancel()
        self._threads.shutdown(wait=False, cancel_futures=True)
        self.reading.close()
        self.store.close()
        self._log.close()
