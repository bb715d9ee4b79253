"""Access to shared memory by address: words of a large table, and records that refer to each other.

An array argument costs a kernel seven words per call; its address in a record costs none. Reads and writes of words are
relaxed atomics: a word is never torn, but different words are not ordered.
"""

import ctypes
import mmap
from contextlib import suppress
from functools import cache
from threading import Lock
from typing import Any

import numpy as np
import numpy.typing as npt

from outflank.kernels import observers
from outflank.kernels.bits import Int, Word
from outflank.kernels.compiler import extend
from outflank.kernels.lowering import IR, Builder, Context, Signature, define
from outflank.kernels.record_types import Record, RecordType, with_attributes

_lock = Lock()

MAPPED_BYTES = 1 << 20
"""Least size of arrays that get memory pages of their own, from `mmap`."""

HUGE_PAGES_BYTES = 1 << 22
"""Least size of arrays that request huge pages, the same as NumPy's."""

ALIGNMENT = 128
"""Alignment of arrays in bytes: two cache lines, which some processors load together."""


def address_of(array: npt.NDArray[np.generic]) -> int:
    """Return the address of the elements of a contiguous array. The caller must keep the array alive."""
    return int(array.ctypes.data)


def new_words(count: int) -> npt.NDArray[np.uint64]:
    """Return `count` zeroed words at a multiple of `ALIGNMENT`; raise `MemoryError` if there is not enough memory.

    Large arrays are mapped here, so that freed memory returns to the system. The C library would keep the memory: when
    a mapping is freed, glibc raises its threshold for mapping memory to the size of that mapping, up to 32 MiB. After
    that, arrays of this size come from heaps, which seldom shrink.
    """
    if 8 * count < MAPPED_BYTES:
        raw: npt.NDArray[np.uint64] = np.zeros(count + ALIGNMENT // 8, np.uint64)
        skip = -raw.ctypes.data % ALIGNMENT // 8
        return raw[skip : skip + count]
    try:
        # Private: shared mappings have no huge pages by default.
        private = {"flags": mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS} if hasattr(mmap, "MAP_ANONYMOUS") else {}
        mapped = mmap.mmap(-1, 8 * count, **private)
    except (OSError, OverflowError, ValueError) as error:
        raise MemoryError(str(error)) from None
    if 8 * count >= HUGE_PAGES_BYTES and hasattr(mmap, "MADV_HUGEPAGE"):
        with suppress(OSError):  # an operating system kernel without huge pages
            mapped.madvise(mmap.MADV_HUGEPAGE)
    return np.frombuffer(mapped, np.uint64)


def _word(address: Int, index: Int) -> ctypes.c_uint64:
    return ctypes.c_uint64.from_address(int(address) + 8 * int(index))


def read_word(address: Int, index: Int) -> Word:
    """Return word `index` of the array at `address`."""
    if observers.observer is not None:
        observers.announce_word_access(int(address) + 8 * int(index), "read")
    return np.uint64(_word(address, index).value)


def read_short(address: Int, index: Int) -> Int:
    """Return number `index` of the array of signed 16-bit numbers at `address`. The array must never change."""
    return ctypes.c_int16.from_address(int(address) + 2 * int(index)).value


def prefetch(address: Int) -> None:
    """Load the memory at `address`, which will soon be read, into the processor's cache."""


def write_word(address: Int, index: Int, word: Word) -> None:
    """Set word `index` of the array at `address`."""
    if observers.observer is not None:
        observers.announce_word_access(int(address) + 8 * int(index), "write")
    _word(address, index).value = int(word)


def replace_word(address: Int, index: Int, expected: Word, word: Word) -> bool:
    """Set word `index` to `word` if it is `expected`, in one atomic compare-exchange; return whether it was."""
    cell = _word(address, index)
    if observers.observer is not None:
        observers.observer.turn(True)
        kind, order = ("update", "acq_rel") if cell.value == int(expected) else ("read", "relaxed")
        observers.observer.touched(ctypes.addressof(cell), kind, order)
    with _lock:
        if cell.value != int(expected):
            return False
        cell.value = int(word)
        return True


def record_at(address: Int, dtype: RecordType) -> Record:
    """Return the record of type `dtype` at `address`. The caller must keep its memory alive."""
    if observers.observer is not None:
        return observers.watched_record(int(address), dtype, lambda: _record(address, dtype))
    return _record(address, dtype)


def _record(address: Int, dtype: RecordType) -> Record:
    raw, record = _memory_of(dtype)
    return np.frombuffer(raw.from_address(int(address)), record)[0]


@cache
def _memory_of(dtype: RecordType) -> tuple[Any, RecordType]:
    """Return the ctypes type of a record's memory, and the record's dtype with attributes for the fields.

    The types are cached: creating new types for each record, with a `recarray` for the attributes, took ten times as
    long.
    """
    return ctypes.c_uint8 * dtype.itemsize, with_attributes(dtype)


@extend
def _register_with_numba() -> None:
    from llvmlite import ir
    from numba import types
    from numba.core.cgutils import get_or_insert_function

    word = ir.IntType(64)

    def pointer_to(builder: Builder, address: IR, index: IR) -> IR:
        return builder.gep(builder.inttoptr(address, word.as_pointer()), [index])

    def read(context: Context, builder: Builder, signature: Signature, address: IR, index: IR) -> IR:
        return builder.load_atomic(pointer_to(builder, address, index), "monotonic", 8)

    def write(context: Context, builder: Builder, signature: Signature, address: IR, index: IR, value: IR) -> IR:
        builder.store_atomic(value, pointer_to(builder, address, index), "monotonic", 8)
        return context.get_dummy_value()

    def replace(
        context: Context, builder: Builder, signature: Signature, address: IR, index: IR, expected: IR, value: IR
    ) -> IR:
        swapped = builder.cmpxchg(pointer_to(builder, address, index), expected, value, "acq_rel", "monotonic")
        return builder.extract_value(swapped, 1)

    def view(context: Context, builder: Builder, signature: Signature, address: IR, dtype: IR) -> IR:
        return builder.inttoptr(address, context.get_value_type(signature.return_type))

    define(
        record_at,
        (types.Integer, types.DType),
        lambda address, dtype: (dtype.dtype, types.int64, dtype),
        view,
    )
    integers = (types.Integer, types.Integer)

    def read_narrow(context: Context, builder: Builder, signature: Signature, address: IR, index: IR) -> IR:
        short = ir.IntType(16)
        value = builder.load(builder.gep(builder.inttoptr(address, short.as_pointer()), [index]))
        return builder.sext(value, word)

    def fetch(context: Context, builder: Builder, signature: Signature, address: IR) -> IR:
        number, pointer = ir.IntType(32), ir.PointerType()
        kind = ir.FunctionType(ir.VoidType(), [pointer, number, number, number])
        intrinsic = get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        to_read, to_keep, data = (ir.Constant(number, flag) for flag in (0, 3, 1))
        builder.call(intrinsic, [builder.inttoptr(address, pointer), to_read, to_keep, data])
        return context.get_dummy_value()

    define(prefetch, (types.Integer,), lambda _: (types.none, types.int64), fetch)
    define(read_short, integers, lambda *_: (types.int64, types.int64, types.int64), read_narrow)
    define(read_word, integers, lambda *_: (types.uint64, types.int64, types.int64), read)
    define(
        replace_word,
        (*integers, types.Integer, types.Integer),
        lambda *_: (types.boolean, types.int64, types.int64, types.uint64, types.uint64),
        replace,
    )
    define(
        write_word,
        (*integers, types.Integer),
        lambda *_: (types.none, types.int64, types.int64, types.uint64),
        write,
    )
