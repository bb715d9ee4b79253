"""Generic functions: one name, one body per type of the first argument."""

from collections.abc import Callable
from functools import singledispatch
from typing import Any

from outflank.kernels import cache
from outflank.kernels.compiler import OPTIONS, extend
from outflank.kernels.pipeline import pipelines

_known: dict[tuple[str, tuple[str, ...]], list[type]] = {}


def _tell_apart(cls: type) -> None:
    """Rename `cls` if another class has its name and fields, as after a reload.

    Numba recognises a named tuple by its class's name and the names and types of its fields:
    a second class that looks the same would be served the first one's code.
    """
    fields = getattr(cls, "_fields", None)
    if fields is None:
        return
    alike = _known.setdefault((cls.__name__.partition("'")[0], fields), [])
    if cls not in alike:
        alike.append(cls)
        cls.__name__ += "'" * (len(alike) - 1)


def generic(stub: Callable[..., Any]) -> Any:
    """Make `stub` choose its body by the type of its first argument, in both worlds.

    The interpreter goes through `singledispatch`; the compiler reads the same registry
    while it types a call, so that no call is virtual. Bodies are added from anywhere:

        @play.register(Othello)
        def _(game, position, move): ...

    `stub` is never a body: it names the arguments and carries the docstring.
    """
    function = singledispatch(stub)
    register = function.register

    def noted(cls: type, body: Callable[..., Any] | None = None) -> Any:
        if body is None:
            return lambda body: noted(cls, body)
        cache.note_origin(body, cls)
        _tell_apart(cls)
        return register(cls, body)

    function.register = noted  # type: ignore[assignment]  # narrower: a class is always given

    @extend
    def teach() -> None:
        from numba.core.errors import NumbaTypeError
        from numba.extending import overload

        @overload(function, strict=False, jit_options={**OPTIONS, "pipeline_class": pipelines().part})
        def resolve(subject, *rest):  # type: ignore[no-untyped-def]  # its arguments are Numba types
            body = function.dispatch(getattr(subject, "instance_class", object))
            if body is stub:
                raise NumbaTypeError(f"{stub.__name__}: nothing registered for {subject}")
            return body

    return function


def missing(function: Callable[..., Any], subject: Any) -> TypeError:
    """The error a stub raises: `subject` has no body of `function`."""
    return TypeError(f"{function.__name__}: nothing registered for {type(subject).__name__}")
