"""Main program of a `PlayerProcess`'s child: makes one player, serves requests to it, and ends with its parent."""

import io
import os
import signal
import sys
import threading
import time
import warnings
from contextlib import suppress
from queue import SimpleQueue
from typing import IO, TextIO

from outflank.errors import OutflankError
from outflank.players.player import Player, PlayerFailed
from outflank.plugins import error_text
from outflank.protocols.player_process import QUIT, STOP, Answered, Ask, Made, Make, Raised, Warned, as_line, from_line
from outflank.search.request import Stop

LONGEST_MESSAGE = 2000
"""Number of characters after which the text of an error or a warning is cut."""

OPTIONAL_METHODS = ("reseed", "check")


def main() -> None:
    """Serve the player until the input ends, then exit. Never returns."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent process
    requests = sys.stdin.buffer
    answers = os.fdopen(os.dup(1), "wb")
    with suppress(OSError):
        os.dup2(2, 1)  # what a player prints is not an answer
    sys.stdin = io.StringIO()
    server = _PlayerServer(answers)
    # The player has one permanent thread, as in a match without programs. The main thread would run kernels on
    # other threads.
    serving = threading.Thread(target=server.serve, name="player", daemon=True)
    serving.start()
    server.listen(requests)
    serving.join()
    os._exit(0)


class _PlayerServer:
    def __init__(self, answers: IO[bytes]) -> None:
        self._answers = answers
        self._lock = threading.Lock()
        self._requests: SimpleQueue[tuple[bytes, Stop] | None] = SimpleQueue()
        self._unanswered = 0
        self._player: Player | None = None

    def listen(self, requests: IO[bytes]) -> None:
        """Read requests while the player is busy. At the end of the input, exit if a request is unanswered."""
        stop = Stop()
        for line in requests:
            words = line.strip()
            if words == STOP.encode():
                stop()
            elif words == QUIT.encode():
                break
            else:
                stop = Stop()
                with self._lock:
                    self._unanswered += 1
                self._requests.put((words, stop))
        with self._lock:
            if self._unanswered:
                os._exit(0)
        self._requests.put(None)

    def serve(self) -> None:
        """Answer requests in order until there are no more, then close the player."""
        warnings.showwarning = self._warned
        while (request := self._requests.get()) is not None:
            try:
                answer = as_line(self._answer(*request))
            except (OutflankError, PlayerFailed) as error:
                answer = as_line(Raised(error_text(error)[:LONGEST_MESSAGE], expected=isinstance(error, OutflankError)))
            except BaseException as error:  # any exception of a player counts against that player
                what = " ".join(f"{type(error).__name__}: {error_text(error)}".split())
                answer = as_line(Raised(what[:LONGEST_MESSAGE], expected=False))
            with self._lock:
                self._unanswered -= 1
            self._send(answer)
        if self._player is not None:
            self._player.close()

    def _answer(self, line: bytes, stop: Stop) -> Made | Answered:
        message = from_line(line)
        if isinstance(message, Make):
            make, game = message.pickled.load()
            self._player = make(message.words, game)
            methods = frozenset(name for name in OPTIONAL_METHODS if hasattr(self._player, name))
            return Made(self._player.name, methods)
        assert isinstance(message, Ask)
        began = time.perf_counter()
        keywords = {"stop": stop} if message.with_stop else {}
        value = getattr(self._player, message.method)(*message.arguments, **keywords)
        return Answered(value, time.perf_counter() - began)

    def _send(self, line: str) -> None:
        with self._lock, suppress(OSError):  # if the parent no longer reads, the input ends as well
            self._answers.write(line.encode() + b"\n")
            self._answers.flush()

    def _warned(
        self,
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        known = category if category.__module__ == "builtins" else UserWarning
        self._send(as_line(Warned(known, str(message)[:LONGEST_MESSAGE])))
