"""Instrumentation, chosen by type: a search that is given `Silent` compiles to code without it."""

from typing import Any, NamedTuple

import numpy as np

from outflank.kernels.generic import generic, missing
from outflank.kernels.memory import address_of, read_word, write_word

DEPTHS = 256


class Silent(NamedTuple):
    """Notes nothing."""


class Profile(NamedTuple):
    """Counts nodes and their moves by the depth left: what reports 002 and 004 tabulate."""

    address: int
    """Of `DEPTHS` words for nodes, then as many for moves."""


@generic
def expanded(probe: Any, depth: Any, moves: Any) -> Any:
    """A node with `depth` left is searched; it has so many moves (0: evaluated for want of them)."""
    raise missing(expanded, probe)


@expanded.register(Silent)
def _(probe, depth, moves):
    pass


@expanded.register(Profile)
def _(probe, depth, moves):
    write_word(probe.address, depth, read_word(probe.address, depth) + np.uint64(1))
    write_word(probe.address, DEPTHS + depth, read_word(probe.address, DEPTHS + depth) + np.uint64(moves))


class Counts:
    """The memory of a `Profile`, which must live as long as kernels use the probe: hand this over, not the probe."""

    def __init__(self) -> None:
        self._words = np.zeros(2 * DEPTHS, np.uint64)
        self.probe = Profile(address_of(self._words))

    def absorb(self, other: "Counts") -> None:
        """Add what another has counted, and let it begin anew."""
        self._words += other._words
        other._words[:] = 0

    @property
    def nodes(self) -> list[int]:
        """Nodes searched, by the depth they had left."""
        return [int(count) for count in self._words[:DEPTHS]]

    @property
    def moves(self) -> list[int]:
        """Legal moves of those nodes, passes not counted."""
        return [int(count) for count in self._words[DEPTHS:]]
