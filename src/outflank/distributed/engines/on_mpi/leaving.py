"""The end of a program whose head has finished while other ranks do not answer.

`MPI_Finalize` would wait for such a rank for ever, and only the launcher can end one on another machine. `MPI_Abort`
makes it do so, but ends this process as well: whatever the program still does after its cluster was closed must come
first, and the abort must carry the status that this process would have had.
"""

import atexit
import contextlib
import struct
import sys
import time
from collections.abc import Iterable
from importlib import import_module
from types import TracebackType
from typing import Any, NoReturn

from outflank.errors import OutflankError

DRAIN_SECONDS = 5.0
"""How long the launcher may take to read what this process has written: an abort discards the rest."""

INTERRUPTED = 130


class AbortAtExit:
    """Ends all ranks when this process ends, with the status that it ends with.

    Python tells no one the status of a process that is about to end, so it is taken from where it comes from:
    `sys.exit`, and exceptions that nothing catches.
    """

    def __init__(self, communicator: Any) -> None:
        self._communicator = communicator
        self._ran = False
        self._status = status_after(sys.exc_info()[1])
        self._exit, self._excepthook = sys.exit, sys.excepthook
        sys.exit, sys.excepthook = self._note_exit, self._note_exception
        atexit.register(self._run)

    def _note_exit(self, status: Any = None, /) -> NoReturn:
        self._status = status_after(SystemExit(status))
        self._exit(status)

    def _note_exception(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None, /) -> None:
        self._status = status_after(error)
        self._excepthook(kind, error, trace)

    def _run(self) -> None:
        if self._ran:  # called again by what follows
            return
        self._ran = True
        atexit._run_exitfuncs()  # those that were registered earlier come later, and would be lost
        drain_output()
        self._communicator.Abort(self._status)


def status_after(error: BaseException | None) -> int:
    """Return the status of a process that ends by this exception, if nothing catches it."""
    if error is None:
        return 0
    if isinstance(error, SystemExit):
        if error.code is None:
            return 0
        return error.code & 0xFF if isinstance(error.code, int) else 1
    return INTERRUPTED if isinstance(error, KeyboardInterrupt) else 1


def drain_output() -> None:
    """Wait until pipes that this process writes to are empty, as the launcher's are soon."""
    pending = []
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            stream.flush()
            pending.append(stream.fileno())
    deadline = time.monotonic() + DRAIN_SECONDS
    while any(map(_unread_bytes, pending)) and time.monotonic() < deadline:
        time.sleep(0.01)


def _unread_bytes(descriptor: int) -> int:
    try:
        fcntl, termios = import_module("fcntl"), import_module("termios")
        return int(struct.unpack("i", fcntl.ioctl(descriptor, termios.FIONREAD, bytes(4)))[0])
    except (ImportError, OSError):  # not a pipe
        return 0


_pending: AbortAtExit | None = None


def end_without(communicator: Any, ranks: Iterable[int], seconds: float) -> None:
    """Warn that these ranks have not ended, and let the program end without them when this process does."""
    global _pending
    names = [str(rank) for rank in ranks]
    subject = f"rank {names[0]} has" if len(names) == 1 else f"ranks {', '.join(names)} have"
    sys.stdout.flush()
    sys.stderr.write(
        f"outflank: warning: {subject} not ended {seconds:g} s after the work was done: the program ends without "
        f"{'it' if len(names) == 1 else 'them'}\n"
    )
    sys.stderr.flush()
    if _pending is None:
        _pending = AbortAtExit(communicator)


def require_all_ranks() -> None:
    """Refuse a second cluster where ranks of the first do not answer."""
    if _pending is not None:
        raise OutflankError("ranks of this program do not answer any more: start it anew")
