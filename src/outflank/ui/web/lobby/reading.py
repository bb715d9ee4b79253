"""Parsing of pasted texts: in separate threads, with limits on their number and on the time.

A reader written in Python lets other threads run every few milliseconds, and a limit ends it. A call of a regular
expression does neither: recognisers take time proportional to the text, which `tests/test_recognisers.py` checks.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

from outflank.errors import OutflankError
from outflank.formats.bounds import TooMuchText, reading_at_most
from outflank.ui.web.settings import Settings

T = TypeVar("T")
P = ParamSpec("P")


class TextReader:
    """Threads that parse pasted texts. Not thread-safe: used on the event loop only."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._threads = ThreadPoolExecutor(settings.texts_at_a_time, "outflank-web-text")
        self._waiting = 0
        """Texts that are being parsed or queued, including those whose request has timed out."""

    async def read(self, reader: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T:
        """Return the result of a reader; raise an error of one line where the text is too long or takes too long."""
        settings = self._settings
        if self._waiting >= settings.most_texts:
            raise OutflankError(f"{self._waiting} other texts are being read: try again in a moment")

        def read_bounded() -> T:
            with reading_at_most(settings.most_games, settings.text_seconds):
                return reader(*arguments, **named)

        reading = asyncio.get_running_loop().run_in_executor(self._threads, read_bounded)
        self._waiting += 1
        reading.add_done_callback(self._reading_ended)
        # Not `wait_for`, which would cancel the future although its thread still works.
        done, _ = await asyncio.wait((reading,), timeout=settings.text_seconds)
        if not done:
            raise TooMuchText(f"reading this text took longer than {settings.text_seconds:g} seconds")
        return reading.result()

    def _reading_ended(self, reading: "asyncio.Future[T]") -> None:
        self._waiting -= 1
        if not reading.cancelled():
            reading.exception()  # or asyncio warns of an exception that was never retrieved

    def close(self) -> None:
        """Start no further parsing."""
        self._threads.shutdown(wait=False, cancel_futures=True)
