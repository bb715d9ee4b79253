"""Limits on parsing one text, for servers that parse untrusted input.

Parsers count the games and positions that they read. Without a limit, as in the library and at the command line, they
read a text of any length.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from outflank.errors import OutflankError


class TooMuchText(OutflankError):
    """A text exceeds a limit. This is not a `FormatError`, after which parsers would try other formats."""


@dataclass(slots=True)
class _Bound:
    games: int
    seconds: float
    ends: float
    """Deadline on the clock of `time.monotonic`."""
    read: int = 0


_bound: ContextVar[_Bound | None] = ContextVar("_bound", default=None)


@contextmanager
def reading_at_most(games: int, seconds: float) -> Iterator[None]:
    """Limit the number of games and positions that are parsed in this block, and the time for parsing them.

    In a text of several games with headers, each game counts twice, once for its headers and once for its moves. A game
    or position that has been begun is read to its end.
    """
    before = _bound.set(_Bound(games, seconds, time.monotonic() + seconds))
    try:
        yield
    finally:
        _bound.reset(before)


def count_game() -> None:
    """Count a game or a position that is about to be parsed; raise `TooMuchText` at the limit."""
    bound = _bound.get()
    if bound is None:
        return
    bound.read += 1
    if bound.read > bound.games:
        raise TooMuchText(f"more than {bound.games:,} games or positions: paste one of them")
    if time.monotonic() > bound.ends:
        raise TooMuchText(f"reading it took longer than {bound.seconds:g} seconds: paste one game")
