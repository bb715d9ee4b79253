"""The happens-before relation of accesses to shared memory, with C11 semantics and vector clocks, and the races.

Every strand (a thread) has a vector clock. Its element for another strand says how much of that strand's work happened
before. A store or update with release order publishes its strand's clock at the address; a load or update with acquire
order merges that clock into its own. An update keeps the clock published before, which continues the release sequence;
a store replaces it. Relaxed accesses publish and merge nothing. `seq_cst` orders no more than `acq_rel`, because its
total order is not a happens-before order. Starting and joining a strand also order accesses.

Accesses conflict if they have the same address. Comparing addresses is enough, because no element is accessed in two
sizes. Two accesses race if they are from different strands, at least one writes, neither happens before the other, and
not both are synchronising atomics.
"""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import NamedTuple

RELEASING = frozenset({"release", "acq_rel", "seq_cst"})
ACQUIRING = frozenset({"acquire", "acq_rel", "seq_cst"})
SYNCHRONISING = RELEASING | ACQUIRING | {"system"}


@dataclass(frozen=True, slots=True)
class Touch:
    """A kind of memory access at one source line."""

    place: Hashable
    kind: str
    """Kind of access: `read`, `write`, or `update` (an atomic read and write)."""
    order: str
    """Memory order: one of C11's, `plain`, or `system` (a read by the operating system, which orders nothing)."""

    @property
    def writes(self) -> bool:
        """True if the access changes memory."""
        return self.kind != "read"

    @property
    def synchronises(self) -> bool:
        """True if the access is a synchronising atomic. Two synchronising atomics do not race."""
        return self.order in SYNCHRONISING


class Pair(NamedTuple):
    """Two unordered accesses, in the order in which they were observed."""

    earlier: Touch
    later: Touch
    what: str


@dataclass(slots=True)
class RaceCount:
    """The number of times that a pair of accesses raced, and the strands of the first race."""

    strands: tuple[int, int]
    times: int = 0


class _Location:
    """State of a memory address: each strand's last access from each source line, and the clock last released there."""

    __slots__ = ("last", "published")

    def __init__(self) -> None:
        self.last: dict[int, dict[Touch, int]] = {}
        self.published: list[int] | None = None


class History:
    """The accesses of one run and their races."""

    def __init__(self, strands: int = 1, *, name: Callable[[int], str] = hex) -> None:
        self._name = name  # returns the name of an address
        self._clocks: list[list[int]] = []
        self._locations: dict[int, _Location] = {}
        self.pairs: dict[Pair, RaceCount] = {}
        """Pairs of accesses that raced, with their counts."""
        self.accesses = 0
        for _ in range(strands):
            self.add_strand()

    def add_strand(self) -> int:
        """Add a strand that is not ordered after any other, and return its number."""
        for clock in self._clocks:
            clock.append(0)
        self._clocks.append([0] * len(self._clocks) + [1])
        return len(self._clocks) - 1

    def fork(self, parent: int) -> int:
        """Add a strand that starts after everything its parent has done so far, and return its number."""
        child = self.add_strand()
        _merge_clock(self._clocks[child], self._clocks[parent])
        self._clocks[parent][parent] += 1
        return child

    def join(self, waiting: int, ended: int) -> None:
        """Record that the strand `waiting` has waited for the end of the strand `ended`."""
        _merge_clock(self._clocks[waiting], self._clocks[ended])

    def record_access(self, strand: int, touch: Touch, address: int) -> None:
        """Record an access of a strand to `address`, and compare it with earlier accesses to the same address."""
        self.accesses += 1
        clock = self._clocks[strand]
        location = self._locations.get(address)
        if location is None:
            location = self._locations[address] = _Location()
        if touch.kind != "write" and touch.order in ACQUIRING and location.published is not None:
            _merge_clock(clock, location.published)
        last = location.last
        if len(last) > 1 or strand not in last:
            for other_strand, touches in last.items():
                if other_strand != strand:
                    self._compare(touches, clock[other_strand], touch, address, (other_strand, strand))
        last.setdefault(strand, {})[touch] = clock[strand]
        if touch.writes:
            self._publish(location, touch, clock, strand)

    def _compare(
        self, touches: dict[Touch, int], known_time: int, touch: Touch, address: int, strands: tuple[int, int]
    ) -> None:
        for earlier, time in touches.items():
            if time <= known_time or not (earlier.writes or touch.writes):
                continue
            if not (earlier.synchronises and touch.synchronises):
                count = self.pairs.setdefault(Pair(earlier, touch, self._name(address)), RaceCount(strands))
                count.times += 1

    @staticmethod
    def _publish(location: _Location, touch: Touch, clock: list[int], strand: int) -> None:
        if touch.kind == "write":
            location.published = None
        if touch.order in RELEASING:
            if location.published is None:
                location.published = clock.copy()
            else:
                _merge_clock(location.published, clock)
            clock[strand] += 1


def _merge_clock(clock: list[int], source: list[int]) -> None:
    """Merge `source` into `clock`. `clock` may be the shorter one, because strands were added later."""
    clock.extend([0] * (len(source) - len(clock)))
    for strand, time in enumerate(source):
        if time > clock[strand]:
            clock[strand] = time
