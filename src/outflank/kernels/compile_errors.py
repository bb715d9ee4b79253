"""Short explanations of the compiler's errors in users' kernel code, for common mistakes."""

import re
import sys
from pathlib import Path
from types import FunctionType

from outflank.errors import OutflankError

_PLACE = r".*?File \"([^\"]*)\", line (\d+)"
_GLOBAL = re.compile(r"Untyped \w+ name '(\w+)': Cannot determine Numba type of <class '([^']+)'>" + _PLACE, re.DOTALL)
_ATTRIBUTE = re.compile(r"Unknown attribute '(\w+)' of type Module\(<module '([^']+)'[^\n]*" + _PLACE, re.DOTALL)


_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
"""Escape sequences: Numba writes in colours if the package for them is installed."""


class NotCompiled(OutflankError, TypeError):
    """The compiler rejected kernel code."""


def raise_explanation(error: Exception) -> None:
    """Raise the explanation of a compiler error in its place, if there is one: the original text has some sixty lines.

    The caller handles the error, and re-raises it if this returns.
    """
    explanation = explanation_of(error)
    if explanation is not None:
        raise explanation from None


def explanation_of(error: Exception) -> NotCompiled | None:
    """Return the explanation of a compiler error; None if there is none."""
    if type(error).__module__ not in ("numba.core.errors", "numba.cuda.core.errors"):
        return None
    text = _COLOUR.sub("", str(error))
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
