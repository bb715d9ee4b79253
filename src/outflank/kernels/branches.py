"""Branch hints for the optimiser."""

from typing import Any

from outflank.kernels.compiler import extend
from outflank.kernels.lowering import define


def unlikely(condition: Any) -> Any:
    """Return `condition`, with the hint that it is seldom true.

    Without a hint the optimiser assumes both branches to be equally likely, and does not inline code that follows a
    few tests that leave the function.

    >>> unlikely(1 > 2)
    False
    """
    return condition


@extend
def _register_with_numba() -> None:
    from llvmlite import ir
    from numba import types

    bit = ir.IntType(1)

    def emit(context: Any, builder: Any, signature: Any, condition: Any) -> Any:
        expect = builder.module.declare_intrinsic("llvm.expect", [bit], ir.FunctionType(bit, [bit, bit]))
        return builder.call(expect, [condition, ir.Constant(bit, 0)])

    define(unlikely, (types.Boolean,), lambda condition: (types.boolean, types.boolean), emit)
