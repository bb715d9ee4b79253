"""What the compiler says of users' kernel code, in a sentence where the mistake is a common one."""

import re
import sys
from pathlib import Path
from types import FunctionType

from outflank.errors import OutflankError

_PLACE = r".*?File \"([^\"]*)\", line (\d+)"
_GLOBAL = re.compile(r"Untyped \w+ name '(\w+)': Cannot determine Numba type of <class '([^']+)'>" + _PLACE, re.DOTALL)
_ATTRIBUTE = re.compile(r"Unknown attribute '(\w+)' of type Module\(<module '([^']+)'[^\n]*" + _PLACE, re.DOTALL)


_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
"""Numba writes in colours wherever the package for them is installed."""


class NotCompiled(OutflankError, TypeError):
    """Kernel code that the compiler does not take."""


def raise_explained(error: Exception) -> None:
    """Raise the sentence for an error of the compiler, if there is one, in its place: its own text is some sixty lines.

    For who handles the error, and raises it as it is where this returns.
    """
    told = explained(error)
    if told is not None:
        raise told from None


def explained(error: Exception) -> NotCompiled | None:
    """The sentence for an error of the compiler; None where it must speak for itself."""
    if type(error).__module__ not in ("numba.core.errors", "numba.cuda.core.errors"):
        return None
    text = _COLOUR.sub("", str(error))
    if found := _GLOBAL.search(text):
        name, kind, file, line = found.groups()
        plain = kind == "function"
    elif found := _ATTRIBUTE.search(text):
        name, module, file, line = found.groups()
        thing = getattr(sys.modules.get(module), name, None)
        kind, plain = type(thing).__name__, isinstance(thing, FunctionType)
        if thing is None:
            return None
    else:
        return None
    place = f"{Path(file).name}, line {line}"
    if plain:
        how = "write @inner above it (from outflank.kernels.compiler import inner)"
        return NotCompiled(f"{place}: {name} is plain Python, which kernel code cannot call: {how}")
    allowed = "numbers, tuples of them, NumPy arrays, and functions with @inner above them"
    return NotCompiled(f"{place}: {name} is a {kind}, which kernel code cannot use; it can use {allowed}")
