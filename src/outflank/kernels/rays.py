"""Runs of bits along four rays of a board at once, by one addition with carry in each.

They are always in vector registers, whatever is best for `lanes`: even on a Neoverse-N1, whose registers do not hold
four words, these few steps are a third faster that way.
"""

import numpy as np
import numpy.typing as npt

from outflank.kernels.bits import Word
from outflank.kernels.compiler import extend
from outflank.kernels.lowering import IR, Builder, Context, IRType, Signature, define, is_device

RAYS = 4
"""Number of rays in a row of the table: its first words."""


def enclosed(table: npt.NDArray[np.uint64], row: int, run: Word, ends: Word) -> Word:
    """Return the bits of `run` at the beginning of each ray in `table[row]` where a bit of `ends` follows them.

    A ray goes from its lowest bit upwards, and shares no bit with the others; neither do `run` and `ends`.

    >>> rays = np.array([[0b11110, 0, 0, 0]], np.uint64)
    >>> bin(enclosed(rays, 0, 0b00110, 0b01000)), bin(enclosed(rays, 0, 0b00110, 0b10000))
    ('0b110', '0b0')
    """
    bits = 0
    for ray in map(int, table[row, :RAYS]):
        stops = ray & ~int(run)
        end = stops & -stops & int(ends)
        bits |= (end - (end != 0)) & ray
    return np.uint64(bits)


@extend
def _register_with_numba() -> None:
    from llvmlite import ir
    from numba import types
    from numba.core.cgutils import get_or_insert_function

    word, byte = ir.IntType(64), ir.IntType(8)
    four = ir.VectorType(word, RAYS)

    def call(builder: Builder, name: str, returns: IRType, *arguments: IR) -> IR:
        kind = ir.FunctionType(returns, [argument.type for argument in arguments])
        return builder.call(get_or_insert_function(builder.module, kind, name), arguments)

    def spread(builder: Builder, value: IR) -> IR:
        first = builder.insert_element(ir.Constant(four, ir.Undefined), value, ir.Constant(ir.IntType(32), 0))
        zeros = ir.Constant(ir.VectorType(ir.IntType(32), RAYS), [0] * RAYS)
        return builder.shuffle_vector(first, ir.Constant(four, ir.Undefined), zeros)

    def one_by_one(builder: Builder, rays: IR, run: IR, ends: IR) -> IR:
        zero, one = ir.Constant(word, 0), ir.Constant(word, 1)
        bits = zero
        for index in range(RAYS):
            ray = builder.load(builder.gep(rays, [ir.Constant(ir.IntType(32), index)]))
            carried = builder.add(builder.or_(run, builder.not_(ray)), one)
            end = builder.and_(builder.and_(carried, ends), ray)
            enclosing = builder.icmp_unsigned("!=", end, zero)
            below = builder.and_(builder.sub(end, one), ray)
            bits = builder.or_(bits, builder.select(enclosing, below, zero))
        return bits

    def emit(context: Context, builder: Builder, signature: Signature, table: IR, row: IR, run: IR, ends: IR) -> IR:
        array = context.make_array(signature.args[0])(context, builder, table)
        offset = builder.mul(row, builder.extract_value(array.strides, 0))
        pointer = builder.gep(builder.bitcast(array.data, byte.as_pointer()), [offset])
        if is_device(context):
            return one_by_one(builder, builder.bitcast(pointer, word.as_pointer()), run, ends)
        rays = builder.load(builder.bitcast(pointer, four.as_pointer()), align=8)
        one = ir.Constant(four, [1] * RAYS)
        # With all bits outside the ray set, adding one at the bottom carries to the first bit after the run.
        carried = builder.add(builder.or_(spread(builder, run), builder.not_(rays)), one)
        end = builder.and_(builder.and_(carried, spread(builder, ends)), rays)
        # Minus one gives all bits below; zero stays zero, as the subtraction saturates.
        runs = builder.and_(call(builder, f"llvm.usub.sat.v{RAYS}i64", four, end, one), rays)
        return call(builder, f"llvm.vector.reduce.add.v{RAYS}i64", word, runs)  # an `or`, of rays that share no bit

    define(
        enclosed,
        (types.Array, types.Integer, types.Integer, types.Integer),
        lambda table, row, run, ends: (types.uint64, table, *[types.uint64] * 3),
        emit,
    )
