r"""Words between blanks, with quotes: a player's settings, and the command line of an external program.

The rules are the same on every system:

- Blanks separate words.
- Text between two equal quotes, `"` or `'`, belongs to its word whatever it contains; the quotes are removed.
- Every other character stands for itself, also the backslash: `C:\Edax\edax.exe` and `"C:\Program Files\Edax\"` keep
  theirs.
"""

import re
from collections.abc import Iterable

from outflank.errors import FormatError

# Possessive: a word can be read in one way only, so text with an open quote takes linear time too.
_blanks = re.compile(r"\s*+")
_word = re.compile(r"""((?:[^\s"']++|"[^"]*+"|'[^']*+')++)(?:\s++|\Z)""")
_piece = re.compile(r""""([^"]*+)"|'([^']*+)'|([^"']++)""")


def split_words(text: str) -> list[str]:
    r"""Return the words of a text; raise `FormatError` if a quote is not closed.

    >>> split_words(r'''C:\Edax\edax.exe -l "my file" --name='it is' ""''')
    ['C:\\Edax\\edax.exe', '-l', 'my file', '--name=it is', '']
    """
    words = []
    offset = _blanks.match(text).end()  # type: ignore[union-attr]  # it matches any text
    while offset < len(text):
        word = _word.match(text, offset)
        if word is None:
            raise FormatError("a quote is not closed")
        words.append(_piece.sub(lambda piece: "".join(piece.groups("")), word[1]))
        offset = word.end()
    return words


def join_words(words: Iterable[str]) -> str:
    r"""Return a text that `split_words` reads as these words.

    >>> print(join_words(["depth=3", r"C:\My Files\x", "it's", ""]))
    depth=3 "C:\My Files\x" "it's" ""
    """
    return " ".join(map(_quoted, words))


def _quoted(word: str) -> str:
    if word and not re.search(r"""[\s"']""", word):
        return word
    pieces = re.findall(r'[^"]++|"++', word) or [""]
    return "".join(f"'{piece}'" if piece.startswith('"') else f'"{piece}"' for piece in pieces)
