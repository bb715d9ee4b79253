"""Checks that values are of declared types; a wrong value raises a one-line error with the place.

A *kind* is an annotation: `int`, `float | None`, `Literal["a", "b"]`, `tuple[int, ...]`, a dataclass, or a `Shape`,
which lists the names in an object. `Annotated[int, Between(1, 9)]` narrows a kind; instead of `Between` it may have a
function that raises an `OutflankError`. Numbers must be finite, and small enough that sums and products are finite.

The arguments of functions and the samples of experiments are checked here. msgspec, which reads documents, is not used
for them: its import would delay every search by 15 ms, and it cannot handle NumPy's numbers, functions that check a
value, or kinds that depend on other values.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from enum import EnumType
from functools import cache
from numbers import Integral, Real
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from outflank.errors import FormatError, OutflankError

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Kind = object
Step = str | int | None
"""A step into a nested value: the name or the index of an element, or None if it is not known."""

MOST_INTEGER = 2**63 - 1
MOST_NUMBER = 1e18
MOST_JSON_LEVELS = 32
"""Limit on the nesting of objects and lists in a document's field that may hold any JSON."""

_SIMPLE = (int, float, str, bool, NoneType)
_HALF_LETTERS = re.compile("[\ud800-\udfff]")
"""Pattern of lone surrogates, which JSON can express but UTF-8 files cannot."""

IN_JSON = {bool: "true or false", NoneType: "nothing (null)"}
IN_PYTHON = {bool: "True or False", NoneType: "None"}
IN_TEXT = {bool: "yes or no", NoneType: "none"}


class Misfit(FormatError):
    """A value is not of the expected kind. `place` says where in the whole value; the message says what is expected."""

    def __init__(self, place: str, reason: str, kind: Kind = None) -> None:
        super().__init__(f"{place}: {reason}" if place else reason)
        self.place, self.why, self.kind = place, reason, kind

    @classmethod
    def of(cls, kind: Kind, value: object) -> "Misfit":
        """Return the error for a `value` that is not of the expected `kind`."""
        return cls("", f"expected {in_words(kind)}, found {excerpt(value)}", kind)

    def within(self, *steps: Step) -> "Misfit":
        """Return the same error for a larger value, in which `steps` lead to the wrong value."""
        place = self.place
        for step in reversed(steps):
            place = f"{_step_text(step)}{'.' if place and not place.startswith('[') else ''}{place}"
        return Misfit(place, self.why, self.kind)


def _step_text(step: Step) -> str:
    if isinstance(step, str):
        return step if re.fullmatch(r"[A-Za-z_]\w{0,60}", step, re.ASCII) else f"[{excerpt(step)}]"
    return "[…]" if step is None else f"[{step}]"


@dataclass(frozen=True, slots=True)
class Between:
    """Narrows a kind of number to a range, both ends included. Documents use msgspec's `Meta` instead."""

    least: float
    most: float = MOST_NUMBER


@dataclass(frozen=True, slots=True)
class Called:
    """Gives an `Annotated` kind its name in messages."""

    words: str


@dataclass(frozen=True, slots=True, eq=False)
class Shape:
    """The kind of an object that has all `names`, each with its kind. Its other items are of the kind `others`."""

    names: Mapping[str, Kind]
    others: Kind = Any
    optional: Mapping[str, Kind] = field(default_factory=dict)
    """Names that the object may have, each with its kind."""
    also: Callable[[dict[str, Any]], None] | None = None
    """Function that raises an `OutflankError` if the values contradict each other."""


@cache
def kinds_of(cls: "type[DataclassInstance]") -> dict[str, Kind]:
    """Return the kinds of a dataclass's fields, by name."""
    hints = get_type_hints(cls, include_extras=True)
    return {part.name: hints[part.name] for part in fields(cls)}


@cache
def _checks_of(cls: "type[DataclassInstance]") -> dict[str, tuple[Kind, object, frozenset[type]]]:
    """Return, for each field of a dataclass: its kind, its default, and the types whose values always fit the kind.

    Switches and options that have their default values need no check, and most options of a search are of this sort. To
    check all options took a quarter of the time that a search spends outside the tree.
    """
    defaults = {part.name: part.default for part in fields(cls)}
    return {name: (kind, defaults[name], _fitting_types(kind)) for name, kind in kinds_of(cls).items()}


def _fitting_types(kind: Kind) -> frozenset[type]:
    origin, arguments = parts_of(kind)
    if origin is Union:
        return frozenset().union(*map(_fitting_types, arguments))
    if isinstance(kind, type) and (kind in (NoneType, bool) or is_dataclass(kind)):
        return frozenset({kind})
    return frozenset()


def parts_of(kind: Kind) -> tuple[Any, tuple[Any, ...]]:
    """Return the origin of a kind (`Annotated`, `Union`, `tuple`, …; None for a plain type), and its arguments."""
    origin = get_origin(kind)
    return Union if origin is UnionType else origin, get_args(kind)


