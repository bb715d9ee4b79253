"""Kinds of values: their names in messages, and the error of a value that does not fit its kind.

`schema` checks values against kinds. A *kind* is an annotation: `int`, `float | None`, `Literal["a", "b"]`,
`tuple[int, ...]`, a dataclass, or a `Shape`, which says what an object must hold. `Annotated[int, Between(1, 9)]`
narrows a kind, and so does any function in its place that raises an `OutflankError`. Numbers are finite, and small
enough that their sums and products are so too.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, is_dataclass
from enum import EnumType
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from outflank.errors import FormatError

Kind = Any

MOST_INTEGER = 2**63 - 1
MOST_NUMBER = 1e18


class Misfit(FormatError):
    """A value that is not of its kind: `place` says where within the whole, and the message what belongs there."""

    def __init__(self, place: str, reason: str, kind: Kind = None) -> None:
        super().__init__(f"{place}: {reason}" if place else reason)
        self.place, self.why, self.kind = place, reason, kind

    @classmethod
    def found(cls, kind: Kind, value: Any) -> "Misfit":
        """Return the error for a value where a `kind` is expected."""
        return cls("", f"expected {in_words(kind)}, found {excerpt(value)}", kind)

    def within(self, place: str) -> "Misfit":
        """Return the same error for a value at `place` of a larger one."""
        return Misfit(join_places(place, self.place), self.why, self.kind)


@dataclass(frozen=True, slots=True)
class Between:
    """Narrows numbers to a range, both ends included."""

    least: float
    most: float = MOST_NUMBER

    def __str__(self) -> str:
        if self.most >= MOST_NUMBER:
            return f"of at least {self.least:g}"
        return f"from {self.least:.15g} to {self.most:.15g}"


@dataclass(frozen=True, slots=True)
class Called:
    """Names a kind in messages, if its own name says too little."""

    words: str


@dataclass(frozen=True, slots=True, eq=False)
class Shape:
    """An object that has these names, each with its kind. Anything else in it is of the kind `others`."""

    names: Mapping[str, Kind]
    others: Kind = Any
    optional: Mapping[str, Kind] = field(default_factory=dict)
    """Names that the object may have."""
    also: Callable[[dict[str, Any]], None] | None = None
    """Raises an `OutflankError` if the values do not go together."""


class Json:
    """A kind: any value that a document can hold, with a limited number of levels, so that recursion ends."""


Count = Annotated[int, Between(0)]
"""A number of things."""
Several = Annotated[int, Between(1)]
"""A number of at least 1."""
Duration = Annotated[float, Between(0.0, 1e12)]
Measured = Annotated[float, Between(1e-9, 1e12)]
"""A time or a rate that can be divided by."""


def step_to(name: str | int) -> str:
    """Return one step into a value, as places are written."""
    if isinstance(name, int):
        return f"[{name}]"
    return name if re.fullmatch(r"[A-Za-z_]\w{0,60}", name, re.ASCII) else f"[{excerpt(name)}]"


def join_places(place: str, inner: str) -> str:
    """Return a place within a place."""
    return f"{place}.{inner}" if place and inner and not inner.startswith("[") else place + inner


# --- dataclasses ---


# --- in words ---


def in_words(kind: Kind, *, bool_: str = "true or false", none: str = "nothing (null)") -> str:
    """Return a kind in words, for people."""
    origin: Any = get_origin(kind)
    if origin is Annotated:
        inner, *checks = get_args(kind)
        name = next((check.words for check in checks if isinstance(check, Called)), None)
        if name is not None:
            return name
        narrower = "".join(f" {check}" for check in map(_bounds, checks) if check is not None)
        return in_words(inner, bool_=bool_, none=none) + narrower
    if origin in (Union, UnionType):
        options = sorted(get_args(kind), key=lambda option: option is NoneType)
        texts = dict.fromkeys(in_words(option, bool_=bool_, none=none) for option in options if option is not Any)
        return " or ".join(texts)
    if origin is Literal:
        return _listed([str(value) for value in get_args(kind)])
    if isinstance(kind, Shape) or origin is dict or kind is dict or is_dataclass(kind):
        return "an object"
    if hasattr(kind, "__struct_fields__"):  # msgspec's
        return "an object"
    if origin is tuple and ... not in get_args(kind):
        return f"a list of {len(get_args(kind))}"
    if origin in (list, tuple):
        return "a list"
    if isinstance(kind, EnumType):
        members: dict[str, Any] = dict(kind.__members__)
        return _listed([str(member.value) for member in members.values()])
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
    """Return the range of a check, if it narrows numbers; documents use msgspec's `Meta` for that."""
    least = getattr(check, "ge", None)
    if least is not None:
        return Between(least, MOST_NUMBER if check.le is None else check.le)
    return check if isinstance(check, Between) else None


def _listed(words: list[str]) -> str:
    if len(words) > 12:
        words = [*words[:11], "…"]
    return f"one of {', '.join(words)}" if len(words) > 1 else "".join(words)


def excerpt(value: Any, most: int = 40) -> str:
    """Return a value for a message: in one line, shortened if it is long."""
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list | tuple):
        return "a list"
    if isinstance(value, int) and not isinstance(value, bool) and value.bit_length() > 128:
        return "a number of more digits than are read"
    text = repr(value if not isinstance(value, str) else value[: most + 1])
    return text if len(text) <= most + 2 else f"{text[:most]}…"
