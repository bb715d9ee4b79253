"""Tables whose memory the system has given already, so that no search that is timed has to wait for it.

The first touch of a page costs far more than the entry that is written there: a search of 50 ms took 720 ms on a
table that was new to the machine, and whatever was measured first looked ten times slower than what came after it.
"""

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from outflank.search.contract import TABLELESS, Options
from outflank.search.table import Table

_kept: list[Table] = []
"""The table that was used last; none while a search has it."""
_lock = threading.Lock()


@contextmanager
def with_memory(options: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The options of a search, with an empty table of the size that they ask for, all of it in memory.

    The same one serves search after search; while one has it, another gets one of its own.
    """
    bits = options.get("table_bits", Options().table_bits)
    asks = options.get("algorithm", Options().algorithm) not in TABLELESS and not options.get("exact")
    if not isinstance(bits, int) or not asks or options.get("table") is not None:
        yield dict(options)
        return
    table = _taken(bits)
    table.clear()  # touches every page
    table.age = -1  # which a search makes the age of a new one
    yield {**options, "table": table}
    with _lock:  # not after an interrupt: somebody may still be writing
        _kept[:] = [table]


def _taken(bits: int) -> Table:
    with _lock:
        found = _kept.pop() if _kept else None
    return found if found is not None and found.bits == bits else Table(bits)
