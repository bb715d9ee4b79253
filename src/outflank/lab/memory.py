"""Transposition tables whose pages are already mapped, so that no timed search waits for memory.

The first touch of a page costs far more than the entry that is written there: a search of 50 ms took 720 ms on a
table that was new to the machine, and the first measurement looked ten times slower than the next.
"""

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from outflank.search.contract import TABLELESS, Options
from outflank.search.table import Table

_idle_table: list[Table] = []
"""The table that was used last; empty while a search uses it."""
_lock = threading.Lock()


@contextmanager
def with_memory(options: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the options of a search with an empty table of the size they request, all of it in memory.

    Successive searches reuse one table; a search that starts while it is in use gets a new one.
    """
    bits = options.get("table_bits", Options().table_bits)
    needs_table = options.get("algorithm", Options().algorithm) not in TABLELESS and not options.get("exact")
    if not isinstance(bits, int) or not needs_table or options.get("table") is not None:
        yield dict(options)
        return
    table = _table_of_size(bits)
    table.clear()  # touches every page
    table.age = -1  # a search increments it to the age of a new table
    yield {**options, "table": table}
    with _lock:  # not after an interrupt: a worker may still be writing
        _idle_table[:] = [table]


def _table_of_size(bits: int) -> Table:
    with _lock:
        table = _idle_table.pop() if _idle_table else None
    return table if table is not None and table.bits == bits else Table(bits)
