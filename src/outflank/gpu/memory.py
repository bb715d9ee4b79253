"""What is known of positions, in a table that all threads of a device read and write as they like.

An entry is exact and does not age: it may stay from one batch to the next. Nobody waits for anybody. The two words of a
position are kept mixed with what is known of it, so that an entry that two threads have written at once, half of each,
belongs to no position.
"""

from typing import Any

import numpy as np

from outflank.gpu.compiling import device_kernel
from outflank.gpu.device import cuda
from outflank.gpu.driver import simulated
from outflank.kernels.bits import U64, byte_swap, multiply
from outflank.kernels.compiler import inner

WORDS = 4
"""Of an entry: the position's, what is known, and one that keeps entries from lying in two lines of memory."""

ENTRY_BYTES = 8 * WORDS
MOST_BITS, LEAST_BITS = 24, 8
"""Of the number of entries: half a gigabyte, and as few as can be."""

BLOCKS, THREADS = 256, 256
"""Of the kernel that empties a table."""

OFFSET, BYTE, NOTHING = 128, U64(255), U64(0)
LOWEST, HIGHEST = -127, 127
"""Bounds of a position of which nothing is known."""

_FACTOR, _OTHER_FACTOR = U64(0x9E3779B97F4A7C15), U64(0xC2B2AE3D27D4EB4F)


def new_table(bits: int) -> Any:
    """A table of 2 ** bits entries on the device, of which nothing is known."""
    table = cuda.device_array((1 << bits, WORDS), np.uint64)
    empty(table)
    return table


def empty(table: Any) -> None:
    """Let nothing be known, once the device has done what it was told before."""
    forget[(1, 1) if simulated() else (BLOCKS, THREADS)](table)
    cuda.synchronize()


def free_bytes() -> int:
    """How much of the device's memory is free."""
    return 1 << 16 if simulated() else int(cuda.current_context().get_memory_info()[0])


def highest_power(number: int) -> int:
    """The highest power of two that is not more."""
    return 1 << number.bit_length() - 1


def table_bits(free: int) -> int:
    """How large a table should be where so many bytes are free: an eighth of them at most."""
    return min(MOST_BITS, max(LEAST_BITS, (free // (8 * ENTRY_BYTES)).bit_length() - 1))


@device_kernel
def forget(table: Any) -> None:
    """Make a table one of which nothing is known."""
    for place in range(cuda.grid(1), len(table), cuda.gridsize(1)):
        table[place, 2] = NOTHING


@inner
def _place(table: Any, first: Any, second: Any) -> Any:
    mixed = multiply(first, _FACTOR) ^ byte_swap(multiply(second, _OTHER_FACTOR))
    return (multiply(mixed, _FACTOR) >> U64(32)) & U64(len(table) - 1)


@inner
def recalled(table: Any, first: Any, second: Any) -> Any:
    """Between what the value of a position lies, of these two words."""
    place = _place(table, first, second)
    known = table[place, 2]
    spread = multiply(known, _FACTOR)
    if known == NOTHING or table[place, 0] ^ spread != first or table[place, 1] ^ byte_swap(spread) != second:
        return np.int32(LOWEST), np.int32(HIGHEST)
    return np.int32(known & BYTE) - np.int32(OFFSET), np.int32((known >> U64(8)) & BYTE) - np.int32(OFFSET)


@inner
def keep(table: Any, first: Any, second: Any, low: Any, high: Any) -> None:
    """Remember that a position's value lies between these."""
    place = _place(table, first, second)
    known = U64(low + OFFSET) | (U64(high + OFFSET) << U64(8))
    spread = multiply(known, _FACTOR)
    table[place, 0], table[place, 1], table[place, 2] = first ^ spread, second ^ byte_swap(spread), known