def _range(check: object) -> tuple[float, float] | None:
    """Return the ends of a `Between`, or the `ge` and `le` of msgspec's `Meta`; None if `check` is neither."""
    if isinstance(check, Between):
        return check.least, check.most
    least, most = getattr(check, "ge", None), getattr(check, "le", None)
    return None if least is None else (least, MOST_NUMBER if most is None else most)


def kind_at(kind: Kind, steps: Sequence[Any]) -> Kind:
    """Return the kind of the element to which `steps` lead in a document; raise a `LookupError` if there is none."""
    if not steps:
        return kind
    origin, arguments = parts_of(kind)
    step, *rest = steps
    if origin is Union:
        for option in arguments:
            with suppress(LookupError):
                return kind_at(option, steps)
        raise LookupError(step)
    if origin is Annotated:
        return kind_at(arguments[0], steps)
    if origin is None:
        return kind_at(get_type_hints(kind, include_extras=True)[str(step)], rest)
    if origin is tuple and arguments[-1] is not Ellipsis:
        return kind_at(arguments[step], rest)
    return kind_at(arguments[1] if origin is dict else arguments[0], rest)


# --- checking ---


def check_fields(instance: "DataclassInstance") -> None:
    """Convert the fields of a dataclass to their annotated kinds, or raise a `Misfit`; called by `__post_init__`."""
    for name, (kind, default, fitting) in _checks_of(instance.__class__).items():
        value = getattr(instance, name)
        if value is default or type(value) in fitting:
            continue
        try:
            conformed = conform(kind, value)
        except Misfit as error:
            expected = f"expected {in_words(error.kind, IN_PYTHON)}"
            reason = error.why.partition(", found")[0] if error.kind is None else expected
            raise Misfit("", f"{name}{error.place}={excerpt(value)}: {reason}") from None
        if conformed is not value:
            object.__setattr__(instance, name, conformed)


def conform(kind: Kind, value: object, *place: Step) -> Any:
    """Return `value` as this kind, or raise a `Misfit` at `place`. A list may become a tuple, and an object may become
    a dataclass.

    >>> conform(tuple[int, ...], [1, 2])
    (1, 2)
    >>> conform(Shape({"games": list[int]}), {"games": [1, "x"]})
    Traceback (most recent call last):
    ...
    outflank.validation.values.Misfit: games[1]: expected a whole number, found 'x'
    """
    try:
        return _conformed(kind, value)
    except Misfit as error:
        raise error.within(*place) from None
    except OutflankError as error:  # raised by a function that narrows the kind, or by a class
        raise Misfit("", str(error)).within(*place) from error


def _conformed(kind: Kind, value: object) -> object:
    if kind in _SIMPLE:
        return _simple(kind, value)
    if kind is Any:
        return value
    if isinstance(kind, Shape):
        return _shaped(kind, value)
    origin, arguments = parts_of(kind)
    plain_type: Any = origin or kind
    if origin is Annotated:
        return _narrowed(kind, value)
    if origin is Union:
        return _one_of(kind, value)
    if origin in (list, tuple):
        return _several(kind, value)
    if plain_type is dict:
        items, (_, item_kind) = _object(kind, value), arguments or (str, Any)
        return items if item_kind is Any else {name: conform(item_kind, item, name) for name, item in items.items()}
    if origin is Literal:
        value = python_number(value)
        fits = any(type(value) is type(choice) and value == choice for choice in arguments)
    else:
        fits = isinstance(value, plain_type)
        if not fits and isinstance(kind, type) and is_dataclass(kind):
            return _instance(kind, value)
    if not fits:
        raise Misfit.of(kind, value)
    return value


def _simple(kind: Kind, value: object) -> object:
    value = python_number(value)
    if isinstance(value, str):
        fits = kind is str and not _HALF_LETTERS.search(value)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        # Compared, not converted: JSON has whole numbers that no float can hold. Comparisons with NaN are false.
        most = MOST_INTEGER if kind is int else MOST_NUMBER
        fits = kind in (float, type(value)) and -most <= value <= most
    else:
        fits = type(value) is kind
    if not fits:
        raise Misfit.of(kind, value)
    return value


def python_number(value: object) -> object:
    """Return numbers and truth values of NumPy and other libraries as Python's own; other values unchanged.

    Without this, they would fail later: neither a lock's timeout nor JSON accepts a `float32`.
    """
    if type(value) in (*_SIMPLE, list, tuple, dict):
        return value  # the usual case
    if isinstance(value, Real):
        return int(value) if isinstance(value, Integral) else float(value)
    return bool(value) if type(value).__name__ in ("bool_", "bool") else value  # NumPy's bool


def _narrowed(kind: Kind, value: object) -> object:
    inner, *checks = get_args(kind)
    try:
        conformed = conform(inner, value)
    except Misfit as error:
        if error.place:
            raise
        raise Misfit.of(kind, value) from None  # this message includes the narrowing
    for check in checks:
        if callable(check):
            check(conformed)
        elif (ends := _range(check)) and not ends[0] <= conformed <= ends[1]:
            raise Misfit.of(kind, conformed)
    return conformed


