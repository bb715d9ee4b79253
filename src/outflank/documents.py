"""JSON documents as values of declared types; a document that does not fit gives a one-line error that says where.

A `Document` declares the content of a file or a printed line; its tag, like `outflank/match/1`, names its type. msgspec
reads and writes them; this module explains its errors. It takes 15 ms to import: only modules that read or write
documents import it.

Why msgspec: read by `json` and checked by `outflank.schema`, ten thousand stored games took eleven seconds, and now
take 0.2; pydantic does as much in twelve times the space. Why not everywhere: the arguments of functions, and the
samples of experiments, are still checked by `outflank.schema`, for msgspec cannot handle NumPy's numbers, functions
that check a value, and kinds that depend on others.
"""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache, reduce
from operator import getitem
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Meta, Struct

from outflank.errors import OutflankError, reason_of
from outflank.kinds import MOST_INTEGER, MOST_NUMBER, Called, Kind, Misfit, excerpt, in_words
from outflank.schema import python_number

T = TypeVar("T")
D = TypeVar("D", bound="Document")

JsonObject = dict[str, Any]
"""Values by name, all of which JSON can express."""

Count = Annotated[int, Meta(ge=0, le=MOST_INTEGER)]
"""A number of things."""
Several = Annotated[int, Meta(ge=1, le=MOST_INTEGER)]
"""A number of at least 1."""
Duration = Annotated[float, Meta(ge=0.0, le=1e12)]
Number = Annotated[
    Annotated[int, Meta(ge=-int(MOST_NUMBER), le=int(MOST_NUMBER))]
    | Annotated[float, Meta(ge=-MOST_NUMBER, le=MOST_NUMBER)],
    Called("a number"),
]
"""A number small enough that sums and products of such numbers are finite."""


MOST_LEVELS = 500
"""Limit on the nesting of objects and lists in a document. Ours have some ten levels."""
TOO_DEEP = "it has more levels than are read"

_escape = re.compile(rb"\\.", re.DOTALL)
_NOT_STRUCTURAL = bytes(set(range(256)) - set(b'[]{}"'))
_AS_LISTS = bytes.maketrans(b"{}", b"[]")


class Document(Struct, frozen=True, kw_only=True, tag_field="schema"):
    """The content of a JSON object. Its `tag` is the name of its schema, with a version."""

    @classmethod
    def schema(cls) -> str:
        """Return the name of the schema."""
        return str(cls.__struct_config__.tag)


# --- writing ---


def encoded(document: Any) -> bytes:
    """Return a document in one line."""
    try:
        return msgspec.json.encode(document, enc_hook=_plain_number)
    except UnicodeEncodeError:  # a lone surrogate, as names of files may have: no file holds it
        return _replaced(document)


