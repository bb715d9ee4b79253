"""The transposition table in a GPU's memory, which all threads read and write without locks.

An entry holds proved bounds, so it may stay from one batch of positions to the next. The two words of a position are
stored XORed with a hash of the bounds. So a torn entry, which two threads have written at once, matches no position.
"""

import numpy as np

from outflank.games.rules import Value
from outflank.gpu.compiling import device_kernel
from outflank.gpu.device import DeviceArray, cuda
from outflank.gpu.driver import simulated
from outflank.kernels.bits import U64, Word, byte_swap, multiply
from outflank.kernels.compiler import inner

WORDS = 4
"""Words per entry: two for the position, one for the bounds, and padding so that no entry spans two cache lines."""

ENTRY_BYTES = 8 * WORDS
MOST_BITS, LEAST_BITS = 24, 8
"""Greatest and least binary logarithm of the number of entries. The largest table takes half a gigabyte."""

BLOCKS, THREADS = 256, 256
"""Launch configuration of the kernel that clears a table."""

OFFSET, BYTE, NO_BOUNDS = 128, U64(255), U64(0)
LOWEST, HIGHEST = -127, 127
"""Bounds of a position that is not in the table."""

_FACTOR, _OTHER_FACTOR = U64(0x9E3779B97F4A7C15), U64(0xC2B2AE3D27D4EB4F)


def new_table(bits: int) -> DeviceArray:
    """Return an empty table of 2 ** `bits` entries in the GPU's memory."""
    table = cuda.device_array((1 << bits, WORDS), np.uint64)
    clear_table(table)
    return table


def clear_table(table: DeviceArray) -> None:
    """Clear a table after all earlier work of the GPU, and wait until it is cleared."""
    clear_entries[(1, 1) if simulated() else (BLOCKS, THREADS)](table)
    cuda.synchronize()


def free_bytes() -> int:
    """Return the free memory of the GPU, in bytes."""
    return 1 << 16 if simulated() else int(cuda.current_context().get_memory_info()[0])


def highest_power(number: int) -> int:
    """Return the greatest power of two that is at most `number`."""
    return 1 << number.bit_length() - 1


def table_bits(free: int) -> int:
    """Return the `bits` of a table with 2 ** `bits` entries that takes about an eighth of `free` bytes at most."""
    return min(MOST_BITS, max(LEAST_BITS, (free // (8 * ENTRY_BYTES)).bit_length() - 1))


@device_kernel
def clear_entries(table: DeviceArray) -> None:
    """Clear all entries of a table (the GPU kernel of `clear_table`)."""
    for place in range(cuda.grid(1), len(table), cuda.gridsize(1)):
        table[place, 2] = NO_BOUNDS


@inner
def _index_of(table: DeviceArray, first: Word, second: Word) -> Word:
    mixed = multiply(first, _FACTOR) ^ byte_swap(multiply(second, _OTHER_FACTOR))
    return (multiply(mixed, _FACTOR) >> U64(32)) & U64(len(table) - 1)


@inner
def look_up(table: DeviceArray, first: Word, second: Word) -> tuple[Value, Value]:
    """Return the lower and the upper bound of the value of the position with the words `first` and `second`."""
    index = _index_of(table, first, second)
    bounds = table[index, 2]
    scramble = multiply(bounds, _FACTOR)
    if bounds == NO_BOUNDS or table[index, 0] ^ scramble != first or table[index, 1] ^ byte_swap(scramble) != second:
        return np.int32(LOWEST), np.int32(HIGHEST)
    return np.int32(bounds & BYTE) - np.int32(OFFSET), np.int32((bounds >> U64(8)) & BYTE) - np.int32(OFFSET)


@inner
def store_bounds(table: DeviceArray, first: Word, second: Word, low: Value, high: Value) -> None:
    """Store the bounds `low` and `high` of the value of the position with the words `first` and `second`."""
    index = _index_of(table, first, second)
    bounds = U64(low + OFFSET) | (U64(high + OFFSET) << U64(8))
    scramble = multiply(bounds, _FACTOR)
    table[index, 0], table[index, 1], table[index, 2] = first ^ scramble, second ^ byte_swap(scramble), bounds
