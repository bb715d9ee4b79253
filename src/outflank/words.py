"""Words that are meant as values of a declared type: settings of players, options, numbers in lines of protocols."""

import re
from collections.abc import Callable, Iterable
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from outflank.errors import FormatError
from outflank.kinds import Kind, Misfit, in_words
from outflank.schema import conform, narrowed

YES, NO = ("yes", "true", "on"), ("no", "false", "off")

# In ASCII: Python's own `int` reads Arabic digits as well, and its `isdigit` takes ² for one.
_whole = re.compile(r"[+-]?[0-9]{1,18}")
# What is before a point is read in one way alone: in two, a hundred thousand digits that are no number take minutes.
_number = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)(e[+-]?[0-9]{1,3})?", re.IGNORECASE)

_item = re.compile(r'\s*+(?:"((?:[^"]|"")*+)"\s*+|((?!")[^,]*+))(?=,|\Z)')


def how_many(count: int, one: str, many: str | None = None) -> str:
    """A number of things.

    >>> how_many(1, "worker"), how_many(2000, "worker"), how_many(0, "leaf", "leaves")
    ('1 worker', '2,000 workers', '0 leaves')
    """
    return f"{count:,} {one if count == 1 else many or f'{one}s'}"


def is_count(text: str) -> bool:
    """Whether a word is a whole number without a sign, and of a length that numbers have."""
    return re.fullmatch(r"[0-9]{1,18}", text) is not None


def comma_separated(words: Iterable[str]) -> str:
    """Return a list as one text, which `comma_separated_words` reads; quoted as in CSV where it has to be.

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
    place = 0
    while place <= len(text):
        item = _item.match(text, place)
        if item is None:
            found = text[place:].strip()[:40]
            raise FormatError(f"list: expected an item in double quotes and then a comma or the end, found {found!r}")
        quoted, bare = item.groups()
        if quoted is not None:
            words.append(quoted.replace('""', '"'))
        elif bare.strip():
            words.append(bare.strip())
        place = item.end() + 1
    return words


def from_words(kind: Kind, text: str, name: str) -> Any:
    """What a word means where this kind is expected; `name` is what it is given for.

    >>> from_words(int | None, "7", "depth"), from_words(int | None, "none", "depth"), from_words(bool, "yes", "pin")
    (7, None, True)
    >>> from_words(int | None, "²5", "depth")
    Traceback (most recent call last):
    ...
    outflank.kinds.Misfit: depth=²5: expected a whole number or none
    """
    try:
        return _meant(kind, text)
    except (Misfit, LookupError):
        raise Misfit("", f"{name}={text}: expected {in_words(kind, bool_='yes or no', none='none')}") from None


def _meant(kind: Kind, text: str) -> Any:
    origin: Any = get_origin(kind)
    if origin is Annotated:
        inner, *checks = get_args(kind)
        return narrowed(kind, checks, _meant(inner, text))
    if origin in (Union, UnionType):
        # What any word is, or a list of words, comes last: `3` is a number wherever a number may stand, `none` nothing.
        for option in sorted(get_args(kind), key=_takes_any_word):
            try:
                return _meant(option, text)
            except (Misfit, LookupError):
                continue
        raise LookupError(text)
    if origin is Literal:
        return {str(each): each for each in get_args(kind)}[text]
    if origin is tuple and get_args(kind)[0] is not Any:
        return conform(kind, tuple(_meant(get_args(kind)[0], word) for word in text.split("+")))
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
