"""Time controls as text: `5m+3s` is five minutes for the game and three seconds more after each move.

A time has a unit (`30s`, `5m`, `1h`) or a colon (`5:00`, `1:30:00`). A number alone is not a time here: users may type
`5+3` for minutes and seconds, but bare numbers in a file are ambiguous.
"""

import re
from typing import NamedTuple

_number = r"\d{1,6}(?:\.\d{1,6})?"
_time = re.compile(
    rf"(?P<count>{_number})(?P<unit>[smh])|(?:(?P<hours>\d{{1,3}}):)?(?P<minutes>\d{{1,4}}):(?P<seconds>\d\d)",
    re.ASCII,
)
_SECONDS = {"s": 1.0, "m": 60.0, "h": 3600.0}


class ClockTimes(NamedTuple):
    """Time control in seconds: time for the game, increment, time for each move. None means no limit."""

    game: float | None = None
    increment: float = 0.0
    move: float | None = None


def read_clock(text: str) -> ClockTimes | None:
    """Return the time control of a text like `5m+3s` or `2s/move`; None for any other text."""
    whole, slash, word = text.partition("/")
    if slash:
        move_seconds = read_time(whole)
        return ClockTimes(move=move_seconds) if word == "move" and move_seconds else None
    first, plus, second = text.partition("+")
    game, increment = read_time(first), read_time(second) if plus else 0.0
    return ClockTimes(game, increment) if game and increment is not None else None


def write_clock(times: ClockTimes) -> str:
    """Return the text of a time control, as `read_clock` reads it; `none` if there is no limit."""
    if times.move is not None:
        return f"{write_time(times.move)}/move"
    if times.game is None:
        return "none"
    return write_time(times.game) + (f"+{write_time(times.increment)}" if times.increment else "")


def read_time(text: str) -> float | None:
    """Return the seconds of `30s`, `5m`, `1h`, `5:00` or `1:30:00`; None for anything else."""
    match = _time.fullmatch(text)
    if match is None:
        return None
    if match["unit"]:
        return float(match["count"]) * _SECONDS[match["unit"]]
    return 3600.0 * int(match["hours"] or 0) + 60.0 * int(match["minutes"]) + int(match["seconds"])


def write_time(seconds: float) -> str:
    """Return the text of a time, as `read_time` reads it.

    >>> [write_time(seconds) for seconds in (30, 0.5, 300, 90, 5400)]
    ['30s', '0.5s', '5m', '1:30', '90m']
    """
    whole, rest = divmod(seconds, 60)
    if seconds < 60 or seconds != int(seconds):
        return f"{seconds:.6f}".rstrip("0").rstrip(".") + "s"
    return f"{int(whole)}:{int(rest):02d}" if rest else f"{int(whole)}m"
