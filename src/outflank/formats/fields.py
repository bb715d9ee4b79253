"""Reads and writes the text fields of game records other than moves: names, numbers, dates."""

import math
import re

REASONS = ("resigned", "time", "illegal move", "crashed", "agreed", "ply limit")
"""Reasons why a game can end other than by the rules."""

_number = re.compile(r"\s*([+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:e[+-]?[0-9]+)?)\s*", re.IGNORECASE)
_date = re.compile(r"\s*(\d{4}(?:-\d\d(?:-\d\d(?:T\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:?\d\d)?)?)?)?)(?!\d)", re.ASCII)


def one_line(text: str) -> str:
    """Return `text` on one line: control characters such as line feeds become blanks."""
    return re.sub(r"[\x00-\x1f\x7f]+", " ", text).strip()


def decoded(data: bytes) -> str:
    """Return `data` decoded as UTF-8 or, if it is invalid, as Latin-1, which has a character for every byte."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def write_number(value: float | None, *, decimals: int = 0, sign: bool = False) -> str:
    """Return the text of a number, with at least `decimals` decimals; empty if it is None or infinite.

    >>> write_number(2, decimals=2, sign=True), write_number(0.125, decimals=2), write_number(None)
    ('+2.00', '0.125', '')
    """
    if value is None or not math.isfinite(value):
        return ""
    number = float(value) + 0.0  # turns minus zero into zero
    short = f"{number:.{decimals}f}"
    text = short if abs(number) < 1e15 and float(short) == number else repr(number)
    return f"+{text}" if sign and number >= 0 else text


def write_seconds(seconds: float | None, *, decimals: int = 0) -> str:
    """Return the text of a measured time, rounded to milliseconds, since further digits are noise.

    >>> write_seconds(0.30000000000000004), write_seconds(1.0, decimals=2), write_seconds(None)
    ('0.3', '1.00', '')
    """
    return write_number(None if seconds is None else round(seconds, 3), decimals=decimals)


def read_number(text: str) -> float | None:
    """Return the finite number that `text` states; None if it states none."""
    match = _number.fullmatch(text)
    number = float(match[1]) if match else math.inf
    return number if math.isfinite(number) else None


def read_date(text: str) -> str:
    """Return the ISO date at the start of `text`, which may be only a year or month; empty if there is none.

    >>> read_date("1998-05-17,18"), read_date("May 1998")
    ('1998-05-17', '')
    """
    match = _date.match(text)
    return match[1] if match else ""


def year_of(date: str) -> int | None:
    """Return the year of a record's date; None if it is unknown."""
    return int(date[:4]) if re.match(r"\d{4}(?!\d)", date, re.ASCII) else None
