"""Conversion of text, as in options, settings of players and protocol lines, to values of declared types."""

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from types import NoneType
from typing import Annotated, Any, Literal, Union

from outflank.errors import FormatError
from outflank.validation.values import IN_TEXT, Kind, Misfit, conform, in_words, parts_of

YES, NO = ("yes", "true", "on"), ("no", "false", "off")

# ASCII only: Python's own `int` reads Arabic digits as well, and its `isdigit` accepts ².
_whole = re.compile(r"[+-]?[0-9]{1,18}")
# Digits before a point can match in one way only: with two ways, 100,000 digits that are no number take minutes.
_number = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)(e[+-]?[0-9]{1,3})?", re.IGNORECASE)

_item = re.compile(r'\s*+(?:"((?:[^"]|"")*+)"\s*+|((?!")[^,]*+))(?=,|\Z)')


def how_many(count: int, singular: str, plural: str | None = None) -> str:
    """Return a count with its noun in the singular or plural.

    >>> how_many(1, "worker"), how_many(2000, "worker"), how_many(0, "leaf", "leaves")
    ('1 worker', '2,000 workers', '0 leaves')
    """
    return f"{count:,} {singular if count == 1 else plural or f'{singular}s'}"


def is_count(text: str) -> bool:
    """Return whether a text is a whole number without a sign, of at most 18 digits."""
    return re.fullmatch(r"[0-9]{1,18}", text) is not None


def comma_separated(words: Iterable[str]) -> str:
    """Return words as one text that `comma_separated_words` reads, quoted as in CSV if necessary.

    >>> comma_separated(["f5d6", '[Black "a, b"] f5', ""])
    'f5d6,"[Black ""a, b""] f5",""'
    """
    return ",".join(map(_list_item, words))


def _list_item(word: str) -> str:
    plain = word and word == word.strip() and "," not in word and not word.startswith('"')
    return word if plain else '"' + word.replace('"', '""') + '"'


def comma_separated_words(text: str) -> list[str]:
    """Return the items of a comma-separated list, without surrounding blanks; empty items are left out.

    An item in double quotes may contain commas, and double quotes that are written twice.

    >>> comma_separated_words('f5d6 ,, "[Black ""a, b""] f5", ""')
    ['f5d6', '[Black "a, b"] f5', '']
    """
    words: list[str] = []
    offset = 0
    while offset <= len(text):
        item = _item.match(text, offset)
        if item is None:
            rest = text[offset:].strip()[:40]
            raise FormatError(f"list: expected an item in double quotes and then a comma or the end, found {rest!r}")
        quoted, bare = item.groups()
        if quoted is not None:
            words.append(quoted.replace('""', '"'))
        elif bare.strip():
            words.append(bare.strip())
        offset = item.end() + 1
    return words


def from_words(kind: Kind, text: str, name: str) -> Any:
    """Return `text` converted to the type `kind`; errors call it `name`, the name of the setting.

    >>> from_words(int | None, "7", "depth"), from_words(int | None, "none", "depth"), from_words(bool, "yes", "pin")
    (7, None, True)
    >>> from_words(int | None, "²5", "depth")
    Traceback (most recent call last):
    ...
    outflank.validation.values.Misfit: depth=²5: expected a whole number or none
    """
    for value in _meanings(kind, text):
        with suppress(Misfit):
            return conform(kind, value)
    raise Misfit("", f"{name}={text}: expected {in_words(kind, IN_TEXT)}")


def _meanings(kind: Kind, text: str) -> Iterator[object]:
    origin, arguments = parts_of(kind)
    if origin is Annotated:
        yield from _meanings(arguments[0], text)
    elif origin is Union:
        # Kinds that accept any word, or a list of words, come last: if a number is allowed, `3` is one.
        for option in sorted(arguments, key=lambda option: option in (str, Any) or parts_of(option)[0] is tuple):
            yield from _meanings(option, text)
    elif origin is Literal:
        yield from (choice for choice in arguments if str(choice) == text)
    elif origin is tuple and arguments[0] is not Any:
        with suppress(Misfit):
            yield tuple(from_words(arguments[0], word, "") for word in text.split("+"))
    elif (kind is int and _whole.fullmatch(text)) or (kind is float and _number.fullmatch(text)):
        yield kind(text)
    elif kind is bool and text in (*YES, *NO):
        yield text in YES
    elif kind is NoneType and text in ("none", "None"):
        yield None
    elif kind in (str, Any):
        yield text
