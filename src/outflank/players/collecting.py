"""Python's garbage collector while a clock runs: a full collection takes 50 ms with Numba loaded, or 0.3 s beside other
programs."""

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

MANY_OBJECTS = 20_000
"""Objects since the last collection that are worth one between two moves: about a millisecond."""

_lock = threading.Lock()
_pauses = 0
_was_enabled = _was_frozen = False


@contextmanager
def collection_paused() -> Iterator[None]:
    """Disable the garbage collector; where several such blocks overlap, until the last one ends.

    Meanwhile all objects that were there at the start are left out of collections (`gc.freeze`), so that `collect`
    takes little time.
    """
    global _pauses, _was_enabled, _was_frozen
    with _lock:
        if _pauses == 0:
            _was_enabled, _was_frozen = gc.isenabled(), gc.get_freeze_count() > 0
            gc.disable()
            gc.freeze()
        _pauses += 1
    try:
        yield
    finally:
        with _lock:
            _pauses -= 1
            if _pauses == 0:
                if not _was_frozen:
                    gc.unfreeze()
                if _was_enabled:
                    gc.enable()
        collect()  # a server may have pauses that overlap for hours


def collect() -> None:
    """Collect garbage if the collector is paused and there may be much of it."""
    if _pauses and gc.get_count()[0] > MANY_OBJECTS:
        gc.collect()
