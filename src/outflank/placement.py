"""Which worker runs where, and in whose memory: bindings of threads to processors, and of pages to memory nodes."""

import ctypes
import os
import platform
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import groupby
from typing import Literal

from outflank.errors import InvalidOption
from outflank.topology import MemoryNode, Processor, Topology, listed, topology

Pin = Literal["none", "compact", "spread"] | tuple[int, ...]
"""Where workers stay. `compact`: side by side, sharing cores and memory nodes while there is room; `spread`: as far
apart as can be; or processors by number, taken in turn; `none`: wherever the system puts them."""


def can_bind() -> bool:
    """Whether this system binds threads to processors."""
    return hasattr(os, "sched_setaffinity")


def places(pin: Pin, built: Topology | None = None) -> tuple[int, ...]:
    """The processors of the first worker, the second, …; after the last one the first again. None: nobody is bound.

    >>> places("none")
    ()
    """
    if pin == "none" or not can_bind():
        return ()
    built = built or topology()
    if pin == "compact":
        return tuple(each.number for each in sorted(built.processors, key=_beside))
    if pin == "spread":
        return tuple(each.number for each in _apart(built.processors))
    known = {each.number for each in built.processors}
    if not pin or not known.issuperset(pin):
        found = ",".join(map(str, pin)) or "no processor"
        raise InvalidOption(f"pin to {found}: this process may run on {listed(tuple(known))}")
    return tuple(pin)


def _beside(processor: Processor) -> tuple[int, tuple[int, int], int]:
    return processor.node, processor.core, processor.number


def _apart(processors: Iterable[Processor]) -> list[Processor]:
    """A core of each memory node in turn; the second processors of cores come after all the first."""
    ranked: list[tuple[int, int, int, Processor]] = []
    for node, of_node in groupby(sorted(processors, key=_beside), lambda each: each.node):
        for core, (_, of_core) in enumerate(groupby(of_node, lambda each: each.core)):
            ranked += [(thread, core, node, each) for thread, each in enumerate(of_core)]
    return [each for *_, each in sorted(ranked, key=lambda rank: rank[:3])]


def bind(processors: Iterable[int]) -> None:
    """Keep this thread on some processors, where the system can do that."""
    with suppress(AttributeError, OSError):
        os.sched_setaffinity(0, processors)


@contextmanager
def pinned(where: Sequence[int], worker: int) -> Iterator[None]:
    """While this thread is a worker it stays at its place; then it may run wherever it might before."""
    if not where:
        yield
        return
    before = os.sched_getaffinity(0)
    bind([where[worker % len(where)]])
    try:
        yield
    finally:
        bind(before)


# --- memory ---

INTERLEAVE = 3
"""MPOL_INTERLEAVE: pages go to the nodes in turn, as they are touched."""

_MBIND = {"x86_64": 237, "aarch64": 235}
"""The number of the system call, by processor."""


def interleave(address: int, size: int, nodes: Sequence[MemoryNode] | None = None) -> bool:
    """Deal the pages of some memory that nobody has touched to all memory nodes in turn; whether that is so now.

    Without it a page lies with the worker who touches it first.
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
