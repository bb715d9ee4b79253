"""Plain text for streams: ASCII replacements of characters that a stream cannot encode, and wrapped lines.

This module is imported at every start, so it does not import Rich.
"""

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
"""ASCII replacements of characters. Every other character that cannot be encoded becomes a question mark."""


def _replacement(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    missing = error.object[error.start : error.end]
    return "".join(PLAIN.get(char, "?") for char in missing), error.end


codecs.register_error(ERRORS, _replacement)


def use_plain_text(stream: TextIO | None) -> None:
    """Let a stream replace the characters that it cannot encode.

    Python writes UTF-8 even in the C locale, but users of that locale can read only ASCII. Whole documents are written
    as bytes and are not affected.
    """
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(encoding="ascii" if _locale_is_ascii() else None, errors=ERRORS)


def _locale_is_ascii() -> bool:
    variable = os.environ.get
    if variable("PYTHONIOENCODING") or variable("PYTHONUTF8", "0") != "0":
        return False
    # Python itself changes LC_CTYPE from C to C.UTF-8, so the value C.UTF-8 says nothing about the user's choice.
    character_type = variable("LC_CTYPE", "")
    return (variable("LC_ALL") or (character_type if character_type != "C.UTF-8" else "") or variable("LANG", "")) in (
        "C",
        "POSIX",
    )


def wrapped_line(line: str, stream: TextIO) -> str:
    """Return a line, wrapped between words if the stream is a terminal."""
    if not stream.isatty():
        return line
    width = shutil.get_terminal_size().columns
    return textwrap.fill(line, max(width, 20), break_long_words=False, break_on_hyphens=False)
