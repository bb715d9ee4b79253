"""Whose entries of the table a search uses.

Every job stamps the entries that it makes with its number, modulo `WRITERS`: the job after these is taken for the
first. So a hit can be told from one on the job's own entry, and the job that made it is known; and entries of other
jobs can be hidden from a search, as if they lay in a table on another machine.
"""

from collections.abc import Collection
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from outflank.kernels.bits import U64
from outflank.kernels.memory import address_of, read_word, write_word
from outflank.search.probes import note_lookup, note_node
from outflank.search.table import WRITERS, depth_of, stamp, writer_of

DEPTHS = 32
VALUE, MOVE, KINDS = 0, 1, 2
"""What an entry is good for: as deep as what is left it may end a node, else it says which move to try first."""

_WRITER, _HIDDEN_BELOW, _TOUCHED, _HIDES, _NODES, _COUNTS = 0, 1, 2, 3, 8, 8 + DEPTHS
_ROOM = WRITERS * DEPTHS * KINDS


class Witness(NamedTuple):
    """Counts hits on entries of other jobs, by the job, the depth left and the kind; hides some of them."""

    memory: int


@note_node.register(Witness)
def _(probe, depth, moves):
    write_word(probe.memory, _NODES + depth, read_word(probe.memory, _NODES + depth) + U64(1))


@note_lookup.register(Witness)
def _(probe, depth, data):
    if data == U64(0):
        return data
    writer = writer_of(data)
    if writer == read_word(probe.memory, _WRITER):
        return data
    found = depth_of(data)
    kind = VALUE if found == depth else MOVE
    if found < np.int64(read_word(probe.memory, _HIDDEN_BELOW)) and read_word(probe.memory, _HIDES + kind) != U64(0):
        return U64(0)
    place = (np.int64(writer) * DEPTHS + depth) * KINDS + kind
    count = read_word(probe.memory, _COUNTS + place)
    write_word(probe.memory, _COUNTS + place, count + U64(1))
    if count == U64(0):
        touched = np.int64(read_word(probe.memory, _TOUCHED))
        write_word(probe.memory, _COUNTS + _ROOM + touched, U64(place))
        write_word(probe.memory, _TOUCHED, U64(touched + 1))
    return data


class Notes:
    """The memory of a `Witness`."""

    def __init__(self, hidden_below: int, hides: Collection[int]) -> None:
        self._words = np.zeros(_COUNTS + 2 * _ROOM, np.uint64)
        self._words[_HIDDEN_BELOW] = hidden_below
        for kind in hides:
            self._words[_HIDES + kind] = 1
        self.probe = Witness(address_of(self._words))

    def begin(self, number: int, worker: Any) -> None:
        """Another job: its number goes into all entries that the worker makes from now on."""
        writer = number % WRITERS
        self._words[_WRITER] = writer
        worker.age = stamp(writer)

    def take(self) -> npt.NDArray[np.int64]:
        """The hits since this was last asked: rows of the writer, the depth left, the kind, and how many."""
        count = int(self._words[_TOUCHED])
        places = self._words[_COUNTS + _ROOM :][:count].astype(np.int64)
        counts = self._words[_COUNTS:][places].astype(np.int64)
        self._words[_COUNTS:][places] = 0
        self._words[_TOUCHED] = 0
        return np.stack((places // (KINDS * DEPTHS), places // KINDS % DEPTHS, places % KINDS, counts), axis=1)

    @property
    def nodes(self) -> list[int]:
        """Nodes searched, by the depth they had left."""
        return [int(count) for count in self._words[_NODES:_COUNTS]]
