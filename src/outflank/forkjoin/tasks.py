"""Tasks: compiled functions that can be spawned."""

from collections.abc import Callable
from functools import cache, cached_property, partial, update_wrapper
from types import FunctionType
from typing import TYPE_CHECKING, Any, TypeAlias

from outflank.forkjoin.declared_types import Declaration, NotATask, Result, declaration_of
from outflank.forkjoin.entries import add_entry
from outflank.kernels import cache as kernel_cache
from outflank.kernels.compiler import OPTIONS, interpreted, load_numba
from outflank.kernels.lowering import Dispatcher, NumbaType, Signature, TypingContext
from outflank.kernels.pipeline import EXTRA_CODE, pipelines

if TYPE_CHECKING:
    from numba import types

TASK_OPTIONS: dict[str, object] = {**OPTIONS, "error_model": "python"}
"""Numba's options for tasks. A division by zero ends the run with an error, as in Python."""


class Task:
    """A function that can be spawned. Its first argument is the worker that runs it."""

    def __init__(self, function: FunctionType, declared: Declaration | None = None) -> None:
        if function.__closure__:
            raise NotATask(f"task {function.__qualname__}: a task must be a top-level function")
        update_wrapper(self, function)
        self.__name__, self.__qualname__ = function.__name__, function.__qualname__
        self.py_func = function
        self.declared = declared or declaration_of(function)
        self.variants: dict[object, Task] = {}
        """Tasks that are made from this one: its parallel loop, and its reductions."""
        setattr(function, _TASK, self)
        setattr(function, EXTRA_CODE, partial(add_entry, self.declared))
        kernel_cache.note_origin(function)

    def __call__(self, *arguments: object) -> Result:
        if not interpreted():
            raise NotATask(f"task {self.__name__}: only tasks call a task; begin with forkjoin.run({self.__name__}, …)")
        return self.py_func(*arguments)

    def __repr__(self) -> str:
        return f"<task {self.__module__}.{self.__qualname__}>"

    @property
    def name(self) -> str:
        """Names of the module and of the function, with a dot between them."""
        return f"{self.__module__}.{self.__qualname__}"

    @cached_property
    def compiled(self) -> Dispatcher:
        """Numba's dispatcher. The task is compiled as a part of the kernel of a run."""
        return dispatcher_of_part(self.py_func)

    @cached_property
    def _numba_type_(self) -> NumbaType:
        return task_type()(self)  # type: ignore[no-any-return]  # numba is untyped


_TASK = "_outflank_task"


def dispatcher_of_part(function: FunctionType) -> Dispatcher:
    """Return Numba's dispatcher of a function that is compiled as a part of the kernel of a run."""
    load_numba()
    import numba

    return numba.njit(**TASK_OPTIONS, pipeline_class=pipelines().part)(function)


@cache
def task_type() -> "type[types.Callable]":
    """Return the class of Numba's types of tasks.

    Tasks have a type of their own, not a dispatcher's, because Numba cannot cache code in which two functions call each
    other: it resolves such calls through pointers of the running process. Tasks call each other by symbols.
    """
    load_numba()
    from numba import types

    class TaskType(types.Callable):  # type: ignore[misc]  # numba is untyped
        """Numba's type of one task."""

        def __init__(self, task: Task) -> None:
            super().__init__(f"task({task.name}, {task.declared.number})")
            self.task = task

        def get_call_type(
            self, context: TypingContext, args: tuple[NumbaType, ...], kws: dict[str, NumbaType]
        ) -> Signature:
            return self.call_signature(context, self, args, kws)

        def get_call_signatures(self) -> tuple[list[Signature], bool]:
            return [], False

        def get_impl_key(self, sig: Signature) -> type[types.Callable]:
            return TaskType

    return TaskType


def task(function: Callable[..., object]) -> Task:
    """Declare a function as a task, which can be spawned.

    Its first argument is the worker that runs it. The annotations of the other arguments, and of the result, are
    `int` (the default), `float`, `np.uint64`, a tuple of these, or `None` for a task without a result.
    """
    if not isinstance(function, FunctionType):
        raise NotATask(f"{function!r} is not a function, so it cannot be a task")
    return Task(function)


def task_of(function: object) -> Task:
    """Return the task of a compiled or interpreted function."""
    task = function if isinstance(function, Task) else getattr(function, _TASK, None)
    if not isinstance(task, Task):
        name = getattr(function, "__name__", repr(function))
        raise NotATask(f"{name} is not a task: write @forkjoin.task above it")
    return task


Unbound: TypeAlias = Any
"""A global name of a template. In the copies that `bound` makes, it has a value."""


def bound(template: Callable[..., object], name: str, origin: FunctionType, **values: object) -> FunctionType:
    """Return a copy of `template` with some global names bound to `values`.

    A closure would do the same, but machine code made from one cannot be cached. The copy counts as a part of the
    module of `origin`, whose source is part of the cache key.
    """
    copy = FunctionType(template.__code__, {**template.__globals__, **values}, name, template.__defaults__)
    copy.__module__, copy.__qualname__ = origin.__module__, f"{origin.__qualname__}.{name}"
    copy.__doc__ = template.__doc__
    return copy
