"""Reading and writing of JSON documents of declared types; a wrong document raises a one-line error with the place.

A `Document` declares the content of a file or a printed line; its tag, like `outflank/match/1`, names its type. msgspec
reads, checks and writes documents; this module explains its errors. msgspec takes 15 ms to import, so only modules that
read or write documents import this one.

Why msgspec: to read ten thousand stored games took 11 seconds with `json` and `validation.values`, and takes 0.2
seconds now. pydantic does the same, but takes twelve times the space. The docstring of `validation.values` says why
msgspec is not used everywhere.
"""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Annotated, Any, TypeVar, cast

import msgspec
from msgspec import Meta, Struct

from outflank.errors import OutflankError, reason_of
from outflank.validation.values import (
    MOST_INTEGER,
    MOST_NUMBER,
    Called,
    Misfit,
    excerpt,
    in_words,
    kind_at,
    python_number,
)

T = TypeVar("T")
D = TypeVar("D", bound="Document")

JsonObject = dict[str, Any]
"""A dictionary of values that JSON can express."""

Count = Annotated[int, Meta(ge=0, le=MOST_INTEGER)]
"""A whole number of at least 0."""
Several = Annotated[int, Meta(ge=1, le=MOST_INTEGER)]
"""A whole number of at least 1."""
Duration = Annotated[float, Meta(ge=0.0, le=1e12)]
Measured = Annotated[float, Meta(ge=1e-9, le=1e12)]
"""A time or a rate that is not 0, so that it can be a divisor."""
Number = Annotated[
    Annotated[int, Meta(ge=-int(MOST_NUMBER), le=int(MOST_NUMBER))]
    | Annotated[float, Meta(ge=-MOST_NUMBER, le=MOST_NUMBER)],
    Called("a number"),
]
"""A number within ±`MOST_NUMBER`, so that sums and products are finite."""


MOST_LEVELS = 500
"""Limit on the nesting of objects and lists in a document. Documents of this package have about ten levels."""
TOO_DEEP = "it has more levels than are read"

_escape = re.compile(rb"\\.", re.DOTALL)
_NOT_STRUCTURAL = bytes(set(range(256)) - set(b'[]{}"'))
_AS_LISTS = bytes.maketrans(b"{}", b"[]")


class Document(Struct, frozen=True, kw_only=True, tag_field="schema"):
    """The content of a JSON object. The `tag` of the class is the name of its schema, with a version."""

    @classmethod
    def schema(cls) -> str:
        """Return the name of the schema, like `outflank/match/1`."""
        return str(cls.__struct_config__.tag)


# --- writing ---


