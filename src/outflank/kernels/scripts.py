"""Kernel code of a script that is run directly: how it is cached like a module's.

Everything that a script defines belongs to `__main__`, and so does code in a notebook or after `python -i`. Only code
that is in the script's file, as it is now, can be cached under a key made of that file. The cached code refers to the
script's classes by name: Numba would pickle copies of them, which no signature of the next process matches.
"""

import io
import sys
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

MAIN = "__main__"


def is_in_script(function: Callable[..., object]) -> bool:
    """Return whether a function of `__main__` is, word for word, in the script's file; a notebook has none."""
    file = getattr(sys.modules.get(MAIN), "__file__", None)
    try:
        return file is not None and function.__code__ in _codes(Path(file).read_bytes())
    except (OSError, ValueError, SyntaxError):
        return False


@lru_cache(maxsize=2)
def _codes(source: bytes) -> frozenset[CodeType]:
    """Return the code objects of all functions in a source. They are equal if they do the same, on the same lines."""

    def nested_codes(code: CodeType) -> Iterator[CodeType]:
        yield code
        for constant in code.co_consts:
            if isinstance(constant, CodeType):
                yield from nested_codes(constant)

    return frozenset(nested_codes(compile(source, "<script>", "exec", dont_inherit=True)))


def is_importable_by_name(value: Any) -> bool:
    """Return whether the name of a class or function of `__main__` leads to this very object."""
    named: Any = sys.modules.get(MAIN)
    for name in value.__qualname__.split("."):
        named = getattr(named, name, None)
    return named is value


def dumps(result: object, pickler: type | None = None) -> bytes:
    """Return Numba's compiled code as bytes, with the script's classes and functions by their names.

    The default `pickler` is Numba's for the processor; the GPU's target has its own.
    """
    from numba.core.serialize import NumbaPickler

    base_pickler: Any = pickler or NumbaPickler

    class Pickler(base_pickler):  # type: ignore[misc]  # numba is untyped
        def reducer_override(self, value: Any) -> Any:
            is_script_object = isinstance(value, (type, FunctionType)) and value.__module__ == MAIN
            return (
                NotImplemented if is_script_object and is_importable_by_name(value) else super().reducer_override(value)
            )

    with io.BytesIO() as buffer:
        Pickler(buffer, protocol=4).dump(result)
        return buffer.getvalue()