def _one_of(kind: Kind, value: object) -> object:
    options = get_args(kind)
    if type(value) in options and type(value) in _SIMPLE:
        with suppress(Misfit):  # the usual case, and the cheapest
            return _simple(type(value), value)
    for option in options:
        try:
            return conform(option, value)
        except Misfit as error:
            # An error about an element is more precise than one about the whole value.
            if error.place and len(options) - (NoneType in options) == 1:
                raise
    raise Misfit.of(kind, value)


def _several(kind: Kind, value: object) -> object:
    if not isinstance(value, list | tuple):
        raise Misfit.of(kind, value)
    container, kinds = parts_of(kind)
    if container is list or kinds[-1] is Ellipsis:
        if kinds[0] is Any and isinstance(value, container):
            return value  # a named tuple remains a named tuple
        kinds = (kinds[0],) * len(value)
    if len(value) != len(kinds):
        raise Misfit("", f"expected {len(kinds)} elements, found {len(value)}")
    return container(conform(kinds[number], item, number) for number, item in enumerate(value))


def _object(kind: Kind, value: object) -> dict[str, object]:
    if not isinstance(value, dict):
        raise Misfit.of(kind, value)
    for name in value:
        _simple(str, name)
    return value


def _shaped(shape: Shape, value: object) -> dict[str, object]:
    items = _object(shape, value)
    for name, kind in shape.names.items():
        if name not in items:
            raise Misfit("", f"expected {in_words(kind)}, found nothing").within(name)
    kinds = {**shape.optional, **shape.names}
    conformed = {name: conform(kinds.get(name, shape.others), item, name) for name, item in items.items()}
    if shape.also is not None:
        shape.also(conformed)
    return conformed


def _instance(cls: "type[DataclassInstance]", value: object) -> object:
    kinds = kinds_of(cls)
    for name in _object(cls, value):
        if name not in kinds:
            raise Misfit("", f"unknown (known: {', '.join(kinds) or 'nothing'})").within(name)
    optional = {part.name for part in fields(cls) if part.default is not MISSING or part.default_factory is not MISSING}
    needed = {name: kind for name, kind in kinds.items() if name not in optional}
    return cls(**_shaped(Shape(needed, optional=kinds), value))


def check_json(value: object, *place: Step) -> None:
    """Raise a `Misfit` if JSON cannot express the value, or if it has more than `MOST_JSON_LEVELS` levels."""
    if len(place) > MOST_JSON_LEVELS:
        raise Misfit("", f"expected at most {MOST_JSON_LEVELS} levels").within(*place)
    if isinstance(value, dict | list | tuple):
        for step, item in conform(dict, value, *place).items() if isinstance(value, dict) else enumerate(value):
            check_json(item, *place, step)
    else:
        conform(int | float | str | bool | None, value, *place)


# --- in words ---


def in_words(kind: Kind, spelling: Mapping[object, str] = IN_JSON) -> str:
    """Return a kind in words for messages, with the words of `spelling` for bool and None."""
    origin, arguments = parts_of(kind)
    if origin is Annotated:
        words = in_words(arguments[0], spelling)
        for check in arguments[1:]:
            if isinstance(check, Called):
                return check.words
            if ends := _range(check):
                least, most = ends
                words += f" of at least {least:g}" if most >= MOST_NUMBER else f" from {least:.15g} to {most:.15g}"
            if (longest := getattr(check, "max_length", None)) is not None:  # of msgspec's `Meta`
                shortest = getattr(check, "min_length", None)
                words += f" of {shortest} to {longest} characters" if shortest else f" of at most {longest} characters"
        return words
    if origin is Union:
        options = sorted(arguments, key=lambda option: option is NoneType)
        return " or ".join(dict.fromkeys(in_words(option, spelling) for option in options if option is not Any))
    if origin is Literal or isinstance(kind, EnumType):
        members: Mapping[str, Any] = getattr(kind, "__members__", {})
        choices = [str(choice) for choice in arguments or (member.value for member in members.values())]
        shown = choices if len(choices) <= 12 else [*choices[:11], "…"]
        return f"one of {', '.join(shown)}" if len(shown) > 1 else "".join(shown)
    if origin in (list, tuple):
        return "a list" if origin is list or ... in arguments else f"a list of {len(arguments)}"
    is_struct = hasattr(kind, "__struct_fields__")  # msgspec's
    if isinstance(kind, Shape) or dict in (kind, origin) or is_dataclass(kind) or is_struct:
        return "an object"
    simple: dict[object, str] = {int: "a whole number", float: "a number", str: "text", **spelling}
    return simple.get(kind) or str(getattr(kind, "__name__", kind))


def excerpt(value: object, most: int = 40) -> str:
    """Return a value as one line for a message, shortened to about `most` characters."""
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list | tuple):
        return "a list"
    if isinstance(value, int) and not isinstance(value, bool) and value.bit_length() > 128:
        return "a number of more digits than are read"
    text = repr(value if not isinstance(value, str) else value[: most + 1])
    return text if len(text) <= most + 2 else f"{text[:most]}…"
