"""Sums that kernels compute in the order in which they are written."""

from typing import Any

from outflank.kernels.compiler import extend
from outflank.kernels.lowering import define, is_device


def optimization_barrier(number: Any) -> Any:
    """Return `number`, as a value that the optimiser does not reorder with other terms.

    Otherwise it would begin a long sum with the value that was read last, and keep the earlier ones until then: in
    memory, if there are more of them than registers.

    >>> optimization_barrier(3)
    3
    """
    return number


@extend
def _register_with_numba() -> None:
    from llvmlite import ir
    from numba import types

    word = ir.IntType(64)

    def emit(context: Any, builder: Any, signature: Any, number: Any) -> Any:
        if is_device(context):
            return number  # a GPU has registers enough, and other constraint names
        # An empty piece of assembly, which is opaque to the optimiser.
        return builder.asm(ir.FunctionType(word, [word]), "", "=r,0", [number], False)

    define(optimization_barrier, (types.Integer,), lambda _: (types.int64, types.int64), emit)
