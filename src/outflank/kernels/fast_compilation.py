"""Faster compilation: Numba's work without the parts that kernels do not need."""

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from outflank.kernels.lowering import CompilerState, NumbaType, Signature, TypingContext

if TYPE_CHECKING:
    from numba.core import ir, typeinfer
    from numba.core.postproc import PostProcessor

# To find the types in a function, Numba walks through all of its statements until nothing changes: at least twice, and
# again from the start for every recursive call. At every call, on every walk, Numba tries all overloads of the called
# name, with and without the values of constants, and writes a report about each overload that does not fit. The result
# is the same every time: of the 6,040 calls in the first search of Othello only 318 are distinct. Caching the results
# halves the time of type inference, which is an eighth of the compilation time.


def _bodies(function: Any, signature: Signature) -> list[object]:
    """Return the compiled bodies for a call.

    Numba stores bodies by argument types alone. So if the function has been compiled for a GPU since, these bodies are
    GPU code until Numba infers the types of the call again.
    """
    overloads_by_template = (getattr(template, "_compiled_overloads", {}) for template in function.templates)
    return [overloads.get(signature.args) for overloads in overloads_by_template]


def caching_type_inference() -> type:
    """Return a type inference pass that caches the types of calls; Numba must be loaded."""
    from numba.core import types
    from numba.core.compiler_machinery import register_pass
    from numba.core.typed_passes import NopythonTypeInference
    from numba.core.typeinfer import TypeInferer

    errors = import_module("numba.core.errors")
    calls: dict[tuple[object, ...], tuple[Signature, list[object]]] = {}

    class Inferer(TypeInferer):  # type: ignore[misc]  # numba is untyped
        def __init__(self, context: TypingContext, func_ir: "ir.FunctionIR", warnings: object) -> None:
            super().__init__(context, func_ir, warnings)
            self._values: dict[int, NumbaType] = {}  # types of functions, by `id`

        def copy(self, skip_recursion: bool = False) -> "typeinfer.TypeInferer":
            clone = super().copy(skip_recursion)
            clone.__class__ = Inferer
            clone._values = self._values
            return clone

        def resolve_call(
            self, fnty: NumbaType, pos_args: tuple[NumbaType, ...], kw_args: dict[str, NumbaType]
        ) -> "Signature | None":
            if not isinstance(fnty, types.Function):  # a kernel, which may be recursive, or a method
                return super().resolve_call(fnty, pos_args, kw_args)
            key = fnty, tuple(pos_args), tuple(kw_args.items())
            call_signature, bodies = calls.get(key, (None, None))
            if call_signature is None or bodies != _bodies(fnty, call_signature):
                call_signature = super().resolve_call(fnty, pos_args, kw_args)
                if call_signature is not None:
                    calls[key] = call_signature, _bodies(fnty, call_signature)
            return call_signature

        def resolve_value_type(self, inst: "ir.Inst", val: object) -> NumbaType:
            # The function keeps `val` alive for the lifetime of this object.
            value_type = self._values.get(id(val)) if callable(val) else None
            if value_type is None:
                value_type = super().resolve_value_type(inst, val)
                if callable(val):
                    self._values[id(val)] = value_type
            return value_type

    @register_pass(mutates_CFG=True, analysis_only=False)
    class Typing(NopythonTypeInference):  # type: ignore[misc]  # numba is untyped
        _name = "outflank_typing"

        def run_pass(self, state: CompilerState) -> bool:
            if len(state.args) != state.func_ir.arg_count:
                raise TypeError("Mismatch number of argument types")
            warnings = errors.WarningsFixer(errors.NumbaWarning)
            inferer = Inferer(state.typingctx, state.func_ir, warnings)
            recursion_guard = state.typingctx.callstack.register(
                state.targetctx.target, inferer, state.func_id, state.args
            )
            with recursion_guard, warnings:
                for index, (name, kind) in enumerate(zip(state.func_ir.arg_names, state.args, strict=True)):
                    inferer.seed_argument(name, index, kind)
                if state.return_type is not None:
                    inferer.seed_return(state.return_type)
                inferer.build_constraint()
                inferer.propagate()
                state.typemap, state.return_type, state.calltypes = inferer.unify()
            return True

    return Typing


LOCKS = ("numba:llvm_lock", "numba:compiler_lock")
"""Numba's events that are not recorded while kernels are compiled."""

COLOURS = ("code", "errmsg", "filename", "indicate", "highlight", "reset")


@contextmanager
def fast_compilation() -> Iterator[None]:
    """Inside the block, compile without garbage collection, colours, timers, and lists that only generators need.

    - Garbage collection costs 5 % of the time. No object becomes garbage before the end.
    - Colours in messages cost another 5 %, if the package for colours is installed: Numba writes a message for every
      type that does not fit before it finds one that does.
    - After every pass Numba lists the variables that each block may use. It needs this list only at the end, and for
      generators. The other lists cost 4 %.
    - Timers cost 2 %. For every function that is being compiled, a timer records when LLVM's lock is taken and
      released, at each of the 25,000 calls of LLVM.

    Only one thread compiles at a time: the caller holds Numba's lock.
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
    errors = import_module("numba.core.errors")
    post_processor = import_module("numba.core.postproc").PostProcessor
    events = import_module("numba.core.event")
    return errors.termcolor(), post_processor, post_processor.run, events, events.start_event, events.end_event


def _without_locks(record: Callable[..., None]) -> Callable[..., None]:
    def record_event(kind: str, *arguments: object, **options: object) -> None:
        if kind not in LOCKS:
            record(kind, *arguments, **options)

    return record_event


def _post_process(self: "PostProcessor", emit_dels: bool = False, extend_lifetimes: bool = False) -> None:
    """Do what Numba's own post-processing does, except for the list of variables that only generators need."""
    if emit_dels or self.func_ir.is_generator:
        _parts()[2](self, emit_dels, extend_lifetimes)
        return
    from numba.core.postproc import VariableLifetime
    from numba.core.transforms import canonicalize_cfg

    self.func_ir.blocks = canonicalize_cfg(self.func_ir.blocks)
    self.func_ir.variable_lifetime = VariableLifetime(self.func_ir.blocks)
    self.func_ir.generator_info = None
