"""Commands as lines of text that a reader can paste into a shell, which then passes the original words unchanged.

Words may be untrusted, such as a position that a visitor of a server has sent: the shell must not execute them. On
Windows the line is for PowerShell (7.3 or later keeps double quotes within words; earlier versions drop them). `cmd`
may pass different words, but executes none of them either.
"""

import re
import shlex
import sys
import unicodedata
from collections.abc import Iterable

PROGRAM = "outflank"

# PowerShell reads a comma as a list separator and splits `-a.b` into two words, so both are quoted.
_bare_in_powershell = re.compile(r"(?a:\w[\w./:\\+=-]*|--?[A-Za-z][\w-]*)")
_literal_in_powershell = frozenset(" #&'()*+,-./:;<=>?@[\\]^_{|}~")
"""Characters, besides letters and digits, without a special meaning in double quotes in PowerShell and `cmd`."""


def command_line(words: Iterable[str], *, windows: bool = sys.platform == "win32") -> str:
    """Return these words as one line, quoted so that it can be pasted into a POSIX shell (on Windows: PowerShell).

    >>> command_line(["outflank", "lab", "edges", "--positions", "$(touch X) f5"], windows=False)
    "outflank lab edges --positions '$(touch X) f5'"
    >>> print(command_line(["outflank", "lab", "edges", "--positions", "$(touch X) f5"], windows=True))
    outflank lab edges --positions "`$(touch X) f5"
    """
    return " ".join(map(_quoted_for_powershell if windows else _quoted_for_posix, words))


def this_command() -> str:
    """Return the command line that runs this process's command again."""
    return command_line([PROGRAM, *sys.argv[1:]])


def _quoted_for_posix(word: str) -> str:
    """Return a quoted word. Terminals act on pasted control characters, even in quotes: `$'…'` escapes them."""
    if not any(_is_key(character) for character in word):
        return shlex.quote(word)
    return f"$'{''.join(map(_escaped, word))}'"


def _is_key(character: str) -> bool:
    """Return whether a terminal may act on the character: a control character except newline, or a surrogate."""
    return character != "\n" and unicodedata.category(character) in ("Cc", "Cs")


def _escaped(character: str) -> str:
    if _is_key(character) or character in "\n\\'":
        raw = character.encode("utf-8", "surrogateescape" if "\udc80" <= character <= "\udcff" else "surrogatepass")
        return "".join(f"\\{byte:03o}" for byte in raw)
    return character


def _quoted_for_powershell(word: str) -> str:
    if _bare_in_powershell.fullmatch(word):
        return word
    return f'"{"".join(map(_escaped_for_powershell, word))}"'


def _escaped_for_powershell(character: str) -> str:
    """Return a character for use in double quotes. Special characters, like typographic quotes, `%` and `!`, become
    codes."""
    if character in "$`":
        return f"`{character}"
    if character.isalnum() or character in _literal_in_powershell:
        return character
    raw = character.encode("utf-16-be", "surrogatepass")
    units = (int.from_bytes(raw[place : place + 2], "big") for place in range(0, len(raw), 2))
    return "".join(f"$([char]{unit})" for unit in units)
