"""What editors and type checkers know of the public names: right uses pass, wrong ones are refused."""

import json
import os
import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest

from outflank.search.algorithms import ALGORITHMS
from outflank.search.division import SCHEMES, Scheme
from outflank.search.keywords import (
    AlgorithmName,
    LimitKeywords,
    OptionKeywords,
    PlayerKeywords,
    SchemeName,
    SearchKeywords,
)
from outflank.search.request import Limits, Options
from outflank.search.request_checks import MONTE_CARLO

pytestmark = pytest.mark.interpreted_only

HERE = Path(__file__).parents[1]
USES = "tests/typed_uses"


def marked() -> set[tuple[str, int]]:
    return {
        (path.name, number)
        for path in (HERE / "typed_uses").glob("*.py")
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if line.endswith("# error")
    }


def printed(*command: str) -> str:
    """By a checker that finds something wrong, as it shall."""
    # Pyright asks the net whether there is a newer one, unless it is told not to.
    environment = os.environ | {"PYRIGHT_PYTHON_IGNORE_WARNINGS": "1"}
    done = subprocess.run(
        [sys.executable, "-m", *command], cwd=HERE.parent, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 1, done.stdout + done.stderr
    return done.stdout


def mypy() -> set[tuple[str, int]]:
    said = [json.loads(line) for line in printed("mypy", "--output", "json", USES).splitlines()]
    return {(Path(each["file"]).name, each["line"]) for each in said if each["severity"] == "error"}


def pyright() -> set[tuple[str, int]]:
    said = json.loads(printed("pyright", "--outputjson", "--pythonpath", sys.executable, USES))
    return {
        (Path(each["file"]).name, each["range"]["start"]["line"] + 1)
        for each in said["generalDiagnostics"]
        if each["severity"] == "error"
    }


@pytest.mark.slow(10)
@pytest.mark.parametrize("checker", [mypy, pyright])
def test_a_checker_refuses_the_wrong_uses_and_no_other(checker):
    assert len(marked()) > 50
    assert checker() == marked()


NARROWER = {"algorithm": AlgorithmName, "parallel": SchemeName | Scheme | None}
"""To checkers; a search takes text, and says what is wrong with it."""


def test_the_keywords_of_a_search_are_its_limits_and_options():
    for keywords, cls in ((LimitKeywords, Limits), (OptionKeywords, Options)):
        assert keywords.__required_keys__ == frozenset()
        expected: dict[str, Any] = {name: kind for name, kind in get_type_hints(cls).items() if name not in NARROWER}
        expected |= {name: NARROWER[name] for name in NARROWER if name in get_type_hints(cls)}
        assert get_type_hints(keywords) == expected
        assert set(expected) == {each.name for each in fields(cls)}
    assert get_type_hints(SearchKeywords) == get_type_hints(LimitKeywords) | get_type_hints(OptionKeywords)


def test_the_names_that_checkers_know_are_those_there_are():
    assert set(get_args(AlgorithmName)) == {*ALGORITHMS, *MONTE_CARLO}
    assert get_args(SchemeName) == SCHEMES.own


def test_what_a_player_decides_itself_is_no_option_of_its_search():
    from outflank.players.computer import settings_of_computers

    assert set(get_type_hints(PlayerKeywords)) == set(settings_of_computers()) & set(get_type_hints(OptionKeywords)) - {
        "ties",
        "exact",
    }
