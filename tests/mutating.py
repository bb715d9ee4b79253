"""Ways to spoil documents and text, drawn from a random generator."""

import copy
import json
import random
from typing import Any

ODD_NUMBERS = (0, -1, 1, 2.5, 2**31, 2**63, -(2**63), 10**30, 10**400, 0.5, -0.0, 1e-320, 1e300, -1e18)
ODD_FLOATS = (float("nan"), float("inf"), float("-inf"))
ODD_TEXTS = ("", " ", "\0", "²", "٣", "x" * 300, "\ud800", "é", "a\nb", "-", "none", "true", "{}", "%", "9" * 5000)
ODD_VALUES: tuple[Any, ...] = (*ODD_NUMBERS, *ODD_FLOATS, *ODD_TEXTS, None, True, False, [], {}, [[]], [None], {"a": 1})

TOKENS = (
    *("0", "-1", "²5", "٣", "1e400", "1e-400", "nan", "inf", "--5", "none", "true", "9" * 30, "9" * 5000),
    *("+", "-", ".", "/", ":", ";", ",", "[", "]", "(", ")", "(;", "{", "}", "=", "==", "*", "%", "#", "&", "<", ">"),
    *("pass", "PA", "a1", "h8", "i9", "X", "O", "BO[8", "B[", "]W[", "é", "\\", "'", '"'),
    *("\0", "\n", "\r\n", "\t", " ", "\ufeff", "\u202e", "\ud800"),
)


def changed(chance: random.Random, document: Any) -> Any:
    """The document with one to four things changed, each at some place in it."""
    found = copy.deepcopy(document)
    for _ in range(chance.choice((1, 1, 1, 2, 2, 4))):
        found = _changed_once(chance, found)
    return found


def _changed_once(chance: random.Random, document: Any) -> Any:
    holder = _somewhere(chance, document)
    if holder is None:
        return copy.deepcopy(chance.choice(ODD_VALUES))
    key = chance.choice(list(holder)) if isinstance(holder, dict) else chance.randrange(len(holder))
    value = holder[key]
    what = chance.randrange(9)
    if what == 0:
        del holder[key]
    elif what == 1:
        holder[key] = copy.deepcopy(chance.choice(ODD_VALUES))
    elif what == 2:
        holder[key] = {"a": value} if chance.random() < 0.5 else [value]
    elif what == 3 and isinstance(holder, list):
        holder.insert(key, copy.deepcopy(value))
    elif what == 3:
        holder[chance.choice(("task", "extra", "²", "\0", f"{key} "))] = copy.deepcopy(value)
    elif what == 4 and isinstance(value, int | float) and not isinstance(value, bool):
        holder[key] = chance.choice((-value, value + 1, value * 10, value // 2, value * 2**40, str(value)))
    elif what == 5 and isinstance(value, str):
        holder[key] = spoilt(chance, value)
    elif what == 6:
        other = _somewhere(chance, document)
        holder[key] = copy.deepcopy(chance.choice(list(other.values() if isinstance(other, dict) else other)))
    elif what == 7:
        nested: Any = value
        for _ in range(chance.choice((3, 40, 150))):
            nested = [nested]
        holder[key] = nested
    else:
        holder[key] = None
    return document


def _somewhere(chance: random.Random, document: Any) -> Any:
    """A place in the document that holds something, the deeper the likelier; None: it holds nothing."""
    if not isinstance(document, dict | list) or not document:
        return None
    place = document
    while chance.random() < 0.75:
        inner = [
            each for each in (place.values() if isinstance(place, dict) else place) if isinstance(each, dict | list)
        ]
        inner = [each for each in inner if each]
        if not inner:
            break
        place = chance.choice(inner)
    return place


def as_json(chance: random.Random, document: Any) -> str:
    """The document as text, once in a while with the text spoilt too."""
    text = json.dumps(document)
    if chance.random() < 0.01:
        text = text.replace(": null", ": " + "[" * 100_000, 1)
    return spoilt(chance, text) if chance.random() < 0.1 else text


def spoilt(chance: random.Random, text: str, *others: str) -> str:
    """Text with one to five things changed; parts of others may come into it."""
    for _ in range(chance.choice((1, 1, 1, 2, 4))):
        place = chance.randrange(len(text) + 1)
        end = min(len(text), place + chance.choice((1, 1, 2, 5, 20, 200)))
        what = chance.randrange(8)
        if what == 0:
            text = text[:place] + text[end:]
        elif what <= 2:
            text = text[:place] + chance.choice(TOKENS) + text[place:]
        elif what == 3:
            text = text[:place] + chance.choice(TOKENS) + text[end:]
        elif what == 4:
            text = text[:end] + text[place:]
        elif what == 5:
            text = text[:place] + chr(chance.choice((chance.randrange(128), chance.randrange(0x2000)))) + text[end:]
        elif what == 6:
            text = text[:place]
        else:
            other = chance.choice((*others, text))
            start = chance.randrange(len(other) + 1)
            text = text[:place] + other[start : start + chance.choice((3, 20, 100))] + text[place:]
    return text


def spoilt_bytes(chance: random.Random, data: bytes, *others: bytes) -> bytes:
    """The same for what is no text."""
    found = bytearray(data)
    for _ in range(chance.choice((1, 1, 2, 4, 8))):
        place = chance.randrange(len(found) + 1)
        end = min(len(found), place + chance.choice((1, 1, 2, 5, 68)))
        what = chance.randrange(5)
        if what == 0:
            del found[place:end]
        elif what == 1:
            found[place:end] = bytes(
                chance.choice((0, 1, 0x7F, 0xFF, chance.randrange(256))) for _ in range(end - place)
            )
        elif what == 2:
            found[place:place] = chance.randbytes(chance.choice((1, 2, 4, 16)))
        elif what == 3:
            other = chance.choice((*others, bytes(found)))
            start = chance.randrange(len(other) + 1)
            found[place:end] = other[start : start + 40]
        else:
            del found[place:]
    return bytes(found)
