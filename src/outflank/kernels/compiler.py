"""Compilation of Python functions to kernels. Numba is imported only when it is needed.

Three kinds of function are written in the subset of Python that Numba compiles:

- a `kernel` is an entry point: when Python calls it, it is compiled and run;
- an `inner` function is a part of kernels: the interpreter runs it unchanged, and it is compiled with the kernels that
  call it;
- a generic function (`outflank.kernels.generic`) is an inner function with one body per game or evaluation.

So the same source of the rules runs in the interpreter, where a board is drawn in milliseconds, and as machine code in
searches. Importing Numba takes a third of a second. So all code that needs Numba is registered with `extend`, and runs
when the first kernel is called.

A word that a kernel returns to Python is a plain `int`: wrap it in `np.uint64` before you pass it to another kernel.
Otherwise a small word has a signed type, for which the kernel is compiled again.

`NUMBA_DISABLE_JIT=1` runs kernels in the interpreter too, without Numba.
"""

import os
import re
import sys
from collections.abc import Callable, Iterator
from functools import cached_property, update_wrapper
from pathlib import Path
from threading import RLock
from types import FunctionType
from typing import Any, TypeAlias, TypeVar

from outflank.errors import OutflankError
from outflank.kernels import cache
from outflank.kernels.loading import import_numba
from outflank.kernels.lowering import IR, Builder, Context, Dispatcher, NumbaType, Signature, define
from outflank.kernels.pipeline import INLINING, pipelines
from outflank.kernels.uninterrupted import delay_interrupts, shield_llvm

_PLACE = r".*?File \"([^\"]*)\", line (\d+)"
_GLOBAL = re.compile(r"Untyped \w+ name '(\w+)': Cannot determine Numba type of <class '([^']+)'>" + _PLACE, re.DOTALL)
_ATTRIBUTE = re.compile(r"Unknown attribute '(\w+)' of type Module\(<module '([^']+)'[^\n]*" + _PLACE, re.DOTALL)


_NESTING = re.compile(r"\s+|\w+Error: |Failed in \w+ mode pipeline \(step: [^)]*\)")
"""Pattern of the lines that Numba writes before the message of an error inside an error."""

_REJECTED = re.compile(r"raised a specific error:\s*\w+: (?=Failed in )")

_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
"""Pattern of escape sequences for colours, which Numba's messages have if the package for colours is installed."""


class NotCompiled(OutflankError, TypeError):
    """The compiler rejected kernel code."""


def raise_explanation(error: Exception) -> None:
    """Raise a one-line explanation of a compiler error, if there is one: the original text has some sixty lines.

    Call it in the `except` block, and re-raise the original error if it returns.
    """
    explanation = explanation_of(error)
    if explanation is not None:
        raise explanation from None


def explanation_of(error: Exception) -> NotCompiled | None:
    """Return a one-line explanation of a compiler error; None if there is none."""
    text = _compiler_text(error)
    if match := _GLOBAL.search(text):
        name, kind, file, line = match.groups()
        is_function = kind == "function"
    elif match := _ATTRIBUTE.search(text):
        name, module, file, line = match.groups()
        value = getattr(sys.modules.get(module), name, None)
        kind, is_function = type(value).__name__, isinstance(value, FunctionType)
        if value is None:
            return None
    else:
        return None
    place = f"{Path(file).name}, line {line}"
    if is_function:
        advice = "write @inner above it (from outflank.kernels.compiler import inner)"
        return NotCompiled(f"{place}: {name} is plain Python, which kernel code cannot call: {advice}")
    allowed = "numbers, tuples of them, NumPy arrays, and functions with @inner above them"
    return NotCompiled(f"{place}: {name} is a {kind}, which kernel code cannot use; it can use {allowed}")


def compiler_message(error: BaseException, file: str) -> str | None:
    """Return the innermost message of a compiler error, with the line of `file` that it names; None for other errors.

    Use this function if `explanation_of` returns None. Numba nests messages. The innermost message is the first one, or
    the message about the last candidate that fits the call but cannot be compiled.
    """
    text = _compiler_text(error)
    if not text:
        return None
    inner = _REJECTED.split(text)[-1]
    while match := _NESTING.match(inner):
        inner = inner[match.end() :]
    lines = [line.strip().removeprefix(">>> ") for line in inner.splitlines() if line.strip()] or [type(error).__name__]
    message = " ".join(lines[:2]) if lines[0].endswith(":") else lines[0]
    name = Path(file).name
    place = re.search(rf'File "(?:[^"]*[/\\])?{re.escape(name)}", line (\d+)', inner + text)
    return f"{f'line {place[1]}: ' if place else ''}{message.replace(file, name)}"


def _compiler_text(error: BaseException) -> str:
    """Return the text of a compiler error; empty for other errors."""
    is_numbas = type(error).__module__ in ("numba.core.errors", "numba.cuda.core.errors")
    return _COLOUR.sub("", str(error)) if is_numbas else ""


OPTIONS: dict[str, object] = {"error_model": "numpy", "nogil": True, "no_cpython_wrapper": False}
"""Numba's options for every function. The numpy error model saves a test for zero at each division.

A function that has callers with different options is compiled twice, so all kernels and their parts share these
options.
"""

