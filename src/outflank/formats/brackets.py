"""Reads properties of games in GGF and SGF, such as `(;GM[…]B[f5]W[d6];)`, and the values and times of their moves.

Notes on a position are written as SGF does in both formats: a comment `C[text]`, arrows `AR[f5:d6]` and circles
`CR[f5]`.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from outflank.errors import FormatError
from outflank.formats.fields import one_line, read_number
from outflank.formats.game_record import NO_NOTES, Notes

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


NOTE_PROPERTIES = ("C", "AR", "CR")

_break = re.compile(r"\r\n|\n\r|\n|\r")
_control = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]+")


def escaped(text: str) -> str:
    """Return `text` on one line, with backslashes before `]` and `\\`, as GGF and SGF need it between brackets."""
    return re.sub(r"([\]\\])", r"\\\1", one_line(text))


def write_notes(notes: Notes, *, lines: bool) -> str:
    """Return notes as properties. A comment keeps its lines if `lines` is set, or becomes one line."""
    comment = "\n".join(map(escaped, notes.comment.splitlines())) if lines else escaped(notes.comment)
    arrows = "".join(f"[{start}:{end}]" for start, end in notes.arrows if start != end)
    circles = "".join(f"[{start}]" for start, end in notes.arrows if start == end)
    return "".join(
        f"{name}{values}"
        for name, values in (("C", comment and f"[{comment}]"), ("AR", arrows), ("CR", circles))
        if values
    )


def notes_of(properties: Iterable[Property], cell_name: Callable[[str], str | None]) -> Notes:
    """Return the notes in the properties of one position; `cell_name` returns the name of a cell, if it is one."""
    comments: list[str] = []
    arrows: dict[tuple[str, str], None] = {}
    for name, values, _, _ in properties:
        if name == "C":
            comments += (_control.sub(" ", _break.sub("\n", value)).strip() for value in values)
            continue
        if name not in NOTE_PROPERTIES:
            continue
        for value in values:
            first, colon, second = value.partition(":")
            start, end = cell_name(first), cell_name(second if colon else first)
            if start is not None and end is not None:
                arrows[start, end] = None
    return Notes("\n".join(filter(None, comments)), tuple(arrows)) if comments or arrows else NO_NOTES


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
