"""Topology of the machine, as far as this process may use it: processors, cores, memory nodes, caches.

Read from Linux itself: psutil counts processors and cores, but does not say which belong together; hwloc does, but is a
system library that must be installed first.
"""

import os
import sys
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from pathlib import Path

SYSTEM = Path("/sys/devices/system")
"""Where Linux describes the machine; other systems do not."""


@dataclass(frozen=True, slots=True)
class Processor:
    """A logical processor, which runs one thread."""

    number: int
    """The system's number."""
    core: tuple[int, int]
    """The package and the core that it belongs to: two processors of one core share its units and caches."""
    node: int
    """The nearest memory node."""


@dataclass(frozen=True, slots=True)
class MemoryNode:
    """Memory, and the processors nearest to it."""

    number: int
    processors: tuple[int, ...]
    """Those processors that this process may use."""
    memory_bytes: int | None
    """Size of the memory; None: unknown."""


@dataclass(frozen=True)
class Topology:
    """The machine's processors and memory."""

    processors: tuple[Processor, ...]
    """The processors that this process may use."""
    nodes: tuple[MemoryNode, ...]
    last_cache_bytes: int | None
    """Size of the largest cache that processors share; None: unknown."""

    @cached_property
    def cores(self) -> int:
        """Number of different cores among the processors."""
        return len({processor.core for processor in self.processors})

    def __str__(self) -> str:
        """Return the topology in words, for people."""
        count, cores, nodes = len(self.processors), self.cores, len(self.nodes)
        text = f"{count} processor{'' if count == 1 else 's'}"
        if cores != count:
            text += f" on {cores} core{'' if cores == 1 else 's'}"
        parts = [
            text,
            "one memory node" if nodes == 1 else f"{nodes} memory nodes ({', '.join(map(_node_text, self.nodes))})",
        ]
        if self.last_cache_bytes is not None:
            parts.append(f"{self.last_cache_bytes / 2**20:g} MiB of cache shared")
        return ", ".join(parts)


def _node_text(node: MemoryNode) -> str:
    return f"{node.number}: {number_ranges(node.processors)}" if node.processors else f"{node.number}: no processor"


def topology(system: Path = SYSTEM, allowed: set[int] | None = None) -> Topology:
    """Return the topology of the machine now; if it is unknown, every processor is a core of one memory node."""
    numbers = sorted(_allowed() if allowed is None else allowed)
    nodes = _nodes(system, numbers)
    near = {number: node.number for node in nodes for number in node.processors}
    processors = tuple(
        Processor(number, _core(system / "cpu" / f"cpu{number}" / "topology", number), near.get(number, 0))
        for number in numbers
    )
    caches = [_cache(path) for path in sorted((system / "cpu" / f"cpu{numbers[0]}" / "cache").glob("index*"))]
    return Topology(
        processors, nodes or (MemoryNode(0, tuple(numbers), None),), max(filter(None, caches), default=None)
    )


def _allowed() -> set[int]:
    if sys.platform == "linux":
        return os.sched_getaffinity(0)
    return set(range(os.cpu_count() or 1))


def _nodes(system: Path, allowed: list[int]) -> tuple[MemoryNode, ...]:
    nodes = []
    for path in (system / "node").glob("node[0-9]*"):
        numbers = parse_ranges(_text(path / "cpulist"))
        node = MemoryNode(int(path.name.removeprefix("node")), tuple(sorted(numbers & set(allowed))), _memory(path))
        if node.processors or node.memory_bytes:  # a node may have either
            nodes.append(node)
    return tuple(sorted(nodes, key=lambda node: node.number))


def _memory(node: Path) -> int | None:
    for line in _text(node / "meminfo").splitlines():
        words = line.split()
        if len(words) >= 4 and words[2] == "MemTotal:" and words[3].isdigit():
            return int(words[3]) * 1024
    return None


def _core(path: Path, number: int) -> tuple[int, int]:
    package, core = _text(path / "physical_package_id").strip(), _text(path / "core_id").strip()
    # Some systems number every package and core -1: then each processor counts as a core of its own.
    return (int(package) if package.isdigit() else 0, int(core)) if core.isdigit() else (0, number)


def _cache(path: Path) -> int | None:
    size = _text(path / "size").strip()
    units = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
    if _text(path / "type").strip() == "Instruction" or size[-1:] not in units or not size[:-1].isdigit():
        return None
    return int(size[:-1]) * units[size[-1]]


def parse_ranges(text: str) -> set[int]:
    """Return the numbers of a list as Linux writes it.

    >>> sorted(parse_ranges("0-2,5"))
    [0, 1, 2, 5]
    """
    numbers: set[int] = set()
    for part in text.strip().split(","):
        first, dash, last = part.partition("-")
        if first.isdigit() and (last.isdigit() or not dash):
            numbers |= set(range(int(first), int(last if dash else first) + 1))
    return numbers


def number_ranges(numbers: tuple[int, ...]) -> str:
    """Return such a list of numbers.

    >>> number_ranges((0, 1, 2, 5))
    '0-2,5'
    """
    runs = [
        [number for _, number in run] for _, run in groupby(enumerate(sorted(numbers)), lambda pair: pair[1] - pair[0])
    ]
    return ",".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)


def _text(path: Path) -> str:
    try:
        return path.read_text(errors="replace")
    except OSError:
        return ""
