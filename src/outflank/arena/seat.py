"""Runs a player on a thread of its own, so that the referee need not wait for a player that hangs."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Generic, TypeVar

from outflank.players.player import Player

GRACE_SECONDS = 2.0
"""Time, in seconds, that a player may take to return after its `Stop` was called. After that it is abandoned."""

T = TypeVar("T")


class Answer(Generic[T]):
    """A player's answer to a request. The answer may not have arrived yet."""

    def __init__(self) -> None:
        self._future: Future[T] = Future()
        self.seconds = 0.0
        """Seconds from the request to the answer, including the wait for earlier requests."""

    def on_arrival(self, listener: Callable[[], object]) -> None:
        """Call `listener` when the answer arrives, or at once if it has already arrived."""
        self._future.add_done_callback(lambda _: listener())

    def wait(self, seconds: float | None) -> bool:
        """Wait for at most `seconds`; return whether the answer has arrived."""
        event = threading.Event()
        self.on_arrival(event.set)
        return event.wait(seconds)

    @property
    def arrived(self) -> bool:
        """Whether the player has answered."""
        return self._future.done()

    @property
    def error(self) -> BaseException | None:
        """Exception that the player raised instead of answering; None if it raised none."""
        return self._future.exception()

    @property
    def value(self) -> T:
        """The player's answer; reading it raises the exception that the player raised, if any."""
        return self._future.result()

    def _run(self, work: Callable[[], T], began: float) -> None:
        try:
            value = work()
        except BaseException as error:  # any exception of a player counts against that player
            self.seconds = time.perf_counter() - began
            self._future.set_exception(error)
        else:
            self.seconds = time.perf_counter() - began
            self._future.set_result(value)


class Seat:
    """Sends requests to a player one after another, without waiting for the answers."""

    def __init__(self, player: Player) -> None:
        self.player = player
        self.lost = False
        """Whether the player has failed or no longer answers, and must be replaced by a new one."""
        self._work: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        # A daemon: the thread of a player that never returns must not keep the program from ending.
        threading.Thread(target=self._serve, name="player", daemon=True).start()

    def ask(self, request: Callable[[Player], T]) -> Answer[T]:
        """Send a request to the player, which answers requests in the order in which they were sent."""
        answer: Answer[T] = Answer()
        began = time.perf_counter()
        self._work.put(lambda: answer._run(lambda: request(self.player), began))
        return answer

    def leave(self) -> None:
        """End the thread without closing the player."""
        self._work.put(None)

    def close(self) -> None:
        """Close the player, and end the thread."""
        if self.lost:
            # The player may hang in its last request. Closing it here ends a program's process, and so the hang.
            closing: Answer[None] = Answer()
            began = time.perf_counter()
            threading.Thread(target=lambda: closing._run(self.player.close, began), daemon=True).start()
        else:
            closing = self.ask(lambda player: player.close())
        closing.wait(GRACE_SECONDS)
        self.leave()

    def _serve(self) -> None:
        while True:
            work = self._work.get()
            if work is None:
                return
            work()
