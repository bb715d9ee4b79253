"""Limit on a connection's rate of incoming messages, and the queue of outgoing messages.

The queue has all answers, and the newest message of each stream.
"""

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress

from outflank.ui.web.server_messages import Message
from outflank.validation.documents import encoded


class Bucket:
    """A token bucket. It holds at most `most` tokens and gets `a_second` tokens per second. A message takes a token.

    >>> now = [0.0]
    >>> bucket = Bucket(1.0, 2, lambda: now[0])
    >>> bucket.take(), bucket.take(), bucket.take()
    (True, True, False)
    >>> now[0] = 1.0
    >>> bucket.take(), bucket.take()
    (True, False)
    """

    def __init__(self, a_second: float, most: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._a_second, self._most, self._clock = a_second, most, clock
        self._tokens, self._updated = float(most), clock()

    def take(self) -> bool:
        """Take a token, and return whether there was one."""
        now = self._clock()
        self._tokens = min(float(self._most), self._tokens + (now - self._updated) * self._a_second)
        self._updated = now
        if self._tokens < 1.0:
            return False
        self._tokens -= 1.0
        return True


EVERY_SECONDS = 0.1
"""Shortest time in seconds between two messages of one stream."""

MOST_ANSWERS = 64
"""Number of unsent answers at which no further request of the connection is read."""


class Outbox:
    """Outgoing messages of a connection. To be used on the event loop."""

    def __init__(self) -> None:
        self._answers: list[Message] = []
        self._latest: dict[str, Message] = {}
        self._sent: dict[str, float] = {}
        self._filled = asyncio.Event()
        self._room = asyncio.Event()
        self._room.set()
        self._is_closed = False

    async def answer(self, message: Message) -> None:
        """Append a message to the queue. Block while `MOST_ANSWERS` messages wait in the queue."""
        await self._room.wait()
        self.tell(message)

    async def room(self) -> None:
        """Block while `MOST_ANSWERS` messages wait, so that no further request is read."""
        await self._room.wait()

    def tell(self, message: Message) -> None:
        """Append a message without blocking: the last message of a stream, or the notice of a deleted game."""
        if self._is_closed:
            return
        self._answers.append(message)
        if len(self._answers) >= MOST_ANSWERS:
            self._room.clear()
        self._filled.set()

    def stream(self, key: str, message: Message) -> None:
        """Replace the waiting message of the stream `key`. A stream sends one message at most every `EVERY_SECONDS`."""
        if self._is_closed:
            return
        self._latest[key] = message
        self._filled.set()

    def forget(self, key: str) -> None:
        """Drop the waiting message of the stream `key`, because the stream has ended."""
        self._latest.pop(key, None)
        self._sent.pop(key, None)

    def close(self) -> None:
        """Drop waiting and future messages, and wake all callers that wait for room in the queue."""
        self._is_closed = True
        self._answers.clear()
        self._latest.clear()
        self._room.set()

    async def next(self) -> str:
        """Wait for the next message to send, and return it as text."""
        while True:
            if self._answers:
                message = self._answers.pop(0)
                if len(self._answers) < MOST_ANSWERS:
                    self._room.set()
                return encoded(message).decode()
            now = time.monotonic()
            due = {key: self._sent.get(key, 0.0) + EVERY_SECONDS for key in self._latest}
            first = min(due, key=lambda key: due[key], default=None)
            if first is not None and due[first] <= now:
                self._sent[first] = now
                return encoded(self._latest.pop(first)).decode()
            self._filled.clear()
            # Before Python 3.12, `wait_for` loses a cancellation that arrives together with the result.
            with suppress(TimeoutError):
                async with asyncio.timeout(None if first is None else due[first] - now):
                    await self._filled.wait()
