"""Values of declared types: what does not fit is one line that says where.

`outflank.kinds` has what they are held against.

For what users pass to functions, and for the samples of experiments; `outflank.documents` says why not for documents.
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
from outflank.kinds import MOST_INTEGER, MOST_NUMBER, Between, Json, Kind, Misfit, Shape, in_words, shown, step_to

_HALF_LETTERS = re.compile("[\ud800-\udfff]")
"""What JSON can say and no file can hold."""

MOST_LEVELS = 32


# --- documents ---


def conform(kind: Kind, value: Any, place: str = "") -> Any:
    """The value, if it is of this kind: lists as tuples where those are meant, objects as the dataclasses they are of.

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
            raise Misfit.found(kind, value) from None  # which also tells how it is narrowed
        return narrowed(kind, checks, value)
    if origin in (Union, UnionType):
        return _one_of(kind, value)
    if origin is Literal:
        plain = python_number(value)
        if any(type(plain) is type(each) and plain == each for each in get_args(kind)):
            return plain
        raise Misfit.found(kind, value)
    if origin in (list, tuple):
        return _several(kind, value)
    if origin is dict or kind is dict:
        return _named(kind, value)
    if isinstance(kind, type) and is_dataclass(kind) and not isinstance(value, kind):
        return made(kind, value)
    if not isinstance(value, origin or kind):
        raise Misfit.found(kind, value)
    return value


def _within(step: str | int, kind: Kind, value: Any) -> Any:
    """What is one step into a document; where it does not fit, the error knows the step."""
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
    """Python's own number for one of NumPy's, or for any other that is equal to it; all else as it is.

    The others go where numbers go and then fail there: no lock waits for a `float32`, and no JSON holds one.
    """
    if type(value) in (*_SIMPLE, list, tuple, dict):
        return value  # as nearly all are
    if isinstance(value, Integral) and not isinstance(value, bool):
        return int(value)
    return float(value) if isinstance(value, Real) and not isinstance(value, Integral) else value


def _between(value: Any, kind: type, most: float) -> bool:
    # Compared, not converted: JSON has whole numbers that no float can hold. NaN is not between anything.
    return isinstance(value, kind) and not isinstance(value, bool) and -most <= value <= most  # type: ignore[operator]  # numbers are ordered


def _one_of(kind: Kind, value: Any) -> Any:
    options = get_args(kind)
    if type(value) in options and type(value) in _SIMPLE:
        with suppress(Misfit):  # what most values are, and the way that costs least
            return _simple(type(value), value)
    several = [option for option in options if option is not NoneType]
    for option in several:
        try:
            return _conformed(option, value)
        except Misfit as error:
            if error.place and len(several) == 1:  # what is wrong inside it says more than that it is wrong
                raise
    raise Misfit.found(kind, value)


def _shaped(shape: Shape, value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise Misfit.found(shape, value)
    missing = next((name for name in shape.names if name not in value), None)
    if missing is not None:
        raise Misfit(step_to(missing), f"expected {in_words(shape.names[missing])}, found nothing")
    found = {
        name: _within(name, shape.names.get(name, shape.optional.get(name, shape.others)), each)
        for name, each in _named(dict, value).items()
    }
    return found if shape.also is None else narrowed(shape, [shape.also], found)


def _named(kind: Kind, value: Any) -> dict[str, Any]:
    if not isinstance(value, dict) or not all(isinstance(name, str) for name in value):
        raise Misfit.found(kind, value)
    for name in value:
        _simple(str, name)
    of = (get_args(kind) or (str, Any))[1]
    return value if of is Any else {name: _within(name, of, each) for name, each in value.items()}


def _several(kind: Kind, value: Any) -> Any:
    if not isinstance(value, list | tuple):
        raise Misfit.found(kind, value)
    into: Any = get_origin(kind)
    kinds = get_args(kind)
    if into is list or kinds[-1] is Ellipsis:
        if kinds[0] is Any and isinstance(value, into):
            return value  # a named tuple stays one
        return into(_within(number, kinds[0], each) for number, each in enumerate(value))
    if len(value) != len(kinds):
        raise Misfit("", f"expected {len(kinds)} elements, found {len(value)}")
    return tuple(_within(number, *each) for number, each in enumerate(zip(kinds, value, strict=True)))


def _plain(value: Any, levels: int) -> Any:
    if not levels:
        raise Misfit("", f"expected at most {MOST_LEVELS} levels")
    if isinstance(value, dict):
        steps: Any = _named(dict, value).items()
    elif isinstance(value, list | tuple):
        steps = enumerate(value)
    else:
        return _one_of(int | float | str | bool | None, value)
    for step, each in steps:
        try:
            _plain(each, levels - 1)
        except Misfit as error:
            raise error.within(step_to(step)) from None
    return value


def narrowed(kind: Kind, checks: list[Any], value: Any) -> Any:
    """The value, if the checks of an annotated kind let it pass."""
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
def kinds_of(made_of: Any) -> dict[str, Kind]:
    """The kinds of a dataclass's fields, by name."""
    hints = get_type_hints(made_of, include_extras=True)
    return {each.name: hints[each.name] for each in fields(made_of)}


def made(of: type[T], value: Any) -> T:
    """The dataclass that an object is of; a name that it does not know is refused."""
    names: Any = of
    kinds = kinds_of(names)
    if not isinstance(value, dict):
        raise Misfit.found(of, value)
    unknown = next((name for name in value if name not in kinds), None)
    if unknown is not None:
        raise Misfit(step_to(unknown), f"unknown (known: {', '.join(kinds) or 'nothing'})")
    needed = {each.name for each in fields(names) if each.default is MISSING and each.default_factory is MISSING}
    conformed = _shaped(Shape({name: kinds[name] for name in kinds if name in needed}, optional=kinds), value)
    with _as_misfit():
        return of(**conformed)


def check_fields(instance: Any) -> None:
    """Refuse a dataclass whose fields are not of the kinds that they are annotated with; for its `__post_init__`."""
    for name, kind in kinds_of(instance.__class__).items():
        value = getattr(instance, name)
        try:
            fitting = _conformed(kind, value)
        except Misfit as error:
            if error.kind is None:
                why = error.why.partition(", found")[0]
            else:
                why = f"expected {in_words(error.kind, bool_='True or False', none='None')}"
            raise Misfit("", f"{name}{error.place}={shown(value)}: {why}") from None
        if fitting is not value:
            object.__setattr__(instance, name, fitting)
