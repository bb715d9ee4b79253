"""Calls of kernels by an address that is stored in a record.

If a kernel calls another kernel by name, it cannot run before both are compiled. So a kernel that is seldom needed and
takes long to compile is called by address instead. It is compiled when `address_for` is called.
"""

from typing import Any

from outflank.kernels.bits import Int
from outflank.kernels.compiler import Kernel, extend, interpreted
from outflank.kernels.lowering import IR, Builder, CallTypes, Context, NumbaType, Signature, define

_kernels_by_address: dict[int, Kernel] = {}


def address_for(kernel: Kernel, *arguments: object) -> int:
    """Compile `kernel`, which must return an integer, for exactly the types of these arguments; return its address."""
    if interpreted():
        address = next(
            (address for address, called_kernel in _kernels_by_address.items() if called_kernel is kernel),
            1 + len(_kernels_by_address),
        )
    else:
        from numba import typeof

        dispatcher: Any = kernel.compiled
        types = tuple(map(typeof, arguments))
        dispatcher.compile(types)
        overload = dispatcher.overloads[types]
        address = overload.library.get_pointer_to_function(overload.fndesc.llvm_func_name)
    _kernels_by_address[address] = kernel
    return address


def call_at(address: Int, *arguments: object) -> Int:
    """Call the kernel at `address` and return its integer. The arguments have the same types as for `address_for`."""
    return _kernels_by_address[int(address)](*arguments)


@extend
def _register_with_numba() -> None:
    from numba import types

    def emit(context: Context, builder: Builder, signature: Signature, address: IR, *arguments: IR) -> IR:
        convention, kinds = context.call_conv, signature.args[1:]
        code = convention.get_function_type(signature.return_type, kinds).as_pointer()
        # The status is ignored: kernels raise no exceptions.
        _, result = convention.call_function(
            builder, builder.inttoptr(address, code), signature.return_type, kinds, arguments
        )
        return result

    def typed(address: NumbaType, *arguments: NumbaType) -> CallTypes:
        return types.int64, types.int64, *map(types.unliteral, arguments)

    define(call_at, (types.Integer, types.VarArg(types.Any)), typed, emit)
