"""An external program as a child process: sends lines to it and receives lines, with timeouts and limits.

The message of a `PlayerFailed` begins with the kind of failure: `crashed`, `time`, `protocol`, `illegal move` or
`resigned`.
"""

import contextlib
import subprocess
import threading
import time
import weakref
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from queue import Empty, SimpleQueue
from typing import IO

from outflank.errors import reason_of
from outflank.players.player import PlayerFailed
from outflank.search.request import Stop
from outflank.systems import CHILD_OPTIONS, Descendants

START_SECONDS = 60.0
"""Timeout for a program's first answer, before which it may have to load or compile a lot."""

ANSWER_SECONDS = 10.0
"""Timeout for a program's answer that needs no thinking."""

PATIENCE_SECONDS = 600.0
"""Timeout for a move without a clock."""

GRACE_SECONDS = 2.0
"""Time to wait for a move after the player's clock has run out: the referee decides whether the move was in time. A
program also gets this time to stop thinking or to exit."""

MOST_CHARACTERS = 1 << 24
"""Largest number of characters in the answer to one command. A program that writes more has failed."""

LINES_AHEAD, CHARACTERS_A_LINE = 1_000, 1 << 14
"""Largest number of lines that are read ahead, and of bytes in each. A longer line is split. Further output stays in
the pipe, so that the program waits."""

LAST_WORDS = 5
"""Number of last lines of a program's standard error that are reported when it has died."""


class Interrupted(Exception):
    """The wait for a program's line was ended by a `Stop`."""


_stop: ContextVar[Stop | None] = ContextVar("stop", default=None)


@contextmanager
def waits_ended_by(stop: Stop | None) -> Iterator[None]:
    """Raise `Interrupted` in every wait for a program in this block once `stop` is called."""
    before = _stop.set(stop)
    try:
        yield
    finally:
        _stop.reset(before)


class NoAnswer(PlayerFailed):
    """A program did not answer in time."""


