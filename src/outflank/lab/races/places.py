"""The source line of an access, and the name of the memory at an address."""

import sys
from bisect import bisect_right, insort
from types import CodeType
from typing import Any

import numpy as np

from outflank.kernels import atomics, memory, observers, waiting
from outflank.lab.races.clocks import Touch
from outflank.lab.races.declared import SourceLine
from outflank.parallel.shared_state import CREW, FRAME, HAND
from outflank.search.stopping import BELL
from outflank.search.table import Table
from outflank.search.worker import WORKER

TWINS = frozenset(str(module.__file__) for module in (atomics, memory, waiting, observers))
"""Source files that access memory on behalf of their callers."""

ROWS = ("words",)  # the rows behind a frame, as Python requests them

RECORDS: dict[tuple[str, ...] | None, str] = {
    CREW.names: "crew",
    HAND.names: "hand",
    FRAME.names: "frame",
    ROWS: "frame",
    WORKER.names: "worker",
    BELL.names: "bell",
}


class Touches:
    """A cache of the accesses in the source."""

    def __init__(self) -> None:
        self._known: dict[tuple[CodeType, int, str, str], Touch] = {}

    def current(self, kind: str, order: str) -> Touch:
        """Return the access in progress: that of the innermost frame outside the twins and the caller."""
        frame = sys._getframe(2)
        while frame.f_code.co_filename in TWINS:
            assert frame.f_back is not None
            frame = frame.f_back
        # Finding the line is slow: once per instruction is enough.
        key = frame.f_code, frame.f_lasti, kind, order
        touch = self._known.get(key)
        if touch is None:
            place = SourceLine(frame.f_code.co_filename, frame.f_lineno)
            touch = self._known[key] = Touch(place, kind, order)
        return touch


class Names:
    """Names of addresses: fields of records, rows behind a frame, and the table."""

    def __init__(self, table: Table | None) -> None:
        self._table = range(0) if table is None else range(table.address, table.address + table.nbytes)
        self._starts: list[int] = []
        self._types: dict[int, np.dtype[Any]] = {}

    def add_record(self, address: int, dtype: np.dtype[Any]) -> None:
        """Register a record at an address."""
        if address not in self._types:
            insort(self._starts, address)
        self._types[address] = dtype

    def at(self, address: int) -> str:
        """Return the name of the memory at an address."""
        if address in self._table:
            return "table"
        index = bisect_right(self._starts, address) - 1
        if index < 0:
            return "a word"
        dtype = self._types[self._starts[index]]
        kind = RECORDS.get(dtype.names, "record")
        offset = address - self._starts[index]
        for name, field in (dtype.fields or {}).items():
            if field[1] <= offset < field[1] + field[0].itemsize:
                return f"{kind}.{name}"
        return f"{kind}.words"
