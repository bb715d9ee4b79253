"""Branch hints for the optimiser."""

from outflank.kernels.compiler import extend
from outflank.kernels.lowering import IR, Builder, Context, Signature, define


def unlikely(condition: bool) -> bool:
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

    def emit(context: Context, builder: Builder, signature: Signature, condition: IR) -> IR:
        expect = builder.module.declare_intrinsic("llvm.expect", [bit], ir.FunctionType(bit, [bit, bit]))
        return builder.call(expect, [condition, ir.Constant(bit, 0)])

    define(unlikely, (types.Boolean,), lambda condition: (types.boolean, types.boolean), emit)
