"""Values of declared types: what does not fit is one line that says where.

A *kind* is what annotations are made of: `int`, `float | None`, `Literal["a", "b"]`, `tuple[int, ...]`, a dataclass, or
a `Shape`, which says what an object must hold. `Annotated[int, Between(1, 9)]` narrows one, and so does any function
there that raises an `OutflankError`. Numbers are finite, and of a size that sums and products of them are so too.

For what users pass to functions, and for the samples of experiments; `outflank.documents` says why not for documents.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from enum import EnumType
from functools import cache
from numbers import Integral, Real
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from outflank.errors import FormatError, OutflankError

Kind = Any

MOST_INTEGER = 2**63 - 1
MOST_NUMBER = 1e18

_HALF_LETTERS = re.compile("[\ud800-\udfff]")
"""What JSON can say and no file can hold."""


class Misfit(FormatError):
    """A value that is not of its kind: `place` within the whole says where, and the message what belongs there."""

    def __init__(self, place: str, why: str, kind: Kind = None) -> None:
        super().__init__(f"{place}: {why}" if place else why)
        self.place, self.why, self.kind = place, why, kind

    @classmethod
    def found(cls, kind: Kind, value: Any) -> "Misfit":
        """The error for a value where a `kind` is expected."""
        return cls("", f"expected {in_words(kind)}, found {shown(value)}", kind)

    def within(self, place: str) -> "Misfit":
        """The same error, of a value that is at `place` of a larger one."""
        return Misfit(_joined(place, self.place), self.why, self.kind)


@dataclass(frozen=True, slots=True)
class Between:
    """Narrows numbers, both ends included."""

    least: float
    most: float = MOST_NUMBER

    def __str__(self) -> str:
        if self.most >= MOST_NUMBER:
            return f"of at least {self.least:g}"
        return f"from {self.least:.15g} to {self.most:.15g}"


@dataclass(frozen=True, slots=True)
class Called:
    """Says what a kind is called, where what it is made of says too little."""

    words: str


@dataclass(frozen=True, slots=True, eq=False)
class Shape:
    """An object that has these names, each with its kind. What else it holds is of the kind `others`."""

    names: Mapping[str, Kind]
    others: Kind = Any
    optional: Mapping[str, Kind] = field(default_factory=dict)
    """Names that it may have."""
    also: Callable[[dict[str, Any]], None] | None = None
    """Raises an `OutflankError` where what it holds does not go together."""


class Json:
    """A kind: whatever a document can hold, in so many levels that whoever walks through it comes back."""


MOST_LEVELS = 32


Count = Annotated[int, Between(0)]
"""How many there are of something."""
Several = Annotated[int, Between(1)]
"""One at least."""
Duration = Annotated[float, Between(0.0, 1e12)]
Measured = Annotated[float, Between(1e-9, 1e12)]
"""A time, or a rate, that something may be divided by."""


# --- documents ---


def conform(kind: Kind, value: Any, place: str = "") -> Any:
    """The value, if it is of this kind: lists as tuples where those are meant, objects as the dataclasses they are of.

    >>> conform(tuple[int, ...], [1, 2])
    (1, 2)
    >>> conform(Shape({"games": list[int]}), {"games": [1, "x"]})
    Traceback (most recent call last):
    ...
    outflank.schema.Misfit: games[1]: expected a whole number, found 'x'
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
        raise error.within(_step(step)) from None


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
        raise Misfit(_step(missing), f"expected {in_words(shape.names[missing])}, found nothing")
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
            raise error.within(_step(step)) from None
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


def _step(name: str | int) -> str:
    if isinstance(name, int):
        return f"[{name}]"
    return name if re.fullmatch(r"[A-Za-z_]\w{0,60}", name, re.ASCII) else f"[{shown(name)}]"


def _joined(place: str, inner: str) -> str:
    return f"{place}.{inner}" if place and inner and not inner.startswith("[") else place + inner


# --- dataclasses ---

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
        raise Misfit(_step(unknown), f"unknown (known: {', '.join(kinds) or 'nothing'})")
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


# --- in words ---


def in_words(kind: Kind, *, bool_: str = "true or false", none: str = "nothing (null)") -> str:
    """A kind, for people."""
    origin: Any = get_origin(kind)
    if origin is Annotated:
        inner, *checks = get_args(kind)
        called = next((check.words for check in checks if isinstance(check, Called)), None)
        if called is not None:
            return called
        narrower = "".join(f" {check}" for check in map(_bounds, checks) if check is not None)
        return in_words(inner, bool_=bool_, none=none) + narrower
    if origin in (Union, UnionType):
        options = sorted(get_args(kind), key=lambda each: each is NoneType)
        said = dict.fromkeys(in_words(each, bool_=bool_, none=none) for each in options if each is not Any)
        return " or ".join(said)
    if origin is Literal:
        return _listed([str(each) for each in get_args(kind)])
    if isinstance(kind, Shape) or origin is dict or kind is dict or is_dataclass(kind):
        return "an object"
    if hasattr(kind, "__struct_fields__"):  # msgspec's
        return "an object"
    if origin in (list, tuple):
        return "a list"
    if isinstance(kind, EnumType):
        members: dict[str, Any] = dict(kind.__members__)
        return _listed([str(each.value) for each in members.values()])
    simple: dict[Any, str] = {
        int: "a whole number",
        float: "a number",
        str: "text",
        bool: bool_,
        NoneType: none,
        None: none,
    }
    return simple.get(kind) or str(getattr(kind, "__name__", kind))


def _bounds(check: Any) -> Between | None:
    """How a check narrows numbers; msgspec's `Meta`, of documents, does so too."""
    least = getattr(check, "ge", None)
    if least is not None:
        return Between(least, MOST_NUMBER if check.le is None else check.le)
    return check if isinstance(check, Between) else None


def _listed(words: list[str]) -> str:
    if len(words) > 12:
        words = [*words[:11], "…"]
    return f"one of {', '.join(words)}" if len(words) > 1 else "".join(words)


def shown(value: Any, most: int = 40) -> str:
    """A value as an error shows it: in one line, and not all of a large one."""
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list | tuple):
        return "a list"
    if isinstance(value, int) and not isinstance(value, bool) and value.bit_length() > 128:
        return "a number of more digits than are read"
    text = repr(value if not isinstance(value, str) else value[: most + 1])
    return text if len(text) <= most + 2 else f"{text[:most]}…"
