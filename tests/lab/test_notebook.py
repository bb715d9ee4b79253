"""Report 004's notebook: every cell runs, in order, and shows what it says."""

import ast
import json
from pathlib import Path

import pytest

from outflank.lab.experiment_report import Plot, ReportTable, Timeline

NOTEBOOK = Path(__file__).parents[2] / "examples" / "report_004.ipynb"

SMALL = {"DEPTHS": (1, 2), "DEPTH": 1, "THREADS": (1, 2), "ROUNDS": 1}
"""The parameters of a run that takes no time."""


def cells(kind):
    document = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    assert (document["nbformat"], document["nbformat_minor"]) == (4, 5)
    return [each for each in document["cells"] if each["cell_type"] == kind]


def run(source, names):
    """A cell as a notebook runs it: the value of its last expression, if that is what it ends with."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, str(NOTEBOOK), "exec"), names)
    return None if last is None else eval(compile(ast.Expression(last.value), str(NOTEBOOK), "eval"), names)


@pytest.mark.interpreted_only
def test_the_notebook_is_kept_without_outputs_and_says_what_can_be_changed():
    code = cells("code")
    assert all(each["outputs"] == [] and each["execution_count"] is None for each in code)
    (parameters,) = [each for each in code if "parameters" in each["metadata"].get("tags", ())]
    names = {}
    run("".join(parameters["source"]), names)
    assert set(SMALL) <= set(names)
    identifiers = [each["id"] for kind in ("code", "markdown") for each in cells(kind)]
    assert len(set(identifiers)) == len(identifiers)


@pytest.mark.interpreted_only
def test_the_notebook_is_linked():
    root = NOTEBOOK.parent.parent
    for name in ("README.md", "docs/lab.md"):
        assert "examples/report_004.ipynb" in (root / name).read_text(encoding="utf-8")


@pytest.mark.compiled
def test_every_cell_of_the_notebook_runs_in_order():
    names: dict[str, object] = {}
    shown = []
    for cell in cells("code"):
        value = run("".join(cell["source"]), names)
        if "parameters" in cell["metadata"].get("tags", ()):
            names.update(SMALL)
        if value is not None:
            shown.append(value)
    figures = [each for each in shown if isinstance(each, Plot | Timeline)]
    assert [figure.title for figure in figures][:2] == ["parallelism by depth", "parallel efficiency"]
    assert isinstance(figures[-1], Timeline)
    assert all("<svg" in figure._repr_html_() for figure in figures)
    tables = [each for each in shown if isinstance(each, ReportTable) or hasattr(each, "columns")]
    assert len(tables) == 4
    assert "real (s)" in list(tables[1].columns)
    curves = {series.name: series for series in figures[1].series}
    assert [threads for threads, _ in curves["master"].points] == [1, 2]
    assert len(curves["004"].points) == 32
    assert curves["004"].points[0][1] == pytest.approx(47.166 / 58.245)
