"""Placement of workers: the machine's topology, and binding of threads to processors and of pages to memory nodes."""

import ctypes
import os
import platform
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import Literal

from outflank.errors import InvalidOption

# The topology is read from Linux itself: psutil counts processors and cores, but does not say which processors share a
# core; hwloc says so, but is a system library that must be installed first.

SYSTEM = Path("/sys/devices/system")
"""Folder in which Linux describes the machine; other systems have none."""


@dataclass(frozen=True, slots=True)
class Processor:
    """A logical processor, which runs one thread."""

    number: int
    """The operating system's number of the processor."""
    core: tuple[int, int]
    """Numbers of the processor's package and core. Two processors of one core share execution units and caches."""
    node: int
    """Number of the memory node nearest to the processor."""


@dataclass(frozen=True, slots=True)
class MemoryNode:
    """A NUMA node: memory, and the processors nearest to it."""

    number: int
    processors: tuple[int, ...]
    """Numbers of the node's processors that this process may use."""
    memory_bytes: int | None
    """Size of the node's memory; None if unknown."""


@dataclass(frozen=True)
class Topology:
    """The machine's processors and memory."""

    processors: tuple[Processor, ...]
    """Processors that this process may use."""
    nodes: tuple[MemoryNode, ...]
    last_cache_bytes: int | None
    """Size of the largest cache that processors share; None if unknown."""

    @cached_property
    def cores(self) -> int:
        """Number of different cores to which `processors` belong."""
        return len({processor.core for processor in self.processors})

    def __str__(self) -> str:
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
    """Return the machine's current topology. If it is unknown, each processor counts as a core, and all are on one
    memory node."""
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
        if node.processors or node.memory_bytes:  # some nodes have only one of the two
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
    # Some systems give every package and core the number -1: then each processor counts as a core of its own.
    return (int(package) if package.isdigit() else 0, int(core)) if core.isdigit() else (0, number)


def _cache(path: Path) -> int | None:
    size = _text(path / "size").strip()
    units = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
    if _text(path / "type").strip() == "Instruction" or size[-1:] not in units or not size[:-1].isdigit():
        return None
    return int(size[:-1]) * units[size[-1]]


def parse_ranges(text: str) -> set[int]:
    """Return the numbers in a text such as `0-2,5`, which is how Linux lists processors.

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
    """Return numbers as a text such as `0-2,5`, which is how Linux lists processors.

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


Pin = Literal["none", "compact", "spread"] | tuple[int, ...]
"""Placement of workers. `compact`: fills one core and one memory node after another; `spread`: as far apart as
possible; a tuple: the processor of each worker (further workers start again from the first); `none`: not bound."""


def can_bind() -> bool:
    """Return whether this system can bind threads to processors."""
    return hasattr(os, "sched_setaffinity")


def worker_processors(pin: Pin, machine: Topology | None = None) -> tuple[int, ...]:
    """Return one processor for each worker; further workers start again from the first. Empty if workers are not bound.

    >>> worker_processors("none")
    ()
    """
    if pin == "none" or not can_bind():
        return ()
    machine = machine or topology()
    if pin == "compact":
        return tuple(processor.number for processor in sorted(machine.processors, key=_compact_order))
    if pin == "spread":
        return tuple(processor.number for processor in _spread_out(machine.processors))
    known = {processor.number for processor in machine.processors}
    if not pin or not known.issuperset(pin):
        numbers = ",".join(map(str, pin)) or "no processor"
        raise InvalidOption(f"pin to {numbers}: this process may run on {number_ranges(tuple(known))}")
    return tuple(pin)


def _compact_order(processor: Processor) -> tuple[int, tuple[int, int], int]:
    return processor.node, processor.core, processor.number


def _spread_out(processors: Iterable[Processor]) -> list[Processor]:
    """Return the processors in the order of `spread`: memory nodes in turn, second processors of cores last."""
    ranked: list[tuple[int, int, int, Processor]] = []
    for node, of_node in groupby(sorted(processors, key=_compact_order), lambda processor: processor.node):
        for core, (_, of_core) in enumerate(groupby(of_node, lambda processor: processor.core)):
            ranked += [(thread, core, node, processor) for thread, processor in enumerate(of_core)]
    return [processor for *_, processor in sorted(ranked, key=lambda rank: rank[:3])]


def bind(processors: Iterable[int]) -> None:
    """Bind this thread to these processors, if the system can."""
    with suppress(AttributeError, OSError):
        os.sched_setaffinity(0, processors)


@contextmanager
def pinned(processors: Sequence[int], worker: int) -> Iterator[None]:
    """Bind this thread to the processor of worker number `worker` during the block; restore its affinity afterwards."""
    if not processors:
        yield
        return
    before = os.sched_getaffinity(0)
    bind([processors[worker % len(processors)]])
    try:
        yield
    finally:
        bind(before)


# --- memory ---

INTERLEAVE = 3
"""Linux's memory policy MPOL_INTERLEAVE: pages go to the memory nodes in turn, as they are touched."""

_MBIND = {"x86_64": 237, "aarch64": 235}
"""Number of the system call `mbind`, by processor architecture."""


def interleave(address: int, size: int, nodes: Sequence[MemoryNode] | None = None) -> bool:
    """Distribute the pages of untouched memory over all memory nodes in turn; return whether this succeeded.

    Without this call, a page lies on the memory node of the worker that touches it first.
    """
    number = _MBIND.get(platform.machine())
    nodes = [node for node in (topology().nodes if nodes is None else nodes) if node.memory_bytes]
    if sys.platform != "linux" or number is None or not nodes:
        return False
    page = os.sysconf("SC_PAGE_SIZE")
    begin, end = -(-address // page) * page, (address + size) // page * page
    words = max(node.number for node in nodes) // 64 + 1
    mask = (ctypes.c_ulong * words)()
    for node in nodes:
        mask[node.number // 64] |= 1 << node.number % 64
    call = ctypes.CDLL(None, use_errno=True).syscall
    arguments = map(ctypes.c_long, (number, begin, end - begin, INTERLEAVE))
    return begin < end and call(*arguments, mask, ctypes.c_long(64 * words + 1), ctypes.c_long(0)) == 0
