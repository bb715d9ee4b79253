"""The code through which a task is called, for a compiled kernel.

For each task two functions are added to the kernel of a run. `call` calls the task with its declared types. `entry`
reads the arguments from a frame, calls the task and writes its result to the frame; its address is in the frame, so
that a worker can run any task without knowing its types. If a task raises an exception, both functions return Numba's
error status, and their caller returns it too. So the exception ends all tasks on a worker's stack, and then the
worker's kernel.
"""

from outflank.forkjoin.declared_types import REFUSED, Declaration, is_convertible, numba_type
from outflank.forkjoin.shared_state import FRAME
from outflank.kernels.lowering import IR, Builder, Context, FunctionDescriptor, IRType, Library, NumbaType


def symbol(declared: Declaration, what: str) -> str:
    """Return the symbol of a task's `call` or `entry`."""
    return f"outflank.task.{declared.number}.{what}"


class Words:
    """The words of a frame's field. Code that is being built reads or writes one value after another there."""

    def __init__(self, builder: Builder, address: IR, field: str) -> None:
        from llvmlite import ir

        assert FRAME.fields is not None
        self._builder, self._word = builder, ir.IntType(64)
        self._first = builder.add(address, self._word(FRAME.fields[field][1]))
        self._count = 0

    def _next(self, kind: IRType) -> IR:
        address = self._builder.add(self._first, self._word(8 * self._count))
        self._count += 1
        return self._builder.inttoptr(address, kind.as_pointer())

    def write(self, context: Context, kind: NumbaType, value: IR) -> None:
        """Write the next value."""
        from numba import types

        if isinstance(kind, types.BaseTuple):
            for index, part in enumerate(kind):
                self.write(context, part, self._builder.extract_value(value, index))
        elif kind != types.none:
            self._builder.store(value, self._next(value.type))

    def read(self, context: Context, kind: NumbaType) -> IR:
        """Return the next value."""
        from numba import types

        if isinstance(kind, types.BaseTuple):
            return context.make_tuple(self._builder, kind, [self.read(context, part) for part in kind])
        if kind == types.none:
            return context.get_dummy_value()
        return self._builder.load(self._next(context.get_value_type(kind)))


def add_entry(declared: Declaration, library: Library, context: Context, function: FunctionDescriptor) -> None:
    """Add `call` and `entry` of a task to the code of its function, which has just been compiled."""
    from llvmlite import ir
    from numba import types
    from numba.core import cgutils
    from numba.core.errors import TypingError

    kinds = tuple(function.argtypes)
    if kinds[1:] != tuple(map(numba_type, declared.kinds)):
        return  # compiled for a direct call with other types
    result, returned = numba_type(declared.result), function.restype
    if not is_convertible(returned, result):
        raise TypingError(f"{REFUSED}task {declared.name} returns {returned}, but declares {result}")
    convention = context.call_conv
    module = library.create_ir_module(symbol(declared, "module"))

    def define_function(what: str, kinds: tuple[NumbaType, ...], result: NumbaType) -> tuple[Builder, list[IR]]:
        code = ir.Function(module, convention.get_function_type(result, kinds), symbol(declared, what))
        code.linkage = "weak_odr"  # kept, because code that refers to it may be linked later
        code.attributes.add("alwaysinline" if what == "call" else "noinline")
        builder = ir.IRBuilder(code.append_basic_block())
        return builder, convention.decode_arguments(builder, kinds, code)

    def call_function(builder: Builder, arguments: list[IR]) -> IR:
        callee = cgutils.get_or_insert_function(
            module, convention.get_function_type(returned, kinds), function.llvm_func_name
        )
        status, value = convention.call_function(builder, callee, returned, kinds, arguments)
        with cgutils.if_unlikely(builder, status.is_error):
            convention.return_status_propagate(builder, status)
        return context.cast(builder, value, returned, result)

    builder, arguments = define_function("call", kinds, result)
    value = call_function(builder, arguments)
    convention.return_value(builder, context.get_return_value(builder, result, value))

    builder, (worker, address) = define_function("entry", (kinds[0], types.int64), types.none)
    words = Words(builder, address, "arguments")
    value = call_function(builder, [worker, *(words.read(context, kind) for kind in kinds[1:])])
    Words(builder, address, "result").write(context, result, value)
    convention.return_value(builder, context.get_constant_generic(builder, types.none, None))
    library.add_ir_module(module)
