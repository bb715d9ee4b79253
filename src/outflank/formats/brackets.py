"""Games in brackets, `(;GM[…]B[f5]W[d6];)`: their properties, whatever game they are of, and what stands with moves."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from outflank.errors import FormatError
from outflank.formats.fields import read_number

_space = re.compile(r"\s*")
_item = re.compile(r"\s*+(?:([;(])|([A-Za-z]++)\s*+((?:\[(?:\\.|[^\]\\])*+\]\s*+)++))", re.DOTALL)
_value = re.compile(r"\s*+\[((?:\\.|[^\]\\])*+)\]", re.DOTALL)


class Property(NamedTuple):
    """A name with its values."""

    name: str
    values: list[str]
    place: int
    """Where the first value is in the text."""
    node: int
    """The number of the node it belongs to."""


def read_properties(text: str) -> Iterator[Property]:
    """The properties of the main line, which ends at the first closing parenthesis."""
    place = node = 0
    while place < len(text):
        found = _item.match(text, place)
        if found is None:
            where = _space.match(text, place).end()  # type: ignore[union-attr]  # it matches anywhere
            if where == len(text) or text[where] == ")":
                return
            raise FormatError.at("game in brackets", text, where, "a property like B[f5]")
        if found[2]:
            values = _values(found[3])
            if "\\" in found[3]:
                values = [re.sub(r"\\(.)", r"\1", value) for value in values]
            yield Property(found[2].upper(), values, found.start(3) + 1, node)
        node += found[1] == ";"
        place = found.end()


def _values(text: str) -> list[str]:
    """The texts between the brackets of one property."""
    values, found = [], _value.match(text)
    while found is not None:
        values.append(found[1])
        found = _value.match(text, found.end())
    return values


def read_remarks(text: str) -> tuple[float | None, float | None]:
    """The value and the seconds of a move's text, `F5/eval/time`."""
    _, given, remarks = text.partition("/")
    if not given:
        return None, None
    value, _, time = remarks.partition("/")
    minutes, _, seconds = time.strip().rpartition(":")
    spent = read_number(seconds)
    if spent is not None and minutes:
        whole = read_number(minutes)
        spent = None if whole is None else 60 * whole + spent
    return read_number(value), spent
