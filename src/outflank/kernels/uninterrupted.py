"""What Ctrl-C must not cut short."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any


@contextmanager
def undisturbed() -> Iterator[None]:
    """Let Ctrl-C wait until the block is left: what it would leave half done would never be done again."""
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield
        return
    noted: list[int] = []
    signal.signal(signal.SIGINT, lambda number, _: noted.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if noted:
            signal.raise_signal(signal.SIGINT)


def shield_llvm() -> None:
    """Let Ctrl-C wait while something of LLVM changes hands, or is given back.

    Python is told of it after LLVM has done it. Whoever was interrupted in between freed it a second time: one of six
    programs that were interrupted five times while they compiled ended in a fault of memory.
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
        setattr(owner, name, _whole(getattr(owner, name)))


def _whole(method: Any) -> Any:
    @wraps(method)
    def whole(*arguments: Any, **named: Any) -> Any:
        with undisturbed():
            return method(*arguments, **named)

    return whole
