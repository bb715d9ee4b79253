"""Commands as text: pasted into a shell, they pass the words that they were made of, and run nothing else."""

import re
import shlex
import shutil
import subprocess

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from outflank.command_lines import command_line
from outflank.errors import FormatError
from outflank.validation.quoted_words import join_words, split_words
from outflank.validation.text import comma_separated, comma_separated_words

pytestmark = pytest.mark.interpreted_only

HOSTILE = (
    '[Black "$(touch X)"] f5d6',
    "`touch X`",
    "'; touch X; '",
    '"; touch X; "',
    "a\n touch X\n",
    "  two  blanks ",
    "& calc | more > X < Y ^ %PATH% %CMDCMDLINE:~-1% !X!",
    "”; calc; “ ‘ ’ „",
    "-----",
    "*?[a-z]~{a,b}#!$HOME\\",
    "",
    "🂡é",
)
MADE_OF = st.text("abf5 $(){}[]`'\"\\;&|<>*?~#%!^=,-/\n\u201cé🂡", max_size=20)


@given(words=st.lists(MADE_OF, max_size=5))
@example(words=list(HOSTILE))
def test_a_posix_shell_reads_the_same_words(words: list[str]) -> None:
    assert shlex.split(command_line(words, windows=False)) == words


@pytest.mark.skipif(shutil.which("bash") is None, reason="asks bash")
@given(words=st.lists(st.text(st.characters(exclude_characters="\0"), max_size=20) | MADE_OF, min_size=1, max_size=20))
@example(words=[*HOSTILE, "\x03touch X\r\n\x1b[201~ \t \x7f\x9b", "\udcff\udc80 'a'"])
@settings(max_examples=20, deadline=None)
def test_bash_passes_the_same_words(words: list[str]) -> None:
    words = [word.encode("utf-8", "surrogateescape" if _from_bytes(word) else "ignore") for word in words]
    text = [word.decode("utf-8", "surrogateescape") for word in words]
    line = command_line(text, windows=False)
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", line)  # no key of a terminal
    asked = ["bash", "-c", "printf '%s\\0' " + line]
    found = subprocess.run(asked, stdout=subprocess.PIPE, check=True, env={"LC_ALL": "C.UTF-8"}).stdout
    assert found.split(b"\0")[:-1] == words


def _from_bytes(word: str) -> bool:
    try:
        word.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return False
    return True


@given(words=st.lists(MADE_OF, max_size=5))
@example(words=list(HOSTILE))
def test_powershell_reads_the_same_words_and_cmd_runs_none(words: list[str]) -> None:
    line = command_line(["outflank", *words], windows=True)
    assert _as_powershell(line) == ["outflank", *words]
    assert not set(line) & set("%!\n")
    assert not set(re.sub('"[^"]*"', "", line)) & set("&|<>^()'`$,;\"")  # what either acts on is quoted


def _as_powershell(line: str) -> list[str]:
    """The words that PowerShell makes of what is bare, or between double quotes with backticks and `$([char]N)`."""
    words = []
    for bare, quoted in re.findall(r'([^\s"]+)|"([^"]*)"', line):
        units = re.sub(r"(?<!`)((?:``)*)\$\(\[char\]([0-9]+)\)", lambda code: code[1] + chr(int(code[2])), quoted)
        text = bare or re.sub("`(.)", r"\1", units, flags=re.DOTALL)
        words.append(text.encode("utf-16", "surrogatepass").decode("utf-16"))
    return words


@given(words=st.lists(MADE_OF, max_size=5))
@example(words=list(HOSTILE))
def test_lists_are_read_back(words: list[str]) -> None:
    assert comma_separated_words(comma_separated(words)) == words


@given(text=MADE_OF)
def test_lists_are_read_or_refused(text: str) -> None:
    try:
        words = comma_separated_words(text)
    except FormatError:
        assert '"' in text
    else:
        assert comma_separated_words(comma_separated(words)) == words


@given(words=st.lists(st.text(max_size=10) | MADE_OF, max_size=5))
@example(words=list(HOSTILE))
@example(words=["C:\\Program Files\\Edax\\", 'it\'s "a"', "\\", "\\'"])
def test_quoted_words_are_read_again(words: list[str]) -> None:
    assert split_words(join_words(words)) == words
    posix = [word for word in words if "\\" not in word]
    assert split_words(shlex.join(posix)) == posix
    assert split_words(" \n".join(map(shlex.quote, words))) == words  # single quotes keep a backslash there too


@pytest.mark.parametrize("text", ["'", "a 'b", 'a"b c', "\"a'", "''\""])
def test_an_open_quote_is_refused(text: str) -> None:
    with pytest.raises(FormatError, match="a quote is not closed"):
        split_words(text)
