"""Reads commands while a search runs, and ends the search if a command requests that.

A thread reads ahead. Most lines wait for their turn, but a line that stops a search takes effect at once. After the end
of the input, the remaining requests have `PARTING_SECONDS`. The protocol says how urgent each line is.
"""

import os
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from enum import Enum
from queue import SimpleQueue

from outflank.search.request import Stop

LONGEST = 1 << 16
"""Largest number of characters in a line; commands of both protocols are shorter than a hundredth of this."""

PARTING_SECONDS = 2.0
"""Time for the remaining requests after the end of the input: a script gets its answers, and if the other program has
died, the service still ends."""


class Urgency(Enum):
    """Effect of a line on a search that is running when the line arrives."""

    WAITS = "waits"
    STOPS = "stops"
    """The search ends at once, and returns its result so far."""
    LEAVES = "leaves"
    """No line will follow, so the search ends soon."""


class Listener:
    """Reads the lines of a stream on a thread, and ends the running search if a line requests that."""

    def __init__(self, stream: Iterable[str], urgency: Callable[[str], Urgency]) -> None:
        self._stream, self._urgency_of = stream, urgency
        self._arrived: SimpleQueue[str | None] = SimpleQueue()
        self._lock = threading.Lock()
        self._stops = 0  # number of lines that stop a search and still wait for their turn
        self._over = False
        self._search: Stop | None = None
        self._parting: threading.Timer | None = None
        self._failure: Exception | None = None

    def lines(self) -> Iterator[str]:
        """Yield the lines in order. May be called once."""
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
        """Yield a `Stop` for the search in the block; it is called at once if a line that stops a search is waiting."""
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
        """End the search, and every later one, and accept no more lines. May be called from any thread."""
        with self._lock:
            self._over = True
            search = self._search
        if search is not None:
            search()
        self._arrived.put(None)

    def _urgency(self, line: str) -> Urgency:
        return Urgency.WAITS if too_long(line) else self._urgency_of(line)

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
        except Exception as error:  # else an error of a plug-in would make the main loop wait for ever
            self._failure = error
        self._parting = threading.Timer(PARTING_SECONDS, self.end)
        self._parting.daemon = True
        self._parting.start()
        self._arrived.put(None)


def lines_of(descriptor: int) -> Iterator[str]:
    """Yield the lines of a file descriptor, without their ends; invalid bytes become �.

    Of an overlong line only the beginning is yielded, which is long enough for `too_long` to recognise it. The rest is
    skipped as it is read, so a line that never ends costs no memory, and only the time to read it.

    This avoids `sys.stdin`: at exit the interpreter waits for a thread that reads it, or fails with a fatal error. A
    thread that waits for a line cannot be told to stop.
    """
    rest = b""
    while chunk := os.read(descriptor, 1 << 16):
        *whole, rest = (rest + chunk).split(b"\n")
        yield from map(_decoded, whole)
        rest = rest[: LONGEST + 1]
    if rest:
        yield _decoded(rest)


def too_long(line: str) -> bool:
    """Return whether a line, or the beginning of one, is too long for a command."""
    return len(line) > LONGEST


def _decoded(line: bytes) -> str:
    # An overlong line gets one character per byte: decoded as UTF-8, its beginning might be short enough.
    return line.decode("utf-8", "replace") if len(line) <= LONGEST else line[: LONGEST + 1].decode("latin-1")


def cleaned(line: str, *, comments: bool = True) -> str:
    """Return a line as GTP reads it: tabs are spaces; other control characters and text after # are dropped.

    >>> cleaned("1\\tname\\x00 # who?")
    '1 name'
    """
    text = line.partition("#")[0] if comments else line
    return "".join(char for char in text.replace("\t", " ") if char.isprintable()).strip()
