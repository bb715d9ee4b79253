"""What kernels tell the optimiser of their branches."""

from typing import Any

from outflank.kernels.compiler import extend
from outflank.kernels.lowering import define


def unlikely(condition: Any) -> Any:
    """`condition`, of which it is known that it seldom holds.

    The optimiser takes one way to be as likely as the other where it is not told, and no longer inlines what lies
    behind a few tests that leave the function.

    >>> unlikely(1 > 2)
    False
    """
    return condition


@extend
def _teach_numba() -> None:
    from llvmlite import ir
    from numba import types

    bit = ir.IntType(1)

    def emit(context: Any, builder: Any, signature: Any, condition: Any) -> Any:
        expect = builder.module.declare_intrinsic("llvm.expect", [bit], ir.FunctionType(bit, [bit, bit]))
        return builder.call(expect, [condition, ir.Constant(bit, 0)])

    define(unlikely, (types.Boolean,), lambda condition: (types.boolean, types.boolean), emit)
