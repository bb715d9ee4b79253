"""Sections of code that Ctrl-C must not interrupt."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from importlib import import_module
from typing import Any, ParamSpec, TypeVar

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

# The functions behind those of `signal`, which convert to enumerations for 16 of the 17 microseconds of a delay. To
# compile all kernels for a game, Ctrl-C is delayed 80,000 times.
_signals: Any = import_module("_signal")


@contextmanager
def delay_interrupts() -> Iterator[None]:
    """Delay Ctrl-C until the end of the block, because the block's work would never be completed if interrupted."""
    handler = _signals.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(handler):
        yield
        return
    signals: list[int] = []
    _signals.signal(signal.SIGINT, lambda number, _: signals.append(number))
    try:
        yield
    finally:
        _signals.signal(signal.SIGINT, handler)
        if signals:
            signal.raise_signal(signal.SIGINT)


def shield_llvm() -> None:
    """Delay Ctrl-C while the ownership of an LLVM object changes, or the object is freed.

    Python records the change after LLVM has made it. A program that is interrupted between these two steps frees the
    object twice. When programs were interrupted five times during compilation, one program in six ended with a
    segmentation fault.
    """
    from llvmlite.binding import ExecutionEngine, ModuleRef
    from llvmlite.binding.ffi import ObjectRef, OutputString

    for owner, name in (
        (ModuleRef, "link_in"),
        (ExecutionEngine, "add_module"),
        (ExecutionEngine, "remove_module"),
        (ObjectRef, "close"),
        (OutputString, "close"),
    ):
        setattr(owner, name, _uninterrupted(getattr(owner, name)))


def _uninterrupted(method: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    @wraps(method)
    def uninterrupted(*arguments: Arguments.args, **options: Arguments.kwargs) -> Result:
        with delay_interrupts():
            return method(*arguments, **options)

    return uninterrupted
