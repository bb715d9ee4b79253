"""The public names: listed once, in the stub, imported when they are used, and documented."""

import ast
import inspect
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import outflank

pytestmark = pytest.mark.plain

STUB = Path(outflank.__file__).with_suffix(".pyi")


def listed() -> list[tuple[str, str]]:
    lines = [line for line in ast.parse(STUB.read_text()).body if isinstance(line, ast.ImportFrom)]
    return [(line.module or "outflank", each.name) for line in lines for each in line.names]


def test_every_name_is_what_its_module_has():
    names = [name for _, name in listed()]
    assert len(set(names)) == len(names)
    assert {*names, "__version__"} == set(outflank.__all__) == set(dir(outflank))
    for module, name in listed():
        if name != "search":
            assert getattr(outflank, name) is getattr(import_module(module), name)
    assert outflank.search is import_module("outflank.search")  # which can be called


def test_nothing_is_imported_before_it_is_used():
    code = "import sys, outflank; a = set(sys.modules); outflank.IllegalMove; print(*a, '|', *set(sys.modules) - a)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    before, after = (set(part.split()) for part in done.stdout.split("|"))
    assert {name for name in before if name.startswith("outflank.")} == set()
    assert {name for name in after if name.startswith("outflank.")} == {"outflank.errors"}
    assert not {"numba", "numpy"} & (before | after)


def documented(value: object) -> bool:
    """By its own words: a dataclass without any says how it is called."""
    said = inspect.getdoc(value) or ""
    return said != "" and not said.startswith(f"{getattr(value, '__name__', '')}(")


@pytest.mark.parametrize("name", [name for _, name in listed()])
def test_every_name_is_documented(name):
    value = getattr(outflank, name)
    assert inspect.getdoc(value)
    if inspect.isclass(value):
        assert documented(value)
        for own, member in vars(value).items():
            if not own.startswith("_") and (callable(member) or isinstance(member, property | classmethod)):
                assert inspect.getdoc(getattr(value, own)), own


def test_the_package_says_that_it_is_typed():
    assert (STUB.parent / "py.typed").exists()
