"""Long work that Ctrl-C can end: in another thread, for a kernel does not see signals and this thread does.

SIGTERM ends a command as Ctrl-C does, whatever that does at the moment; only the status tells them apart.
"""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:  # the command line imports this before it knows what it is asked for
    from outflank.search.contract import Stop

T = TypeVar("T")

INTERRUPTED = 128 + signal.SIGINT
TERMINATED = 128 + signal.SIGTERM

_terminated: list[int] = []


@contextmanager
def heeding_termination() -> Iterator[None]:
    """SIGTERM does what Ctrl-C does; where it is ignored, or somebody has a use for it, it stays so."""
    _terminated.clear()
    here = threading.current_thread() is threading.main_thread()  # which alone can say what signals do
    if not here or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return
    signal.signal(signal.SIGTERM, _like_ctrl_c)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def status_of(status: int) -> int:
    """A command's status: that of a termination, where it was this that interrupted it."""
    return TERMINATED if status == INTERRUPTED and _terminated else status


def _like_ctrl_c(number: int, frame: FrameType | None) -> None:
    _terminated.append(number)
    interrupt = signal.getsignal(signal.SIGINT)
    # Ctrl-C may be ignored, as behind nohup and in a shell's background: who sends SIGTERM means it.
    (interrupt if callable(interrupt) else signal.default_int_handler)(signal.SIGINT, frame)


@contextmanager
def stopping_at_ctrl_c(stop: "Stop") -> Iterator[None]:
    """Ctrl-C calls `stop` and nothing else, in whatever the block does."""
    before = signal.signal(signal.SIGINT, lambda *_: stop())
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def interruptibly(work: Callable[[], T], stop: "Stop") -> T:
    """Do the work; Ctrl-C calls `stop`, which must end it. A second Ctrl-C leaves at once."""
    found: list[T] = []
    failed: list[BaseException] = []

    def target() -> None:
        try:
            found.append(work())
        except BaseException as error:  # whatever it is, it belongs to the caller
            failed.append(error)

    def handler(*_: Any) -> None:
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
    if failed:
        raise failed[0]
    return found[0]
