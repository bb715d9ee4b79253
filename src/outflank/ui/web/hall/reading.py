"""Reading what visitors paste: in threads of its own, a few at a time, and not for long.

A reader written in Python lets other threads run every few milliseconds, and a bound makes it end. A call of a regular
expression does neither: recognisers take time in proportion to the text, which `tests/test_recognisers.py` holds.
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


class ReadingRoom:
    """The threads in which texts of visitors are read; used on the event loop."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._threads = ThreadPoolExecutor(settings.texts_at_a_time, "outflank-web-text")
        self._waiting = 0
        """Texts that are being read, or wait to be; those that nobody waits for any longer count too."""

    async def read(self, reader: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T:
        """What a reader makes of a text; an error in one line where it is too much, or takes too long."""
        settings = self._settings
        if self._waiting >= settings.most_texts:
            raise OutflankError(f"{self._waiting} other texts are being read: try again in a moment")

        def bounded() -> T:
            with reading_at_most(settings.most_games, settings.text_seconds):
                return reader(*arguments, **named)

        reading = asyncio.get_running_loop().run_in_executor(self._threads, bounded)
        self._waiting += 1
        reading.add_done_callback(self._ended)
        # Not `wait_for`, which would cancel the reading: whoever waits no longer does not make its thread free.
        done, _ = await asyncio.wait((reading,), timeout=settings.text_seconds)
        if not done:
            raise TooMuchText(f"reading this text took longer than {settings.text_seconds:g} seconds")
        return reading.result()

    def _ended(self, reading: "asyncio.Future[T]") -> None:
        self._waiting -= 1
        if not reading.cancelled():
            reading.exception()  # or one that nobody waits for any longer is complained of

    def close(self) -> None:
        """Begin to read no more."""
        self._threads.shutdown(wait=False, cancel_futures=True)
