"""Notebooks of the reports and of the course: every cell runs, in order, and shows what it says."""

import ast
import json
from pathlib import Path

import pytest

from outflank.lab.experiment_report import Plot, ReportTable, Timeline

EXAMPLES = Path(__file__).parents[2] / "examples"
SOLUTIONS = EXAMPLES / "course" / "solutions"

SMALL = {
    "report_000": {"DEPTH": 1, "MIDGAME_DEPTH": 1, "SEARCH_DEPTH": 2, "THRESHOLDS": (1, 2), "ROUNDS": 1},
    "report_001": {"DEPTH": 1, "DEPTHS": (1,), "ALGORITHMS": ("AlphaBeta", "Jamboree"), "WORKERS": (1,), "GAMES": 1},
    "report_002": {"DEPTHS": (1,), "GRANULARITY": 0, "GRANULARITY_DEPTH": 1, "TIMED_DEPTH": 2, "ROUNDS": 1},
    "report_003": {"DEPTHS": (1,), "PRUNING_DEPTH": 1, "SCHEDULE_DEPTH": 1, "THREADS": (1, 48), "ROUNDS": 1},
    "report_004": {"DEPTHS": (1, 2), "DEPTH": 1, "THREADS": (1, 2), "ROUNDS": 1},
    "course/assignment_1": {"SIZE": 6, "DEPTH": 2},
    "course/assignment_2": {"SIZE": 6, "DEPTH": 2},
    "course/assignment_3": {"SIZE": 6, "DEPTH": 2, "RUNS": 1},
    "course/assignment_4": {"SIZE": 6, "DEPTH": 2},
    "course/assignment_5": {"DEPTH": 4, "SLOTS": (16, 64)},
    "course/assignment_6": {"NODES": (2, 4)},
    "course/assignment_7": {"PLIES": 2, "DEPTH": 1},
}
"""The parameters of a run that takes no time, by notebook."""

COURSE = [name for name in SMALL if name.startswith("course/")]


def cells(name, kind):
    document = json.loads((EXAMPLES / f"{name}.ipynb").read_text(encoding="utf-8"))
    assert (document["nbformat"], document["nbformat_minor"]) == (4, 5)
    return [each for each in document["cells"] if each["cell_type"] == kind]


def run(source, names):
    """A cell as a notebook runs it: the value of its last expression, if that is what it ends with."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "notebook", "exec"), names)
    return None if last is None else eval(compile(ast.Expression(last.value), "notebook", "eval"), names)


def run_all(name, **changes):
    """What the cells of a notebook show, with small parameters."""
    names: dict[str, object] = {}
    shown = []
    for cell in cells(name, "code"):
        value = run("".join(cell["source"]), names)
        if "parameters" in cell["metadata"].get("tags", ()):
            names.update(SMALL[name] | changes)
        if value is not None:
            shown.append(value)
    return shown


@pytest.mark.interpreted_only
def test_every_notebook_is_tried():
    assert {str(path.relative_to(EXAMPLES).with_suffix("")) for path in EXAMPLES.rglob("*.ipynb")} == set(SMALL)


@pytest.mark.interpreted_only
@pytest.mark.parametrize("name", SMALL)
def test_a_notebook_is_kept_without_outputs_and_says_what_can_be_changed(name):
    code = cells(name, "code")
    assert all(each["outputs"] == [] and each["execution_count"] is None for each in code)
    (parameters,) = [each for each in code if "parameters" in each["metadata"].get("tags", ())]
    names = {}
    run("".join(parameters["source"]), names)
    assert set(SMALL[name]) <= set(names)
    identifiers = [each["id"] for kind in ("code", "markdown") for each in cells(name, kind)]
    assert len(set(identifiers)) == len(identifiers)


@pytest.mark.interpreted_only
def test_the_notebooks_are_linked():
    for page in ("README.md", "docs/lab.md"):
        text = (EXAMPLES.parent / page).read_text(encoding="utf-8")
        assert "examples/report_004.ipynb" in text
        assert "course/index.md" in text


@pytest.mark.interpreted_only
@pytest.mark.filterwarnings("ignore:overflow encountered")  # NumPy's, of the hash in a solution
@pytest.mark.parametrize("name", COURSE)
def test_a_notebook_of_the_course_runs_with_the_model_solution(name, monkeypatch):
    monkeypatch.setattr("outflank.games.evaluation._registered", {})
    solution = SOLUTIONS / f"solution_{name[-1]}.py"
    shown = run_all(name, FILE=str(solution))
    assert shown
    for figure in shown:
        if isinstance(figure, Plot):
            assert "<svg" in figure._repr_html_()


@pytest.mark.interpreted_only
@pytest.mark.slow(3)
@pytest.mark.parametrize("name", ["report_000", "report_001", "report_002", "report_003"])
def test_every_cell_of_a_report_runs_in_order(name):
    shown = run_all(name)
    figures = [each for each in shown if isinstance(each, Plot)]
    assert len(figures) >= 2
    assert all("<svg" in figure._repr_html_() for figure in figures)


@pytest.mark.compiled
@pytest.mark.slow(14)
def test_every_cell_of_report_004_runs_in_order():
    shown = run_all("report_004")
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
