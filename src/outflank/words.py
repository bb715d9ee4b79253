"""Text that stands for values of a declared type: settings of players, options, numbers in protocol lines."""

import re
from collections.abc import Callable, Iterable
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from outflank.errors import FormatError
from outflank.kinds import Kind, Misfit, in_words
from outflank.schema import apply_checks, conform

YES, NO = ("yes", "true", "on"), ("no", "false", "off")

# ASCII only: Python's own `int` reads Arabic digits as well, and its `isdigit` accepts ².
_whole = re.compile(r"[+-]?[0-9]{1,18}")
# The digits before a point match in one way only: with two ways, a hundred thousand digits that are no number take
# minutes.
_number = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)(e[+-]?[0-9]{1,3})?", re.IGNORECASE)

_item = re.compile(r'\s*+(?:"((?:[^"]|"")*+)"\s*+|((?!")[^,]*+))(?=,|\Z)')


def how_many(count: int, singular: str, plural: str | None = None) -> str:
    """Return a number of things in words.

    >>> how_many(1, "worker"), how_many(2000, "worker"), how_many(0, "leaf", "leaves")
    ('1 worker', '2,000 workers', '0 leaves')
    """
    return f"{count:,} {singular if count == 1 else plural or f'{singular}s'}"


def is_count(text: str) -> bool:
    """Return whether a word is a whole number without a sign, of at most 18 digits."""
    return re.fullmatch(r"[0-9]{1,18}", text) is not None


def comma_separated(words: Iterable[str]) -> str:
    """Return a list as one text, which `comma_separated_words` reads; quoted as in CSV where necessary.

    >>> comma_separated(["f5d6", '[Black "a, b"] f5', ""])
    'f5d6,"[Black ""a, b""] f5",""'
    """
    return ",".join(map(_list_item, words))


def _list_item(word: str) -> str:
    plain = word and word == word.strip() and "," not in word and not word.startswith('"')
    return word if plain else '"' + word.replace('"', '""') + '"'


def comma_separated_words(text: str) -> list[str]:
    """Return the items of a list with commas between, without the blanks around them; empty ones are left out.

    An item that stands in double quotes may have commas, and double quotes that are written twice.

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
    """Return the value of a word where this kind is expected; `name` is the setting that it is for.

    >>> from_words(int | None, "7", "depth"), from_words(int | None, "none", "depth"), from_words(bool, "yes", "pin")
    (7, None, True)
    >>> from_words(int | None, "²5", "depth")
    Traceback (most recent call last):
    ...
    outflank.kinds.Misfit: depth=²5: expected a whole number or none
    """
    try:
        return _value(kind, text)
    except (Misfit, LookupError):
        raise Misfit("", f"{name}={text}: expected {in_words(kind, bool_='yes or no', none='none')}") from None


def _value(kind: Kind, text: str) -> Any:
    origin: Any = get_origin(kind)
    if origin is Annotated:
        inner, *checks = get_args(kind)
        return apply_checks(kind, checks, _value(inner, text))
    if origin in (Union, UnionType):
        # Kinds that accept any word, or a list of words, come last: `3` is a number wherever a number is allowed,
        # `none` None.
        for option in sorted(get_args(kind), key=_takes_any_word):
            try:
                return _value(option, text)
            except (Misfit, LookupError):
                continue
        raise LookupError(text)
    if origin is Literal:
        return {str(choice): choice for choice in get_args(kind)}[text]
    if origin is tuple and get_args(kind)[0] is not Any:
        return conform(kind, tuple(_value(get_args(kind)[0], word) for word in text.split("+")))
    return conform(kind, _MEANINGS[kind](text) if kind in _MEANINGS else _no_word(kind))


def _takes_any_word(kind: Kind) -> bool:
    origin: Any = get_origin(kind)
    return kind in (str, Any) or origin is tuple


def _no_word(kind: Kind) -> Any:
    raise LookupError(kind)


def _matched(pattern: re.Pattern[str], into: Callable[[str], Any]) -> Callable[[str], Any]:
    return lambda text: into(text) if pattern.fullmatch(text) else _no_word(text)


_MEANINGS: dict[Any, Callable[[str], Any]] = {
    str: str,
    Any: str,
    int: _matched(_whole, int),
    float: _matched(_number, float),
    bool: {**dict.fromkeys(YES, True), **dict.fromkeys(NO, False)}.__getitem__,
    NoneType: {"none": None, "None": None}.__getitem__,
}
