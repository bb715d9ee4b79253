"""Caching of kernel code in a script that is run directly, as if the script were a module.

Everything that a script defines belongs to `__main__`, and so does code in a notebook or after `python -i`. Only code
that is in the script's current file can be cached under a key made from that file. The cached code refers to the
script's classes by name. Numba would pickle copies of them, which match no signature in the next process.
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
    """Return whether a function of `__main__` is in the script's file, unchanged; a notebook has no file."""
    file = getattr(sys.modules.get(MAIN), "__file__", None)
    try:
        return file is not None and function.__code__ in _codes(Path(file).read_bytes())
    except (OSError, ValueError, SyntaxError):
        return False


@lru_cache(maxsize=2)
def _codes(source: bytes) -> frozenset[CodeType]:
    """Return the code objects of all functions in a source. Two are equal if they do the same on the same lines."""

    def nested_codes(code: CodeType) -> Iterator[CodeType]:
        yield code
        for constant in code.co_consts:
            if isinstance(constant, CodeType):
                yield from nested_codes(constant)

    return frozenset(nested_codes(compile(source, "<script>", "exec", dont_inherit=True)))


def is_importable_by_name(value: Any) -> bool:
    """Return whether the qualified name of a class or function leads to this same object in `__main__`."""
    named: Any = sys.modules.get(MAIN)
    for name in value.__qualname__.split("."):
        named = getattr(named, name, None)
    return named is value


def dumps(result: object, pickler: type | None = None) -> bytes:
    """Return Numba's compiled code as bytes, in which the script's classes and functions are stored by name.

    The default `pickler` is Numba's for code of the processor; GPU code has another one.
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
