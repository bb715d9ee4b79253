"""Operations of GPU threads: counting in a warp, sleeping, and atomic operations on arrays that all threads share."""

from threading import Lock

from outflank.gpu.device import DeviceArray
from outflank.kernels.bits import Int
from outflank.kernels.compiler import extend
from outflank.kernels.lowering import IR, Builder, Context, Emit, NumbaType, Signature, define

_lock = Lock()
"""Lock that makes the functions of this module atomic when the Python interpreter runs them."""

LANES = 32
"""Number of threads in a *warp*, a group of threads that execute each instruction together."""


NANOSECONDS = 5000
"""Time that `idle` sleeps, in nanoseconds."""


def idle() -> None:
    """Let a thread without work sleep for `NANOSECONDS`, so that other threads can use the multiprocessor."""


def atomic_load(array: DeviceArray, index: Int) -> Int:
    """Return the current value of `array[index]`, not a cached copy: other threads change the array."""
    return array[index]


def fetch_add(array: DeviceArray, index: Int, more: Int) -> Int:
    """Add `more` to `array[index]` atomically; return the old value."""
    with _lock:
        before = array[index]
        array[index] += more
    return before


def exchange(array: DeviceArray, index: Int, value: Int) -> Int:
    """Write `value` to `array[index]` atomically; return the old value."""
    with _lock:
        before = array[index]
        array[index] = value
    return before


def fetch_max(array: DeviceArray, index: Int, value: Int) -> None:
    """Replace `array[index]` atomically by `value` if `value` is greater."""
    with _lock:
        array[index] = max(array[index], value)


def fence() -> None:
    """Order this thread's writes: a thread that sees a write made after the fence sees all writes made before it."""


def warp_count(condition: bool) -> Int:
    """Return for how many threads of the warp `condition` is true. All threads of the warp must call it together."""
    return LANES if condition else 0  # the interpreter runs one thread at a time: assume that all have this condition


@extend
def _register_with_numba() -> None:
    from llvmlite import ir
    from numba import types
    from numba.core.cgutils import get_or_insert_function

    def vote(context: Context, builder: Builder, signature: Signature, condition: IR) -> IR:
        i32 = ir.IntType(32)
        kind = ir.FunctionType(i32, [i32, ir.IntType(1)])
        ballot = get_or_insert_function(builder.module, kind, "llvm.nvvm.vote.ballot.sync")
        return builder.ctpop(builder.call(ballot, [ir.Constant(i32, -1), condition]))

    def pointer_to(context: Context, builder: Builder, kind: NumbaType, array: IR, index: IR) -> IR:
        return builder.gep(context.make_array(kind)(context, builder, array).data, [index])

    def read_modify_write(instruction: str) -> Emit:
        def emit(context: Context, builder: Builder, signature: Signature, array: IR, index: IR, value: IR) -> IR:
            pointer = pointer_to(context, builder, signature.args[0], array, index)
            old = builder.atomic_rmw(instruction, pointer, value, "monotonic")
            return context.get_dummy_value() if signature.return_type is types.none else old

        return emit

    def wait_for_memory(context: Context, builder: Builder, signature: Signature) -> IR:
        kind = ir.FunctionType(ir.VoidType(), [])
        builder.call(get_or_insert_function(builder.module, kind, "llvm.nvvm.membar.gl"), [])
        return context.get_dummy_value()

    def sleep(context: Context, builder: Builder, signature: Signature) -> IR:
        nothing = ir.FunctionType(ir.VoidType(), [])
        builder.asm(nothing, f"nanosleep.u32 {NANOSECONDS};", "", [], side_effect=True)
        return context.get_dummy_value()

    def load(context: Context, builder: Builder, signature: Signature, array: IR, index: IR) -> IR:
        # This takes one load per warp. An atomic addition of zero would run for one thread after the other.
        kind = signature.args[0]
        address = builder.ptrtoint(pointer_to(context, builder, kind, array, index), ir.IntType(64))
        bits = kind.dtype.bitwidth
        code = ir.FunctionType(ir.IntType(bits), [ir.IntType(64)])
        assembly, constraints = f"ld.volatile.b{bits} $0, [$1];", "=l,l" if bits == 64 else "=r,l"
        return builder.asm(code, assembly, constraints, [address], side_effect=True)

    define(atomic_load, (types.Array, types.Integer), lambda array, index: (array.dtype, array, types.int64), load)
    element = (types.Array, types.Integer, types.Integer)
    for function, instruction in ((fetch_add, "add"), (exchange, "xchg")):
        define(
            function,
            element,
            lambda array, index, value: (array.dtype, array, types.int64, array.dtype),
            read_modify_write(instruction),
        )
    define(
        fetch_max,
        element,
        lambda array, index, value: (types.none, array, types.int64, array.dtype),
        read_modify_write("max"),
    )
    define(fence, (), lambda: (types.none,), wait_for_memory)
    define(idle, (), lambda: (types.none,), sleep)
    define(warp_count, (types.Boolean,), lambda condition: (types.int32, types.boolean), vote)
