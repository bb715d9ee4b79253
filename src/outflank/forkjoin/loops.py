"""Parallel loops and reductions: the range of a loop is halved until a part has no more than `grain` indices.

A reduction combines the results from left to right, as the serial loop would. The halves depend on the range and the
grain only, so the result is the same for any number of workers, even if `combine` is not quite associative, like the
addition of floating-point numbers.
"""

from collections.abc import Callable
from functools import cached_property
from types import FunctionType
from typing import TypeVar

from outflank.forkjoin.declared_types import REFUSED, Kind, NotATask, Result, declaration
from outflank.forkjoin.scheduling import spawn, sync
from outflank.forkjoin.tasks import Task, Unbound, bound, dispatcher_of_part, task_of, task_type
from outflank.forkjoin.worker import Worker
from outflank.kernels import cache
from outflank.kernels.compiler import extend, inner
from outflank.kernels.lowering import IR, Builder, Context, Dispatcher, NumbaType, Signature

T = TypeVar("T")


class Reducer:
    """A way to combine values: an identity, and an associative function that combines two neighbours."""

    def __init__(self, identity: object, combine: Callable[[T, T], T]) -> None:
        if not isinstance(combine, FunctionType) or combine.__closure__:
            raise NotATask(f"Reducer: {combine!r} is not a top-level function")
        self.identity = identity
        """Value of an empty range: `combine(identity, value)` is `value`."""
        self.combine = combine
        """Function of the values of two neighbouring ranges, the left one first."""
        setattr(combine, _REDUCER, self)
        cache.note_origin(combine)

    def __call__(self, left: Result, right: Result) -> Result:
        return self.combine(left, right)

    def __repr__(self) -> str:
        return f"Reducer({self.identity!r}, {self.combine.__qualname__})"

    @cached_property
    def compiled(self) -> Dispatcher:
        """Numba's dispatcher of `combine`."""
        return dispatcher_of_part(self.combine)

    @property
    def _numba_type_(self) -> NumbaType:
        return self.compiled._numba_type_  # type: ignore[no-any-return]  # numba is untyped


_REDUCER = "_outflank_reducer"


@inner
def loop(worker: Worker, body: Task, low: int, high: int, grain: int, *arguments: object) -> None:
    """Call `body(worker, index, *arguments)` for each index from `low` to below `high`, in parallel.

    Parts of at most `grain` indices are not divided. All calls have returned when the loop returns.
    """
    if low < high:
        loop_of(body)(worker, low, high, max(grain, 1), arguments)


@inner
def reduce(worker: Worker, reducer: Reducer, body: Task, low: int, high: int, grain: int, *arguments: object) -> Result:
    """Return the results of `body(worker, index, *arguments)` for each index, combined in the order of the indices.

    The result of an empty range is the reducer's identity. Parts of at most `grain` indices are not divided.
    """
    return reduction_of(body, reducer)(worker, low, high, max(grain, 1), arguments)


# Templates. Each body of a loop gets a copy, in which these names have values.

BODY: Unbound = None
SELF: Unbound = None
COMBINE: Unbound = None
IDENTITY: Unbound = None


def _loop_part(worker, low, high, grain, arguments):  # type: ignore[no-untyped-def]  # typed by the compiler
    if high - low <= grain:
        for index in range(low, high):
            BODY(worker, index, *arguments)
    else:
        middle = low + (high - low) // 2
        right = spawn(worker, SELF, middle, high, grain, arguments)
        SELF(worker, low, middle, grain, arguments)
        sync(worker, right)


def _reduction_part(worker, low, high, grain, arguments):  # type: ignore[no-untyped-def]  # typed by the compiler
    if high - low <= grain:
        value = IDENTITY
        for index in range(low, high):
            value = COMBINE(value, BODY(worker, index, *arguments))
        return value
    middle = low + (high - low) // 2
    right = spawn(worker, SELF, middle, high, grain, arguments)
    left = SELF(worker, low, middle, grain, arguments)
    return COMBINE(left, sync(worker, right))


def loop_of(body: Task) -> Task:
    """Return the task that runs a part of a parallel loop."""
    return _variant(task_of(body), "loop", _loop_part, None)


def reduction_of(body: Task, reducer: Reducer) -> Task:
    """Return the task that reduces a part of a parallel loop."""
    body = task_of(body)
    if not isinstance(reducer, Reducer):
        raise NotATask(f"reduce: {reducer!r} is not a Reducer")
    if body.declared.result is None:
        raise NotATask(f"reduce: task {body.__name__} has no result")
    identity = body.declared.converted_result(reducer.identity)
    return _variant(body, reducer, _reduction_part, body.declared.result, COMBINE=reducer, IDENTITY=identity)


def _variant(body: Task, key: object, template: Callable[..., object], result: Kind, **values: object) -> Task:
    """Return the task that `template` defines for a loop's body; it is made once for each `key`."""
    if key not in body.variants:
        if body.declared.kinds[:1] != (int,):
            raise NotATask(
                f"task {body.__name__}: the body of a loop has an index after the worker: (worker, index: int)"
            )
        name = template.__name__.strip("_")
        function = bound(template, name, body.py_func, BODY=body, **values)
        kinds: dict[str, Kind] = {"low": int, "high": int, "grain": int, "arguments": body.declared.kinds[1:]}
        body.variants[key] = function.__globals__["SELF"] = Task(function, declaration(function, kinds, result))
    return body.variants[key]


@extend
def _register_with_numba() -> None:
    from numba import types
    from numba.core.errors import NumbaTypeError
    from numba.core.typing.templates import AbstractTemplate, infer_global, signature
    from numba.extending import lower_builtin

    def define(function: Callable[..., Task], variant_of: Callable[..., Task]) -> None:
        class Template(AbstractTemplate):  # type: ignore[misc]  # numba is untyped
            key = function

            def generic(self, args: tuple[types.Callable, ...], kws: dict[str, NumbaType]) -> Signature:
                # The type of a body leads to the body's task, and the type of a reducer to the function `combine`.
                parts = [kind.task if isinstance(kind, task_type()) else kind.dispatcher.py_func for kind in args]
                try:
                    return signature(variant_of(*parts)._numba_type_, *args)
                except TypeError as error:
                    raise NumbaTypeError(f"{REFUSED}{error}") from None

        def emit(context: Context, builder: Builder, signature: Signature, args: list[IR]) -> IR:
            return context.get_dummy_value()

        infer_global(function)(Template)
        lower_builtin(function, types.VarArg(types.Any))(emit)

    define(loop_of, loop_of)
    define(reduction_of, lambda body, combine: reduction_of(body, getattr(combine, _REDUCER)))
