"""From Python functions to compiled kernels, and Numba only when it is needed.

Three kinds of function are written in the subset of Python that Numba compiles:

- a `kernel` is an entry point: called from Python it is compiled, then run;
- an `inner` function is a part of kernels: the interpreter runs it as it stands,
  a kernel that calls it compiles it;
- a generic function (`outflank.kernels.generic`) is an inner function with one body
  per game or evaluation.

So a board on the screen is drawn by the interpreter in milliseconds, a search of
the same rules is machine code, and there is one source. Importing Numba takes a
third of a second: everything that needs it is registered with `extend` and waits
for the first kernel that is really called.

A word that a kernel returns to Python is a plain `int`: wrap it in `np.uint64` before it goes
into another kernel, or a small one arrives there as a signed type and compiles it again.

`NUMBA_DISABLE_JIT=1` runs kernels in the interpreter too, without Numba.
"""

import os
import sys
from collections.abc import Callable, Iterator
from functools import cached_property, update_wrapper
from threading import RLock
from typing import Any, TypeVar

from outflank.kernels import cache
from outflank.kernels.compile_errors import raise_explained
from outflank.kernels.loading import import_numba
from outflank.kernels.pipeline import INLINING, pipelines
from outflank.kernels.uninterrupted import shield_llvm, undisturbed

OPTIONS: dict[str, Any] = {"error_model": "numpy", "nogil": True, "no_cpython_wrapper": False}
"""How every function is compiled. The numpy model spares a test for zero at each division.

A function that is called by two with different options is compiled twice: kernels and their parts have the same.
"""

_lock = RLock()
_waiting: list[Callable[[], None]] | None = []  # None once Numba has been loaded
_kernels: list["Kernel"] = []


def interpreted() -> bool:
    """Whether kernels run in the interpreter (`NUMBA_DISABLE_JIT` is set)."""
    return os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")


def extend(registration: Callable[[], None]) -> Callable[[], None]:
    """Run `registration`, which teaches Numba something, once Numba has been loaded."""
    with _lock:
        if _waiting is None:
            registration()
        else:
            _waiting.append(registration)
    return registration


def load_numba() -> None:
    """Import Numba and run everything that waited for it."""
    global _waiting
    with _lock:
        if _waiting is None:
            return
        with undisturbed():
            import_numba()  # the registrations below assume that this has been paid for
            shield_llvm()
            while _waiting:
                _waiting.pop(0)()
            _waiting = None


Function = TypeVar("Function", bound=Callable[..., Any])


def inner(function: Function) -> Function:
    """Let kernels call `function`; for the interpreter it stays as it is."""
    cache.note_origin(function)

    @extend
    def register() -> None:
        from numba.extending import register_jitable

        register_jitable(**OPTIONS, pipeline_class=pipelines().part)(function)

    return function


def inlined(function: Function) -> Function:
    """An `inner` function that is put into the code of its callers, be it large: a part of the hot path of several.

    Bodies of generic functions may be so, too: `@play.register(Othello)` above `@inlined`.
    """
    setattr(function, INLINING, "alwaysinline")
    return inner(function)


def apart(function: Function) -> Function:
    """An `inner` function that stays a call, be it small: what is seldom done, or long, and would take registers from
    the hot path that it stands in."""
    setattr(function, INLINING, "noinline")
    return inner(function)


class Kernel:
    """A function that is compiled, without the interpreter's lock, when Python calls it."""

    def __init__(self, function: Callable[..., Any]) -> None:
        if function.__closure__:
            # Its machine code would depend on values that the cache's key does not see.
            raise TypeError(f"kernel {function.__qualname__}: a kernel must be a top-level function")
        update_wrapper(self, function)
        self.__name__ = function.__name__
        self.py_func = function
        self._samples: list[Callable[..., Any]] = []
        cache.note_origin(function)
        _kernels.append(self)

    def __call__(self, *args: Any) -> Any:
        try:
            return self.compiled(*args)
        except Exception as error:
            raise_explained(error)
            raise

    def __repr__(self) -> str:
        return f"<kernel {self.name}>"

    @property
    def name(self) -> str:
        """The kernel's name, with its module inside the package."""
        return f"{self.__module__.removeprefix('outflank.')}.{self.__name__}"

    @cached_property
    def compiled(self) -> Callable[..., Any]:
        """Numba's dispatcher for this kernel, or the plain function where `interpreted`."""
        if interpreted():
            return self.py_func
        load_numba()
        import numba

        dispatcher = numba.njit(**OPTIONS, pipeline_class=pipelines().kernel)(self.py_func)
        dispatcher._cache = cache.KernelCache(self.py_func, self.name)
        return dispatcher  # type: ignore[no-any-return]  # numba is untyped

    @property
    def _numba_type_(self) -> Any:
        # A kernel named inside another kernel is, to the compiler, its dispatcher.
        return self.compiled._numba_type_  # type: ignore[attr-defined]  # numba is untyped

    def sample(self, arguments: Callable[..., Any]) -> Callable[..., Any]:
        """Name typical arguments, for `warm` and tests.

        `arguments(game, position, every)` gives tuples of them: one for each compilation that is
        usual, or with `every` for each that can be chosen by name.
        """
        self._samples.append(arguments)
        return arguments

    def samples(self, game: Any, position: Any, *, every: bool = False) -> Iterator[tuple[Any, ...]]:
        """The typical arguments for one game."""
        for arguments in self._samples:
            yield from arguments(game, position, every)


def kernel(function: Callable[..., Any]) -> Kernel:
    """Make `function` an entry point into compiled code."""
    return Kernel(function)


def kernels() -> tuple[Kernel, ...]:
    """Every kernel of the modules imported so far."""
    return tuple(_kernels)


def numba_loaded() -> bool:
    """Whether this process has paid for importing Numba."""
    return "numba" in sys.modules
