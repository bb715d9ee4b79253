"""Rate-limited warnings on standard error and in the log. Repeated warnings are summarised in one line."""

import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from outflank.logs import logger, one_line

log = logger(__name__)

PERIOD_SECONDS = 60.0
MOST_LINES = 5
"""Maximum number of warnings of one kind that are written in `PERIOD_SECONDS`. Further warnings are only counted."""

MOST_KINDS = 50
"""Maximum number of kinds of warnings that are counted separately. All further kinds count as one kind."""


@dataclass(slots=True)
class _Kind:
    """Counts of the warnings of one kind in a period of `PERIOD_SECONDS`. The first warning starts the period."""

    begun: float
    written: int = 0
    omitted: int = 0
    last: str = ""
    """Text of the last warning that was counted but not written."""


class WarningLog:
    """Writes at most `MOST_LINES` warnings of a kind per minute, and the number of omitted warnings. Thread-safe.

    >>> log = WarningLog(print)
    >>> for number in range(1000):
    ...     log.warn("bad request", f"bad request {number}")
    outflank: warning: bad request 0
    outflank: warning: bad request 1
    outflank: warning: bad request 2
    outflank: warning: bad request 3
    outflank: warning: bad request 4
    >>> log.close()
    outflank: warning: 995 more within a minute, the last one: bad request 999
    """

    def __init__(self, write: Callable[[str], None] | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self._write, self._clock = write or _to_stderr, clock
        self._lock = threading.Lock()
        self._kinds: dict[str, _Kind] = {}
        self._timer: threading.Timer | None = None

    def warn(self, kind: str, text: object) -> None:
        """Write a warning, or only count it if `MOST_LINES` of its kind were written within a minute."""
        line = one_line(text)
        with self._lock:
            now = self._clock()
            self._write_numbers(now)
            if kind not in self._kinds and len(self._kinds) >= MOST_KINDS:
                kind = ""
            entry = self._kinds.setdefault(kind, _Kind(now))
            if entry.written < MOST_LINES:
                entry.written += 1
                self._write_line(line)
                return
            entry.omitted += 1
            entry.last = line
            self._start_timer()  # otherwise the count would be written only at the next warning

    def warn_of(self, error: object) -> None:
        """Write a warning about an exception. Its kind is the exception's type."""
        self.warn(type(error).__name__, f"{type(error).__name__}: {error}")

    def close(self) -> None:
        """Write how many warnings of each kind were counted but not written."""
        with self._lock:
            self._stop_timer()
            self._write_numbers(None)

    def _period_ends(self) -> None:
        with self._lock:
            self._stop_timer()
            self._write_numbers(self._clock())
            if any(entry.omitted for entry in self._kinds.values()):
                self._start_timer()

    def _start_timer(self) -> None:
        if self._timer is None:
            self._timer = threading.Timer(PERIOD_SECONDS, self._period_ends)
            self._timer.daemon = True
            self._timer.start()

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _write_numbers(self, now: float | None) -> None:
        """Write how many warnings of each kind were omitted. If `now` is given, skip kinds whose period goes on."""
        for kind, entry in list(self._kinds.items()):
            if now is None or now - entry.begun >= PERIOD_SECONDS:
                del self._kinds[kind]
                if entry.omitted:
                    self._write_line(f"{entry.omitted:,} more within a minute, the last one: {entry.last}")

    def _write_line(self, line: str) -> None:
        self._write(f"outflank: warning: {line}")
        log.warning("%s", line)


def _to_stderr(line: str) -> None:
    with suppress(OSError, ValueError):  # standard error may be closed
        sys.stderr.write(f"{line}\n")
