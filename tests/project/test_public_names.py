"""The public names: listed once, in the stub, imported when they are used, and documented."""

import ast
import inspect
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import pytest

import outflank

pytestmark = pytest.mark.interpreted_only

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


def described() -> list[str]:
    """What the reference describes."""
    pages = (Path(__file__).parents[2] / "docs" / "reference").glob("*.md")
    lines = [line for page in pages for line in page.read_text(encoding="utf-8").splitlines()]
    return [line.removeprefix("::: ") for line in lines if line.startswith("::: ")]


def undocumented(value: Any, path: str) -> Iterator[str]:
    """What of a class, a function or a module says nothing of itself."""
    said = inspect.getdoc(value) or ""
    if not said or (inspect.isclass(value) and said.startswith(f"{value.__name__}(")):  # a dataclass without a word
        yield path
    if inspect.isclass(value) or inspect.ismodule(value):
        for name, member in vars(value).items():
            own = inspect.isclass(value) or getattr(member, "__module__", None) == value.__name__
            if own and not name.startswith("_") and (callable(member) or isinstance(member, property | classmethod)):
                yield from undocumented(getattr(value, name), f"{path}.{name}")


@pytest.mark.parametrize("path", sorted({*(f"outflank.{name}" for _, name in listed() if name != "lab"), *described()}))
def test_every_name_is_documented(path):
    assert list(undocumented(resolve_name(path), path)) == []


def test_the_package_says_that_it_is_typed():
    assert (STUB.parent / "py.typed").exists()
