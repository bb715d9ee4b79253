"""Functions that are defined by their LLVM instructions, and calls between compiled kernels."""

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple, TypeAlias
from weakref import WeakKeyDictionary

if TYPE_CHECKING:  # importing the package must not import Numba
    from llvmlite import binding, ir
    from numba.core import base, codegen, compiler, funcdesc, registry, types, typing


Context: TypeAlias = "base.BaseContext"
"""Numba's target context, which generates code for a processor or a GPU."""

TypingContext: TypeAlias = "typing.BaseContext"
"""Numba's typing context, which finds the types of calls."""

Builder: TypeAlias = "ir.IRBuilder"
"""llvmlite's builder of LLVM instructions."""

IR: TypeAlias = "ir.Value"
"""LLVM value in the code that is being generated."""

IRType: TypeAlias = "ir.Type"
"""LLVM type of a value."""

Module: TypeAlias = "binding.ModuleRef"
"""LLVM module: a unit of code that is optimised and linked."""

Library: TypeAlias = "codegen.CodeLibrary"
"""Machine code of a function and of the functions that it calls."""

NumbaType: TypeAlias = "types.Type"
"""Numba's type of a value."""

Signature: TypeAlias = "typing.Signature"
"""Numba's types of a call: of the result and of the arguments."""

Dispatcher: TypeAlias = "registry.CPUDispatcher"
"""Numba's object for a compiled function: it compiles the function for the types of the arguments of a call."""

FunctionDescriptor: TypeAlias = "funcdesc.FunctionDescriptor"
"""Numba's description of a compiled function: its types and the name of its code."""

CompilerState: TypeAlias = "compiler.StateDict"
"""State that the passes of one compilation share."""

CompileResult: TypeAlias = "compiler.CompileResult"
"""A function compiled for one signature."""

CallTypes: TypeAlias = tuple[NumbaType, ...] | None
"""Types (result, *arguments) of a call; None if the function does not accept the arguments."""

Typer = Callable[..., CallTypes]
"""Function that maps the types of the arguments to the types of the call."""

Emit = Callable[..., IR]
"""Function that maps (context, builder, signature, *arguments) to the LLVM value of the call."""


def define(function: Callable[..., object], pattern: tuple[type, ...], typer: Typer, emit: Emit) -> None:
    """Make Numba compile calls of `function`, if `pattern` and `typer` match, to the code that `emit` builds in place.

    "In place" matters: an overload is a separate function, which the optimiser has to inline. Call `define` inside a
    registration for `compiler.extend`.
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
    """Return whether code is compiled for a GPU, where LLVM supports fewer intrinsics and registers differ."""
    return type(context).__name__ == "CUDATargetContext"


# A kernel calls another kernel by a symbol that stands for its address.
#
# Numba would copy the code of all callees into the caller, and optimise it there again: the search below a split point,
# with the endgame solver, would be compiled again for every kernel that calls it, although no kernel can inline it.
# Here every kernel is compiled once. Its symbol is derived from the name of its file in the cache, so the symbol is the
# same in every process. The cache file of a caller lists the kernels that must be ready before the caller is.


class Callee(NamedTuple):
    """A kernel compiled for some types, with the names that its callers use."""

    symbol: str
    """Symbol of the kernel's address. If the kernel cannot be cached, the symbol is valid in this process only."""
    llvm_name: str
    """LLVM's name of the function, which callers compiled in this process use."""
    is_cached: bool
    """Whether the kernel is cached, so that `symbol` is valid in other processes too."""
    module: str
    name: str
    types: tuple[NumbaType, ...]

    def is_ready(self) -> bool:
        """Load or compile the kernel if necessary; return whether it has the symbol that its cached caller uses."""
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
    """Return the kernel with this code library; None if the library does not belong to a kernel."""
    return _callees.get(library)


def call_by_symbol(module: Module, callees: tuple[Callee, ...]) -> None:
    """Rename the declarations of callees in a caller's code to their symbols."""
    declared = {function.name: function for function in module.functions if function.is_declaration}
    for callee in callees:
        if callee.llvm_name in declared:
            declared[callee.llvm_name].name = callee.symbol


def called_in(module: Module, callees: tuple[Callee, ...]) -> tuple[Callee, ...]:
    """Return the callees that a caller's code still calls after optimisation."""
    declared = {function.name for function in module.functions if function.is_declaration}
    return tuple(callee for callee in callees if callee.symbol in declared)
