"""No module imports itself by way of others."""

from graphlib import CycleError, TopologicalSorter

import grimp
import pytest

pytestmark = pytest.mark.interpreted_only


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


PARTS = ("defaults", "encoding", "notation", "presentation", "scores")
UPWARDS = ("outflank.games.description", *(f"outflank.games.{part}" for part in PARTS), "outflank.formats.movetext")
"""These describe, in annotations alone, what stands above them: boards, and files of games."""


def imports(*, annotations: bool) -> dict[str, set[str]]:
    """What each module imports, within functions too, and for its annotations if they are to count."""
    graph = grimp.build_graph("outflank", cache_dir=None, exclude_type_checking_imports=not annotations)
    return {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}


def test_there_is_none():
    run, named = imports(annotations=False), imports(annotations=True)
    assert circle(run) == []
    assert circle({module: (run if module in UPWARDS else named)[module] for module in named}) == []
