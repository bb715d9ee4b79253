"""Operations on the bits of a 64-bit word: Python functions for the interpreter, LLVM instructions for kernels."""

from typing import Any, TypeAlias

import numpy as np

from outflank.kernels.compiler import extend
from outflank.kernels.lowering import IR, Builder, Context, Signature, define, is_device

U64 = np.uint64
"""Type of a bitboard. An operation with a signed integer returns a float: cast the integer first."""

Word: TypeAlias = Any
"""A 64-bit word: a `U64`, or often an int in calls from Python."""

Int: TypeAlias = Any
"""A whole number: an int, or a NumPy integer of any width."""

MASK = 0xFFFFFFFFFFFFFFFF


def popcount(word: Word) -> int:
    """Return the number of set bits.

    >>> popcount(0b1011)
    3
    """
    return (int(word) & MASK).bit_count()


def lowest(word: Word) -> int:
    """Return the index of the lowest set bit; `word` must not be zero.

    >>> lowest(0b1000)
    3
    """
    return (int(word) & -int(word) & MASK).bit_length() - 1


def bit_at(index: Int) -> Word:
    """Return the word with only bit `index` (below 64) set: a board with one square.

    >>> int(bit_at(3))
    8
    """
    return U64(1) << U64(index)


def byte_swap(word: Word) -> Word:
    """Return the word with its eight bytes in reverse order: a board flipped vertically.

    >>> hex(byte_swap(0x0102))
    '0x201000000000000'
    """
    return U64(int.from_bytes((int(word) & MASK).to_bytes(8, "little"), "big"))


def bit_reverse(word: Word) -> Word:
    """Return the word with its 64 bits in reverse order: a board rotated by 180 degrees.

    >>> hex(bit_reverse(1))
    '0x8000000000000000'
    """
    return U64(int(f"{int(word) & MASK:064b}"[::-1], 2))


def multiply(word: Word, factor: Word) -> Word:
    """Return the low 64 bits of the product (NumPy would warn of the overflow).

    >>> int(multiply(U64(1 << 63), U64(3))) == 1 << 63
    True
    """
    return U64(int(word) * int(factor) & MASK)


@extend
def _register_with_numba() -> None:
    from llvmlite import ir
    from numba import types
    from numba.core.cgutils import get_or_insert_function

    zero_is_undefined = ir.Constant(ir.IntType(1), 1)
    for function, returns, instruction in (
        (popcount, types.int64, lambda b, word: b.ctpop(word)),
        (lowest, types.int64, lambda b, word: b.cttz(word, zero_is_undefined)),
        (byte_swap, types.uint64, lambda b, word: b.bswap(word)),
        (bit_reverse, types.uint64, lambda b, word: b.bitreverse(word)),
    ):
        define(
            function,
            (types.Integer,),
            lambda word, returns=returns: (returns, types.uint64),
            lambda context, builder, signature, word, instruction=instruction: instruction(builder, word),
        )

    def opaque_bit(context: Context, builder: Builder, signature: Signature, index: IR) -> IR:
        # The bit is hidden from the optimiser. Otherwise the optimiser turns each shift of the bit by a constant into a
        # shift of another constant by the index: one more instruction for each direction of a board. A shift by a
        # constant costs nothing where it is part of the instruction that uses its result.
        if is_device(context):
            return builder.shl(ir.Constant(ir.IntType(64), 1), index)
        word, pointer = ir.IntType(64), ir.PointerType()
        bit = builder.inttoptr(builder.shl(ir.Constant(word, 1), index), pointer)
        kind = ir.FunctionType(pointer, [pointer])
        opaque = builder.call(get_or_insert_function(builder.module, kind, "llvm.strip.invariant.group.p0"), [bit])
        return builder.ptrtoint(opaque, word)

    define(bit_at, (types.Integer,), lambda index: (types.uint64, types.uint64), opaque_bit)
    define(
        multiply,
        (types.Integer, types.Integer),
        lambda word, factor: (types.uint64, types.uint64, types.uint64),
        lambda context, builder, signature, word, factor: builder.mul(word, factor),
    )
