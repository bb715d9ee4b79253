"""Hearing commands while a search runs.

A thread reads ahead. Most lines wait for their turn; a few are heard at once: those that stop a search, and the end
of the input. What a line means is the protocol's business: it says how urgent each one is.
"""

import os
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from enum import Enum
from queue import SimpleQueue

from outflank.search.contract import Stop

LONGEST = 1 << 16
"""Characters of a line; no command of either protocol is a hundredth of it. What is longer is no command."""

PARTING_SECONDS = 2.0
"""For what has been asked when the input ends: a script gets its answers, a program that has died none for long."""


class Urgency(Enum):
    """What a line means to a search that runs while it arrives."""

    WAITS = "waits"
    STOPS = "stops"
    """The search ends, and comes back with what it has."""
    LEAVES = "leaves"
    """Nothing will follow: the search ends soon."""


class Listener:
    """The lines of a stream, one after the other, and the search that some of them end."""

    def __init__(self, stream: Iterable[str], urgency: Callable[[str], Urgency]) -> None:
        self._stream, self._says = stream, urgency
        self._arrived: SimpleQueue[str | None] = SimpleQueue()
        self._lock = threading.Lock()
        self._stops = 0  # lines heard that stop a search, and whose turn has not come
        self._over = False
        self._search: Stop | None = None
        self._parting: threading.Timer | None = None
        self._failure: Exception | None = None

    def lines(self) -> Iterator[str]:
        """The lines in order. To be asked for once."""
        threading.Thread(target=self._read, daemon=True).start()
        try:
            while (line := self._arrived.get()) is not None:
                if self._urgency(line) is Urgency.STOPS:
                    with self._lock:
                        self._stops -= 1
                yield line
            if self._failure is not None:
                raise self._failure
        finally:
            if self._parting is not None:
                self._parting.cancel()

    @contextmanager
    def thinking(self) -> Iterator[Stop]:
        """What ends the search that runs inside: called at once if a line to that effect is waiting already."""
        stop = Stop()
        with self._lock:
            self._search = stop
            ended = self._over or self._stops > 0
        if ended:
            stop()
        try:
            yield stop
        finally:
            with self._lock:
                self._search = None

    def end(self) -> None:
        """End the search, and every later one, and let no more lines come. From any thread."""
        with self._lock:
            self._over = True
            search = self._search
        if search is not None:
            search()
        self._arrived.put(None)

    def _urgency(self, line: str) -> Urgency:
        return Urgency.WAITS if too_long(line) else self._says(line)

    def _read(self) -> None:
        try:
            for line in self._stream:
                urgency = self._urgency(line)
                if urgency is Urgency.STOPS:
                    with self._lock:
                        self._stops += 1
                        search = self._search
                    if search is not None:
                        search()
                self._arrived.put(line)
                if urgency is Urgency.LEAVES:
                    break
        except (OSError, ValueError):
            pass  # a stream that cannot be read any more has ended
        except Exception as error:  # of a protocol of somebody's own: who waits for a line would wait for ever
            self._failure = error
        self._parting = threading.Timer(PARTING_SECONDS, self.end)
        self._parting.daemon = True
        self._parting.start()
        self._arrived.put(None)


def lines_of(descriptor: int) -> Iterator[str]:
    """The lines of a file descriptor, without their ends; bytes that are no text become �.

    Of a line that is too long only the beginning comes, itself too long, and the rest is passed over as it is read: one
    that never ends costs neither memory nor more time than reading it.

    It keeps clear of `sys.stdin`: at the end of the program the interpreter waits for whoever reads that, or gives up
    with a fatal error, and a thread that waits for a line cannot be told to stop.
    """
    rest = b""
    while chunk := os.read(descriptor, 1 << 16):
        *whole, rest = (rest + chunk).split(b"\n")
        yield from map(_decoded, whole)
        rest = rest[: LONGEST + 1]
    if rest:
        yield _decoded(rest)


def too_long(line: str) -> bool:
    """Whether this is the beginning of a line that is too long to be a command."""
    return len(line) > LONGEST


def _decoded(line: bytes) -> str:
    # A character for each byte, where there are too many: as text the beginning might be short enough again.
    return line.decode("utf-8", "replace") if len(line) <= LONGEST else line[: LONGEST + 1].decode("latin-1")


def cleaned(line: str, *, comments: bool = True) -> str:
    """A line as GTP wants it read: tabs are spaces, other control characters are nothing, nor is what follows #.

    >>> cleaned("1\\tname\\x00 # who?")
    '1 name'
    """
    text = line.partition("#")[0] if comments else line
    return "".join(char for char in text.replace("\t", " ") if char.isprintable()).strip()
