"""Instrumentation, chosen by type: a search that is given `Silent` compiles to code without it."""

from typing import Any, NamedTuple, Protocol, Self

import numpy as np

from outflank.kernels.generic import generic, missing
from outflank.kernels.memory import address_of, read_word, write_word
from outflank.search.table import tells_value

DEPTHS = 256


class Silent(NamedTuple):
    """Notes nothing."""


class DepthCounts(NamedTuple):
    """Counts nodes, their moves, and what the table was asked, by the depth left: what the reports tabulate."""

    address: int
    """Of `DEPTHS` words for nodes, as many for moves, for look-ups, for those that found the position, for nodes
    with a move, and for the most moves of a node."""


@generic
def note_node(probe: Any, depth: Any, moves: Any) -> Any:
    """A node with `depth` left is searched; it has so many moves (0: evaluated for want of them)."""
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
def note_lookup(probe: Any, depth: Any, data: Any) -> Any:
    """The table was asked about a node with `depth` left and told `data` (0: nothing); what the search is to know."""
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
    """The memory of a probe, which must live as long as kernels use it: a search is handed this, not the probe."""

    probe: Any

    def alike(self) -> Self:
        """One for another worker: probes are not atomic."""

    def absorb(self, other: Self) -> None:
        """Add what another has noted, and let it begin anew."""


class Counts:
    """The memory of a `DepthCounts`."""

    def __init__(self) -> None:
        self._words = np.zeros(6 * DEPTHS, np.uint64)
        self.probe = DepthCounts(address_of(self._words))

    def alike(self) -> "Counts":
        """Memory for another worker."""
        return Counts()

    def absorb(self, other: "Counts") -> None:
        """Add what another has counted, and let it begin anew."""
        widest = np.maximum(self._words[5 * DEPTHS :], other._words[5 * DEPTHS :])
        self._words += other._words
        self._words[5 * DEPTHS :] = widest
        other._words[:] = 0

    @property
    def nodes(self) -> list[int]:
        """Nodes searched, by the depth they had left."""
        return self._part(0)

    @property
    def moves(self) -> list[int]:
        """Legal moves of those nodes, passes not counted."""
        return self._part(1)

    @property
    def lookups(self) -> list[int]:
        """Times that the table was asked."""
        return self._part(2)

    @property
    def hits(self) -> list[int]:
        """Times that it knew the position."""
        return self._part(3)

    @property
    def movable(self) -> list[int]:
        """Nodes whose side to move had a legal move."""
        return self._part(4)

    @property
    def widest(self) -> list[int]:
        """The most legal moves that a node had."""
        return self._part(5)

    def _part(self, number: int) -> list[int]:
        return [int(count) for count in self._words[number * DEPTHS : (number + 1) * DEPTHS]]
