"""What the loops have in common: lines in, lines out, a player who is asked, and what ends its search."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import Any, TextIO

from outflank.engine.player import Player
from outflank.protocols.listening import LONGEST, Listener, Urgency, too_long
from outflank.search.contract import Stop


class Engine:
    """A player behind a protocol."""

    def __init__(self, urgency: Callable[[str], Urgency]) -> None:
        self._urgency = urgency
        self._listener: Listener | None = None
        self._leaving = False
        self._player: Player | None = None
        self._made_for: Any = None

    def replies(self, line: str) -> Iterator[str]:
        """What is written in answer to a line, as it becomes known."""
        raise NotImplementedError

    def refusal(self, line: str, why: str) -> str:
        """What is written in answer to a line that is not looked at."""
        raise NotImplementedError

    def run(self, stream: Iterable[str], output: TextIO) -> None:
        """Answer the lines of `stream` until it ends or says `quit`."""
        self._listener = Listener(stream, self._urgency)
        try:
            for line in self._listener.lines():
                for reply in self._replies(line):
                    output.write(reply)
                    output.flush()
                if self._leaving:
                    return
        finally:
            self.stop()
            if self._player is not None:
                self._player.close()

    def _replies(self, line: str) -> Iterable[str]:
        if too_long(line):
            return [self.refusal(line, f"a line of more than {LONGEST} characters")]
        return self.replies(line)

    def stop(self) -> None:
        """End the search, and the loop. From any thread."""
        if self._listener is not None:
            self._listener.end()

    def _thinking(self) -> AbstractContextManager[Stop]:
        """What ends the search that runs inside."""
        return self._listener.thinking() if self._listener else nullcontext(Stop())

    def _player_for(self, key: Any, make: Callable[[], Player]) -> Player:
        """The player of the last time, or a new one if it was made for something else."""
        if self._player is None or self._made_for != key:
            if self._player is not None:
                self._player.close()
            self._player, self._made_for = make(), key
        return self._player
