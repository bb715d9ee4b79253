"""No module imports itself by way of others."""

from graphlib import CycleError, TopologicalSorter

import grimp
import pytest

pytestmark = pytest.mark.plain


def circle(imports: dict[str, set[str]]) -> list[str]:
    """One, if there is any."""
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        return error.args[1]
    return []


def test_a_circle_is_found():
    assert circle({"a": {"b"}, "b": {"c"}, "c": set()}) == []
    assert set(circle({"a": {"b"}, "b": {"c"}, "c": {"b"}})) == {"b", "c"}


def test_there_is_none():
    # Imports within functions count; names that annotations alone need are not imported.
    graph = grimp.build_graph("outflank", cache_dir=None, exclude_type_checking_imports=True)
    assert circle({module: graph.find_modules_directly_imported_by(module) for module in graph.modules}) == []
