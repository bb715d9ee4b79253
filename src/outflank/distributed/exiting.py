"""The end of this process by other means than the interpreter's own, with the status that it would have had."""

import atexit
import contextlib
import sys
from collections.abc import Callable
from types import TracebackType
from typing import Any, NoReturn

INTERRUPTED = 130


class LastAtExit:
    """Calls `action` with the status of this process when that ends, after everything else that is done then.

    Python tells no one the status of a process that is about to end, so it is taken from where it comes from:
    `sys.exit`, and exceptions that nothing catches. A `SystemExit` that is raised later by other means (`raise
    SystemExit(1)`) is not seen: the status is 0 then.
    """

    def __init__(self, action: Callable[[int], None]) -> None:
        self._action = action
        self._ran = False
        leaving = sys.exc_info()[1]  # any other exception may still be caught
        self._status = status_after(leaving) if isinstance(leaving, SystemExit) else 0
        self._exit, self._excepthook = sys.exit, sys.excepthook
        sys.exit, sys.excepthook = self._note_exit, self._note_exception
        self._register = atexit.register
        self._registered: list[Callable[..., object]] = []
        self._register(self._run)
        atexit.register = self._note_registered

    def _note_exit(self, status: Any = None, /) -> NoReturn:
        self._status = status_after(SystemExit(status))
        self._exit(status)

    def _note_exception(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None, /) -> None:
        self._status = status_after(error)
        self._excepthook(kind, error, trace)

    def _note_registered(self, function: Callable[..., Any], /, *arguments: Any, **more: Any) -> Callable[..., Any]:
        self._registered.append(function)
        return self._register(function, *arguments, **more)

    def _run(self) -> None:
        if self._ran:  # called again by what follows
            return
        self._ran = True
        # Functions that were registered later have been called by now; those registered earlier would come after this
        # one, and be lost.
        for function in self._registered:
            atexit.unregister(function)
        atexit._run_exitfuncs()
        flush_output()
        self._action(self._status)


def status_after(error: BaseException | None) -> int:
    """Return the status of a process that ends by this exception, if nothing catches it."""
    if error is None:
        return 0
    if isinstance(error, SystemExit):
        if error.code is None:
            return 0
        return error.code & 0xFF if isinstance(error.code, int) else 1
    return INTERRUPTED if isinstance(error, KeyboardInterrupt) else 1


def flush_output() -> None:
    """Write out what this process has printed."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            stream.flush()
