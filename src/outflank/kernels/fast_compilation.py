"""What Numba does while it compiles and nobody asks for: left out as long as it compiles ours."""

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from typing import Any

LOCKS = ("numba:llvm_lock", "numba:compiler_lock")
"""What is not told of as long as ours are compiled: events of Numba's."""

COLOURS = ("code", "errmsg", "filename", "indicate", "highlight", "reset")


@contextmanager
def fast_compilation() -> Iterator[None]:
    """Compile without the collector, without colours, without lists that only generators need, and untimed.

    - Nothing of what is made is garbage before the end: looking for it costs 5 % of the time.
    - Of every type that does not fit Numba says so in colours, where the package for them is installed, before it finds
      one that does: as much again.
    - After every step it makes a list of the variables that each block may use. It needs them at the end, and where a
      function yields: the others are 4 %.
    - Each of the 25,000 calls of LLVM, with its lock, is told to a stop-watch of every function that is being compiled:
      2 %.

    Compilations take turns, by Numba's lock, which whoever comes here holds.
    """
    scheme, posting, run, events, start, end = _parts()
    if posting.run is _post_process:  # for the function that calls the one that is being compiled
        yield
        return
    collects, looks = gc.isenabled(), dict(vars(scheme))
    gc.disable()
    for name in COLOURS:
        setattr(scheme, name, str)
    posting.run = _post_process
    events.start_event, events.end_event = _told(start), _told(end)
    try:
        yield
    finally:
        events.start_event, events.end_event = start, end
        posting.run = run
        vars(scheme).clear()
        vars(scheme).update(looks)
        if collects:
            gc.enable()


@cache
def _parts() -> tuple[Any, ...]:
    errors: Any = import_module("numba.core.errors")
    posting = import_module("numba.core.postproc").PostProcessor
    events: Any = import_module("numba.core.event")
    return errors.termcolor(), posting, posting.run, events, events.start_event, events.end_event


def _told(tell: Callable[..., None]) -> Callable[..., None]:
    def told(kind: str, *about: Any, **more: Any) -> None:
        if kind not in LOCKS:
            tell(kind, *about, **more)

    return told


def _post_process(self: Any, emit_dels: bool = False, extend_lifetimes: bool = False) -> None:
    """What Numba's own does, but for the list that nobody asks for."""
    if emit_dels or self.func_ir.is_generator:
        _parts()[2](self, emit_dels, extend_lifetimes)
        return
    from numba.core.postproc import VariableLifetime
    from numba.core.transforms import canonicalize_cfg

    self.func_ir.blocks = canonicalize_cfg(self.func_ir.blocks)
    self.func_ir.variable_lifetime = VariableLifetime(self.func_ir.blocks)
    self.func_ir.generator_info = None
