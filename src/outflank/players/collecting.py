"""Keeps Python's garbage collector off the players' clocks: with Numba loaded, a collection takes 50 ms or more."""

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

MANY_OBJECTS = 20_000
"""Number of new objects above which garbage is collected between two moves. A collection takes about a millisecond."""

_lock = threading.Lock()
_pauses = 0
_games = 0
_was_enabled = _freezes = False


@contextmanager
def collection_paused() -> Iterator[None]:
    """Disable the garbage collector in this block. If blocks overlap, it stays disabled until the last block ends."""
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
    """Disable the garbage collector during a game; the referee calls `collect_new` while no clock runs.

    Collections during the game leave out the objects that existed before it (`gc.freeze`), which shortens a collection
    from 50 ms to 1 ms. At the end, all other garbage is collected.
    """
    global _games, _freezes
    with _lock:
        if _games == 0:
            _freezes = gc.get_freeze_count() == 0  # else another caller froze objects, which must stay frozen
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
    """Collect garbage if there are more than `MANY_OBJECTS` new objects."""
    if gc.get_count()[0] > MANY_OBJECTS:
        gc.collect()
