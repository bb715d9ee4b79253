"""Ending this process without Python's own shutdown, but with the exit status that it would have had."""

import atexit
import contextlib
import sys
from collections.abc import Callable
from types import TracebackType
from typing import Any, NoReturn

INTERRUPTED = 130


class LastAtExit:
    """Calls `action` with the exit status of this process, after all other exit handlers.

    Python does not tell exit handlers the exit status, so this class replaces `sys.exit` and `sys.excepthook` to record
    it. A `raise SystemExit(1)` after this object was made bypasses both: the recorded status is then 0.
    """

    def __init__(self, action: Callable[[int], None]) -> None:
        self._action = action
        self._ran = False
        exception = sys.exc_info()[1]  # an exception other than SystemExit may still be caught
        self._status = status_after(exception) if isinstance(exception, SystemExit) else 0
        self._exit, self._excepthook = sys.exit, sys.excepthook
        sys.exit, sys.excepthook = self._note_exit, self._note_exception
        self._register = atexit.register
        self._registered: list[Callable[..., object]] = []
        self._register(self._run)
        atexit.register = self._note_registered

    def _note_exit(self, status: str | int | None = None, /) -> NoReturn:
        self._status = status_after(SystemExit(status))
        self._exit(status)

    def _note_exception(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None, /) -> None:
        self._status = status_after(error)
        self._excepthook(kind, error, trace)

    def _note_registered(self, function: Callable[..., Any], /, *arguments: Any, **options: Any) -> Callable[..., Any]:
        self._registered.append(function)
        return self._register(function, *arguments, **options)

    def _run(self) -> None:
        if self._ran:  # called again by `_run_exitfuncs` below
            return
        self._ran = True
        # Handlers that were registered later have already run. Those registered earlier run now, because `action` may
        # end the process.
        for function in self._registered:
            atexit.unregister(function)
        atexit._run_exitfuncs()
        flush_output()
        self._action(self._status)


def status_after(error: BaseException | None) -> int:
    """Return the exit status of a process that ends with the uncaught exception `error`."""
    if error is None:
        return 0
    if isinstance(error, SystemExit):
        if error.code is None:
            return 0
        return error.code & 0xFF if isinstance(error.code, int) else 1
    return INTERRUPTED if isinstance(error, KeyboardInterrupt) else 1


def flush_output() -> None:
    """Flush standard output and standard error."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            stream.flush()
