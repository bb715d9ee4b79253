"""A probe that records which job wrote the table entries that a search hits.

Every job stamps its entries with its number, modulo `WRITERS`: job number `WRITERS` has the same stamp as the first.
So hits on a job's own entries can be excluded, and the job that wrote any other is known; and entries of other jobs
can be hidden from a search, as if they were in a table on another machine.
"""

from collections.abc import Collection
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from outflank.kernels.bits import U64
from outflank.kernels.memory import address_of, read_word, write_word
from outflank.search.probes import note_lookup, note_node
from outflank.search.table import WRITERS, depth_of, stamp, writer_of
from outflank.search.worker import Worker

DEPTHS = 32
VALUE, MOVE, KINDS = 0, 1, 2
"""Kinds of use: an entry as deep as the depth left may end a node, any other only gives the first move."""

_WRITER, _HIDDEN_BELOW, _TOUCHED, _HIDES, _NODES, _COUNTS = 0, 1, 2, 3, 8, 8 + DEPTHS
_ROOM = WRITERS * DEPTHS * KINDS


class Witness(NamedTuple):
    """Probe that counts hits on entries of other jobs, by job, depth left and kind, and hides some of them."""

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
    entry_depth = depth_of(data)
    kind = VALUE if entry_depth == depth else MOVE
    if entry_depth < np.int64(read_word(probe.memory, _HIDDEN_BELOW)) and read_word(probe.memory, _HIDES + kind) != U64(
        0
    ):
        return U64(0)
    index = (np.int64(writer) * DEPTHS + depth) * KINDS + kind
    count = read_word(probe.memory, _COUNTS + index)
    write_word(probe.memory, _COUNTS + index, count + U64(1))
    if count == U64(0):
        touched = np.int64(read_word(probe.memory, _TOUCHED))
        write_word(probe.memory, _COUNTS + _ROOM + touched, U64(index))
        write_word(probe.memory, _TOUCHED, U64(touched + 1))
    return data


class WitnessMemory:
    """The memory of a `Witness`: its settings and counts."""

    def __init__(self, hidden_below: int, hides: Collection[int]) -> None:
        self._words = np.zeros(_COUNTS + 2 * _ROOM, np.uint64)
        self._words[_HIDDEN_BELOW] = hidden_below
        for kind in hides:
            self._words[_HIDES + kind] = 1
        self.probe = Witness(address_of(self._words))

    def begin(self, number: int, worker: Worker) -> None:
        """Begin a job: stamp its number on all entries that the worker makes from now on."""
        writer = number % WRITERS
        self._words[_WRITER] = writer
        worker.age = stamp(writer)

    def take(self) -> npt.NDArray[np.int64]:
        """Return and reset the hits since the last call: rows of writer, depth left, kind and count."""
        count = int(self._words[_TOUCHED])
        indices = self._words[_COUNTS + _ROOM :][:count].astype(np.int64)
        counts = self._words[_COUNTS:][indices].astype(np.int64)
        self._words[_COUNTS:][indices] = 0
        self._words[_TOUCHED] = 0
        return np.stack((indices // (KINDS * DEPTHS), indices // KINDS % DEPTHS, indices % KINDS, counts), axis=1)

    @property
    def nodes(self) -> list[int]:
        """Number of nodes searched, by depth left."""
        return [int(count) for count in self._words[_NODES:_COUNTS]]
