"""Reports of a search's progress while a kernel runs."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from outflank.search.results import Progress, Watch

EVERY_SECONDS = 0.2


@contextmanager
def watching(watch: Watch | None, progress: Callable[[], Progress], stop: Callable[[], None]) -> Iterator[None]:
    """Call `watch` periodically, from a thread of its own, until the block is left.

    An exception from `watch` stops the search, and is raised here.
    """
    if watch is None:
        yield
        return
    finished = threading.Event()
    failures: list[BaseException] = []

    def report() -> None:
        try:
            while not finished.wait(EVERY_SECONDS):
                watch(progress())
        except BaseException as failure:  # any exception is raised in the thread that searches
            failures.append(failure)
            stop()

    thread = threading.Thread(target=report, name="outflank-watch", daemon=True)
    thread.start()
    try:
        yield
    finally:
        finished.set()
        thread.join()
        if failures:
            raise failures.pop()  # popped: this frame, a part of its traceback, must not refer to it
