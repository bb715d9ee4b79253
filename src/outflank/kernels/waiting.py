"""Pauses, sleeps and a clock for idle workers, without the interpreter.

An idle worker first pauses (the core stays hot), then yields the core, then sleeps until it is woken. Spinning alone is
never right: eight threads that only spun on one core took seven times as long. Pausing, yielding and sleeping work on
every system. On systems with a futex, a sleep ends at once when another worker has work to share.
"""

import platform
import sys
import time

import numpy as np

from outflank.kernels import observers
from outflank.kernels.bits import Int
from outflank.kernels.compiler import extend
from outflank.kernels.lowering import IR, Builder, CallTypes, Context, IRType, NumbaType, Signature, Typer, define
from outflank.kernels.record_types import Record

_ON_LINUX = sys.platform == "linux" and platform.machine() in ("x86_64", "aarch64")
_ON_WINDOWS = sys.platform == "win32"


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
        call(builder, "SwitchToThread" if _ON_WINDOWS else "sched_yield", i32)
        return context.get_dummy_value()

    def word(builder: Builder, record_type: "types.Record", record: IR, field: IR) -> IR:
        name = field.literal_value
        return builder.ptrtoint(cgutils.get_record_member(builder, record, record_type.offset(name), i64), i64)

    def futex(builder: Builder, *arguments: IR) -> IR:
        number = ir.Constant(i64, 202 if platform.machine() == "x86_64" else 98)
        call(builder, "syscall", i64, number, *arguments)

    def sleep(
        context: Context, builder: Builder, signature: Signature, record: IR, field: IR, value: IR, span: IR
    ) -> IR:
        if _ON_LINUX:
            # A futex compares the low half of the word; its time limit is a pair of seconds and nanoseconds.
            limit = cgutils.alloca_once(builder, ir.ArrayType(i64, 2))
            million = ir.Constant(i64, 10**6)
            parts = builder.bitcast(limit, i64.as_pointer())
            builder.store(builder.udiv(span, million), parts)
            rest = builder.mul(builder.urem(span, million), ir.Constant(i64, 1000))
            builder.store(rest, builder.gep(parts, [ir.Constant(i64, 1)]))
            address = word(builder, signature.args[0], record, signature.args[1])
            low = builder.and_(value, ir.Constant(i64, 0xFFFFFFFF))
            futex(builder, address, ir.Constant(i64, 128), low, builder.ptrtoint(parts, i64))
        elif _ON_WINDOWS:
            milliseconds = builder.add(builder.udiv(span, ir.Constant(i64, 1000)), ir.Constant(i64, 1))
            call(builder, "Sleep", void, builder.trunc(milliseconds, i32))
        else:
            call(builder, "usleep", i32, builder.trunc(span, i32))
        return context.get_dummy_value()

    def emit_wake(context: Context, builder: Builder, signature: Signature, record: IR, field: IR, count: IR) -> IR:
        if _ON_LINUX:
            address = word(builder, signature.args[0], record, signature.args[1])
            zero = ir.Constant(i64, 0)
            futex(builder, address, ir.Constant(i64, 129), count, zero)
        return context.get_dummy_value()

    def clock(context: Context, builder: Builder, signature: Signature) -> IR:
        billion = ir.Constant(i64, 10**9)
        if _ON_WINDOWS:
            ticks, per_second = (cgutils.alloca_once(builder, i64) for _ in range(2))
            call(builder, "QueryPerformanceCounter", i32, ticks)
            call(builder, "QueryPerformanceFrequency", i32, per_second)
            count, frequency = builder.load(ticks), builder.load(per_second)
            # Seconds and their remainder are converted separately: the whole product would not fit in a word.
            rest = builder.udiv(builder.mul(builder.urem(count, frequency), billion), frequency)
            return builder.add(builder.mul(builder.udiv(count, frequency), billion), rest)
        now = cgutils.alloca_once(builder, ir.ArrayType(i64, 2))
        parts = builder.bitcast(now, i64.as_pointer())
        call(builder, "clock_gettime", i32, ir.Constant(i32, time.CLOCK_MONOTONIC), parts)
        seconds = builder.load(parts)
        rest = builder.load(builder.gep(parts, [ir.Constant(i64, 1)]))
        return builder.add(builder.mul(seconds, billion), rest)

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
