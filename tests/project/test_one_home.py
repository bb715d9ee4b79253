"""A game has one home: nothing outside it, and outside what every game shares, names one."""

import ast
import re
from pathlib import Path

import pytest

import outflank

pytestmark = pytest.mark.interpreted_only

PACKAGE = Path(outflank.__file__).parent

HOMES = ("othello", "abalone")
SHARED = ("games", "formats", "boards")
"""What all games share; it may name the package's own, though mostly it does not."""

REPORTS = {
    f"lab/{name}.py"
    for name in (
        *(f"measuring/{name}" for name in ("bench_searches", "board_storage", "compiled_speed", "node_work")),
        "measuring/whole_games",
        *(f"grading/{name}" for name in ("abalone_assignment", "counted_game", "oracles", "replication_assignment")),
        "grading/submission",
        "report_programs/classroom",
        "report_programs/program_001",
        "spans/cilkview_counts",
        "studies/duel_bouts",
        *(f"studies/{study}" for study in ("compilation", "determinism", "duels", "edges", "imbalance", "orders")),
        *(f"studies/{study}" for study in ("parallelism", "pruning", "storage", "sweeps", "nodes_per_turn", "within")),
    )
}
"""Modules that measure named games: reports' own programs, the fixed searches of the benchmark, and assignments."""

GAME = re.compile("othello|abalone", re.IGNORECASE)


def names_in(source: str) -> list[tuple[int, str]]:
    """Where code names a game: identifiers, imports and strings, but no docstrings and no comments."""
    if not GAME.search(source):
        return []
    tree = ast.parse(source)
    told = {id(each.value) for each in ast.walk(tree) if isinstance(each, ast.Expr)}
    found = []
    for each in ast.walk(tree):
        texts: tuple[str | None, ...] = ()
        if isinstance(each, ast.Name):
            texts = (each.id,)
        elif isinstance(each, ast.Attribute):
            texts = (each.attr,)
        elif isinstance(each, ast.ImportFrom):
            texts = (each.module, *(name.name for name in each.names))
        elif isinstance(each, ast.Import):
            texts = tuple(name.name for name in each.names)
        elif isinstance(each, ast.arg | ast.keyword):
            texts = (each.arg,)
        elif isinstance(each, ast.FunctionDef | ast.ClassDef):
            texts = (each.name,)
        elif isinstance(each, ast.Constant) and isinstance(each.value, str) and id(each) not in told:
            texts = (each.value,)
        found += [(getattr(each, "lineno", 0), text) for text in texts if text and GAME.search(text)]
    return found


def test_it_is_seen_wherever_it_stands():
    for line in (
        "from outflank.othello.rules import legal",
        "import outflank.abalone",
        "if game == 'othello': pass",
        "OthelloBoard()",
        "board.othello_size",
        "def of_abalone(): pass",
        "f(othello=1)",
        "text = f'{x} of Abalone'",
    ):
        assert names_in(line), line
    assert not names_in('"""Of Othello."""\n# Abalone\nclass A:\n    x: int\n    """As in Othello."""')


def test_no_module_outside_its_home_names_a_game():
    found = {
        name: names
        for path in sorted(PACKAGE.rglob("*.py"))
        if (name := path.relative_to(PACKAGE).as_posix()).split("/")[0] not in (*HOMES, *SHARED)
        and not name.startswith(("lab/reproduction/", "lab/claims/"))
        and name not in REPORTS
        and (names := names_in(path.read_text()))
    }
    assert found == {}


def test_every_exception_is_needed():
    assert {name for name in REPORTS if not names_in((PACKAGE / name).read_text())} == set()


def test_what_games_share_names_them_in_the_registry_alone():
    found = {
        path.relative_to(PACKAGE).as_posix()
        for folder in SHARED
        for path in (PACKAGE / folder).rglob("*.py")
        if names_in(path.read_text())
    }
    assert found <= {"games/description.py", "games/evaluation.py"}
