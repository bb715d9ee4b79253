"""Python's garbage collector while a clock runs: a full collection takes 50 ms or more with Numba loaded."""

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

MANY_OBJECTS = 20_000
"""Number of new objects that make a collection between two moves worthwhile; a collection takes about a millisecond."""

_lock = threading.Lock()
_pauses = 0
_games = 0
_was_enabled = _freezes = False


@contextmanager
def collection_paused() -> Iterator[None]:
    """Disable the garbage collector until the last of overlapping blocks ends."""
    global _pauses, _was_enabled
    with _lock:
        if _pauses == 0:
            _was_enabled = gc.isenabled()
            gc.disable()
        _pauses += 1
    try:
        yield
    finally:
        with _lock:
            _pauses -= 1
            if _pauses == 0 and _was_enabled:
                gc.enable()


@contextmanager
def collecting_between_moves() -> Iterator[None]:
    """Disable the garbage collector for a game, whose referee calls `collect_new` while no clock runs.

    Meanwhile collections leave out existing objects (`gc.freeze`), which shortens a collection from 50 ms to one. All
    garbage is collected at the end.
    """
    global _games, _freezes
    with _lock:
        if _games == 0:
            _freezes = gc.get_freeze_count() == 0  # else another caller has frozen them, and that must not be undone
            if _freezes:
                gc.freeze()
        _games += 1
    try:
        with collection_paused():
            yield
    finally:
        gc.collect()
        with _lock:
            _games -= 1
            if _games == 0 and _freezes:
                gc.unfreeze()


def collect_new() -> None:
    """Collect the garbage among new objects, if there may be much of it."""
    if gc.get_count()[0] > MANY_OBJECTS:
        gc.collect()
