"""Define how Numba compiles a function, by its LLVM instructions."""

from collections.abc import Callable
from typing import Any

Typer = Callable[..., tuple[Any, ...] | None]
"""Maps the arguments' types to (result, *arguments), or None if the call does not match."""

Emit = Callable[..., Any]
"""Maps (context, builder, signature, *arguments) to the LLVM value of the call."""


def define(function: Callable[..., Any], pattern: tuple[Any, ...], typer: Typer, emit: Emit) -> None:
    """Compile calls of `function` whose types match `pattern` and `typer` to the code that `emit` builds in place.

    In place matters: an overload would be a separate function that the optimiser has to
    inline again. Call this from a registration that is passed to `compiler.extend`.
    """
    from numba.core.typing.templates import AbstractTemplate, infer_global, signature
    from numba.extending import lower_builtin

    class Template(AbstractTemplate):  # type: ignore[misc]  # numba is untyped
        key = function
        prefer_literal = True

        def generic(self, args: Any, kws: Any) -> Any:
            types = None if kws else typer(*args)
            return None if types is None else signature(*types)

    infer_global(function)(Template)
    lower_builtin(function, *pattern)(
        lambda context, builder, signature, args: emit(context, builder, signature, *args)
    )


def is_device(context: Any) -> bool:
    """Return whether code is compiled for a GPU: LLVM supports fewer intrinsics there, and its registers differ."""
    return type(context).__name__ == "CUDATargetContext"