def encoded(document: object) -> bytes:
    """Return a document as one line of JSON in UTF-8."""
    try:
        return msgspec.json.encode(document, enc_hook=_plain_number)
    except UnicodeEncodeError:  # a lone surrogate, possible in names of files, cannot be written in UTF-8
        values = msgspec.to_builtins(document, enc_hook=_plain_number)
        return json.dumps(values, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def in_ascii(document: object) -> str:
    """Return a document as one line of ASCII JSON: every stream can print it, and no file name in it is changed."""
    return json.dumps(msgspec.to_builtins(document, enc_hook=_plain_number))


def in_lines(document: object) -> str:
    """Return a document as indented JSON, for a file that people read."""
    return msgspec.json.format(encoded(document), indent=1).decode() + "\n"


def plain(document: object) -> Any:
    """Return a document as dictionaries and lists."""
    return msgspec.json.decode(encoded(document))


def _plain_number(value: object) -> object:
    number = python_number(value)
    if number is value:
        raise TypeError(f"no document holds a {type(value).__name__}")
    return number


# --- reading ---


def decoded(kind: type[T], data: bytes) -> T:
    """Return JSON `data` as a value of type `kind`; raise a `Misfit` if it does not fit."""
    if _has_many_levels(data):
        raise Misfit("", TOO_DEEP)
    try:
        return cast(T, _decoder(cast(Any, kind)).decode(data))
    except msgspec.ValidationError as error:
        raise _explained(kind, lambda: msgspec.json.decode(data), error) from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Misfit("", _unreadable(data, error)) from None
    except RecursionError:
        raise Misfit("", TOO_DEEP) from None


def _has_many_levels(data: bytes) -> bool:
    """Return whether objects and lists are nested deeper than `MOST_LEVELS`.

    msgspec reads as many levels as Python permits, which depends on the version and on the stack, and may be more than
    100,000 from 3.14 on. For a document with at most `MOST_LEVELS` objects and lists, it is enough to count brackets. A
    larger document is read a few times.
    """
    if data.count(b"[") + data.count(b"{") <= MOST_LEVELS:
        return False
    if b"\\" in data:
        data = _escape.sub(b"", data)
    brackets = b"".join(data.translate(None, _NOT_STRUCTURAL).split(b'"')[::2]).translate(_AS_LISTS)
    import numpy as np  # most documents do not need it

    steps = np.where(np.frombuffer(brackets, np.uint8) == ord("["), 1, -1)
    return bool(np.cumsum(steps).max(initial=0) > MOST_LEVELS)


def converted(kind: type[T], value: object) -> T:
    """Return dictionaries and lists as a value of type `kind`; raise a `Misfit` if they do not fit."""
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        raise _explained(kind, lambda: value, error) from None


class _Labelled(Struct):
    schema: Any = None


def read_document(path: Path, kind: type[D], description: str) -> D:
    """Return a file's document of type `kind`, which errors call `description`; raise an error if it is damaged."""
    try:
        data = path.read_bytes().removeprefix(b"\xef\xbb\xbf")
    except OSError as error:
        raise OutflankError(f"{path}: {reason_of(error)}") from None
    with naming_file(path):
        try:
            label = decoded(_Labelled, data).schema
        except Misfit as error:
            if error.kind is None:
                raise
            label = None  # JSON, but not a document
        if label != kind.schema():
            raise OutflankError(f"{path} is not {description} ({kind.schema()})")
        return decoded(kind, data)


@contextmanager
def naming_file(path: Path) -> Iterator[None]:
    """Turn a `Misfit` that the block raises into an error that says which file is damaged."""
    try:
        yield
    except Misfit as error:
        raise OutflankError(f"{path} is damaged: {error}") from error


@cache
def _decoder(kind: object) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(kind)


# --- in words ---


def _explained(kind: object, read: Callable[[], Any], error: msgspec.ValidationError) -> Misfit:
    """Return the `Misfit` for an error of msgspec: the place, the expected kind in words, and the value found there."""
    message, _, path = str(error).partition(" - at `$")
    # msgspec does not name the keys of dictionaries.
    steps = [int(number) if number else name or None for name, number in re.findall(r"\.(\w+)|\[(?:(\d+)|\.+)\]", path)]
    cause = error.__cause__ if isinstance(error.__cause__, Misfit) else _reason(kind, steps, message, read)
    return cause.within(*steps)


def _reason(kind: object, steps: list[str | int | None], message: str, read: Callable[[], Any]) -> Misfit:
    if unknown := re.search("unknown field `(.*)`", message, re.DOTALL):
        return Misfit("", f"unknown field {excerpt(unknown[1])}", kind)
    missing = re.search("required field `(.*)`", message)
    try:
        expected = kind_at(kind, [*steps, missing[1]] if missing else steps)
    except LookupError:  # the error is in the tag that distinguishes several kinds
        return Misfit("", message[0].lower() + message[1:].replace("`", ""), kind)
    if missing:
        return Misfit(missing[1], f"expected {in_words(expected)}, found nothing", expected)
    try:
        value = read()
        for step in steps:
            value = value[step]
    # The value is inside a dictionary or too large a number, or the data after it are invalid.
    except (LookupError, TypeError, RecursionError, msgspec.DecodeError, UnicodeDecodeError):
        return Misfit("", f"expected {in_words(expected)}", expected)
    if length := re.search(r"of length (\d+)", message):
        return Misfit("", f"expected {length[1]} elements, found {len(value)}", expected)
    return Misfit.of(expected, value)


_HALF_CHARACTER = rb"(?<!\\)(?:\\\\)*+(\\u[dD][89abAB][0-9a-fA-F]{2})(?!\\u[dD][c-fC-F])"
"""Pattern of the JSON escape of a lone surrogate. For some lone surrogates, msgspec's error says "truncated"."""


def _unreadable(data: bytes, error: Exception) -> str:
    """Return a message that says where `data` stops being valid JSON."""
    place = re.search(r"\(byte (\d+)\)", str(error))
    if place is None and "truncated" in str(error):
        half = re.search(_HALF_CHARACTER, data)
        return "it ends too early" if half is None else f"{half[1].decode()} is half a character, without the other"
    if place is None:
        return "it is no text in UTF-8"
    before, after = data[: int(place[1])], data[int(place[1]) :]
    lines = before.split(b"\n")
    line = f"line {len(lines)}, " if b"\n" in data.strip() else ""
    rest = excerpt(after[:40].decode("utf-8", "replace"), 10)
    return f"{line}column {len(lines[-1]) + 1}: expected JSON, found {rest}"
