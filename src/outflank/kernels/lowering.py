"""Define how Numba compiles a function, by its LLVM instructions."""

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

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
