"""Long work that Ctrl-C can end: it runs in another thread, because only the main thread sees signals.

SIGTERM always ends a command as Ctrl-C does. Only the exit status differs.
"""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:  # every command imports this module at its start, so `Stop` is imported only for type checks
    from outflank.search.request import Stop

T = TypeVar("T")

INTERRUPTED = 128 + signal.SIGINT
TERMINATED = 128 + signal.SIGTERM

_terminated: list[int] = []


@contextmanager
def sigterm_as_ctrl_c() -> Iterator[None]:
    """Let SIGTERM do what Ctrl-C does during the block, unless SIGTERM is ignored or has a handler already."""
    _terminated.clear()
    in_main_thread = threading.current_thread() is threading.main_thread()  # only the main thread can set handlers
    if not in_main_thread or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return
    signal.signal(signal.SIGTERM, _handle_sigterm)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def exit_status(status: int) -> int:
    """Return the exit status of a command, which is `TERMINATED` after an interruption by SIGTERM."""
    return TERMINATED if status == INTERRUPTED and _terminated else status


def _handle_sigterm(number: int, frame: FrameType | None) -> None:
    _terminated.append(number)
    interrupt = signal.getsignal(signal.SIGINT)
    # Ctrl-C may be ignored, for example under nohup, but SIGTERM must still end the command.
    (interrupt if callable(interrupt) else signal.default_int_handler)(signal.SIGINT, frame)


@contextmanager
def stopping_at_ctrl_c(stop: "Stop") -> Iterator[None]:
    """Let Ctrl-C call `stop`, and do nothing else, during the block."""
    before = signal.signal(signal.SIGINT, lambda *_: stop())
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def run_interruptibly(work: Callable[[], T], stop: "Stop") -> T:
    """Run `work` and return its result. Ctrl-C calls `stop`, which must end the work; a second Ctrl-C exits at once."""
    results: list[T] = []
    errors: list[BaseException] = []

    def target() -> None:
        try:
            results.append(work())
        except BaseException as error:  # every error is raised again in the caller
            errors.append(error)

    def handler(*_: object) -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        stop()

    before = signal.signal(signal.SIGINT, handler)
    try:
        thread = threading.Thread(target=target, daemon=True)
        thread.start()
        while thread.is_alive():
            thread.join(0.2)  # in short steps, so that signals are seen on every system
    finally:
        signal.signal(signal.SIGINT, before)
    if errors:
        raise errors[0]
    return results[0]
