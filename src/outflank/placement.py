"""Placement of workers: bindings of threads to processors, and of pages to memory nodes."""

import ctypes
import os
import platform
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import groupby
from typing import Literal

from outflank.errors import InvalidOption
from outflank.topology import MemoryNode, Processor, Topology, number_ranges, topology

Pin = Literal["none", "compact", "spread"] | tuple[int, ...]
"""Placement of workers. `compact`: side by side, sharing cores and memory nodes while there is room; `spread`: as far
apart as possible; or processors by number, taken in turn; `none`: wherever the system puts them."""


def can_bind() -> bool:
    """Return whether this system binds threads to processors."""
    return hasattr(os, "sched_setaffinity")


def worker_processors(pin: Pin, machine: Topology | None = None) -> tuple[int, ...]:
    """Return the processors of the first worker, the second, …, used in rotation. Empty: no worker is bound.

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
    """Return one core of each memory node in turn; second processors of cores come after all first ones."""
    ranked: list[tuple[int, int, int, Processor]] = []
    for node, of_node in groupby(sorted(processors, key=_compact_order), lambda processor: processor.node):
        for core, (_, of_core) in enumerate(groupby(of_node, lambda processor: processor.core)):
            ranked += [(thread, core, node, processor) for thread, processor in enumerate(of_core)]
    return [processor for *_, processor in sorted(ranked, key=lambda rank: rank[:3])]


def bind(processors: Iterable[int]) -> None:
    """Bind this thread to some processors, if the system can."""
    with suppress(AttributeError, OSError):
        os.sched_setaffinity(0, processors)


@contextmanager
def pinned(processors: Sequence[int], worker: int) -> Iterator[None]:
    """Bind this thread to a worker's processor during the block; restore its affinity afterwards."""
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
"""MPOL_INTERLEAVE: pages go to the nodes in turn, as they are touched."""

_MBIND = {"x86_64": 237, "aarch64": 235}
"""The number of the system call, by processor architecture."""


def interleave(address: int, size: int, nodes: Sequence[MemoryNode] | None = None) -> bool:
    """Distribute the pages of untouched memory over all memory nodes in turn; return whether that succeeded.

    Without it a page lies on the memory node of the worker that touches it first.
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
