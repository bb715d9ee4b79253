"""The log of servers and clusters. It goes nowhere unless a program configures `logging`, or OUTFLANK_LOG names a file.

Each module that logs has the logger of its own name, such as `outflank.distributed.head`. Secrets are never logged.
"""

import logging
import os
import time
from collections.abc import Callable
from dataclasses import dataclass

from outflank.errors import InvalidOption, OutflankError, reason_of

FILE, LEVEL = "OUTFLANK_LOG", "OUTFLANK_LOG_LEVEL"
"""Environment variables: the file to which this process and its nodes append their log, and the least level of records.

They are not options of commands, because the processes of a cluster's nodes inherit them.
"""

LEVELS = ("debug", "info", "warning", "error")
FORMAT = "%(asctime)s %(process)d %(levelname)s %(name)s: %(message)s"

PERIOD_SECONDS = 60.0
MOST_LINES = 100
"""Maximum number of records of one kind that are written in `PERIOD_SECONDS`. Without a limit, clients of a server
could fill the disk."""

MOST_LETTERS = 500
"""Maximum number of characters of a message."""


def logger(name: str) -> logging.Logger:
    """Return the logger of a module. Its records go nowhere without a handler; `logging` would print its warnings."""
    log = logging.getLogger(name)
    log.addHandler(logging.NullHandler())
    return log


def log_to_file() -> None:
    """Let this process append its log to the file that OUTFLANK_LOG names, if the variable is set."""
    path, level = os.environ.get(FILE), os.environ.get(LEVEL, "info").lower()
    if not path:
        return
    if level not in LEVELS:
        raise InvalidOption(f"{LEVEL}={level}: expected {', '.join(LEVELS)}")
    root = logging.getLogger("outflank")
    if any(isinstance(handler, LogFile) for handler in root.handlers):
        return
    try:
        handler = LogFile(path)
    except OSError as error:
        raise OutflankError(f"{FILE}={path}: {reason_of(error)}") from None
    root.addHandler(handler)
    root.setLevel(level.upper())


def one_line(text: object) -> str:
    """Return a text as one line of at most `MOST_LETTERS` characters, without control characters.

    >>> one_line("a\\nb\\x1b[2J")
    'a b?[2J'
    """
    line = " ".join(str(text).split())[:MOST_LETTERS]
    return "".join(letter if letter.isprintable() else "?" for letter in line)


class _OneLine(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        """Return the record with its message as one line, because clients choose parts of some messages."""
        return super().format(logging.makeLogRecord(vars(record) | {"msg": one_line(record.getMessage()), "args": ()}))


@dataclass(slots=True)
class _Kind:
    """Numbers of written and omitted records of one kind since `begun`."""

    begun: float
    written: int = 0
    omitted: int = 0


class LogFile(logging.FileHandler):
    """Appends records to a file, at most `MOST_LINES` of one kind in a period, and the number of omitted records.

    The kind of a record is its message before the arguments are inserted; of these there are few.
    """

    def __init__(self, path: str, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(path, encoding="utf-8", errors="backslashreplace")
        self.setFormatter(_OneLine(FORMAT))
        self._clock = clock
        self._kinds: dict[str, _Kind] = {}

    def emit(self, record: logging.LogRecord) -> None:
        """Write a record, or only count it. The caller holds the handler's lock."""
        now, kind = self._clock(), str(record.msg)
        entry = self._kinds.setdefault(kind, _Kind(now))
        if now - entry.begun >= PERIOD_SECONDS:
            if entry.omitted:
                changed = {"msg": "%d more were omitted: %s", "args": (entry.omitted, kind), "exc_info": None}
                super().emit(logging.makeLogRecord(vars(record) | changed))
            entry = self._kinds[kind] = _Kind(now)
        if entry.written < MOST_LINES:
            entry.written += 1
            super().emit(record)
        else:
            entry.omitted += 1

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802  # logging's name
        """Drop a record that cannot be written, because a full disk must not stop a server."""
