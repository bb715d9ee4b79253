"""Services that all games and connections of a server share: storage, threads, searches and the laboratory."""

import asyncio
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import ParamSpec, TypeVar

from outflank.errors import OutflankError
from outflank.formats.bounds import TooMuchText, reading_at_most
from outflank.players.puzzles import Puzzle, puzzles_of
from outflank.search.table import tables_in_memory
from outflank.ui.web.games.game_store import Store
from outflank.ui.web.lobby.exploring import Explorer
from outflank.ui.web.lobby.laboratory import Laboratory
from outflank.ui.web.searching.computers import Computers
from outflank.ui.web.searching.searches import Searches
from outflank.ui.web.searching.shared_cluster import SharedCluster
from outflank.ui.web.server_limits import Settings
from outflank.ui.web.warning_log import WarningLog

# Pasted texts are parsed in separate threads, with limits on the number of threads and on the time. A parser in Python
# lets other threads run every few milliseconds, and can be ended at a limit. The matching of a regular expression
# cannot be ended, and lets no other thread run. So the time of recognisers must be linear in the length of the text, as
# `tests/formats/test_recognisers.py` checks.

T = TypeVar("T")
P = ParamSpec("P")


class TextReader:
    """Threads that parse pasted texts. Not thread-safe: to be used only on the event loop."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._threads = ThreadPoolExecutor(settings.texts_at_a_time, "outflank-web-text")
        self._waiting = 0
        """Number of texts that are being parsed or queued, including texts whose requests have timed out."""

    async def read(self, reader: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T:
        """Return the result of `reader` for a pasted text. Raise an error if too many texts wait, or if this text has
        too many games or takes too long."""
        settings = self._settings
        if self._waiting >= settings.most_texts:
            raise OutflankError(f"{self._waiting} other texts are being read: try again in a moment")

        def read_bounded() -> T:
            with reading_at_most(settings.most_games, settings.text_seconds):
                return reader(*arguments, **named)

        reading = asyncio.get_running_loop().run_in_executor(self._threads, read_bounded)
        self._waiting += 1
        reading.add_done_callback(self._reading_ended)
        # `wait_for` would cancel the future although its thread still works.
        done, _ = await asyncio.wait((reading,), timeout=settings.text_seconds)
        if not done:
            raise TooMuchText(f"reading this text took longer than {settings.text_seconds:g} seconds")
        return reading.result()

    def _reading_ended(self, reading: "asyncio.Future[T]") -> None:
        self._waiting -= 1
        if not reading.cancelled():
            reading.exception()  # otherwise asyncio warns that the exception was never retrieved

    def close(self) -> None:
        """Drop the texts in the queue. The parsing of other texts continues."""
        self._threads.shutdown(wait=False, cancel_futures=True)


WORKING_THREADS = 4
"""Number of threads for jobs of some milliseconds, such as playing moves, drawing boards and writing texts."""


class Services:
    """Services of one server. They are created on its event loop."""

    def __init__(self, settings: Settings, cluster: SharedCluster | None = None) -> None:
        self.settings = settings
        self._log = WarningLog()
        if cluster is not None:
            cluster.warn = self.warn
        self.store = Store(settings.games)
        self._threads = ThreadPoolExecutor(WORKING_THREADS, "outflank-web")
        self.reading = TextReader(settings)
        self._tasks: set[asyncio.Task[None]] = set()
        self.store.forget_disposable().result()
        self._last_time = self.store.last_change().result()
        self.searches = Searches(settings, cluster)
        self.laboratory = Laboratory(settings.reports, self.searches.turns)
        self.explorer = Explorer(settings.indexes)
        self.computers = Computers(settings, self.searches.turns)

    @cached_property
    def puzzles(self) -> list[Puzzle]:
        """All puzzles of the server."""
        return puzzles_of(self.settings.puzzles)

    async def work(self, job: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T:
        """Run a job in a thread without blocking the event loop, and return its result."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, lambda: job(*arguments, **named))

    def begin(self, task: Coroutine[object, object, None]) -> None:
        """Run a coroutine in the background."""
        running = asyncio.create_task(task)
        self._tasks.add(running)
        running.add_done_callback(self._task_ended)

    def _task_ended(self, task: "asyncio.Task[None]") -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            self.warn(task.exception())

    def warn(self, error: object) -> None:
        self._log.warn_of(error)

    def now(self) -> float:
        """Return the current time, or a slightly later time, so that every returned time is later than the last.

        Games are sorted by this time.
        """
        self._last_time = max(time.time(), self._last_time + 1e-4)
        return self._last_time

    def most_table_bytes(self) -> int:
        """Return the maximum size in bytes of all transposition tables together, except the tables of experiments."""
        return self.searches.most_bytes() + self.computers.most_bytes()

    def in_memory(self) -> dict[str, int]:
        """Return the number of players, and the number and bytes of all transposition tables.

        The transposition tables of experiments are included.
        """
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
