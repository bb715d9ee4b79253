"""All errors that this package raises on purpose, and notices to the terminal.

    OutflankError
    ├── FormatError (ValueError)      text that is not in the expected format
    ├── IllegalMove (ValueError)      a well-formed move that the rules forbid here
    ├── InvalidOption (ValueError)    an impossible limit or option, or one that contradicts the others
    ├── InvalidPosition (ValueError)  cells that cannot be a position of the game
    └── UnknownName (ValueError)      no game, layout or option of that name

The subclasses are also `ValueError`s, for callers that know only the builtin exceptions. The command line prints any of
these errors as one line, and ends with status 2.
"""

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from typing import Any, Self


def notify(message: str) -> None:
    """Print a notice to standard error, if standard error is a terminal or a notebook."""
    if sys.stderr.isatty() or _is_a_notebooks(sys.stderr):
        print(message, file=sys.stderr, flush=True)


def _is_a_notebooks(stream: object) -> bool:
    """Return whether the stream's text appears below a notebook's cell."""
    return type(stream).__module__.partition(".")[0] == "ipykernel"


class OutflankError(Exception):
    """Base class of this package's errors. The message is always one line, even if it quotes several lines."""

    partial_result: Any = None
    """Results, scores or a count that were complete when the error ended the work; None if there are none."""

    def __str__(self) -> str:
        return " ".join(super().__str__().splitlines())


@contextmanager
def keep_partial_result(result: Callable[[], Any]) -> Iterator[None]:
    """Store `result()` in the `partial_result` of any exception that ends the block."""
    try:
        yield
    except BaseException as error:
        # `KeyboardInterrupt` does not declare this field. A derived class could declare it, but would not end a script
        # in the way that Ctrl-C does.
        vars(error)["partial_result"] = result()
        raise


class FormatError(OutflankError, ValueError):
    """The text is not in the expected format. The message says where, and what was expected there."""

    @classmethod
    def at(cls, what: str, text: str, place: int, expected: str) -> Self:
        """Return the error for the character `text[place]`; `what` names the format.

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
    """The move is well formed but not legal in this position."""


class InvalidOption(OutflankError, ValueError):
    """A limit, an option or an argument is impossible, or contradicts another."""


class InvalidPosition(OutflankError, ValueError):
    """The cells are readable but cannot be a position of the game."""


class UnknownName(OutflankError, ValueError):
    """No game, layout or option has that name; the message lists the known names."""

    @classmethod
    def among(cls, kind: str, name: object, known: Iterable[str]) -> Self:
        """Return the error for an unknown `name`. `kind` is the kind of part, such as "layout"; `known` are the valid
        names.

        >>> print(UnknownName.among("layout", "strandard", ["standard", "star"]))
        unknown layout 'strandard', did you mean 'standard'? (known: standard, star)
        """
        names = list(known)
        return cls(f"unknown {kind} {name!r}{suggestion(str(name), names)} (known: {', '.join(names)})")


def suggestion(name: str, known: Iterable[str]) -> str:
    """Return the end of a sentence that suggests the most similar of `known`; empty if none is similar to `name`.

    >>> suggestion("qiut", ["save", "quit"]), suggestion("f5", ["save", "quit"])
    (", did you mean 'quit'?", '')
    """
    close = get_close_matches(name, list(known), 1)
    return f", did you mean {close[0]!r}?" if close else ""


def reason_of(error: OSError) -> str:
    """Return the operating system's reason for an error, or a substitute if it gives none."""
    return error.strerror or str(error) or f"{type(error).__name__} without a reason"


def place_in(text: str, place: int) -> str:
    """Return the column of `text[place]` in words, with the line if there are several.

    >>> place_in("f5d6", 2), place_in("f5\\nd6", 3)
    ('column 3', 'line 2, column 1')
    """
    column = place - (text.rfind("\n", 0, place) + 1) + 1
    has_lines = "\n" in text.strip()
    return f"line {text.count(chr(10), 0, place) + 1}, column {column}" if has_lines else f"column {column}"


def _excerpt(line: str, place: int, width: int = 60) -> str:
    """Return `line`, or only the part around `place` if it is longer than `width`."""
    start = max(0, min(place - width // 2, len(line) - width))
    cut = line[start : start + width]
    return ("…" if start else "") + cut + ("…" if start + width < len(line) else "")
