"""Values of declared types: a value that does not fit gives a one-line error that says where.

Values are checked against the kinds of `outflank.kinds`.

Used for the arguments of functions, and for the samples of experiments; `outflank.documents` says why not for
documents.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from numbers import Integral, Real
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from outflank.errors import OutflankError
from outflank.kinds import MOST_INTEGER, MOST_NUMBER, Between, Json, Kind, Misfit, Shape, excerpt, in_words, step_to

_HALF_LETTERS = re.compile("[\ud800-\udfff]")
"""Lone surrogates, which JSON can express and no file can hold."""

MOST_LEVELS = 32


# --- documents ---


def conform(kind: Kind, value: Any, place: str = "") -> Any:
    """Return the value if it is of this kind, lists converted to tuples and objects to dataclasses where expected.

    >>> conform(tuple[int, ...], [1, 2])
    (1, 2)
    >>> conform(Shape({"games": list[int]}), {"games": [1, "x"]})
    Traceback (most recent call last):
    ...
    outflank.kinds.Misfit: games[1]: expected a whole number, found 'x'
    """
    try:
        return _conformed(kind, value)
    except Misfit as error:
        raise error.within(place) from None


def _conformed(kind: Kind, value: Any) -> Any:
    if kind in _SIMPLE:
        return _simple(kind, value)
    if kind is Any:
        return value
    if kind is Json:
        return _plain(value, MOST_LEVELS)
    if isinstance(kind, Shape):
        return _shaped(kind, value)
    origin: Any = get_origin(kind)
    if origin is Annotated:
        inner, *checks = get_args(kind)
        try:
            value = _conformed(inner, value)
        except Misfit as error:
            if error.place:
                raise
            raise Misfit.found(kind, value) from None  # names the narrowing as well
        return apply_checks(kind, checks, value)
    if origin in (Union, UnionType):
        return _one_of(kind, value)
    if origin is Literal:
        plain = python_number(value)
        if any(type(plain) is type(choice) and plain == choice for choice in get_args(kind)):
            return plain
        raise Misfit.found(kind, value)
    if origin in (list, tuple):
        return _several(kind, value)
    if origin is dict or kind is dict:
        return _named(kind, value)
    if isinstance(kind, type) and is_dataclass(kind) and not isinstance(value, kind):
        return make_instance(kind, value)
    if not isinstance(value, origin or kind):
        raise Misfit.found(kind, value)
    return value


def _within(step: str | int, kind: Kind, value: Any) -> Any:
    """Return the value one step into a document; an error includes the step."""
    try:
        return _conformed(kind, value)
    except Misfit as error:
        raise error.within(step_to(step)) from None


_SIMPLE = (int, float, str, bool, NoneType)


def _simple(kind: Kind, value: Any) -> Any:
    value = python_number(value)
    if kind is bool:
        fits = isinstance(value, bool) or type(value).__name__ in ("bool_", "bool")  # NumPy's
    elif kind is int:
        fits = _between(value, Integral, MOST_INTEGER)
    elif kind is float:
        fits = _between(value, Real, MOST_NUMBER)
    elif kind is str:
        fits = isinstance(value, str) and not _HALF_LETTERS.search(value)
    else:
        fits = value is None
    if not fits:
        raise Misfit.found(kind, value)
    return bool(value) if kind is bool else value


def python_number(value: Any) -> Any:
    """Return Python's own number for a NumPy number or any equal one; other values as they are.

    Other numbers are accepted at first and fail later: no lock waits for a `float32`, and no JSON holds one.
    """
    if type(value) in (*_SIMPLE, list, tuple, dict):
        return value  # the usual case
    if isinstance(value, Integral) and not isinstance(value, bool):
        return int(value)
    return float(value) if isinstance(value, Real) and not isinstance(value, Integral) else value


def _between(value: Any, kind: type, most: float) -> bool:
    # Compared, not converted: JSON has whole numbers that no float can hold. Comparisons with NaN are false.
    return isinstance(value, kind) and not isinstance(value, bool) and -most <= value <= most  # type: ignore[operator]  # numbers are ordered


def _one_of(kind: Kind, value: Any) -> Any:
    options = get_args(kind)
    if type(value) in options and type(value) in _SIMPLE:
        with suppress(Misfit):  # the usual case, and the cheapest
            return _simple(type(value), value)
    several = [option for option in options if option is not NoneType]
    for option in several:
        try:
            return _conformed(option, value)
        except Misfit as error:
            if error.place and len(several) == 1:  # an error inside the value says more than one about the whole
                raise
    raise Misfit.found(kind, value)


def _shaped(shape: Shape, value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise Misfit.found(shape, value)
    missing = next((name for name in shape.names if name not in value), None)
    if missing is not None:
        raise Misfit(step_to(missing), f"expected {in_words(shape.names[missing])}, found nothing")
    conformed = {
        name: _within(name, shape.names.get(name, shape.optional.get(name, shape.others)), item)
        for name, item in _named(dict, value).items()
    }
    return conformed if shape.also is None else apply_checks(shape, [shape.also], conformed)


def _named(kind: Kind, value: Any) -> dict[str, Any]:
    if not isinstance(value, dict) or not all(isinstance(name, str) for name in value):
        raise Misfit.found(kind, value)
    for name in value:
        _simple(str, name)
    item_kind = (get_args(kind) or (str, Any))[1]
    return value if item_kind is Any else {name: _within(name, item_kind, item) for name, item in value.items()}


def _several(kind: Kind, value: Any) -> Any:
    if not isinstance(value, list | tuple):
        raise Misfit.found(kind, value)
    container: Any = get_origin(kind)
    kinds = get_args(kind)
    if container is list or kinds[-1] is Ellipsis:
        if kinds[0] is Any and isinstance(value, container):
            return value  # a named tuple stays one
        return container(_within(number, kinds[0], item) for number, item in enumerate(value))
    if len(value) != len(kinds):
        raise Misfit("", f"expected {len(kinds)} elements, found {len(value)}")
    return tuple(_within(number, *pair) for number, pair in enumerate(zip(kinds, value, strict=True)))


def _plain(value: Any, levels: int) -> Any:
    if not levels:
        raise Misfit("", f"expected at most {MOST_LEVELS} levels")
    if isinstance(value, dict):
        steps: Any = _named(dict, value).items()
    elif isinstance(value, list | tuple):
        steps = enumerate(value)
    else:
        return _one_of(int | float | str | bool | None, value)
    for step, item in steps:
        try:
            _plain(item, levels - 1)
        except Misfit as error:
            raise error.within(step_to(step)) from None
    return value


def apply_checks(kind: Kind, checks: list[Any], value: Any) -> Any:
    """Return the value if the checks of an annotated kind accept it."""
    for check in checks:
        if isinstance(check, Between):
            if not check.least <= value <= check.most:
                raise Misfit.found(kind, value)
        elif callable(check):
            with _as_misfit():
                check(value)
    return value


@contextmanager
def _as_misfit() -> Iterator[None]:
    try:
        yield
    except Misfit:
        raise
    except OutflankError as error:
        raise Misfit("", str(error)) from None


T = TypeVar("T")


@cache
def kinds_of(cls: Any) -> dict[str, Kind]:
    """Return the kinds of a dataclass's fields, by name."""
    hints = get_type_hints(cls, include_extras=True)
    return {field.name: hints[field.name] for field in fields(cls)}


