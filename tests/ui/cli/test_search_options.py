"""Options of a search are declared once, on `Limits` and `Options`: commands and the documentation agree with them."""

import re
from pathlib import Path
from typing import Annotated, Literal, get_args, get_origin

import click
import pytest

from outflank.errors import OutflankError
from outflank.search.algorithms import ALGORITHMS
from outflank.search.request import Limits, Options
from outflank.search.request_checks import MONTE_CARLO
from outflank.ui.cli.searching.search_command import command
from outflank.ui.cli.shared.search_options import FIELDS
from outflank.ui.shared.declared_options import ChoiceOf, kind_of
from outflank.validation.values import Between

pytestmark = pytest.mark.interpreted_only

OFFERED = {name: field for name, field in FIELDS.items() if field.metadata}

DOCUMENTED = Path(__file__).parents[3] / "docs" / "search.md"


def test_the_command_offers_every_declared_option_with_its_default_and_help():
    assert set(FIELDS) - set(OFFERED) == {"use_endgame_kernels"}
    parameters = {parameter.name: parameter for parameter in command.params}
    values = command.make_context("search", []).params
    for name, field in OFFERED.items():
        assert parameters[name].help.startswith(field.metadata["help"]), name
        assert values[name] == field.default, name
    assert OFFERED["algorithm"].metadata["help"] == f"One of {', '.join((*ALGORITHMS, *MONTE_CARLO))}."


def test_what_the_command_gets_is_of_the_declared_kind():
    arguments = "--step 2 --selectivity 73 --quiescence 3 --no-share-alpha --exact --time 2 --passes ply --levels 2"
    values = command.make_context("search", arguments.split()).params
    assert (values["step"], values["selectivity"], values["seconds"]) == (2, 73, 2.0)
    options = Options(**{name: values[name] for name in OFFERED if name not in ("depth", "seconds", "nodes")})
    assert (options.quiescence, options.share_alpha, options.exact, options.passes) == (3, False, True, "ply")
    assert Limits(seconds=values["seconds"]).seconds == 2
    with pytest.raises(click.BadParameter, match="'3' is not one of '1', '2'"):
        command.make_context("search", ["--step", "3"])
    with pytest.raises(OutflankError, match="from 0 to 10"):
        Options(quiescence=11)


def test_the_table_in_the_documentation_has_the_declared_choices():
    section = DOCUMENTED.read_text(encoding="utf-8").partition("## Options")[2].partition("**Evaluations**")[0]
    rows = dict(re.findall(r"^\| `(\w+)` \| ([^|]*) \|", section, re.MULTILINE))
    assert len(rows) > 10
    for name, text in rows.items():
        field = FIELDS[name]
        kind, _ = kind_of(field.type)
        words = text.replace("`", "").split(", ")
        if kind is bool:
            assert words == (["yes", "no"] if field.default else ["no", "yes"]), name
        elif isinstance(kind, ChoiceOf):
            assert words[0] == str(field.default), name
            assert set(words) == set(kind.values), name
        elif " to " in text:
            assert get_origin(field.type) is Annotated
            assert Between(*map(int, text.split(" to "))) in get_args(field.type), name
        else:
            assert words[0] == str(field.default).lower(), name
            assert get_origin(field.type) is not Literal
