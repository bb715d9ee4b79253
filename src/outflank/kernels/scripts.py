"""Kernel code of a script that is run directly: what lets it be kept like a module's.

Everything that a script defines is `__main__`'s, and so is what is typed into a notebook or after `python -i`. Only
what stands in the script's file, as it is now, can be kept under a key made of that file. And what is kept names the
script's classes: Numba would put copies of them into the file, which no signature of the next process matches.
"""

import io
import sys
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

MAIN = "__main__"


def stands_in_the_script(function: Callable[..., Any]) -> bool:
    """Whether a function of `__main__` is, word for word, in the file that is run; in a notebook there is none."""
    file = getattr(sys.modules.get(MAIN), "__file__", None)
    try:
        return file is not None and function.__code__ in _codes(Path(file).read_bytes())
    except (OSError, ValueError, SyntaxError):
        return False


@lru_cache(maxsize=2)
def _codes(source: bytes) -> frozenset[CodeType]:
    """The code of every function in a source. Codes are equal if they do the same, on the same lines."""

    def inside(code: CodeType) -> Iterator[CodeType]:
        yield code
        for constant in code.co_consts:
            if isinstance(constant, CodeType):
                yield from inside(constant)

    return frozenset(inside(compile(source, "<script>", "exec", dont_inherit=True)))


def is_found_by_name(thing: Any) -> bool:
    """Whether a class or function of `__main__` is what its name leads to."""
    found: Any = sys.modules.get(MAIN)
    for name in thing.__qualname__.split("."):
        found = getattr(found, name, None)
    return found is thing


def dumps(result: Any, pickler: type | None = None) -> bytes:
    """What Numba has compiled, with the script's classes and functions by their names.

    Numba's own `pickler` is the processor's; that of a device has its own.
    """
    from numba.core.serialize import NumbaPickler

    numbas: Any = pickler or NumbaPickler

    class Pickler(numbas):  # type: ignore[misc]  # numba is untyped
        def reducer_override(self, thing: Any) -> Any:
            mains = isinstance(thing, (type, FunctionType)) and thing.__module__ == MAIN
            return NotImplemented if mains and is_found_by_name(thing) else super().reducer_override(thing)

    with io.BytesIO() as buffer:
        Pickler(buffer, protocol=4).dump(result)
        return buffer.getvalue()
