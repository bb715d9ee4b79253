"""Compilation without the parts of Numba's work that kernels do not need."""

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from typing import Any

LOCKS = ("numba:llvm_lock", "numba:compiler_lock")
"""Numba's events that are not recorded while kernels are compiled."""

COLOURS = ("code", "errmsg", "filename", "indicate", "highlight", "reset")


@contextmanager
def fast_compilation() -> Iterator[None]:
    """Compile without garbage collection, without colours, without lists that only generators need, and untimed.

    - No object becomes garbage before the end: looking for garbage costs 5 % of the time.
    - Numba writes a message for every type that does not fit before it finds one that does, in colours if the package
      for them is installed: another 5 %.
    - After every pass Numba lists the variables that each block may use. It needs the list only at the end, and for
      generators: the others cost 4 %.
    - Each of the 25,000 calls of LLVM, with its lock, is recorded by a timer of every function that is being compiled:
      2 %.

    Compilations take turns: the caller holds Numba's lock.
    """
    colour_scheme, post_processor, run, events, start, end = _parts()
    if post_processor.run is _post_process:  # nested: a caller of this function is being compiled
        yield
        return
    gc_was_enabled, original_colours = gc.isenabled(), dict(vars(colour_scheme))
    gc.disable()
    for name in COLOURS:
        setattr(colour_scheme, name, str)
    post_processor.run = _post_process
    events.start_event, events.end_event = _without_locks(start), _without_locks(end)
    try:
        yield
    finally:
        events.start_event, events.end_event = start, end
        post_processor.run = run
        vars(colour_scheme).clear()
        vars(colour_scheme).update(original_colours)
        if gc_was_enabled:
            gc.enable()


@cache
def _parts() -> tuple[Any, ...]:
    errors: Any = import_module("numba.core.errors")
    post_processor = import_module("numba.core.postproc").PostProcessor
    events: Any = import_module("numba.core.event")
    return errors.termcolor(), post_processor, post_processor.run, events, events.start_event, events.end_event


def _without_locks(record: Callable[..., None]) -> Callable[..., None]:
    def record_event(kind: str, *arguments: Any, **options: Any) -> None:
        if kind not in LOCKS:
            record(kind, *arguments, **options)

    return record_event


def _post_process(self: Any, emit_dels: bool = False, extend_lifetimes: bool = False) -> None:
    """Do what Numba's own post-processing does, except for the list that is not needed."""
    if emit_dels or self.func_ir.is_generator:
        _parts()[2](self, emit_dels, extend_lifetimes)
        return
    from numba.core.postproc import VariableLifetime
    from numba.core.transforms import canonicalize_cfg

    self.func_ir.blocks = canonicalize_cfg(self.func_ir.blocks)
    self.func_ir.variable_lifetime = VariableLifetime(self.func_ir.blocks)
    self.func_ir.generator_info = None
