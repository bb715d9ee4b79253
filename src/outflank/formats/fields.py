"""What records say besides moves, as text: names, numbers, dates."""

import math
import re

REASONS = ("resigned", "time", "illegal move", "crashed", "agreed", "ply limit")
"""Why games end if not by the rules."""

_number = re.compile(r"\s*([+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:e[+-]?[0-9]+)?)\s*", re.IGNORECASE)
_date = re.compile(r"\s*(\d{4}(?:-\d\d(?:-\d\d(?:T\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:?\d\d)?)?)?)?)(?!\d)", re.ASCII)


def one_line(text: str) -> str:
    """`text` without what would end its line."""
    return re.sub(r"[\x00-\x1f\x7f]+", " ", text).strip()


def decoded(data: bytes) -> str:
    """UTF-8, or what was written before it was usual: Latin-1 has a letter for every byte."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def write_number(value: float | None, *, decimals: int = 0, sign: bool = False) -> str:
    """The number with at least so many decimals, more if it needs them; nothing if it is unknown or infinite.

    >>> write_number(2, decimals=2, sign=True), write_number(0.125, decimals=2), write_number(None)
    ('+2.00', '0.125', '')
    """
    if value is None or not math.isfinite(value):
        return ""
    number = float(value) + 0.0  # of minus zero, zero
    short = f"{number:.{decimals}f}"
    text = short if abs(number) < 1e15 and float(short) == number else repr(number)
    return f"+{text}" if sign and number >= 0 else text


def write_seconds(seconds: float | None, *, decimals: int = 0) -> str:
    """A time that was measured: to the millisecond, for more is chance.

    >>> write_seconds(0.30000000000000004), write_seconds(1.0, decimals=2), write_seconds(None)
    ('0.3', '1.00', '')
    """
    return write_number(None if seconds is None else round(seconds, 3), decimals=decimals)


def read_number(text: str) -> float | None:
    """The number, or None if `text` is none."""
    found = _number.fullmatch(text)
    number = float(found[1]) if found else math.inf
    return number if math.isfinite(number) else None


def read_date(text: str) -> str:
    """The date at the start of `text`, as far as it goes; empty if there is none.

    >>> read_date("1998-05-17,18"), read_date("May 1998")
    ('1998-05-17', '')
    """
    found = _date.match(text)
    return found[1] if found else ""


def year_of(date: str) -> int | None:
    """The year of a record's date."""
    return int(date[:4]) if re.match(r"\d{4}(?!\d)", date, re.ASCII) else None
