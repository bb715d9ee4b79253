"""Texts on which a recogniser that scans them again and again takes long: made from a pattern itself, or from a list.

A hostile text is a beginning, a part that is repeated, and an end that does not fit: what a search gives back and
tries again. Of a pattern, each is taken from its syntax tree: what it needs before one of its repetitions, what that
repeats, and what comes before it as a whole, repeated, for those that search at every place.
"""

import re
import re._constants as code
import re._parser as parser
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple


class Hostile(NamedTuple):
    """A text of any length."""

    head: str
    part: str
    tail: str

    def of_length(self, characters: int) -> str:
        """So many characters of it, but for what is left of a part."""
        room = max(characters - len(self.head) - len(self.tail), 0)
        return self.head + self.part * (room // len(self.part)) + self.tail


# --- any reader's ---

GGF = "(;GM[Othello]TY[8]BO[8 ---------------------------O*------*O--------------------------- *]"
HEADS = (
    "",
    "f5",
    GGF,
    "(;FF[4]GM[2]SZ[8]",
    "game: abalone\n",
    '[A "b"]\n',
    "#29 X O: 14, X: 14\n",
    "-----XO--OX----- X",
)
PARTS = (
    *(
        " ",
        "\n",
        " \n",
        "\t",
        "\r",
        "\u3000",
        "a",
        "é",
        "1",
        "1 ",
        "1.",
        "1. ",
        "-",
        "--",
        "+",
        "e+",
        "X",
        "X ",
        "\\",
        "%\n",
    ),
    *("f5", "f5 ", "f5\n", "A1B2 I9H8 B2A1 H8I9 ", "A1B2\n", "a1-", '[A "b"]', '[A "b"]\n', '[A "b"]\nf5\n', '[A "'),
    *("[", "]", "(", "{", "{a} ", "(;", "(;GM[2];B[f5])", "B[d3]W[c3]", "B[pa]", "[a]", ";", '"', "'", "1-0 ", "* "),
    *(
        "#1\n",
        "a: b\n",
        "a :",
        "game:\n",
        "game: abalone\nA1B2\n\n",
        "start:\n",
        "Moves: f5\n",
        "black ",
        "black to move\n",
    ),
    *("-----XO--OX----- X\n", "; b1:+3", "5/", "5/6/7/8/9/8/7/6/5\n", "| X ", "1 X O . X\n", ". O X\n", "A . . . .\n"),
    *("http://a ", "www.", "\x1b[1m", "\x1b[", '{"a":', '"a",', "\\u0000", "time=1 ", "computer depth=1 ", "1:", "0"),
)
TAILS = ("x", "")

TEXTS = tuple(
    Hostile(head, part, TAILS[(number + place) % len(TAILS)])
    for place, head in enumerate(HEADS)
    for number, part in enumerate(PARTS)
)
"""Every beginning with every part."""

BLANKS = (Hostile("f5", " ", "x"), Hostile("", "\n", "x"), Hostile("1.", " ", "x"))
"""Those on which patterns were slow most often."""

FEW_TEXTS = tuple(Hostile("", part, "x") for part in PARTS)


# --- a pattern's own ---

_CHARACTERS = " \n\ta1.f5A-[]{}(),;:\"#/\\+0gXO*|é_sx'e"
_ENDS = ("", "\0")
_REPEATS = (code.MAX_REPEAT, code.MIN_REPEAT, code.POSSESSIVE_REPEAT)
_LONG = 20
"""A repetition of fewer is no repetition here."""

Tree = Sequence[tuple[Any, Any]]


def texts_for(pattern: re.Pattern[Any]) -> list[Hostile]:
    """Texts that are hostile to one pattern."""
    written = pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode("latin-1")
    tree = list(
        parser.parse(written, pattern.flags & ~re.UNICODE if isinstance(pattern.pattern, bytes) else pattern.flags)
    )
    pairs = dict.fromkeys((*_pumped(tree, [""], pattern.flags), *(("", part) for part in (" ", "\n", "a", "1", "a "))))
    return [Hostile(head, part, tail) for head, part in pairs if part for tail in _ENDS]


def _pumped(tree: Tree, heads: list[str], flags: int) -> Iterator[tuple[str, str]]:
    """Beginnings with what may be repeated after them."""
    for place, (kind, value) in enumerate(tree):
        before = list(
            islice(dict.fromkeys(head + text for head in heads for text in _samples(tree[:place], flags, 2)), 3)
        )
        if kind in _REPEATS:
            _, most, body = value
            if most > _LONG:
                yield from ((head, part) for part in _samples(body, flags, 4) for head in before)
            yield from _pumped(body, before, flags)
        for inner in _inside(kind, value):
            yield from _pumped(inner, before, flags)
        yield from (("", text) for text in _samples(tree[: place + 1], flags, 2))


def _inside(kind: Any, value: Any) -> list[Tree]:
    if kind is code.SUBPATTERN:
        return [value[-1]]
    if kind is code.ATOMIC_GROUP:
        return [value]
    return list(value[1]) if kind is code.BRANCH else []


def _samples(tree: Tree, flags: int, most: int) -> list[str]:
    """A few texts that a sequence matches, but for what it says of its surroundings."""
    found = [""]
    for kind, value in tree:
        parts = _sample(kind, value, flags)
        count = min(max(len(found), len(parts)), most)
        found = [found[number % len(found)] + parts[number % len(parts)] for number in range(count)]
    return list(dict.fromkeys(found))


def _sample(kind: Any, value: Any, flags: int) -> list[str]:
    if kind is code.LITERAL:
        return [chr(value)]
    if kind in (code.NOT_LITERAL, code.ANY, code.IN):
        items = value if kind is code.IN else [(code.NEGATE, None), (code.LITERAL, value or ord("\n"))]
        return [char for char in _CHARACTERS if _matches(items, char, flags)][:5] or ["?"]
    if kind in _REPEATS:
        least, _, body = value
        parts = [part * max(least, 1) for part in _samples(body, flags, 3)]
        return parts if least else ["", *parts]
    parts = [text for inner in _inside(kind, value) for text in _samples(inner, flags, 2)]
    return list(dict.fromkeys(parts))[:5] or [""]


def _matches(items: Tree, char: str, flags: int) -> bool:
    cases = {char, char.lower(), char.upper()} if flags & re.IGNORECASE else {char}
    points = [ord(each) for each in cases if len(each) == 1]
    hit = negated = False
    for kind, value in items:
        if kind is code.NEGATE:
            negated = True
        elif kind is code.LITERAL:
            hit |= value in points
        elif kind is code.RANGE:
            hit |= any(value[0] <= point <= value[1] for point in points)
        elif kind is code.CATEGORY:
            hit |= _is_of(str(value), char)
    return hit is not negated


def _is_of(category: str, char: str) -> bool:
    kinds = {"SPACE": char.isspace(), "DIGIT": char.isdigit(), "WORD": char.isalnum() or char == "_"}
    name = category.rpartition("_")[2]
    return kinds[name] is not ("_NOT_" in category)
