"""Instrumentation, selected by type: a search that is given `Silent` compiles to code without it."""

from typing import Any, NamedTuple, Protocol, Self, TypeAlias

import numpy as np

from outflank.kernels.bits import Word
from outflank.kernels.generic import generic, missing
from outflank.kernels.memory import address_of, read_word, write_word
from outflank.search.table import tells_value

Probe: TypeAlias = Any
"""A probe: a `NamedTuple` whose type selects the bodies."""

DEPTHS = 256


class Silent(NamedTuple):
    """A probe that records nothing."""


class DepthCounts(NamedTuple):
    """A probe that counts nodes, their moves and table look-ups by the depth left, as the reports tabulate them."""

    address: int
    """Address of `DEPTHS` words for nodes, as many for moves, for look-ups, for hits, for nodes with a move, and for
    the most moves of a node."""


@generic
def note_node(probe: Probe, depth: int, moves: int) -> None:
    """Record that a node with `depth` left is searched; it has `moves` moves (0: evaluated because it has none)."""
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
    """Record a table look-up for a node with `depth` left that returned `data` (0: nothing). Return the data that the
    search uses."""
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
    """The memory of a probe, which must live as long as kernels use it: a search is given this, not the probe."""

    probe: Probe

    def alike(self) -> Self:
        """Return an instrument for another worker: probes are not atomic."""

    def absorb(self, other: Self) -> None:
        """Add the records of another instrument, and clear it."""


class Counts:
    """The memory of a `DepthCounts`."""

    def __init__(self) -> None:
        self._words = np.zeros(6 * DEPTHS, np.uint64)
        self.probe = DepthCounts(address_of(self._words))

    def alike(self) -> "Counts":
        """Return an instrument for another worker."""
        return Counts()

    def absorb(self, other: "Counts") -> None:
        """Add the counts of another instrument, and clear it."""
        widest = np.maximum(self._words[5 * DEPTHS :], other._words[5 * DEPTHS :])
        self._words += other._words
        self._words[5 * DEPTHS :] = widest
        other._words[:] = 0

    @property
    def nodes(self) -> list[int]:
        """Nodes searched, by the depth left."""
        return self._part(0)

    @property
    def moves(self) -> list[int]:
        """Legal moves of those nodes, passes not counted."""
        return self._part(1)

    @property
    def lookups(self) -> list[int]:
        """Table look-ups."""
        return self._part(2)

    @property
    def hits(self) -> list[int]:
        """Table look-ups that found the position."""
        return self._part(3)

    @property
    def movable(self) -> list[int]:
        """Nodes whose side to move had a legal move."""
        return self._part(4)

    @property
    def widest(self) -> list[int]:
        """Most legal moves of a node."""
        return self._part(5)

    def _part(self, number: int) -> list[int]:
        return [int(count) for count in self._words[number * DEPTHS : (number + 1) * DEPTHS]]
