"""Text for streams that cannot show all of it: × becomes x, and an ellipsis three dots, rather than question marks."""

import codecs
import io
import os
import shutil
import textwrap
from typing import TextIO

ERRORS = "outflank-plain"

PLAIN = {
    "×": "x",
    "…": "...",
    "·": ".",
    "•": "*",
    "●": "O",
    "–": "-",
    "−": "-",
    "─": "-",
    "█": "#",
    "▄": "_",
    "▀": "^",
    "≥": ">=",
    "≤": "<=",
    "±": "+-",
    "µ": "u",
    "²": "2",
    "→": "->",
    "ö": "oe",
}
"""What stands for characters outside ASCII; anything else is a question mark."""


def _plain(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    missing = error.object[error.start : error.end]
    return "".join(PLAIN.get(char, "?") for char in missing), error.end


codecs.register_error(ERRORS, _plain)


def make_plain(stream: TextIO | None) -> None:
    """Let a stream show what it can.

    Python writes UTF-8 also where the locale is C: right for files, and for a terminal that has been told to show
    nothing but ASCII it is not.
    """
    if not isinstance(stream, io.TextIOWrapper):
        return
    locale = os.environ.get("LC_ALL") or os.environ.get("LANG", "")
    ascii_only = locale in ("C", "POSIX") and stream.isatty()
    stream.reconfigure(encoding="ascii" if ascii_only else None, errors=ERRORS)


def folded(line: str, stream: TextIO) -> str:
    """A line as it is, or for a terminal in several, broken between words."""
    if not stream.isatty():
        return line
    width = shutil.get_terminal_size().columns
    return textwrap.fill(line, max(width, 20), break_long_words=False, break_on_hyphens=False)
