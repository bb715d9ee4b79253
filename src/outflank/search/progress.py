"""Telling of a search's progress while a kernel runs."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from outflank.search.results import Progress, Watch

EVERY_SECONDS = 0.2


@contextmanager
def watching(watch: Watch | None, progress: Callable[[], Progress], stop: Callable[[], None]) -> Iterator[None]:
    """Call `watch` every now and then, from a thread of its own, until the block is left.

    What it raises stops the search, and is raised here.
    """
    if watch is None:
        yield
        return
    left = threading.Event()
    failures: list[BaseException] = []

    def tell() -> None:
        try:
            while not left.wait(EVERY_SECONDS):
                watch(progress())
        except BaseException as failure:  # whatever it is, it belongs to the one who searches
            failures.append(failure)
            stop()

    thread = threading.Thread(target=tell, name="outflank-watch", daemon=True)
    thread.start()
    try:
        yield
    finally:
        left.set()
        thread.join()
        if failures:
            raise failures.pop()  # which this frame, a part of its traceback, must not refer to
