"""What waits to be sent to a connection: answers in their order; of what something newer has overtaken, the newest."""

import asyncio
import time
from contextlib import suppress

from outflank.documents import encoded
from outflank.ui.web.messages import Message

EVERY_SECONDS = 0.1
"""Between two messages of one stream, at least."""

MOST_ANSWERS = 64
"""That may wait before nothing more is asked of a connection."""


class Outbox:
    """Filled and emptied on the event loop."""

    def __init__(self) -> None:
        self._answers: list[Message] = []
        self._latest: dict[str, Message] = {}
        self._sent: dict[str, float] = {}
        self._filled = asyncio.Event()
        self._room = asyncio.Event()
        self._room.set()
        self._is_closed = False

    async def answer(self, message: Message) -> None:
        """Send this after what waits already; waits where too much does."""
        await self._room.wait()
        self.tell(message)

    async def room(self) -> None:
        """Wait until not too much waits to be sent: nothing more is to be asked before."""
        await self._room.wait()

    def tell(self, message: Message) -> None:
        """Send this too, where the connection has not asked: the last of a stream, or that a game is gone."""
        if self._is_closed:
            return
        self._answers.append(message)
        if len(self._answers) >= MOST_ANSWERS:
            self._room.clear()
        self._filled.set()

    def stream(self, key: str, message: Message) -> None:
        """Send this instead of what waits under the same key, not too often."""
        if self._is_closed:
            return
        self._latest[key] = message
        self._filled.set()

    def forget(self, key: str) -> None:
        """Do not send what waits under a key: it is over."""
        self._latest.pop(key, None)
        self._sent.pop(key, None)

    def close(self) -> None:
        """Drop pending and future messages, and wake everyone who waits for room."""
        self._is_closed = True
        self._answers.clear()
        self._latest.clear()
        self._room.set()

    async def next(self) -> str:
        """The next message to send, as text."""
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
            # Not by `wait_for`: until Python 3.12 that loses a cancellation which arrives together with the result.
            with suppress(TimeoutError):
                async with asyncio.timeout(None if first is None else due[first] - now):
                    await self._filled.wait()