_lock = RLock()
_registrations: list[Callable[[], None]] | None = []  # None once Numba has been loaded
_kernels: list["Kernel"] = []


def interpreted() -> bool:
    """Return whether kernels run in the interpreter (`NUMBA_DISABLE_JIT` is set)."""
    return os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")


def extend(registration: Callable[[], None]) -> Callable[[], None]:
    """Run `registration`, which extends Numba, as soon as Numba is loaded."""
    with _lock:
        if _registrations is None:
            registration()
        else:
            _registrations.append(registration)
    return registration


def load_numba() -> None:
    """Import Numba and run the registrations passed to `extend`."""
    global _registrations
    with _lock:
        if _registrations is None:
            return
        with delay_interrupts():
            import_numba()
            shield_llvm()
            while _registrations:
                _registrations.pop(0)()
            _registrations = None


Samples: TypeAlias = Iterator[tuple[object, ...]]
"""Typical calls of a kernel, each as a tuple of arguments."""

Function = TypeVar("Function", bound=Callable[..., object])


def inner(function: Function) -> Function:
    """Let kernels call `function`. The interpreter runs it unchanged."""
    cache.note_origin(function)

    @extend
    def register() -> None:
        from numba.extending import register_jitable

        register_jitable(**OPTIONS, pipeline_class=pipelines().part)(function)

    return function


def inlined(function: Function) -> Function:
    """Declare an `inner` function that is always inlined, even if it is large: for the hot paths of several callers.

    It also applies to bodies of generic functions: write `@play.register(Othello)` above `@inlined`.
    """
    setattr(function, INLINING, "alwaysinline")
    return inner(function)


def never_inlined(function: Function) -> Function:
    """Declare an `inner` function that is never inlined, even if it is small: for code that is rarely called, or long,
    and would take registers from the hot path around it."""
    setattr(function, INLINING, "noinline")
    return inner(function)


class Kernel:
    """A function that is compiled when Python calls it, and runs without the interpreter's lock (GIL)."""

    def __init__(self, function: Callable[..., Any]) -> None:
        if function.__closure__:
            # Its machine code would depend on values that are not part of the cache key.
            raise TypeError(f"kernel {function.__qualname__}: a kernel must be a top-level function")
        update_wrapper(self, function)
        self.__name__ = function.__name__
        self.py_func = function
        self._samples: list[Callable[..., Samples]] = []
        cache.note_origin(function)
        _kernels.append(self)

    def __call__(self, *args: object) -> Any:
        try:
            return self.compiled(*args)
        except Exception as error:
            raise_explanation(error)
            raise

    def __repr__(self) -> str:
        return f"<kernel {self.name}>"

    @property
    def name(self) -> str:
        """Names of the module, without `outflank.`, and of the function, with a dot between them."""
        return f"{self.__module__.removeprefix('outflank.')}.{self.__name__}"

    @cached_property
    def compiled(self) -> Callable[..., Any]:
        """Numba's dispatcher for this kernel, or the plain function if kernels run in the interpreter."""
        return self.py_func if interpreted() else dispatcher_for(self.py_func, self.name)

    @property
    def _numba_type_(self) -> NumbaType:
        # In the code of another kernel, this kernel has the type of its dispatcher.
        return self.compiled._numba_type_  # type: ignore[attr-defined, no-any-return]  # numba is untyped

    def sample(self, arguments: Callable[..., Samples]) -> Callable[..., Samples]:
        """Register a function that yields typical arguments of this kernel, for `warm` and tests.

        `arguments(game, position, every)` yields a tuple of arguments for each usual specialisation. If `every` is
        true, it yields one for each specialisation that can be selected by name.
        """
        self._samples.append(arguments)
        return arguments

    def samples(self, game: object, position: object, *, every: bool = False) -> Samples:
        """Yield tuples of typical arguments for one game; see `sample`."""
        for arguments in self._samples:
            yield from arguments(game, position, every)


def dispatcher_for(function: Callable[..., object], name: str) -> Dispatcher:
    """Return Numba's dispatcher that compiles `function` as a kernel, cached under `name`."""
    load_numba()
    import numba

    dispatcher = numba.njit(**OPTIONS, pipeline_class=pipelines().kernel)(function)
    dispatcher._cache = cache.KernelCache(function, name)
    return dispatcher


def kernel(function: Callable[..., object]) -> Kernel:
    """Declare that `function` is an entry point into compiled code."""
    return Kernel(function)


def kernels() -> tuple[Kernel, ...]:
    """Return every kernel of the modules imported so far."""
    return tuple(_kernels)


def unlikely(condition: bool) -> bool:
    """Return `condition`, with the hint that it is seldom true.

    Without the hint the optimiser assumes that both branches are equally likely, and does not inline code that follows
    a few tests for early returns.

    >>> unlikely(1 > 2)
    False
    """
    return condition


@extend
def _register_with_numba() -> None:
    from llvmlite import ir
    from numba import types

    bit = ir.IntType(1)

    def emit(context: Context, builder: Builder, signature: Signature, condition: IR) -> IR:
        expect = builder.module.declare_intrinsic("llvm.expect", [bit], ir.FunctionType(bit, [bit, bit]))
        return builder.call(expect, [condition, ir.Constant(bit, 0)])

    define(unlikely, (types.Boolean,), lambda condition: (types.boolean, types.boolean), emit)
