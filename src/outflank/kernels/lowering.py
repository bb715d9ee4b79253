"""Define how Numba compiles a function, by its LLVM instructions."""

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple, TypeAlias
from weakref import WeakKeyDictionary

if TYPE_CHECKING:  # importing the package must not import Numba
    from llvmlite import binding, ir
    from numba.core import base, codegen, compiler, types, typing


Context: TypeAlias = "base.BaseContext"
"""Numba's context: how code is generated for a processor or a GPU."""

Builder: TypeAlias = "ir.IRBuilder"
"""llvmlite's writer of instructions."""

IR: TypeAlias = "ir.Value"
"""A value in LLVM's code."""

IRType: TypeAlias = "ir.Type"
"""The type of a value in LLVM's code."""

Module: TypeAlias = "binding.ModuleRef"
"""A module of LLVM's code."""

Library: TypeAlias = "codegen.CodeLibrary"
"""The machine code of a function, with that of functions which it calls."""

NumbaType: TypeAlias = "types.Type"
"""Numba's type of a value."""

Signature: TypeAlias = "typing.Signature"
"""Numba's types of a call: its result's, and its arguments'."""

CompilerState: TypeAlias = "compiler.StateDict"
"""What the steps of one compilation share."""

CompileResult: TypeAlias = "compiler.CompileResult"
"""A function compiled for one signature."""

CallTypes: TypeAlias = tuple[NumbaType, ...] | None
"""The types (result, *arguments) of a call; None: it does not match."""

Typer = Callable[..., CallTypes]
"""Maps the arguments' types to the types of the call."""

Emit = Callable[..., IR]
"""Maps (context, builder, signature, *arguments) to the LLVM value of the call."""


def define(function: Callable[..., object], pattern: tuple[type, ...], typer: Typer, emit: Emit) -> None:
    """Compile calls of `function` whose types match `pattern` and `typer` to the code that `emit` builds in place.

    In place matters: an overload would be a separate function that the optimiser has to
    inline again. Call this from a registration that is passed to `compiler.extend`.
    """
    from numba.core.typing.templates import AbstractTemplate, infer_global, signature
    from numba.extending import lower_builtin

    class Template(AbstractTemplate):  # type: ignore[misc]  # numba is untyped
        key = function
        prefer_literal = True

        def generic(self, args: tuple[NumbaType, ...], kws: dict[str, NumbaType]) -> "Signature | None":
            types = None if kws else typer(*args)
            return None if types is None else signature(*types)

    infer_global(function)(Template)
    lower_builtin(function, *pattern)(
        lambda context, builder, signature, args: emit(context, builder, signature, *args)
    )


def is_device(context: Context) -> bool:
    """Return whether code is compiled for a GPU: LLVM supports fewer intrinsics there, and its registers differ."""
    return type(context).__name__ == "CUDATargetContext"


# How a kernel calls another kernel: by a symbol that stands for an address.
#
# Numba copies the code of all callees into the caller, and optimises it there again: the search below a frame, with
# the endings below that, would be compiled again in every kernel that calls it, though none can inline it. Here every
# kernel is compiled once. Its symbol is derived from the name of its file in the cache, so that it is the same in
# every process, and the cache file of a caller lists the kernels that must be ready before it.


class Callee(NamedTuple):
    """A kernel compiled for some types, as its callers refer to it."""

    symbol: str
    """Symbol of the kernel's address; for a kernel that cannot be cached it is valid in this process only."""
    llvm_name: str
    """The compiler's name of the function, by which callers compiled in this process refer to it."""
    is_cached: bool
    """Whether the kernel is cached: other processes know it by `symbol` then."""
    module: str
    name: str
    types: tuple[NumbaType, ...]

    def is_ready(self) -> bool:
        """Load or compile the kernel if necessary; return whether it is still the one its cached caller refers to."""
        getattr(import_module(self.module), self.name).compiled.compile(self.types)
        return self.symbol in _symbols


_callees: WeakKeyDictionary[Library, Callee] = WeakKeyDictionary()  # by their code libraries
_symbols: set[str] = set()


def publish(result: CompileResult, callee: Callee) -> None:
    """Make a compiled or loaded kernel callable from other kernels."""
    from llvmlite.binding import add_symbol

    add_symbol(callee.symbol, result.library.get_pointer_to_function(callee.llvm_name))
    _callees[result.library] = callee
    _symbols.add(callee.symbol)


def callee_of(library: Library) -> Callee | None:
    """Return the callee whose code library this is; None: it is not a kernel's."""
    return _callees.get(library)


def call_by_symbol(module: Module, callees: tuple[Callee, ...]) -> None:
    """Rename the declarations in a caller's code to the callees' symbols."""
    declared = {function.name: function for function in module.functions if function.is_declaration}
    for callee in callees:
        if callee.llvm_name in declared:
            declared[callee.llvm_name].name = callee.symbol


def called_in(module: Module, callees: tuple[Callee, ...]) -> tuple[Callee, ...]:
    """Return the callees that a caller's code still calls after optimisation."""
    declared = {function.name for function in module.functions if function.is_declaration}
    return tuple(callee for callee in callees if callee.symbol in declared)
