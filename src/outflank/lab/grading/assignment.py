"""Assignments of the course: the names that a submission must define, and checks with points."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any, TypeAlias

import numpy as np

Program: TypeAlias = Any
"""The imported module of a submission."""


class Wrong(Exception):
    """The submission does not pass a check. The message is the feedback for its author."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One check of an assignment."""

    name: str
    points: int
    run: Callable[[Program, int], str]
    """Function of the submission and a seed for random positions. It returns a description of what was checked, or
    raises `Wrong`."""
    compiled: bool = False
    """Whether the check needs compiled kernels; all other checks run in the interpreter."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """One assignment of the course."""

    title: str
    required: tuple[str, ...]
    """Names that a submission must define."""
    checks: tuple[Check, ...]

    def missing_names(self, program: ModuleType) -> list[str]:
        """Return the required names that a submission does not define."""
        return [name for name in self.required if not hasattr(program, name)]


def integer(value: object, what: str) -> int:
    """Return `value`, which a submission has returned, as an `int`; raise `Wrong` unless it is a whole number."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | np.integer):
        raise Wrong(f"{what} returns {value!r}, which is no whole number")
    return int(value)


def tuple_of(value: object, length: int, what: str) -> tuple[Any, ...]:
    """Return `value`, which a submission has returned; raise `Wrong` unless it is a tuple of `length` elements."""
    if not isinstance(value, tuple) or len(value) != length:
        raise Wrong(f"{what} returns {value!r}, and not a tuple of {length}")
    return value


def expect_equal(value: object, expected: int, what: str) -> None:
    """Raise `Wrong` unless a whole number has the expected value."""
    number = integer(value, what)
    if number != expected:
        raise Wrong(f"{what} is {number:,}, and {expected:,} is right")


def expect_same(values: Sequence[object] | Iterable[object], what: str) -> None:
    """Raise `Wrong` if values that have to be equal differ."""
    different = list(dict.fromkeys(values))
    if len(different) > 1:
        raise Wrong(f"{what}: {different[0]!r} and {different[1]!r} in two runs that have to agree")
