"""The types of a task's arguments and result, and their words in a frame.

A task's annotations declare these types; the default is `int`. They are not inferred, because a task that spawns itself
is compiled before the type of its result is known.
"""

import ctypes
import inspect
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from types import FunctionType
from typing import Any, TypeAlias, get_args, get_origin, get_type_hints

import numpy as np

from outflank.errors import OutflankError
from outflank.forkjoin.shared_state import ARGUMENT_WORDS, RESULT_WORDS
from outflank.kernels.lowering import NumbaType

Number: TypeAlias = int | float | np.uint64
"""A value of one word."""

Value: TypeAlias = "Number | tuple[Value, ...] | None"
"""An argument or result of a task in its declared type."""

Kind: TypeAlias = "type[Number] | tuple[Kind, ...] | None"
"""Declared type of a value: `int`, `float`, `np.uint64`, a tuple of kinds, or None."""

Result: TypeAlias = Any
"""Result of a task, in the type that the task declares."""

SCALARS: tuple[type[Number], ...] = (int, float, np.uint64)

REFUSED = "forkjoin: "
"""Prefix by which a message about a wrong use of a task is found inside Numba's much longer message."""


class NotATask(OutflankError, TypeError):
    """Raised for a function that cannot be a task, and for a wrong use of a task."""


_numbers = itertools.count()


@dataclass(frozen=True, slots=True)
class Declaration:
    """The declared types of a task's arguments and result."""

    name: str
    """Name of the task's function."""
    parameters: dict[str, Kind]
    """Kinds of the arguments after the worker, by name."""
    result: Kind
    number: int
    """Number of the task in this process, used in the symbols of its code."""

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """Kinds of the arguments."""
        return tuple(self.parameters.values())

    def converted(self, arguments: Sequence[object]) -> tuple[Value, ...]:
        """Return the arguments after the worker in their declared types."""
        if len(arguments) != len(self.parameters):
            expected = f"({', '.join(self.parameters)})" if self.parameters else "none"
            raise NotATask(f"task {self.name}: {len(arguments)} arguments, expected {expected}")
        try:
            return tuple(converted(kind, value) for kind, value in zip(self.kinds, arguments, strict=True))
        except NotATask as error:
            raise NotATask(f"task {self.name}: {error}, as its argument is declared") from None

    def converted_result(self, value: object) -> Value:
        """Return a result in its declared type."""
        try:
            return converted(self.result, value)
        except NotATask as error:
            annotation = _annotation_of(value)
            advice = f"; annotate it `-> {annotation}`" if annotation else ""
            raise NotATask(f"task {self.name}: {error}, as its result is declared{advice}") from None


def declaration_of(function: FunctionType) -> Declaration:
    """Return the declaration that the annotations of a function make."""
    parameters = list(inspect.signature(function).parameters.values())
    if not parameters or any(parameter.kind != parameter.POSITIONAL_OR_KEYWORD for parameter in parameters):
        raise NotATask(
            f"task {function.__qualname__}: the arguments must be the worker and then named ones, as (worker, n)"
        )
    hints = get_type_hints(function)
    kinds = {parameter.name: _checked(function, hints.get(parameter.name, int)) for parameter in parameters[1:]}
    result = hints.get("return", int)
    return declaration(function, kinds, None if result in (None, type(None)) else _checked(function, result))


def declaration(function: FunctionType, parameters: dict[str, Kind], result: Kind) -> Declaration:
    """Return a declaration with these kinds; raise `NotATask` if a frame has no room for the values."""
    for words, most, what in (
        (word_count(tuple(parameters.values())), ARGUMENT_WORDS, "arguments have"),
        (word_count(result), RESULT_WORDS, "result has"),
    ):
        if words > most:
            raise NotATask(f"task {function.__qualname__}: its {what} {words} words; a frame has room for {most}")
    return Declaration(function.__name__, parameters, result, next(_numbers))


