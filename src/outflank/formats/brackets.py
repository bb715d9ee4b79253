"""Reads properties of games in GGF and SGF, such as `(;GM[…]B[f5]W[d6];)`, and the values and times of their moves."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from outflank.errors import FormatError
from outflank.formats.fields import read_number

_space = re.compile(r"\s*")
_item = re.compile(r"\s*+(?:([;(])|([A-Za-z]++)\s*+((?:\[(?:\\.|[^\]\\])*+\]\s*+)++))", re.DOTALL)
_value = re.compile(r"\s*+\[((?:\\.|[^\]\\])*+)\]", re.DOTALL)


class Property(NamedTuple):
    """A property of a game in GGF or SGF: a name with its values."""

    name: str
    values: list[str]
    place: int
    """Index of the property's first value in the text."""
    node: int
    """Number of the node that the property belongs to."""


def read_properties(text: str) -> Iterator[Property]:
    """Yield the properties of the main line, which ends at the first closing parenthesis."""
    place = node = 0
    while place < len(text):
        match = _item.match(text, place)
        if match is None:
            end = _space.match(text, place).end()  # type: ignore[union-attr]  # it matches anywhere
            if end == len(text) or text[end] == ")":
                return
            raise FormatError.at("game in brackets", text, end, "a property like B[f5]")
        if match[2]:
            values = _values(match[3])
            if "\\" in match[3]:
                values = [re.sub(r"\\(.)", r"\1", value) for value in values]
            yield Property(match[2].upper(), values, match.start(3) + 1, node)
        node += match[1] == ";"
        place = match.end()


def _values(text: str) -> list[str]:
    """Return the texts between the brackets of one property."""
    values, match = [], _value.match(text)
    while match is not None:
        values.append(match[1])
        match = _value.match(text, match.end())
    return values


def read_remarks(text: str) -> tuple[float | None, float | None]:
    """Return the value and the seconds in a move's text, `F5/eval/time`."""
    _, slash, remarks = text.partition("/")
    if not slash:
        return None, None
    value, _, time = remarks.partition("/")
    minutes, _, seconds = time.strip().rpartition(":")
    total_seconds = read_number(seconds)
    if total_seconds is not None and minutes:
        whole_minutes = read_number(minutes)
        total_seconds = None if whole_minutes is None else 60 * whole_minutes + total_seconds
    return read_number(value), total_seconds
