"""Threads of a GPU: what those of a warp, which go side by side, know of each other, and what all of them share."""

from threading import Lock
from typing import Any

from outflank.kernels.compiler import extend
from outflank.kernels.lowering import define

_turn = Lock()
"""Of the interpreter, whose threads add up nothing at once."""

LANES = 32
"""Threads that take each step together, a *warp*."""


NANOSECONDS = 5000
"""How long a thread rests."""


def idle() -> None:
    """Let others have the processor for a while: for threads that have nothing to do."""


def atomic_load(array: Any, index: Any) -> Any:
    """A number that other threads change, as it is now: not as this processor remembers it."""
    return array[index]


def fetch_add(array: Any, index: Any, more: Any) -> Any:
    """Add to a number that others change; what it was."""
    with _turn:
        before = array[index]
        array[index] += more
    return before


def exchange(array: Any, index: Any, value: Any) -> Any:
    """Put a number where others do; what it was."""
    with _turn:
        before = array[index]
        array[index] = value
    return before


def fetch_max(array: Any, index: Any, value: Any) -> None:
    """Let a number that others change be at least `value`."""
    with _turn:
        array[index] = max(array[index], value)


def fence() -> None:
    """What was written before is seen by whoever sees what is written after; and the same for what is read."""


def warp_count(condition: Any) -> Any:
    """For how many threads of the warp a condition holds; all that are still at work must ask."""
    return LANES if condition else 0  # the interpreter has one after the other: the others are like it


@extend
def _teach_numba() -> None:
    from llvmlite import ir
    from numba import types
    from numba.core.cgutils import get_or_insert_function

    def vote(context: Any, builder: Any, signature: Any, condition: Any) -> Any:
        i32 = ir.IntType(32)
        kind = ir.FunctionType(i32, [i32, ir.IntType(1)])
        ballot = get_or_insert_function(builder.module, kind, "llvm.nvvm.vote.ballot.sync")
        return builder.ctpop(builder.call(ballot, [ir.Constant(i32, -1), condition]))

    def place_of(context: Any, builder: Any, kind: Any, array: Any, index: Any) -> Any:
        return builder.gep(context.make_array(kind)(context, builder, array).data, [index])

    def changed(how: str) -> Any:
        def emit(context: Any, builder: Any, signature: Any, array: Any, index: Any, value: Any) -> Any:
            place = place_of(context, builder, signature.args[0], array, index)
            before = builder.atomic_rmw(how, place, value, "monotonic")
            return context.get_dummy_value() if signature.return_type is types.none else before

        return emit

    def wait_for_memory(context: Any, builder: Any, signature: Any) -> Any:
        kind = ir.FunctionType(ir.VoidType(), [])
        builder.call(get_or_insert_function(builder.module, kind, "llvm.nvvm.membar.gl"), [])
        return context.get_dummy_value()

    def sleep(context: Any, builder: Any, signature: Any) -> Any:
        nothing = ir.FunctionType(ir.VoidType(), [])
        builder.asm(nothing, f"nanosleep.u32 {NANOSECONDS};", "", [], side_effect=True)
        return context.get_dummy_value()

    def load(context: Any, builder: Any, signature: Any, array: Any, index: Any) -> Any:
        # Not an atomic sum with nothing, which is done for one thread after the other: here a warp asks once.
        kind = signature.args[0]
        place = builder.ptrtoint(place_of(context, builder, kind, array, index), ir.IntType(64))
        bits = kind.dtype.bitwidth
        code = ir.FunctionType(ir.IntType(bits), [ir.IntType(64)])
        text, held = f"ld.volatile.b{bits} $0, [$1];", "=l,l" if bits == 64 else "=r,l"
        return builder.asm(code, text, held, [place], side_effect=True)

    define(atomic_load, (types.Array, types.Integer), lambda array, index: (array.dtype, array, types.int64), load)
    number = (types.Array, types.Integer, types.Integer)
    for function, how in ((fetch_add, "add"), (exchange, "xchg")):
        define(
            function, number, lambda array, index, value: (array.dtype, array, types.int64, array.dtype), changed(how)
        )
    define(fetch_max, number, lambda array, index, value: (types.none, array, types.int64, array.dtype), changed("max"))
    define(fence, (), lambda: (types.none,), wait_for_memory)
    define(idle, (), lambda: (types.none,), sleep)
    define(warp_count, (types.Boolean,), lambda condition: (types.int32, types.boolean), vote)
