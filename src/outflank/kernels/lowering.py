"""Teach Numba a function of ours by the LLVM instructions that do it."""

from collections.abc import Callable
from typing import Any

Typer = Callable[..., tuple[Any, ...] | None]
"""From the arguments' types to (result, *arguments), or None: this call is not ours."""

Emit = Callable[..., Any]
"""From (context, builder, signature, *arguments) to the LLVM value of the call."""


def define(function: Callable[..., Any], pattern: tuple[Any, ...], typer: Typer, emit: Emit) -> None:
    """Compile calls of `function` whose types fit `pattern` and `typer` to what `emit` builds in place.

    In place matters: an overload would be a function of its own that the optimiser has to
    inline again. Call this from a registration given to `compiler.extend`.
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
    """Whether code is made for a GPU: LLVM knows less for it, and its registers are of another kind."""
    return type(context).__name__ == "CUDATargetContext"