class ExternalProgram:
    """A process that reads and writes lines, which Ctrl-C does not reach. Its descendants are killed with it.

    With `own`, the program is part of this package, shares our standard
    error and may write long lines. Of any other program, the last error lines are stored, and reported when it dies.
    """

    def __init__(self, command: Sequence[str], *, own: bool = False) -> None:
        self.command = list(command)
        if not self.command:
            raise failed("crashed", "no command was given")
        try:
            self._process: subprocess.Popen[bytes] = subprocess.Popen(
                self.command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=None if own else subprocess.PIPE,
                **CHILD_OPTIONS,
            )
        except OSError as error:
            raise failed("crashed", f"{self.command[0]!r} does not start: {reason_of(error)}") from None
        descendants = Descendants(self._process)
        self._arrived: SimpleQueue[object] = SimpleQueue()
        self._room = threading.Semaphore(LINES_AHEAD)
        self._ended = threading.Event()
        self._errors: deque[str] = deque(maxlen=LAST_WORDS)
        self._count = 0
        longest = MOST_CHARACTERS if own else CHARACTERS_A_LINE
        reading = (self._process.stdout, self._arrived, self._room, self._ended, longest)
        self._threads = [threading.Thread(target=_read_lines, args=reading)]
        if not own:
            self._threads.append(threading.Thread(target=_read_errors, args=(self._process.stderr, self._errors)))
        for thread in self._threads:
            thread.daemon = True
            thread.start()
        # Kills the process if the owner never calls `end`, or when the interpreter exits.
        self._forgotten = weakref.finalize(self, _kill, self._process, descendants, self._room, self._ended)

    @property
    def pid(self) -> int:
        """Process id."""
        return self._process.pid

    def send(self, line: str) -> None:
        """Send a line to the program."""
        self._count = 0
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(f"{line}\n".encode())
            self._process.stdin.flush()
        except (OSError, ValueError):
            raise self._crash() from None

    def receive(self, deadline: float, mark: object = None) -> str:
        """Return the next line; raise `NoAnswer` at `deadline`.

        `Interrupted` is raised once a stop is called: the stop for which `interrupting` has yielded `mark`, or the stop
        of `waits_ended_by`.
        """
        with self.interrupting(_stop.get()) as other_mark:
            return self._receive(deadline, (mark, other_mark))

    def _receive(self, deadline: float, marks: tuple[object, object]) -> str:
        while True:
            try:
                item = self._arrived.get(timeout=max(0.0, deadline - time.monotonic()))
            except Empty:
                raise NoAnswer("time: no answer") from None
            if item is None:
                self._arrived.put(None)  # for later calls
                raise self._crash()
            if any(item is mark for mark in marks):
                raise Interrupted
            if isinstance(item, str):
                self._room.release()
                self._count += len(item) + 1
                if self._count > MOST_CHARACTERS:
                    raise failed("protocol", f"more than {MOST_CHARACTERS:,} characters, and no answer among them")
                return item

    @contextmanager
    def interrupting(self, stop: Stop | None) -> Iterator[object]:
        """Yield a mark with which `receive` raises `Interrupted` once `stop` is called."""
        mark = object()

        def listener() -> None:
            self._arrived.put(mark)

        if stop is not None:
            stop.add_listener(listener)
        try:
            yield mark
        finally:
            if stop is not None:
                stop.remove_listener(listener)

    def end(self, farewell: str = "") -> None:
        """Send `farewell`, if any, and give the program time to exit; then kill the program."""
        if not self._forgotten.alive:
            return
        process = self._process
        assert process.stdin is not None
        with contextlib.suppress(OSError, ValueError):
            if farewell:
                process.stdin.write(f"{farewell}\n".encode())
            process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(GRACE_SECONDS if farewell else 0.0)
        self._forgotten()
        for thread in self._threads:
            thread.join(1.0)

    def _crash(self) -> PlayerFailed:
        """Return the failure that explains why no more lines come."""
        try:
            status = self._process.wait(GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            return failed("crashed", "it has closed its output")
        # At once: the process has been reaped, and the system may give its id to an unrelated process group.
        self._forgotten()
        how = f"exit status {status}" if status >= 0 else f"ended by signal {-status}"
        self._threads[-1].join(0.5)
        words = " / ".join(self._errors)
        return failed("crashed", how + (f": {words}" if words else ""))


def failed(kind: str, detail: str) -> PlayerFailed:
    """Return a failure whose message begins with its kind."""
    return PlayerFailed(f"{kind}: {detail}")


def quoted(text: str, most: int = 80) -> str:
    """Return a program's text, quoted for a message and cut after `most` characters."""
    return repr(text if len(text) <= most else text[:most] + "…")


def _read_lines(
    stream: IO[bytes], arrived: "SimpleQueue[object]", room: threading.Semaphore, ended: threading.Event, longest: int
) -> None:
    """Read lines into a queue. A method would keep the `ExternalProgram` alive after its owner has dropped it."""
    with contextlib.suppress(OSError, ValueError), stream:
        while line := stream.readline(longest):
            room.acquire()
            if ended.is_set():
                break
            arrived.put(line.decode("utf-8", "replace").rstrip("\r\n"))
    arrived.put(None)


def _read_errors(stream: IO[bytes], last: "deque[str]") -> None:
    with contextlib.suppress(OSError, ValueError), stream:
        while line := stream.readline(CHARACTERS_A_LINE):
            if line.strip():
                last.append(line.decode("utf-8", "replace").strip()[:200])


def _kill(
    process: "subprocess.Popen[bytes]", descendants: Descendants, room: threading.Semaphore, ended: threading.Event
) -> None:
    """Kill the process and its descendants; then reap the process.

    If the process has been reaped already, call this immediately afterwards, since process ids are reused.
    """
    descendants.kill()
    process.wait()
    with contextlib.suppress(OSError, ValueError):
        if process.stdin is not None:
            process.stdin.close()
    ended.set()
    room.release()  # the reading thread may wait for it