def _checked(function: FunctionType, annotation: object) -> Kind:
    for scalar in SCALARS:
        if annotation is scalar:
            return scalar
    if get_origin(annotation) is tuple and get_args(annotation):
        return tuple(_checked(function, part) for part in get_args(annotation))
    raise NotATask(
        f"task {function.__qualname__}: {annotation!r} is not the type of an argument or result; write int, float, "
        "np.uint64 or tuple[…] of these, and pass arrays as the data of run"
    )


def word_count(kind: Kind) -> int:
    """Return the number of words of a value."""
    return sum(map(word_count, kind)) if isinstance(kind, tuple) else int(kind is not None)


def converted(kind: Kind, value: object) -> Value:
    """Return `value` in the declared type `kind`; raise `NotATask` if it does not fit this type."""
    if kind is None:
        return None
    if isinstance(kind, tuple):
        if not isinstance(value, tuple) or len(value) != len(kind):
            raise NotATask(f"{value!r} is not a tuple of {len(kind)} numbers")
        return tuple(converted(part, item) for part, item in zip(kind, value, strict=True))
    if kind is float and isinstance(value, int | float | np.integer | np.floating):
        return float(value)
    if kind is not float and isinstance(value, int | np.integer):
        limits = np.iinfo(np.uint64 if kind is np.uint64 else np.int64)
        if not limits.min <= int(value) <= limits.max:
            raise NotATask(f"{value!r} is not from {limits.min} to {limits.max}")
        return kind(int(value))
    raise NotATask(f"{value!r} is not {'a number' if kind is float else 'an integer'}")


def _annotation_of(value: object) -> str:
    """Return the annotation that declares the type of a value; empty if there is none."""
    if isinstance(value, tuple) and value:
        parts = [_annotation_of(part) for part in value]
        return f"tuple[{', '.join(parts)}]" if all(parts) else ""
    if isinstance(value, np.uint64):
        return "np.uint64"
    return "int" if isinstance(value, int | np.integer) else "float" if isinstance(value, float | np.floating) else ""


def numba_type(kind: Kind) -> NumbaType:
    """Return Numba's type for a declared type; Numba must be loaded."""
    from numba import types

    numba_kind: NumbaType
    if isinstance(kind, tuple):
        numba_kind = types.Tuple([numba_type(part) for part in kind])
    else:
        numba_kind = {int: types.int64, float: types.float64, np.uint64: types.uint64, None: types.none}[kind]
    return numba_kind


def is_convertible(kind: NumbaType, declared: NumbaType) -> bool:
    """Return whether a value of Numba type `kind` becomes one of type `declared` without losing its fraction."""
    from numba import types

    if isinstance(declared, types.BaseTuple):
        if not isinstance(kind, types.BaseTuple) or len(kind) != len(declared):
            return False
        return all(map(is_convertible, kind, declared))
    if declared == types.none:
        return bool(kind == types.none)
    allowed = (types.Integer, types.Boolean) + ((types.Float,) if declared == types.float64 else ())
    return bool(isinstance(kind, allowed))


def words_of(value: Value) -> Iterator[np.uint64]:
    """Yield the words of a value."""
    if isinstance(value, tuple):
        for part in value:
            yield from words_of(part)
    elif isinstance(value, float):
        yield np.uint64(ctypes.c_uint64.from_buffer(ctypes.c_double(value)).value)
    elif value is not None:
        yield np.uint64(int(value) % 2**64)


def value_from(kind: Kind, words: Iterator[np.uint64]) -> Value:
    """Return a value from its words."""
    if isinstance(kind, tuple):
        return tuple(value_from(part, words) for part in kind)
    if kind is None:
        return None
    word = next(words)
    if kind is float:
        return ctypes.c_double.from_buffer(ctypes.c_uint64(int(word))).value
    return word if kind is np.uint64 else ctypes.c_int64(int(word)).value
