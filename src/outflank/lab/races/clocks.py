"""Which accesses to shared memory happen before which, and the pairs that do not: C11's meanings, by vector clocks.

Every strand (a thread) has a clock: for each strand, how much of what that one did happened before. A store or update
that releases leaves its strand's clock at the address; a load or update that acquires takes it over. An update leaves
there what was published before (it continues the release sequence), a store puts an end to it. Relaxed accesses
publish and take over nothing, and `seq_cst` orders no more than `acq_rel` does: its total order is not a happening
before. Starting a strand and waiting for its end order as they do everywhere.

Accesses meet where they have the same address: that of an element, be it a word or smaller, for no element is
accessed under two sizes. Two of them race if they are of different strands, at least one writes, neither happens
before the other, and not both are atomics that synchronise.
"""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import NamedTuple

RELEASING = frozenset({"release", "acq_rel", "seq_cst"})
ACQUIRING = frozenset({"acquire", "acq_rel", "seq_cst"})
SYNCHRONISING = RELEASING | ACQUIRING | {"system"}


@dataclass(frozen=True, slots=True)
class Touch:
    """A place in the source that touches memory in some way."""

    place: Hashable
    kind: str
    """`read`, `write`, or `update`: both in one."""
    order: str
    """One of C11's orderings, `plain`, or `system`: the system's own look at a word, which orders nothing."""

    @property
    def writes(self) -> bool:
        """Whether it changes what is there."""
        return self.kind != "read"

    @property
    def synchronises(self) -> bool:
        """Whether it is an atomic of those that are meant to be raced with."""
        return self.order in SYNCHRONISING


class Pair(NamedTuple):
    """Two accesses of which neither happens before the other, the one that was seen first first."""

    earlier: Touch
    later: Touch
    what: str


@dataclass(slots=True)
class Seen:
    """How often a pair was seen, and by whose strands first."""

    strands: tuple[int, int]
    times: int = 0


class _Location:
    """What is remembered of an address: for each strand when it last was here, by the place in the source."""

    __slots__ = ("last", "published")

    def __init__(self) -> None:
        self.last: dict[int, dict[Touch, int]] = {}
        self.published: list[int] | None = None


class History:
    """The accesses of one run, as they come."""

    def __init__(self, strands: int = 1, *, name: Callable[[int], str] = hex) -> None:
        self._name = name  # of what lies at an address
        self._clocks: list[list[int]] = []
        self._locations: dict[int, _Location] = {}
        self.pairs: dict[Pair, Seen] = {}
        """Every pair that raced."""
        self.accesses = 0
        for _ in range(strands):
            self.add_strand()

    def add_strand(self) -> int:
        """One that nothing happened before; its number."""
        for clock in self._clocks:
            clock.append(0)
        self._clocks.append([0] * len(self._clocks) + [1])
        return len(self._clocks) - 1

    def forked(self, parent: int) -> int:
        """A strand starts another: what it has done so far happens before the other begins. The other's number."""
        child = self.add_strand()
        _take_over(self._clocks[child], self._clocks[parent])
        self._clocks[parent][parent] += 1
        return child

    def joined(self, waiting: int, ended: int) -> None:
        """A strand has waited for the end of another."""
        _take_over(self._clocks[waiting], self._clocks[ended])

    def touched(self, strand: int, touch: Touch, address: int) -> None:
        """A strand touches memory."""
        self.accesses += 1
        clock = self._clocks[strand]
        location = self._locations.get(address)
        if location is None:
            location = self._locations[address] = _Location()
        if touch.kind != "write" and touch.order in ACQUIRING and location.published is not None:
            _take_over(clock, location.published)
        last = location.last
        if len(last) > 1 or strand not in last:
            for other, touches in last.items():
                if other != strand:
                    self._compare(touches, clock[other], touch, address, (other, strand))
        last.setdefault(strand, {})[touch] = clock[strand]
        if touch.writes:
            self._publish(location, touch, clock, strand)

    def _compare(
        self, touches: dict[Touch, int], known: int, touch: Touch, address: int, strands: tuple[int, int]
    ) -> None:
        for before, when in touches.items():
            if when <= known or not (before.writes or touch.writes):
                continue
            if not (before.synchronises and touch.synchronises):
                seen = self.pairs.setdefault(Pair(before, touch, self._name(address)), Seen(strands))
                seen.times += 1

    @staticmethod
    def _publish(location: _Location, touch: Touch, clock: list[int], strand: int) -> None:
        if touch.kind == "write":
            location.published = None
        if touch.order in RELEASING:
            if location.published is None:
                location.published = clock.copy()
            else:
                _take_over(location.published, clock)
            clock[strand] += 1


def _take_over(clock: list[int], other: list[int]) -> None:
    """Make `clock` know all that `other` knows; it may be of a time with fewer strands."""
    clock.extend([0] * (len(other) - len(clock)))
    for strand, time in enumerate(other):
        if time > clock[strand]:
            clock[strand] = time
