"""Long work that Ctrl-C can end: in another thread, for a kernel does not see signals and this thread does."""

import signal
import threading
from collections.abc import Callable
from typing import Any, TypeVar

from outflank.search.contract import Stop

T = TypeVar("T")


def interruptibly(work: Callable[[], T], stop: Stop) -> T:
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
