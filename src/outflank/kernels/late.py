"""Kernels that others call by an address which they find in a record.

A kernel that calls another by its name has that compiled before it runs at all. What is needed only now and then, and
takes long to compile, is called so instead: whoever fills in the record asks for the address, and with it for the code.
"""

from collections.abc import Callable
from typing import Any

from outflank.kernels.compiler import Kernel, extend, interpreted
from outflank.kernels.lowering import define

_called: dict[int, Callable[..., Any]] = {}


def address_for(kernel: Kernel, *arguments: Any) -> int:
    """Where `kernel`, which returns a whole number, is called with arguments of the types of these, and no others.

    It is compiled for them.
    """
    if interpreted():
        address = next((address for address, known in _called.items() if known is kernel), 1 + len(_called))
    else:
        from numba import typeof

        dispatcher: Any = kernel.compiled
        types = tuple(map(typeof, arguments))
        dispatcher.compile(types)
        made = dispatcher.overloads[types]
        address = made.library.get_pointer_to_function(made.fndesc.llvm_func_name)
    _called[address] = kernel
    return address


def call_at(address: Any, *arguments: Any) -> Any:
    """The whole number that the kernel at `address` returns for arguments of the types that it was asked for with."""
    return _called[int(address)](*arguments)


@extend
def _teach_numba() -> None:
    from numba import types

    def emit(context: Any, builder: Any, signature: Any, address: Any, *arguments: Any) -> Any:
        convention, kinds = context.call_conv, signature.args[1:]
        code = convention.get_function_type(signature.return_type, kinds).as_pointer()
        # Kernels raise nothing: what is told of that is not asked for.
        _, found = convention.call_function(
            builder, builder.inttoptr(address, code), signature.return_type, kinds, arguments
        )
        return found

    def typed(address: Any, *arguments: Any) -> Any:
        return types.int64, types.int64, *map(types.unliteral, arguments)

    define(call_at, (types.Integer, types.VarArg(types.Any)), typed, emit)