def make_instance(cls: type[T], value: Any) -> T:
    """Return the dataclass instance that an object describes; an unknown name is an error."""
    names: Any = cls
    kinds = kinds_of(names)
    if not isinstance(value, dict):
        raise Misfit.found(cls, value)
    unknown = next((name for name in value if name not in kinds), None)
    if unknown is not None:
        raise Misfit(step_to(unknown), f"unknown (known: {', '.join(kinds) or 'nothing'})")
    needed = {field.name for field in fields(names) if field.default is MISSING and field.default_factory is MISSING}
    conformed = _shaped(Shape({name: kinds[name] for name in kinds if name in needed}, optional=kinds), value)
    with _as_misfit():
        return cls(**conformed)


def check_fields(instance: Any) -> None:
    """Raise an error if a field of a dataclass is not of its annotated kind; for its `__post_init__`."""
    for name, kind in kinds_of(instance.__class__).items():
        value = getattr(instance, name)
        try:
            conformed = _conformed(kind, value)
        except Misfit as error:
            if error.kind is None:
                reason = error.why.partition(", found")[0]
            else:
                reason = f"expected {in_words(error.kind, bool_='True or False', none='None')}"
            raise Misfit("", f"{name}{error.place}={excerpt(value)}: {reason}") from None
        if conformed is not value:
            object.__setattr__(instance, name, conformed)
