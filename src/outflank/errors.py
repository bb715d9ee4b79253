"""Every error this package raises on purpose.

    OutflankError
    ├── FormatError (ValueError)      text that does not say what it should
    ├── IllegalMove (ValueError)      a well-formed move that the rules forbid here
    ├── InvalidOption (ValueError)    a limit or an option that cannot be meant, or not beside the others
    ├── InvalidPosition (ValueError)  cells that cannot be a position of the game
    └── UnknownName (ValueError)      no game, layout or option of that name

Callers who know only the builtin exceptions catch what they expect; the command
line turns any of them into one line and exit status 2.
"""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Self


class OutflankError(Exception):
    """Root of the tree. What it says is one line, whatever it shows of what was read."""

    def __str__(self) -> str:
        return " ".join(super().__str__().splitlines())


class FormatError(OutflankError, ValueError):
    """Text that does not say what it should, with the place and what belongs there."""

    @classmethod
    def at(cls, what: str, text: str, place: int, expected: str) -> Self:
        """The error for `text[place]`, of the format `what`.

        >>> print(FormatError.at("board line", "XO?-", 2, "a cell (X, O or -)"))
        board line, column 3: expected a cell (X, O or -), found '?' in 'XO?-'
        """
        found = repr(text[place]) if place < len(text) else "the end"
        start = text.rfind("\n", 0, place) + 1
        line = text[start:].partition("\n")[0]
        excerpt = _excerpt(line, place - start)
        inside = f" in {excerpt!r}" if excerpt else ""
        return cls(f"{what}, {place_in(text, place)}: expected {expected}, found {found}{inside}")


class IllegalMove(OutflankError, ValueError):
    """The move is well formed but not legal here."""


class InvalidOption(OutflankError, ValueError):
    """A limit, an option or an argument is not what it can be, or does not go with the others."""


class InvalidPosition(OutflankError, ValueError):
    """The cells are readable but cannot be a position of the game."""


class UnknownName(OutflankError, ValueError):
    """There is nothing of that name; the message lists what there is."""

    @classmethod
    def among(cls, kind: str, name: object, known: Iterable[str]) -> Self:
        """The error for a `kind` of thing called `name`, where only `known` exist.

        >>> print(UnknownName.among("layout", "strandard", ["standard", "star"]))
        unknown layout 'strandard', did you mean 'standard'? (known: standard, star)
        """
        names = list(known)
        return cls(f"unknown {kind} {name!r}{suggestion(str(name), names)} (known: {', '.join(names)})")


def suggestion(name: str, known: Iterable[str]) -> str:
    """What `name` was meant to be, as the end of a sentence; nothing if it is like none of `known`.

    >>> suggestion("qiut", ["save", "quit"]), suggestion("f5", ["save", "quit"])
    (", did you mean 'quit'?", '')
    """
    close = get_close_matches(name, list(known), 1)
    return f", did you mean {close[0]!r}?" if close else ""


def reason_of(error: OSError) -> str:
    """What the system says is wrong; it does not always."""
    return error.strerror or str(error) or f"{type(error).__name__} without a reason"


def place_in(text: str, place: int) -> str:
    """Where `text[place]` is, in words: the line only if there are several.

    >>> place_in("f5d6", 2), place_in("f5\\nd6", 3)
    ('column 3', 'line 2, column 1')
    """
    column = place - (text.rfind("\n", 0, place) + 1) + 1
    many = "\n" in text.strip()
    return f"line {text.count(chr(10), 0, place) + 1}, column {column}" if many else f"column {column}"


def _excerpt(line: str, place: int, width: int = 60) -> str:
    """`line`, or the part of it around `place` when it is long."""
    start = max(0, min(place - width // 2, len(line) - width))
    cut = line[start : start + width]
    return ("…" if start else "") + cut + ("…" if start + width < len(line) else "")
