"""The words of the runtime, as `src/outflank/README.md` explains them, are those of the source."""

import re
from pathlib import Path

import pytest

import outflank

PACKAGE = Path(outflank.__file__).parent
ROW = re.compile(r"^\| ([a-z]+) \| .+ \| (`[^|]+`) \|$", re.M)


@pytest.mark.interpreted_only
def test_the_words_of_the_runtime_are_used_where_they_are_at_home():
    _, _, section = (PACKAGE / "README.md").read_text().partition("## Glossary: the words of the runtime\n")
    rows = ROW.findall(section)
    assert len({word for word, _ in rows}) == len(rows) == 21
    for word, homes in rows:
        for home in re.findall(r"`([^`]+)`", homes):
            assert re.search(rf"\b{word}s?\b", (PACKAGE / home).read_text(), re.I), (word, home)
