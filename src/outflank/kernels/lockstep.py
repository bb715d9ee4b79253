"""Synchronisation of the threads of a GPU's warp."""

from typing import Any

from outflank.kernels.compiler import extend
from outflank.kernels.lowering import define, is_device


def warp_sync() -> None:
    """Wait for the other active threads of the *warp*, the 32 threads that execute each instruction together.

    In a loop on a GPU, threads that have diverged once stay diverged, and share no instruction any more: leaves were
    counted at a tenth of the speed. On a CPU, and in the interpreter, this does nothing.
    """


@extend
def _register_with_numba() -> None:
    from llvmlite import ir
    from numba import types
    from numba.core.cgutils import get_or_insert_function

    def emit(context: Any, builder: Any, signature: Any) -> Any:
        if is_device(context):
            number = ir.IntType(32)
            kind = ir.FunctionType(ir.VoidType(), [number])
            wait = get_or_insert_function(builder.module, kind, "llvm.nvvm.bar.warp.sync")
            builder.call(wait, [ir.Constant(number, -1)])
        return context.get_dummy_value()

    define(warp_sync, (), lambda: (types.none,), emit)
