"""All errors that this package raises on purpose.

    OutflankError
    ├── FormatError (ValueError)      text that is not in its format
    ├── IllegalMove (ValueError)      a well-formed move that the rules forbid here
    ├── InvalidOption (ValueError)    an impossible limit or option, or one that contradicts the others
    ├── InvalidPosition (ValueError)  cells that cannot be a position of the game
    └── UnknownName (ValueError)      no game, layout or option of that name

Callers that know only the builtin exceptions catch what they expect; the command line turns any of them into one line
and exit status 2.
"""

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from typing import Any, Self


def notify(message: str) -> None:
    """Print what is waited for on standard error, if that is a terminal or a notebook's."""
    if sys.stderr.isatty() or _is_a_notebooks(sys.stderr):
        print(message, file=sys.stderr, flush=True)


def _is_a_notebooks(stream: object) -> bool:
    """Return whether the stream's text appears below a notebook's cell, where a person reads it."""
    return type(stream).__module__.partition(".")[0] == "ipykernel"


class OutflankError(Exception):
    """Root of the exception tree. Its message is one line, even if it quotes several."""

    partial_result: Any = None
    """What was known when the error ended the work: results, scores or a count; None: nothing."""

    def __str__(self) -> str:
        return " ".join(super().__str__().splitlines())


@contextmanager
def keep_partial_result(result: Callable[[], Any]) -> Iterator[None]:
    """Store `result()` as the `partial_result` of an exception that ends the block."""
    try:
        yield
    except BaseException as error:
        # Ctrl-C stays a `KeyboardInterrupt`, which declares no such field: no class derived from it ends a script as an
        # interrupt does.
        vars(error)["partial_result"] = result()
        raise


class FormatError(OutflankError, ValueError):
    """Text that is not in its format, with the place and what was expected there."""

    @classmethod
    def at(cls, what: str, text: str, place: int, expected: str) -> Self:
        """Return the error for `text[place]`, of the format `what`.

        >>> print(FormatError.at("board line", "XO?-", 2, "a cell (X, O or -)"))
        board line, column 3: expected a cell (X, O or -), found '?' in 'XO?-'
        """
        character = repr(text[place]) if place < len(text) else "the end"
        start = text.rfind("\n", 0, place) + 1
        line = text[start:].partition("\n")[0]
        excerpt = _excerpt(line, place - start)
        inside = f" in {excerpt!r}" if excerpt else ""
        return cls(f"{what}, {place_in(text, place)}: expected {expected}, found {character}{inside}")


class IllegalMove(OutflankError, ValueError):
    """The move is well formed but not legal here."""


class InvalidOption(OutflankError, ValueError):
    """A limit, an option or an argument is impossible, or contradicts the others."""


class InvalidPosition(OutflankError, ValueError):
    """The cells are readable but cannot be a position of the game."""


class UnknownName(OutflankError, ValueError):
    """There is nothing of that name; the message lists the known names."""

    @classmethod
    def among(cls, kind: str, name: object, known: Iterable[str]) -> Self:
        """Return the error for a `kind` of thing called `name`, if only `known` exist.

        >>> print(UnknownName.among("layout", "strandard", ["standard", "star"]))
        unknown layout 'strandard', did you mean 'standard'? (known: standard, star)
        """
        names = list(known)
        return cls(f"unknown {kind} {name!r}{suggestion(str(name), names)} (known: {', '.join(names)})")


def suggestion(name: str, known: Iterable[str]) -> str:
    """Return a suggestion for `name`, as the end of a sentence; empty if it is similar to none of `known`.

    >>> suggestion("qiut", ["save", "quit"]), suggestion("f5", ["save", "quit"])
    (", did you mean 'quit'?", '')
    """
    close = get_close_matches(name, list(known), 1)
    return f", did you mean {close[0]!r}?" if close else ""


def reason_of(error: OSError) -> str:
    """Return the system's reason for an error, which may be missing."""
    return error.strerror or str(error) or f"{type(error).__name__} without a reason"


def place_in(text: str, place: int) -> str:
    """Return the place of `text[place]` in words: with the line only if there are several.

    >>> place_in("f5d6", 2), place_in("f5\\nd6", 3)
    ('column 3', 'line 2, column 1')
    """
    column = place - (text.rfind("\n", 0, place) + 1) + 1
    has_lines = "\n" in text.strip()
    return f"line {text.count(chr(10), 0, place) + 1}, column {column}" if has_lines else f"column {column}"


def _excerpt(line: str, place: int, width: int = 60) -> str:
    """Return `line`, or the part of it around `place` if it is long."""
    start = max(0, min(place - width // 2, len(line) - width))
    cut = line[start : start + width]
    return ("…" if start else "") + cut + ("…" if start + width < len(line) else "")
