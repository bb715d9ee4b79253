"""A player at the board, on a thread of its own: whatever it does there, the referee goes on."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Generic, TypeVar

from outflank.players.player import Player

GRACE_SECONDS = 2.0
"""How long a player that was told to stop may take to come back before it is given up."""

T = TypeVar("T")


class Answer(Generic[T]):
    """What a player was asked, and once it has arrived what it said."""

    def __init__(self) -> None:
        self._future: Future[T] = Future()
        self.seconds = 0.0
        """How long it took, waiting for the player included."""

    def when_there(self, listener: Callable[[], object]) -> None:
        """Call `listener` when the answer arrives; at once, if it has."""
        self._future.add_done_callback(lambda _: listener())

    def wait(self, seconds: float | None) -> bool:
        """Wait so long at most; whether the answer is there."""
        arrived = threading.Event()
        self.when_there(arrived.set)
        return arrived.wait(seconds)

    @property
    def there(self) -> bool:
        """Whether the player has answered."""
        return self._future.done()

    @property
    def error(self) -> BaseException | None:
        """What went wrong; None: nothing."""
        return self._future.exception()

    @property
    def value(self) -> T:
        """What was answered; raises what went wrong."""
        return self._future.result()

    def _run(self, work: Callable[[], T], began: float) -> None:
        try:
            value = work()
        except BaseException as error:  # whatever a player raises, it is its own misfortune
            self.seconds = time.perf_counter() - began
            self._future.set_exception(error)
        else:
            self.seconds = time.perf_counter() - began
            self._future.set_result(value)


class Seat:
    """Asks a player one thing after another, and waits for none of them."""

    def __init__(self, player: Player) -> None:
        self.player = player
        self.lost = False
        """Whether the player no longer answers, or cannot go on: another one must be made in its place."""
        self._work: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        # A daemon: the thread of a player that never comes back must not keep the program from ending.
        threading.Thread(target=self._serve, name="player", daemon=True).start()

    def ask(self, question: Callable[[Player], T]) -> Answer[T]:
        """Put a question to the player, to be answered after those before it."""
        answer: Answer[T] = Answer()
        began = time.perf_counter()
        self._work.put(lambda: answer._run(lambda: question(self.player), began))
        return answer

    def leave(self) -> None:
        """Give the thread back; the player stays as it is."""
        self._work.put(None)

    def close(self) -> None:
        """Close the player, and give the thread back."""
        if self.lost:
            # It may hang in its last answer: closing it, which ends an engine's process, is what lets it go.
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
