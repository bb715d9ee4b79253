"""Pauses, sleeps and a clock for idle workers, without the interpreter.

An idle worker first pauses (the core stays hot), then yields the core, then sleeps until it is woken. Spinning alone is
never right: eight threads that only spun on one core took seven times as long. Pausing, yielding and sleeping work on
every system. On systems with a futex, a sleep ends at once when another worker has work to share.
"""

import platform
import time

import numpy as np

from outflank.kernels import observers, system_waits
from outflank.kernels.bits import Int
from outflank.kernels.compiler import extend
from outflank.kernels.lowering import IR, Builder, CallTypes, Context, IRType, NumbaType, Signature, Typer, define
from outflank.kernels.record_types import Record


def pause() -> None:
    """Tell the processor that the caller is a spin loop."""
    if observers.observer is not None:
        observers.observer.rests("pause")


def yield_core() -> None:
    """Yield the core to another thread, if one is ready to run."""
    if observers.observer is not None:
        observers.observer.rests("yield")
    else:
        time.sleep(0)


def sleep_on(target: Record, field: str, value: Int, microseconds: Int) -> None:
    """Sleep while the 64-bit field `field` of a record is `value`, for about `microseconds` at most.

    It may return early. On systems without a futex it sleeps for the whole time.
    """
    if observers.observer is not None:
        bare = observers.announce_access(target, field, "read", "system")
        if bare[field] == value:
            observers.observer.sleeps(observers.locate(target, field)[1])
    elif target[field] == value:
        time.sleep(int(microseconds) / 1e6)


def wake(target: Record, field: str, count: int) -> None:
    """Wake up to `count` threads in `sleep_on` for this field. The caller must change the field first."""
    if observers.observer is not None:
        observers.observer.wakes(observers.locate(target, field)[1], int(count))


def nanoseconds() -> Int:
    """Return the time of a monotonic clock, in nanoseconds."""
    return np.int64(time.perf_counter_ns())


@extend
def _register_with_numba() -> None:
    from llvmlite import ir
    from numba import types
    from numba.core import cgutils
    from numba.core.errors import NumbaTypeError

    i32, i64, void = ir.IntType(32), ir.IntType(64), ir.VoidType()

    def call(builder: Builder, name: str, returns: IRType, *arguments: IR) -> IR:
        kind = ir.FunctionType(returns, [argument.type for argument in arguments])
        return builder.call(cgutils.get_or_insert_function(builder.module, kind, name), arguments)

    def pause_hint(context: Context, builder: Builder, signature: Signature) -> IR:
        # LLVM's intrinsics are used because Numba's compiler has no parser for inline assembly.
        if platform.machine().lower() in ("x86_64", "amd64"):
            call(builder, "llvm.x86.sse2.pause", void)
        elif platform.machine().lower() in ("aarch64", "arm64"):
            call(builder, "llvm.aarch64.isb", void, ir.Constant(i32, 15))  # the instruction `yield` has no effect there
        return context.get_dummy_value()

    def emit_yield(context: Context, builder: Builder, signature: Signature) -> IR:
        system_waits.HERE.yield_core(builder)
        return context.get_dummy_value()

    def word(builder: Builder, record_type: "types.Record", record: IR, field: IR) -> IR:
        name = field.literal_value
        return builder.ptrtoint(cgutils.get_record_member(builder, record, record_type.offset(name), i64), i64)

    def sleep(
        context: Context, builder: Builder, signature: Signature, record: IR, field: IR, value: IR, span: IR
    ) -> IR:
        system_waits.HERE.sleep(builder, word(builder, signature.args[0], record, signature.args[1]), value, span)
        return context.get_dummy_value()

    def emit_wake(context: Context, builder: Builder, signature: Signature, record: IR, field: IR, count: IR) -> IR:
        system_waits.HERE.wake(builder, word(builder, signature.args[0], record, signature.args[1]), count)
        return context.get_dummy_value()

    def clock(context: Context, builder: Builder, signature: Signature) -> IR:
        return system_waits.HERE.nanoseconds(builder)

    def field_of(name: str, *rest: NumbaType) -> Typer:
        def typer(target: NumbaType, field: NumbaType, *values: NumbaType) -> CallTypes:
            if not isinstance(target, types.Record) or not isinstance(field, types.StringLiteral):
                raise NumbaTypeError(f"{name}: a record and the literal name of a field are needed")
            return (types.none, target, field, *rest)

        return typer

    any_arguments = (types.VarArg(types.Any),)
    define(pause, (), lambda: (types.none,), pause_hint)
    define(yield_core, (), lambda: (types.none,), emit_yield)
    define(nanoseconds, (), lambda: (types.int64,), clock)
    define(sleep_on, any_arguments, field_of("sleep_on", types.int64, types.int64), sleep)
    define(wake, any_arguments, field_of("wake", types.int64), emit_wake)
