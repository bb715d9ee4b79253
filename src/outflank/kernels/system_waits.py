"""Calls of the system with which kernels yield a core, sleep, wake a sleeper and read the clock.

The classes have the same methods. Each emits calls into the function that `builder` is building, without the
interpreter. The class for this system is chosen here, in `HERE`.
"""

import platform
import sys
import time
from typing import Protocol

from outflank.kernels.lowering import IR, Builder, IRType

BILLION = 10**9


class SystemWaits(Protocol):
    """The calls that the class of each system emits."""

    def yield_core(self, builder: Builder) -> None:
        """Yield the core to another thread, if one is ready to run."""

    def sleep(self, builder: Builder, address: IR, value: IR, microseconds: IR) -> None:
        """Sleep for `microseconds` at most, while the 64-bit word at `address` is `value`."""

    def wake(self, builder: Builder, address: IR, count: IR) -> None:
        """Wake up to `count` threads that sleep while the word at `address` has its value."""

    def nanoseconds(self, builder: Builder) -> IR:
        """Return the time of a monotonic clock."""


class Posix:
    """macOS, and other systems without a futex: a sleep lasts its whole time, and nobody is woken."""

    def yield_core(self, builder: Builder) -> None:
        _call(builder, "sched_yield", _word(32))

    def sleep(self, builder: Builder, address: IR, value: IR, microseconds: IR) -> None:
        _call(builder, "usleep", _word(32), builder.trunc(microseconds, _word(32)))

    def wake(self, builder: Builder, address: IR, count: IR) -> None:
        pass

    def nanoseconds(self, builder: Builder) -> IR:
        now = _two_words(builder)
        _call(builder, "clock_gettime", _word(32), _number(32, time.CLOCK_MONOTONIC), now)
        seconds = builder.mul(builder.load(now), _number(64, BILLION))
        return builder.add(seconds, builder.load(builder.gep(now, [_number(64, 1)])))


class Linux(Posix):
    """Linux: a sleep ends at once when another worker has work to share."""

    def __init__(self, futex: int) -> None:
        self._futex = futex
        """Number of the system call, which depends on the processor."""

    def sleep(self, builder: Builder, address: IR, value: IR, microseconds: IR) -> None:
        # A futex compares the low half of the word; its time limit is a pair of seconds and nanoseconds.
        limit, million = _two_words(builder), _number(64, 10**6)
        builder.store(builder.udiv(microseconds, million), limit)
        rest = builder.mul(builder.urem(microseconds, million), _number(64, 1000))
        builder.store(rest, builder.gep(limit, [_number(64, 1)]))
        low = builder.and_(value, _number(64, 0xFFFFFFFF))
        self._call_futex(builder, address, _number(64, 128), low, builder.ptrtoint(limit, _word(64)))

    def wake(self, builder: Builder, address: IR, count: IR) -> None:
        self._call_futex(builder, address, _number(64, 129), count, _number(64, 0))

    def _call_futex(self, builder: Builder, *arguments: IR) -> None:
        _call(builder, "syscall", _word(64), _number(64, self._futex), *arguments)


class Windows:
    """Windows: a sleep lasts its whole time, and nobody is woken."""

    def yield_core(self, builder: Builder) -> None:
        _call(builder, "SwitchToThread", _word(32))

    def sleep(self, builder: Builder, address: IR, value: IR, microseconds: IR) -> None:
        from llvmlite import ir

        milliseconds = builder.add(builder.udiv(microseconds, _number(64, 1000)), _number(64, 1))
        _call(builder, "Sleep", ir.VoidType(), builder.trunc(milliseconds, _word(32)))

    def wake(self, builder: Builder, address: IR, count: IR) -> None:
        pass

    def nanoseconds(self, builder: Builder) -> IR:
        ticks, per_second = _two_words(builder), _two_words(builder)
        _call(builder, "QueryPerformanceCounter", _word(32), ticks)
        _call(builder, "QueryPerformanceFrequency", _word(32), per_second)
        count, frequency = builder.load(ticks), builder.load(per_second)
        billion = _number(64, BILLION)
        # Seconds and their remainder are converted separately: the whole product would not fit in a word.
        rest = builder.udiv(builder.mul(builder.urem(count, frequency), billion), frequency)
        return builder.add(builder.mul(builder.udiv(count, frequency), billion), rest)


def _chosen() -> SystemWaits:
    if sys.platform == "win32":
        return Windows()
    futexes = {"x86_64": 202, "aarch64": 98}
    if sys.platform == "linux" and platform.machine() in futexes:
        return Linux(futexes[platform.machine()])
    return Posix()


HERE = _chosen()


def _word(bits: int) -> IRType:
    from llvmlite import ir

    return ir.IntType(bits)


def _number(bits: int, value: int) -> IR:
    from llvmlite import ir

    return ir.Constant(_word(bits), value)


def _two_words(builder: Builder) -> IR:
    """Return the address of two words on the stack."""
    from llvmlite import ir
    from numba.core import cgutils

    array = cgutils.alloca_once(builder, ir.ArrayType(_word(64), 2))
    return builder.bitcast(array, _word(64).as_pointer())


def _call(builder: Builder, name: str, returns: IRType, *arguments: IR) -> IR:
    from llvmlite import ir
    from numba.core import cgutils

    kind = ir.FunctionType(returns, [argument.type for argument in arguments])
    return builder.call(cgutils.get_or_insert_function(builder.module, kind, name), arguments)
