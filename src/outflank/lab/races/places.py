"""From an access to the line of source that made it, and from an address to the name of what lies there."""

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
"""Sources that touch memory on behalf of those who call them."""

ROWS = ("words",)  # the rows behind a frame, where Python asks for them

RECORDS: dict[tuple[str, ...] | None, str] = {
    CREW.names: "crew",
    HAND.names: "hand",
    FRAME.names: "frame",
    ROWS: "frame",
    WORKER.names: "worker",
    BELL.names: "bell",
}


class Touches:
    """The accesses that a source makes, each known once."""

    def __init__(self) -> None:
        self._known: dict[tuple[CodeType, int, str, str], Touch] = {}

    def made(self, kind: str, order: str) -> Touch:
        """The access that is being made: by the innermost frame that is neither a twin's nor the caller's."""
        frame = sys._getframe(2)
        while frame.f_code.co_filename in TWINS:
            assert frame.f_back is not None
            frame = frame.f_back
        # Finding the line takes long: once for each instruction is enough.
        key = frame.f_code, frame.f_lasti, kind, order
        touch = self._known.get(key)
        if touch is None:
            place = SourceLine(frame.f_code.co_filename, frame.f_lineno)
            touch = self._known[key] = Touch(place, kind, order)
        return touch


class Names:
    """What lies where: records by their fields, the words behind a frame as its rows, and the table's."""

    def __init__(self, table: Table | None) -> None:
        self._table = range(0) if table is None else range(table.address, table.address + table.nbytes)
        self._starts: list[int] = []
        self._types: dict[int, np.dtype[Any]] = {}

    def placed(self, address: int, dtype: np.dtype[Any]) -> None:
        """A record lies at an address."""
        if address not in self._types:
            insort(self._starts, address)
        self._types[address] = dtype

    def at(self, address: int) -> str:
        """The name of what is at an address."""
        if address in self._table:
            return "table"
        index = bisect_right(self._starts, address) - 1
        if index < 0:
            return "a word"
        dtype = self._types[self._starts[index]]
        kind = RECORDS.get(dtype.names, "record")
        offset = address - self._starts[index]
        for name, place in (dtype.fields or {}).items():
            if place[1] <= offset < place[1] + place[0].itemsize:
                return f"{kind}.{name}"
        return f"{kind}.words"
