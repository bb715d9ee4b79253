"""Probes that record nodes and table look-ups of a search. The type of a probe selects the compiled code."""

from typing import Any, NamedTuple, Protocol, Self, TypeAlias

import numpy as np

from outflank.kernels.bits import Word
from outflank.kernels.generic import generic, missing
from outflank.kernels.memory import address_of, read_word, write_word
from outflank.search.table import tells_value

Probe: TypeAlias = Any
"""A `NamedTuple` that receives the nodes and look-ups of a search; its type selects the compiled code."""

DEPTHS = 256


class Silent(NamedTuple):
    """A probe that records nothing."""


class DepthCounts(NamedTuple):
    """A probe that counts nodes, their moves and table look-ups by the depth left, as the published reports do."""

    address: int
    """Address of six arrays of `DEPTHS` words: nodes, moves, look-ups, hits, nodes with a move, and most moves of a
    node."""


@generic
def note_node(probe: Probe, depth: int, moves: int) -> None:
    """Record a node with `depth` plies left and `moves` legal moves, passes not counted."""
    raise missing(note_node, probe)


@note_node.register(Silent)
def _(probe, depth, moves):
    pass


@note_node.register(DepthCounts)
def _(probe, depth, moves):
    write_word(probe.address, depth, read_word(probe.address, depth) + np.uint64(1))
    write_word(probe.address, DEPTHS + depth, read_word(probe.address, DEPTHS + depth) + np.uint64(moves))
    if moves > 0:
        write_word(probe.address, 4 * DEPTHS + depth, read_word(probe.address, 4 * DEPTHS + depth) + np.uint64(1))
        if np.uint64(moves) > read_word(probe.address, 5 * DEPTHS + depth):
            write_word(probe.address, 5 * DEPTHS + depth, np.uint64(moves))


@generic
def note_lookup(probe: Probe, depth: int, data: Word) -> Word:
    """Record a table look-up that returned `data` (0: no entry) for a node with `depth` plies left. Return the data
    that the search is to use."""
    raise missing(note_lookup, probe)


@note_lookup.register(Silent)
def _(probe, depth, data):
    return data


@note_lookup.register(DepthCounts)
def _(probe, depth, data):
    write_word(probe.address, 2 * DEPTHS + depth, read_word(probe.address, 2 * DEPTHS + depth) + np.uint64(1))
    if tells_value(data):
        write_word(probe.address, 3 * DEPTHS + depth, read_word(probe.address, 3 * DEPTHS + depth) + np.uint64(1))
    return data


class Instrument(Protocol):
    """The memory of a probe. A search gets the memory, not the probe, because the memory must live as long as kernels
    use it."""

    probe: Probe

    def alike(self) -> Self:
        """Return a new instrument of the same kind for another worker, because probes are not atomic."""

    def absorb(self, other: Self) -> None:
        """Add the records of another instrument, and clear it."""


class Counts:
    """The memory of a `DepthCounts` probe."""

    def __init__(self) -> None:
        self._words = np.zeros(6 * DEPTHS, np.uint64)
        self.probe = DepthCounts(address_of(self._words))

    def alike(self) -> "Counts":
        """Return a new instrument for another worker."""
        return Counts()

    def absorb(self, other: "Counts") -> None:
        """Add the counts of another instrument, and clear it."""
        widest = np.maximum(self._words[5 * DEPTHS :], other._words[5 * DEPTHS :])
        self._words += other._words
        self._words[5 * DEPTHS :] = widest
        other._words[:] = 0

    @property
    def nodes(self) -> list[int]:
        """Number of nodes searched, by remaining depth."""
        return self._part(0)

    @property
    def moves(self) -> list[int]:
        """Number of legal moves of these nodes, by remaining depth; passes are not counted."""
        return self._part(1)

    @property
    def lookups(self) -> list[int]:
        """Number of table look-ups, by remaining depth."""
        return self._part(2)

    @property
    def hits(self) -> list[int]:
        """Number of table look-ups that found a value, by remaining depth."""
        return self._part(3)

    @property
    def movable(self) -> list[int]:
        """Number of nodes with a legal move other than a pass, by remaining depth."""
        return self._part(4)

    @property
    def widest(self) -> list[int]:
        """Largest number of legal moves of a node, by remaining depth."""
        return self._part(5)

    def _part(self, number: int) -> list[int]:
        return [int(count) for count in self._words[number * DEPTHS : (number + 1) * DEPTHS]]
