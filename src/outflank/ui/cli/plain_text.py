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

    Python writes UTF-8 also where the locale is C; who has asked for that one can read ASCII alone, at a terminal and
    behind a pipe. Whole documents are bytes, and not concerned.
    """
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(encoding="ascii" if _asked_for_ascii() else None, errors=ERRORS)


def _asked_for_ascii() -> bool:
    told = os.environ.get
    if told("PYTHONIOENCODING") or told("PYTHONUTF8", "0") != "0":
        return False
    # Python itself makes C.UTF-8 of LC_CTYPE where it finds C.
    kind = told("LC_CTYPE", "")
    return (told("LC_ALL") or (kind if kind != "C.UTF-8" else "") or told("LANG", "")) in ("C", "POSIX")


def folded(line: str, stream: TextIO) -> str:
    """A line as it is, or for a terminal in several, broken between words."""
    if not stream.isatty():
        return line
    width = shutil.get_terminal_size().columns
    return textwrap.fill(line, max(width, 20), break_long_words=False, break_on_hyphens=False)
