"""Sums that kernels make in the order in which they are written."""

from typing import Any

from outflank.kernels.compiler import extend
from outflank.kernels.lowering import define, is_device


def optimization_barrier(number: Any) -> Any:
    """`number`, as a sum that the optimiser does not take apart again.

    It would begin a long sum with what was read last, and what was read before had to be kept until then: in memory,
    where those are more numbers than there are registers.

    >>> optimization_barrier(3)
    3
    """
    return number


@extend
def _teach_numba() -> None:
    from llvmlite import ir
    from numba import types

    word = ir.IntType(64)

    def emit(context: Any, builder: Any, signature: Any, number: Any) -> Any:
        if is_device(context):
            return number  # there are registers enough, and they have other names
        # No instruction at all, but one of which the optimiser knows nothing.
        return builder.asm(ir.FunctionType(word, [word]), "", "=r,0", [number], False)

    define(optimization_barrier, (types.Integer,), lambda _: (types.int64, types.int64), emit)