def _replaced(document: Any) -> bytes:
    return json.dumps(_plain(document), ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def in_ascii(document: Any) -> str:
    """Return a document in one line of ASCII, which every stream and every file name accepts."""
    return json.dumps(_plain(document))


def in_lines(document: Any) -> str:
    """Return a document in many lines, for a file that people read."""
    return msgspec.json.format(encoded(document), indent=1).decode() + "\n"


def plain(document: Any) -> Any:
    """Return a document as dictionaries and lists."""
    return msgspec.json.decode(encoded(document))


def _plain(document: Any) -> Any:
    return msgspec.to_builtins(document, enc_hook=_plain_number)


def _plain_number(value: Any) -> Any:
    number = python_number(value)
    if number is value:
        raise TypeError(f"no document holds a {type(value).__name__}")
    return number


# --- reading ---


def decoded(kind: type[T], data: bytes) -> T:
    """Return the document in some JSON; raise a `Misfit` if there is none."""
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

    msgspec goes as deep as Python lets it, which depends on the version and on the stack, and from 3.14 on may be
    deeper than a hundred thousand. Documents with fewer objects and lists than that cost two counts here, others a few
    passes.
    """
    if data.count(b"[") + data.count(b"{") <= MOST_LEVELS:
        return False
    if b"\\" in data:
        data = _escape.sub(b"", data)
    brackets = b"".join(data.translate(None, _NOT_STRUCTURAL).split(b'"')[::2]).translate(_AS_LISTS)
    import numpy as np  # here: most documents do not need it

    steps = np.where(np.frombuffer(brackets, np.uint8) == ord("["), 1, -1)
    return bool(np.cumsum(steps).max(initial=0) > MOST_LEVELS)


def converted(kind: type[T], value: Any) -> T:
    """Return the document of dictionaries and lists; raise a `Misfit` if they are none."""
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        raise _explained(kind, lambda: value, error) from None


class _Labelled(Struct):
    schema: Any = None


def read_document(path: Path, kind: type[D], description: str) -> D:
    """Return the document in a file; raise a one-line error if it is not `what`, or damaged."""
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
            label = None  # some other JSON
        if label != kind.schema():
            raise OutflankError(f"{path} is not {description} ({kind.schema()})")
        return decoded(kind, data)


@contextmanager
def naming_file(path: Path) -> Iterator[None]:
    """Add the file's path to the error of a document that does not fit."""
    try:
        yield
    except Misfit as error:
        raise OutflankError(f"{path} is damaged: {error}") from None


@cache
def _decoder(kind: Any) -> Any:
    return msgspec.json.Decoder(kind)


# --- in words ---


def _explained(kind: Kind, read: Callable[[], Any], error: msgspec.ValidationError) -> Misfit:
    """Return the error of a msgspec message, in the words of this package, with the value that was found."""
    message, _, path = str(error).partition(" - at `")
    place = path.rstrip("`").removeprefix("$").removeprefix(".").replace("[...]", "[…]")
    if isinstance(error.__cause__, Misfit):
        return error.__cause__.within(place)
    steps = [int(number) if number else name for name, number in re.findall(r"([^\W\d]\w*|…)|(\d+)", place)]
    unknown = re.search("unknown field `(.*)`", message, re.DOTALL)
    if unknown:
        return Misfit(place, f"unknown field {excerpt(unknown[1])}", kind)
    missing = re.search("required field `(.*)`", message)
    try:
        expected = _kind_at(kind, [*steps, missing[1]] if missing else steps)
    except LookupError:  # the tag that distinguishes several kinds
        return Misfit(place, message[0].lower() + message[1:].replace("`", ""), kind)
    if missing:
        return Misfit(missing[1], f"expected {in_words(expected)}, found nothing", expected).within(place)
    try:
        value = reduce(getitem, steps, read())
    except (
        LookupError,
        TypeError,
        RecursionError,
        msgspec.DecodeError,
        UnicodeDecodeError,
    ):  # inside a dictionary, a number that is too large, or invalid text further on
        return Misfit(place, f"expected {in_words(expected)}", expected)
    if length := re.search(r"of length (\d+)", message):
        return Misfit(place, f"expected {length[1]} elements, found {len(value)}", expected)
    return Misfit.found(expected, value).within(place)


def _kind_at(kind: Kind, steps: Sequence[str | int]) -> Kind:
    """Return the kind of the value at these steps into a document."""
    if not steps:
        return kind
    origin: Any = get_origin(kind)
    if origin is Annotated:
        return _kind_at(get_args(kind)[0], steps)
    if origin in (Union, UnionType):
        for option in get_args(kind):
            with suppress(LookupError):
                return _kind_at(option, steps)
        raise LookupError(steps[0])
    step, *rest = steps
    if origin is None:
        return _kind_at(get_type_hints(kind, include_extras=True)[str(step)], rest)
    arguments = get_args(kind)
    if origin is tuple and arguments[-1] is not Ellipsis:
        return _kind_at(arguments[int(step)], rest)
    return _kind_at(arguments[1] if origin is dict else arguments[0], rest)


_HALF_CHARACTER = rb"(?<!\\)(?:\\\\)*+(\\u[dD][89abAB][0-9a-fA-F]{2})(?!\\u[dD][c-fC-F])"
"""The escape of a surrogate without its other half. msgspec calls some of these truncated."""


def _unreadable(data: bytes, error: Exception) -> str:
    """Return where JSON is not valid any more."""
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
