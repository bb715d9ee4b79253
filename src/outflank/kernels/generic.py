"""Generic functions: one name, with one body per type of the first argument."""

from collections.abc import Callable
from functools import singledispatch
from typing import Any

from outflank.kernels import cache
from outflank.kernels.compiler import OPTIONS, extend
from outflank.kernels.pipeline import pipelines

_same_name_classes: dict[tuple[str, tuple[str, ...]], list[type]] = {}


def _make_name_unique(cls: type) -> None:
    """Rename `cls` if another class has the same name and fields, as after a reload.

    Numba identifies a named tuple by the name of its class and the names and types of its fields. A second class with
    the same names and types would get the code that was compiled for the first class.
    """
    fields = getattr(cls, "_fields", None)
    if fields is None:
        return
    same_shape = _same_name_classes.setdefault((cls.__name__.partition("'")[0], fields), [])
    if cls not in same_shape:
        same_shape.append(cls)
        cls.__name__ += "'" * (len(same_shape) - 1)


def generic(stub: Callable[..., object]) -> Any:
    """Return a function that selects its body by the type of its first argument, both interpreted and compiled.

    The interpreter uses `singledispatch`. The compiler reads the same registry when it types a call, so compiled calls
    need no dispatch at run time. Any module can add bodies:

        @play.register(Othello)
        def _(game, position, move): ...

    `stub` is not a body: it names the arguments and has the docstring.
    """
    function = singledispatch(stub)
    register = function.register

    def register_body(cls: type, body: Callable[..., object] | None = None) -> Any:
        if body is None:
            return lambda body: register_body(cls, body)
        cache.note_origin(body, cls)
        _make_name_unique(cls)
        return register(cls, body)

    function.register = register_body  # type: ignore[assignment]  # narrower: a class is always given

    @extend
    def register_overload() -> None:
        from numba.core.errors import NumbaTypeError
        from numba.extending import overload

        @overload(function, strict=False, jit_options={**OPTIONS, "pipeline_class": pipelines().part})
        def resolve(subject, *rest):  # type: ignore[no-untyped-def]  # its arguments are Numba types
            body = function.dispatch(getattr(subject, "instance_class", object))
            if body is stub:
                raise NumbaTypeError(f"{stub.__name__}: nothing registered for {subject}")
            return body

    return function


def missing(function: Callable[..., object], subject: object) -> TypeError:
    """Return the error that a stub raises if `function` has no body for the type of `subject`."""
    return TypeError(f"{function.__name__}: nothing registered for {type(subject).__name__}")
