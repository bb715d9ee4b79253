"""Runs of bits along four rays of a board at once, by one carry in each.

Always in vector registers, whatever is best for `lanes`: on a Neoverse-N1, too, which has none of four words, these few
steps are a third faster so.
"""

from typing import Any

import numpy as np

from outflank.kernels.compiler import extend
from outflank.kernels.lowering import define, is_device

RAYS = 4
"""The rays of a row are its first words."""


def enclosed(table: Any, row: Any, run: Any, ends: Any) -> Any:
    """The bits of `run` at the beginning of a ray, if one of `ends` follows them; those of four rays, in `table[row]`.

    A ray goes from its lowest bit upwards, and shares none with the others; `run` and `ends` have none in common.

    >>> rays = np.array([[0b11110, 0, 0, 0]], np.uint64)
    >>> bin(enclosed(rays, 0, 0b00110, 0b01000)), bin(enclosed(rays, 0, 0b00110, 0b10000))
    ('0b110', '0b0')
    """
    found = 0
    for ray in map(int, table[row, :RAYS]):
        stops = ray & ~int(run)
        end = stops & -stops & int(ends)
        found |= (end - (end != 0)) & ray
    return np.uint64(found)


@extend
def _teach_numba() -> None:
    from llvmlite import ir
    from numba import types
    from numba.core.cgutils import get_or_insert_function

    word, byte = ir.IntType(64), ir.IntType(8)
    four = ir.VectorType(word, RAYS)

    def call(builder: Any, name: str, returns: Any, *arguments: Any) -> Any:
        kind = ir.FunctionType(returns, [argument.type for argument in arguments])
        return builder.call(get_or_insert_function(builder.module, kind, name), arguments)

    def spread(builder: Any, value: Any) -> Any:
        first = builder.insert_element(ir.Constant(four, ir.Undefined), value, ir.Constant(ir.IntType(32), 0))
        zeros = ir.Constant(ir.VectorType(ir.IntType(32), RAYS), [0] * RAYS)
        return builder.shuffle_vector(first, ir.Constant(four, ir.Undefined), zeros)

    def one_by_one(builder: Any, rays: Any, run: Any, ends: Any) -> Any:
        nothing, one = ir.Constant(word, 0), ir.Constant(word, 1)
        found = nothing
        for index in range(RAYS):
            ray = builder.load(builder.gep(rays, [ir.Constant(ir.IntType(32), index)]))
            carried = builder.add(builder.or_(run, builder.not_(ray)), one)
            end = builder.and_(builder.and_(carried, ends), ray)
            enclosing = builder.icmp_unsigned("!=", end, nothing)
            below = builder.and_(builder.sub(end, one), ray)
            found = builder.or_(found, builder.select(enclosing, below, nothing))
        return found

    def emit(context: Any, builder: Any, signature: Any, table: Any, row: Any, run: Any, ends: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, table)
        offset = builder.mul(row, builder.extract_value(array.strides, 0))
        place = builder.gep(builder.bitcast(array.data, byte.as_pointer()), [offset])
        if is_device(context):
            return one_by_one(builder, builder.bitcast(place, word.as_pointer()), run, ends)
        rays = builder.load(builder.bitcast(place, four.as_pointer()), align=8)
        one = ir.Constant(four, [1] * RAYS)
        # With all bits but the ray's taken for the run's, one added at the bottom is carried to what follows the run.
        carried = builder.add(builder.or_(spread(builder, run), builder.not_(rays)), one)
        end = builder.and_(builder.and_(carried, spread(builder, ends)), rays)
        # Less one it is all below; and what is nothing stays so.
        runs = builder.and_(call(builder, f"llvm.usub.sat.v{RAYS}i64", four, end, one), rays)
        return call(builder, f"llvm.vector.reduce.add.v{RAYS}i64", word, runs)  # an `or`, of rays that share no bit

    define(
        enclosed,
        (types.Array, types.Integer, types.Integer, types.Integer),
        lambda table, row, run, ends: (types.uint64, table, *[types.uint64] * 3),
        emit,
    )
